import os
import sys

import numpy as np
import pytest

from manyview.io import DataNotPresent, read_table, read_views
from manyview.io.files import TABLES, Choices, Limits, by_stem, request_for, stem_of, suffix_of, table_paths

LIMITS = Limits(10.0, 2**30)
posix = pytest.mark.skipif(sys.platform == "win32", reason="needs links, pipes and devices")


@pytest.mark.parametrize(
    "name, suffix, stem",
    [
        ("a.csv", ".csv", "a"),
        ("A.B.CSV.GZ", ".csv.gz", "A.B"),
        ("x.mtx.gz", ".mtx.gz", "x"),
        ("x.mat", ".mat", "x"),
        ("x.gz", "", "x.gz"),
        ("none", "", "none"),
    ],
)
def test_suffix_and_stem(tmp_path, name, suffix, stem):
    assert (suffix_of(tmp_path / name), stem_of(tmp_path / name)) == (suffix, stem)


@pytest.mark.parametrize("suffix", [*TABLES, ".npz", ".mat", ".h5ad", ".h5mu", ".xlsx"])
@pytest.mark.parametrize(
    "make, complaint",
    [
        (lambda path: None, "there is no such file"),
        (lambda path: path.write_bytes(b""), "is empty"),
        pytest.param(lambda path: path.mkdir(), "is a folder where a file is expected"),
        pytest.param(os.mkfifo if hasattr(os, "mkfifo") else None, "is a device, a pipe or a socket", marks=posix),
        pytest.param(lambda path: path.symlink_to("/dev/zero"), "is a device, a pipe or a socket", marks=posix),
        pytest.param(lambda path: path.symlink_to("nowhere"), "leads to 'nowhere', which is not there", marks=posix),
        pytest.param(lambda path: path.symlink_to(path), "cannot be opened", marks=posix),
    ],
    ids=["missing", "empty", "folder", "fifo", "device", "dangling", "loop"],
)
def test_only_regular_files_are_opened(tmp_path, suffix, make, complaint):
    path = tmp_path / f"a{suffix}"
    make(path)
    with pytest.raises((ValueError, DataNotPresent), match=complaint) as caught:
        request_for(path, LIMITS, Choices())
    assert str(caught.value).startswith(str(path))


@posix
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_odd_entries_of_a_folder_are_named(tmp_path, suffix):
    (tmp_path / f"a{suffix}").mkdir()
    with pytest.raises(ValueError, match=rf"a\{suffix}: is a folder"):
        read_views(tmp_path)


def test_size_is_checked_before_reading(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"1,2\n" * 100)
    with pytest.raises(ValueError, match=r"a\.csv: its 400 bytes are more than memory_limit"):
        request_for(tmp_path / "a.csv", Limits(1.0, 399), Choices())


def test_tables_of_a_folder_come_in_natural_order(tmp_path):
    for name in ("v10.csv", "v9.parquet", "v1.mtx.gz", "about.txt", ".v0.csv", "v2.npz"):
        (tmp_path / name).touch()
    assert [path.name for path in table_paths(tmp_path).values()] == ["v1.mtx.gz", "v9.parquet", "v10.csv"]


def test_two_tables_of_one_name_are_refused(tmp_path):
    with pytest.raises(ValueError, match="where: two tables have the same name"):
        by_stem([tmp_path / "a.csv", tmp_path / "a.parquet"], "where")


def test_keys_are_refused_where_a_file_has_no_parts(tmp_path):
    np.save(tmp_path / "a.npy", np.eye(2))
    with pytest.raises(ValueError, match=r"a\.npy: keys= chooses parts of .*this file has none"):
        read_table(tmp_path / "a.npy", key="X")


def test_several_files_are_read_together(tmp_path):
    (tmp_path / "a.csv").write_text("key,x\np,1\nq,2\n")
    (tmp_path / "b.csv").write_text("key,y\nq,4\np,3\n")
    data = read_views([tmp_path / "a.csv", str(tmp_path / "b.csv")], id_column="key")
    np.testing.assert_array_equal(data.views["b"], [[3.0], [4.0]])
    assert data.ids.tolist() == ["p", "q"]
    assert data.feature_names == {"a": ("x",), "b": ("y",)}
    assert data.name == tmp_path.name


def test_a_file_of_several_views_must_be_read_by_itself(tmp_path):
    np.savez(tmp_path / "a.npz", view_0=np.eye(2))
    with pytest.raises(ValueError, match=r"a\.npz: holds several views; read it by itself"):
        read_views([tmp_path / "a.npz"])
    with pytest.raises(ValueError, match="holds several views; read it by itself"):
        read_table(tmp_path / "a.npz")


def test_no_files_are_an_error():
    with pytest.raises(ValueError, match="no files to read"):
        read_views([])


@pytest.mark.parametrize("name", ["a.csv", "a.npy", "a.npz"])
def test_limits_hold_for_every_format(tmp_path, name):
    """The time limit is too short for any file, the memory limit for any parser."""
    if name == "a.npz":
        np.savez(tmp_path / name, view_0=np.eye(3))
    elif name == "a.npy":
        np.save(tmp_path / name, np.eye(3))
    else:
        np.savetxt(tmp_path / name, np.eye(3), delimiter=",")
    with pytest.raises(ValueError, match=rf"{name}: reading it took longer than time_limit"):
        read_views(tmp_path / name, time_limit=1e-5)
    with pytest.raises(ValueError, match=r"memory_limit is .* parsers need at least"):
        read_views(tmp_path / name, memory_limit=2**20)
