import io
import zipfile

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import issparse

from manyview.io import read_views


@pytest.mark.parametrize("compressed", [False, True])
def test_dense_and_sparse_views_read_back(tmp_path, tiny, write, same, compressed):
    write.npz(tmp_path / "tiny.npz", tiny, compressed=compressed)
    data = read_views(tmp_path / "tiny.npz")
    same(data, tiny)
    assert [issparse(view) for view in data.views.values()] == [False, False, True]
    assert data.name == "tiny"


def test_plain_arrays_may_end_in_data(tmp_path):
    np.savez(tmp_path / "a.npz", view_0=np.ones((3, 2)), labels=[0, 0, 1], my_data=np.arange(3))
    assert_array_equal(read_views(tmp_path / "a.npz").labels, [0, 0, 1])


@pytest.mark.parametrize(
    "arrays, complaint",
    [
        ({"view_0": np.array([[1, "x"]], dtype=object)}, "Object arrays cannot be loaded"),
        ({"view_0_indptr": np.arange(3), "view_0_data": np.ones(2)}, "lacks view_0_indices, view_0_shape"),
        ({f"view_0_{part}": np.ones(2) for part in ("data", "indices", "indptr", "shape")}, "pair of whole numbers"),
        ({"view_0_data": np.ones(2), "view_1": np.ones((3, 2))}, "view_0_data .* unexplained"),
    ],
)
def test_incomplete_archives_are_refused(tmp_path, arrays, complaint):
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(ValueError, match=complaint):
        read_views(tmp_path / "a.npz")


def test_a_flipped_bit_is_seen_by_the_checksum(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, view_0=np.full((50, 4), 1.5))
    content = bytearray(path.read_bytes())
    content[content.index(np.float64(1.5).tobytes()) + 80] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"a\.npz: cannot be read: the checksum of view_0\.npy is wrong"):
        read_views(path)


def test_a_member_hidden_by_a_damaged_directory_is_missed(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, view_0=np.ones((5, 4)), view_1=np.ones((5, 3)))
    content = bytearray(path.read_bytes())
    second = content.rindex(b"PK\1\2")
    first = content.rindex(b"PK\1\2", 0, second)
    content[first + 32 : first + 34] = (len(content) - second - 22).to_bytes(2, "little")  # a comment over the second
    path.write_bytes(content)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.namelist() == ["view_0.npy"]
    with pytest.raises(ValueError, match="1 of 2 entries"):
        read_views(path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name_are_refused(tmp_path):
    np.savez(tmp_path / "a.npz", view_0=np.ones((5, 4)))
    with zipfile.ZipFile(tmp_path / "a.npz", "a") as archive:
        archive.writestr("view_0.npy", archive.read("view_0.npy"))
    with pytest.raises(ValueError, match=r"a\.npz: .*a name occurs twice among its members"):
        read_views(tmp_path / "a.npz")


def test_a_damaged_header_is_an_error_with_the_path(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("view_0.npy", b"\x93NUMPY\x01\x00\x16\x00{'descr': '<f8', ('(((")
    with pytest.raises(ValueError, match=r"a\.npz: cannot be read"):
        read_views(tmp_path / "a.npz")


def test_sizes_are_checked_before_unpacking(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", view_0=np.zeros((2**13, 2**10)))
    assert (tmp_path / "a.npz").stat().st_size < 2**20
    with pytest.raises(ValueError, match=r"a\.npz: .*more memory than memory_limit"):
        read_views(tmp_path / "a.npz", memory_limit=2**25)


def test_what_is_no_archive_is_refused(tmp_path):
    (tmp_path / "a.npz").write_bytes(b"something else")
    with pytest.raises(ValueError, match="not a zip file"):
        read_views(tmp_path / "a.npz")
