import importlib.util

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.io import savemat
from scipy.sparse import issparse

from manyview.datasets.makers import SHAPES
from manyview.io import DataNotPresent, read_views

RAW = {
    "100Leaves": "100leaves",
    "3Sources": "3sources",
    "BBCSport": "bbcsport",
    "HW1256": "hw4",
    "MSRC": "msrcv1_5",
    "Mnist4": "mnist4",
    "NGs": "ngs",
    "reuters-coo": "reuters600_full",
}


@pytest.mark.shared
@pytest.mark.parametrize("raw, name", RAW.items())
def test_original_files_give_the_arrays_of_the_archives(shared_dir, same, raw, name):
    # the width of a list of triples is not in the file
    widths = SHAPES["reuters"].widths if raw == "reuters-coo" else None
    got = read_views(shared_dir / "data" / "raw" / f"{raw}.mat", widths=widths)
    want = read_views(shared_dir / "data" / f"{name}.npz")
    same(got, want, rtol=2.0**-23)


@pytest.mark.shared
def test_every_original_file_is_tested(shared_dir):
    assert {path.stem for path in (shared_dir / "data" / "raw").iterdir()} == {*RAW, "damaged-BBC4view"}


@pytest.mark.shared
def test_triples_without_widths_end_at_the_last_word_seen(shared_dir):
    data = read_views(shared_dir / "data" / "raw" / "reuters-coo.mat")
    assert data.n_features == (21526, 24892, 34121, 15487, 11539)
    assert all(issparse(view) for view in data.views.values())


@pytest.mark.shared
def test_the_damaged_file_is_one_clear_error(shared_dir):
    path = shared_dir / "data" / "raw" / "damaged-BBC4view.mat"
    with pytest.raises(ValueError, match="cannot be read") as caught:
        read_views(path)
    assert str(path) in str(caught.value)


@pytest.mark.shared
def test_every_archive_can_be_read(shared_dir):
    for path in (shared_dir / "data").glob("*.npz"):
        data = read_views(path)
        assert data.labels.min() == 0
        assert data.n_clusters == data.labels.max() + 1


@pytest.mark.parametrize("compressed", [False, True])
def test_mat_with_dense_integer_and_sparse_views(tmp_path, tiny, write, same, compressed):
    write.mat5(tmp_path / "tiny.mat", tiny, compressed=compressed)
    data = read_views(tmp_path / "tiny.mat")
    same(data, tiny)
    assert [issparse(view) for view in data.views.values()] == [False, False, True]


@pytest.mark.parametrize("compressed", [False, True])
def test_mat_of_version_73(tmp_path, tiny, write, same, compressed):
    write.mat73(tmp_path / "tiny.mat", tiny, compressed=compressed)
    data = read_views(tmp_path / "tiny.mat")
    same(data, tiny)
    assert [issparse(view) for view in data.views.values()] == [False, False, True]


def test_mat_with_numbered_views_lying_down(tmp_path, tiny):
    X1, X2, X3 = (view.T for view in tiny.views.values())
    savemat(tmp_path / "a.mat", {"X1": X1, "X2": X2, "X3": X3, "Y": tiny.labels + 1, "note": "text"})
    data = read_views(tmp_path / "a.mat")
    assert list(data.views) == ["X1", "X2", "X3"]
    assert_array_equal(data.views["X2"], tiny.views["view_1"])
    assert_array_equal(data.labels, tiny.labels)


def test_version_73_without_h5py_names_the_extra(tmp_path, tiny, write, monkeypatch):
    write.mat73(tmp_path / "a.mat", tiny)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"reading it needs h5py: pip install .manyview\[files\]"):
        read_views(tmp_path / "a.mat")


def test_widths_are_checked_for_folders_too(tmp_path, tiny, write):
    write.csv_folder(tmp_path / "a", tiny)
    assert read_views(tmp_path / "a", widths=(5, 7, 9)).n_samples == 12
    with pytest.raises(ValueError, match="where widths says"):
        read_views(tmp_path / "a", widths=(5, 7, 8))


def test_what_is_not_there_is_said_to_be_not_there(tmp_path):
    with pytest.raises(DataNotPresent, match="no such file"):
        read_views(tmp_path / "nothing.mat")
    assert issubclass(DataNotPresent, FileNotFoundError)


def test_unknown_kinds_of_files_are_refused(tmp_path):
    (tmp_path / "a.txt").write_text("a")
    with pytest.raises(ValueError, match=r"cannot read \.txt; give a folder or one of \.csv, "):
        read_views(tmp_path / "a.txt")


@pytest.mark.parametrize("limits", [{"time_limit": 0.0}, {"time_limit": 1e9}, {"memory_limit": 0}])
def test_impossible_limits_are_not_blamed_on_the_file(tmp_path, limits):
    (tmp_path / "a.mat").touch()
    with pytest.raises(ValueError, match=f"^{next(iter(limits))} is"):
        read_views(tmp_path / "a.mat", **limits)


def test_limits_reach_the_parser(tmp_path, tiny, write):
    write.mat5(tmp_path / "a.mat", tiny, compressed=True)
    with pytest.raises(ValueError, match=r"a\.mat: reading it took longer than time_limit"):
        read_views(tmp_path / "a.mat", time_limit=1e-4)
    assert np.isfinite(read_views(tmp_path / "a.mat").views["view_0"]).all()
