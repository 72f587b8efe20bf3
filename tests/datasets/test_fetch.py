"""Public data sets from a server on this machine: whole, cut, changed and absent files."""

import hashlib
import io
import re
import sys
from types import MappingProxyType

import numpy as np
import pytest
import scipy.io
from numpy.testing import assert_array_equal

from manyview.datasets import OWN_COPIES, SOURCES, DataNotPresent, fetch, load, register, registered, sources, verify
from manyview.datasets.registry import data_directory
from public_files import serving


def mat_file(rows=6):
    content = io.BytesIO()
    views = np.empty((1, 2), dtype=object)
    views[0, 0], views[0, 1] = np.arange(2.0 * rows).reshape(rows, 2), np.ones((rows, 3)) * np.arange(rows)[:, None]
    scipy.io.savemat(content, {"X": views, "Y": np.arange(rows) % 2 + 1})
    return content.getvalue()


@pytest.fixture(scope="module")
def server():
    with serving() as running:
        yield running


@pytest.fixture
def public(server, tmp_path, monkeypatch):
    address, files = server
    files.files, files.cut, files.asked = {}, set(), []
    monkeypatch.setenv("MANYVIEW_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(sources, "HOST", address)
    return files


def path_of(name):
    source = SOURCES[name]
    return f"/{source.repository}/{source.commit}/{source.path}"


def with_checksum(monkeypatch, name, content):
    source = SOURCES[name]._replace(sha256=hashlib.sha256(content).hexdigest())
    monkeypatch.setattr(sys.modules["manyview.datasets.fetch"], "SOURCES", MappingProxyType({name: source}))


def kept():
    return [path.name for path in (data_directory() / "fetched").glob("*")]


@pytest.mark.parametrize("checksum_known", [True, False])
def test_data_are_fetched_once(public, monkeypatch, checksum_known, capfd):
    public.files[path_of("scene15")] = content = mat_file()
    if checksum_known:
        with_checksum(monkeypatch, "scene15", content)
    data = fetch("scene15")
    assert (data.name, data.n_samples, data.n_features) == ("scene15", 6, (2, 3))
    assert_array_equal(data.labels, np.arange(6) % 2)
    assert "100%" in capfd.readouterr().err
    assert fetch("scene15").n_samples == load("scene15").n_samples == 6
    assert public.asked == [path_of("scene15")]
    assert verify("scene15") == "ok"


def test_progress_can_be_silent(public, capfd):
    public.files[path_of("scene15")] = mat_file()
    fetch("scene15", progress=False)
    assert capfd.readouterr() == ("", "")


def test_another_file_than_expected_is_not_kept(public):
    public.files[path_of("mnist4")] = mat_file()
    with pytest.raises(ValueError, match=f"its SHA-256 is not {SOURCES['mnist4'].sha256}. Nothing was kept"):
        fetch("mnist4", progress=False)
    assert kept() == []
    assert registered() == {}


@pytest.mark.parametrize("name", ["mnist4", "scene15"])
def test_cut_transfer_is_not_kept(public, name):
    """The checksum of scene15 is not known, so any content would do."""
    public.files[path_of(name)] = mat_file()
    public.cut.add(path_of(name))
    with pytest.raises(DataNotPresent, match=rf"'{name}' could not be fetched .* Nothing was kept. Try again"):
        fetch(name, progress=False)
    assert kept() == []
    assert verify(name) == "not fetched"


def test_source_without_the_file_is_named(public):
    with pytest.raises(DataNotPresent, match=rf"{re.escape(SOURCES['mnist4'].url)} \(HTTPError: 404") as caught:
        fetch("mnist4", progress=False)
    assert "manyview.datasets.register('mnist4', path)" in str(caught.value)
    assert kept() == []


def test_without_a_connection_the_error_says_what_to_do(public, monkeypatch):
    with serving() as (address, _):
        pass  # nobody answers there any more
    monkeypatch.setattr(sources, "HOST", address)
    with pytest.raises(DataNotPresent, match=r"ConnectionError.* Try again with a connection to the internet, or"):
        fetch("mnist4", progress=False)


def test_checksum_first_seen_is_compared_later(public):
    public.files[path_of("scene15")] = first = mat_file()  # a file of another second has another header
    fetch("scene15", progress=False)
    (path,) = (data_directory() / "fetched").glob("*")
    path.unlink()
    assert verify("scene15") == "file is gone"
    public.files[path_of("scene15")] = mat_file(rows=8)
    with pytest.raises(ValueError, match="is not the 'scene15' that is expected"):
        fetch("scene15", progress=False)
    public.files[path_of("scene15")] = first
    assert fetch("scene15", progress=False).n_samples == 6
    path.write_bytes(mat_file(rows=8))
    assert verify("scene15") == "file has changed"
    with pytest.raises(ValueError, match="has changed since it was registered"):
        fetch("scene15", progress=False)


def test_own_copy_comes_first(public, tmp_path):
    (tmp_path / "mine.mat").write_bytes(mat_file())
    for name in ("mnist4", *OWN_COPIES, "mine"):
        register(name, tmp_path / "mine.mat")
        assert fetch(name).name == name
    assert public.asked == []
    assert fetch("digits").n_clusters == 10
    assert verify("digits") == "ok"


@pytest.mark.parametrize("name", OWN_COPIES)
def test_data_without_public_source_ask_for_a_copy(public, name):
    with pytest.raises(DataNotPresent, match=rf"name your own copy: manyview.datasets.register\('{name}', path\)"):
        fetch(name)


def test_unknown_name_lists_the_known(public):
    with pytest.raises(DataNotPresent, match="no data set is known as 'mnist5'; known are digits, mnist4, hw4"):
        fetch("mnist5")


@pytest.mark.parametrize("library", ["pooch", "tqdm"])
def test_missing_extra_is_named(public, monkeypatch, library):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=rf"needs {library}: pip install 'manyview\[fetch\]'") as caught:
        fetch("mnist4")
    assert caught.value.name == library


def test_sources_are_files_at_commits():
    assert len({source.url for source in SOURCES.values()}) == len(SOURCES)
    for source in SOURCES.values():
        assert re.fullmatch(r"[\w.-]+/[\w.-]+", source.repository)
        assert re.fullmatch("[0-9a-f]{40}", source.commit)
        assert source.path.endswith(".mat")
        assert source.sha256 is None or re.fullmatch("[0-9a-f]{64}", source.sha256)
        assert source.license
    assert not set(OWN_COPIES) & set(SOURCES)


@pytest.mark.shared
@pytest.mark.parametrize("name", [name for name, source in SOURCES.items() if source.sha256])
def test_checksums_belong_to_the_shared_views(shared_dir, shared_views, name):
    """The checksum is that of a file whose views are the shared ones."""
    from manyview.datasets import checksum, read_views

    path = shared_dir / "data" / "raw" / SOURCES[name].path.rpartition("/")[2]
    assert checksum(path) == SOURCES[name].sha256
    views, labels = shared_views(name, order="stored")
    data = read_views(path)
    for ours, theirs in zip(data.views.values(), views, strict=True):
        ours = ours.toarray() if hasattr(ours, "toarray") else ours
        assert_array_equal(np.float32(ours), np.float32(theirs))
    assert_array_equal(np.unique(data.labels, return_inverse=True)[1], labels)
