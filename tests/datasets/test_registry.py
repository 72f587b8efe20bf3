import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from manyview.datasets import DataNotPresent, checksum, load, register, registered
from manyview.datasets.registry import data_directory


@pytest.fixture(autouse=True)
def own_directory(tmp_path, monkeypatch):
    monkeypatch.setenv("MANYVIEW_DATA", str(tmp_path / "registry"))


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "file.npz"
    np.savez(path, view_0=np.arange(8.0).reshape(4, 2), labels=[0, 0, 1, 1])
    return path


def test_a_name_leads_to_the_data(file):
    digest = register("mine", file)
    data = load("mine")
    assert data.name == "mine"
    assert_array_equal(data.views["view_0"], np.arange(8.0).reshape(4, 2))
    assert registered() == {"mine": str(file.resolve())}
    assert digest == checksum(file)


def test_names_survive_each_other_and_can_be_moved(file, tmp_path):
    register("one", file)
    register("two", file)
    np.savez(tmp_path / "other.npz", view_0=np.ones((3, 1)))
    register("one", tmp_path / "other.npz")
    assert load("one").n_samples == 3
    assert load("two").n_samples == 4
    assert [path.name for path in data_directory().iterdir()] == ["registry.json"]


def test_widths_are_kept_with_the_name(tmp_path):
    np.savez(tmp_path / "a.npz", X1=np.array([[1, 1, 5.0], [2, 1, 6.0]]), Y=[0, 1, 1, 0])
    register("wide", tmp_path / "a.npz", widths=[4])
    assert load("wide").n_features == (4,)


def test_the_embedded_set_has_a_name_that_cannot_be_taken(file):
    assert load("digits").n_samples == 1797
    with pytest.raises(ValueError, match="'digits' cannot be registered"):
        register("digits", file)
    with pytest.raises(ValueError, match="cannot be registered"):
        register("", file)


def test_an_unknown_name_lists_the_known_ones(file):
    register("mine", file)
    with pytest.raises(DataNotPresent, match="'nus'; known are 'digits', 'mine'"):
        load("nus")


def test_a_file_that_is_gone_is_not_present(file):
    register("mine", file)
    file.unlink()
    with pytest.raises(DataNotPresent, match="registered as 'mine', is not there any more"):
        load("mine")
    with pytest.raises(DataNotPresent, match="no such file"):
        register("mine", file)


def test_a_changed_file_is_refused(file):
    register("mine", file)
    np.savez(file, view_0=np.zeros((4, 2)), labels=[0, 0, 1, 1])
    with pytest.raises(ValueError, match="has changed since it was registered as 'mine'"):
        load("mine")


def test_a_folder_is_watched_as_a_whole(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.csv").write_text("1\n2\n")
    (folder / "b.csv").write_text("3\n4\n")
    register("folder", folder)
    assert load("folder").n_views == 2
    (folder / "b.csv").rename(folder / "c.csv")
    with pytest.raises(ValueError, match="has changed"):
        load("folder")


@pytest.mark.parametrize("content", ["{", "[]", '{"mine": {"path": "x"}}', '{"mine": 3}'])
def test_a_damaged_registry_says_where_it_is(content):
    data_directory().mkdir()
    (data_directory() / "registry.json").write_text(content)
    with pytest.raises(ValueError, match=r"registry\.json: the registry is damaged"):
        load("mine")


def test_the_registry_is_plain_json(file):
    register("mine", file)
    entries = json.loads((data_directory() / "registry.json").read_text())
    assert entries == {"mine": {"path": str(file.resolve()), "sha256": checksum(file), "widths": None}}


@pytest.mark.parametrize(
    "platform, variable, tail",
    [
        ("linux", "XDG_DATA_HOME", "manyview"),
        ("linux", None, ".local/share/manyview"),
        ("darwin", None, "Library/Application Support/manyview"),
        ("win32", "LOCALAPPDATA", "manyview"),
        ("win32", None, "AppData/Local/manyview"),
    ],
)
def test_without_a_choice_the_platform_has_a_place(monkeypatch, tmp_path, platform, variable, tail):
    for name in ("MANYVIEW_DATA", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    if variable is not None:
        monkeypatch.setenv(variable, str(tmp_path / "elsewhere"))
    base = tmp_path if variable is None else tmp_path / "elsewhere"
    assert data_directory() == base / tail


def test_names_registered_at_once_are_all_kept(file):
    names = [f"name{i}" for i in range(40)]
    with ThreadPoolExecutor(8) as threads:
        digests = list(threads.map(lambda name: register(name, file), names))
    assert set(digests) == {checksum(file)}
    assert set(registered()) == set(names)


def test_ids_and_names_of_columns_are_kept(tmp_path):
    (tmp_path / "a.csv").write_text("id,x\np,1\nq,2\n")
    register("named", tmp_path / "a.csv")
    data = load("named")
    assert (data.name, data.ids.tolist(), data.feature_names) == ("named", ["p", "q"], {"a": ("x",)})
