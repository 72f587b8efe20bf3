import numpy as np
import pytest
import scipy.sparse

from manyview import datasets
from manyview.bench import sources
from manyview.bench.sources import data_checksum, dense, load_source, locate, maker_exists

FILE = {"name": "d", "kind": "file", "maker": None, "params": {}, "widths": None}
NAME = {**FILE, "kind": "name"}


@pytest.fixture
def data_file(tmp_path):
    np.savez(tmp_path / "d.npz", view_0=np.eye(4), view_1=np.ones((4, 2)), labels=[0, 0, 1, 1])
    return tmp_path / "d.npz"


@pytest.fixture(autouse=True)
def own_registry(tmp_path, monkeypatch):
    monkeypatch.setenv("MANYVIEW_DATA", str(tmp_path / "registry"))


def test_files_are_read_in_the_order_of_their_views(data_file):
    views, labels = load_source(FILE, str(data_file))
    assert [view.shape for view in views] == [(4, 4), (4, 2)]
    assert labels.tolist() == [0, 0, 1, 1]


def test_the_checksum_of_a_file_is_its_content(data_file, tmp_path):
    assert data_checksum(FILE, str(data_file), folder=".") == datasets.checksum(data_file)
    assert data_checksum(FILE, str(tmp_path / "none"), folder=".") is None
    assert data_checksum(FILE, None, folder=".") is None


def test_registered_names_are_loaded_and_checked_by_content(data_file):
    assert data_checksum(NAME, None, folder=".") is None
    expected = datasets.register("d", data_file)
    assert data_checksum(NAME, None, folder=".") == expected
    assert [view.shape for view in load_source(NAME, None)[0]] == [(4, 4), (4, 2)]
    data_file.unlink()
    assert data_checksum(NAME, None, folder=".") is None


def test_embedded_data_and_our_makers_are_pinned_by_the_code():
    assert data_checksum({**NAME, "name": "digits"}, None, folder=".") == "code"
    assert data_checksum({**FILE, "kind": "maker", "maker": "make_views"}, None, folder=".") == "code"
    views, labels = load_source({**NAME, "name": "digits"}, None)
    assert (len(views), labels.shape) == (4, (1797,))


def test_makers_get_their_parameters():
    made = {"n_samples": 12, "n_clusters": 3, "widths": [2, 5], "random_state": 1}
    views, labels = load_source({**FILE, "kind": "maker", "maker": "make_views", "params": made}, None)
    assert [view.shape for view in views] == [(12, 2), (12, 5)]
    assert sorted(set(labels)) == [0, 1, 2]


def test_a_users_maker_may_return_a_pair(toys, monkeypatch):
    monkeypatch.syspath_prepend(toys)
    views, labels = load_source({**FILE, "kind": "maker", "maker": "toys:unlabeled"}, None)
    assert [view.shape for view in views] == [(60, 4), (60, 2)]
    assert labels is None


def test_the_first_folder_that_has_the_file_wins(tmp_path):
    first, second = tmp_path / "1", tmp_path / "2"
    for folder in (first, second):
        folder.mkdir()
    (second / "x").touch()
    assert locate("x", [first, second]) == str(second / "x")
    (first / "x").touch()
    assert locate("x", [first, second]) == str(first / "x")
    assert locate(str(second / "x"), [first]) == str(second / "x")
    assert locate("y", [first, second]) is None


def test_only_makers_are_makers():
    assert maker_exists("make_views")
    assert maker_exists("any.module:function")
    assert not maker_exists("load")
    assert not maker_exists("make_nothing")


def test_every_embedded_name_loads():
    for name in sources.EMBEDDED:
        assert datasets.load(name).n_views > 1


def test_dense_is_a_matrix_of_doubles():
    expected = np.array([[0.0, 2.0]])
    for view in (expected.astype(np.float32), scipy.sparse.csr_matrix(expected)):
        assert dense(view).dtype == np.float64
        assert dense(view).tolist() == expected.tolist()
