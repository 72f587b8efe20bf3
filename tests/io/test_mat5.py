"""The structural check of MAT 5 files, in this process: it must refuse before loadmat is asked."""

import struct
import zlib

import numpy as np
import pytest
from scipy.io import loadmat, savemat
from scipy.sparse import csc_matrix

from manyview.io._isolated.mat5 import check_structure


def content_of(tmp_path, *, compressed=False, **variables):
    savemat(tmp_path / "a.mat", variables, do_compression=compressed)
    return bytearray((tmp_path / "a.mat").read_bytes())


def dims_at(content, *dims):
    return content.index(struct.pack("<II", 5, 8) + struct.pack("<ii", *dims)) + 8


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize(
    "value",
    [
        np.eye(3),
        np.eye(3, dtype=np.float32),
        np.arange(5, dtype=np.int64),
        np.ones((2, 2), dtype=bool),
        np.ones(3) * 1j,
        csc_matrix(np.eye(4)),
        csc_matrix((3, 2)),
        csc_matrix(np.eye(2) * 1j),
        np.array([np.eye(2), np.zeros((0, 0))], dtype=object),
        {"field": np.eye(2)},
        "text",
        np.zeros((2, 3, 4)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_sound_files_pass(tmp_path, value, compressed):
    check_structure(bytes(content_of(tmp_path, X=value, Y=np.arange(3.0), compressed=compressed)))


def test_a_double_stored_in_fewer_bytes_passes(tmp_path):
    """MATLAB does so where all values are small whole numbers."""
    content = content_of(tmp_path, X=np.array([[1, 2, 3, 4, 5, 6, 7, 8]], dtype=np.uint8))
    content[dims_at(content, 1, 8) - 16] = 6  # class double
    check_structure(bytes(content))
    (tmp_path / "b.mat").write_bytes(content)
    assert loadmat(tmp_path / "b.mat")["X"].tolist() == [[1, 2, 3, 4, 5, 6, 7, 8]]


def test_a_matrix_that_lost_a_column_is_refused(tmp_path):
    content = content_of(tmp_path, X=np.arange(12.0).reshape(3, 4))
    content[dims_at(content, 3, 4) + 4] = 3
    with pytest.raises(ValueError, match=r"dimensions \[3, 3\] holds 96 bytes"):
        check_structure(bytes(content))


def test_a_cell_with_a_lost_item_is_refused_though_loadmat_reads_it(tmp_path):
    items = np.empty((1, 3), dtype=object)
    items[0, :] = [np.eye(2), np.eye(3), np.eye(4)]
    content = content_of(tmp_path, X=items)
    content[dims_at(content, 1, 3) + 4] = 2
    (tmp_path / "b.mat").write_bytes(content)
    assert loadmat(tmp_path / "b.mat")["X"].shape == (1, 2)
    with pytest.raises(ValueError, match=r"cell array of dimensions \[1, 2\] holds 3 items"):
        check_structure(bytes(content))


def test_a_changed_storage_type_is_refused_though_loadmat_reads_it(tmp_path):
    content = content_of(tmp_path, X=np.arange(12.0).reshape(3, 4))
    at = content.index(struct.pack("<II", 9, 96))
    content[at] = 12  # 64-bit integers: as many bytes, other numbers
    (tmp_path / "b.mat").write_bytes(content)
    assert loadmat(tmp_path / "b.mat")["X"].max() > 1e18
    with pytest.raises(ValueError, match="class 6 is stored as type 12"):
        check_structure(bytes(content))


@pytest.mark.parametrize(
    "place, value, complaint", [("rows", 99, "row index outside"), ("starts", 99, "column starts")]
)
def test_sparse_indices_are_checked(tmp_path, place, value, complaint):
    matrix = csc_matrix(np.diag([1.0, 2.0, 3.0, 4.0, 5.0]))
    content = content_of(tmp_path, X=matrix)
    indices = matrix.indices if place == "rows" else matrix.indptr
    content[content.index(indices.astype("<i4").tobytes()) + 8] = value
    with pytest.raises(ValueError, match=complaint):
        check_structure(bytes(content))


@pytest.mark.parametrize("compressed", [False, True])
def test_any_cut_is_seen_unless_it_falls_between_variables(tmp_path, compressed):
    content = bytes(content_of(tmp_path, X=np.arange(6.0), Y=np.arange(3.0), compressed=compressed))
    sound = []
    for end in range(len(content)):
        try:
            check_structure(content[:end])
        except (ValueError, zlib.error):
            continue
        sound.append(end)
    assert len(sound) == 2  # the bare header, and after X
    assert sound[0] == 128


def test_big_endian_files_are_understood():
    body = struct.pack(">IIII", 6, 8, 6, 0) + struct.pack(">IIii", 5, 8, 1, 2) + struct.pack(">HH4s", 1, 1, b"X\0\0\0")
    body += struct.pack(">II2d", 9, 16, 1.0, 2.0)
    head = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x01\x00MI"
    check_structure(head + struct.pack(">II", 14, len(body)) + body)
    with pytest.raises(ValueError, match="reaches beyond"):
        check_structure(head + struct.pack(">II", 14, len(body) + 8) + body)


@pytest.mark.parametrize("content", [b"", b"MATLAB 5.0", b"\0" * 200, b"MATLAB".ljust(126) + b"??" + b"x" * 20])
def test_other_files_are_refused(content):
    with pytest.raises(ValueError, match="header"):
        check_structure(content)
