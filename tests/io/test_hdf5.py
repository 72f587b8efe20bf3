"""An HDF5 file must not bring the bytes of another file into a view."""

import h5py
import numpy as np
import pytest

from manyview.io import read_views
from manyview.io._isolated.answer import Answer
from manyview.io._isolated.hdf5 import open_hdf5, read_dataset

pytestmark = pytest.mark.usefixtures("inline")


@pytest.fixture
def secret(tmp_path):
    """A file that the reader may open, and the sender of the other file may not."""
    np.arange(12.0).tofile(tmp_path / "secret.bin")
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["X"] = np.arange(12.0).reshape(4, 3)
    return tmp_path


def external_link(file, folder):
    file["X"] = h5py.ExternalLink(str(folder / "secret.h5"), "/X")


def soft_link(file, folder):
    file["deep/er"] = h5py.ExternalLink(str(folder / "secret.h5"), "/X")
    file["X"] = h5py.SoftLink("/deep/er")


def external_storage(file, folder):
    file.create_dataset("X", shape=(4, 3), dtype="f8", external=[(str(folder / "secret.bin"), 0, 96)])


def virtual(file, folder):
    layout = h5py.VirtualLayout(shape=(4, 3), dtype="f8")
    layout[:] = h5py.VirtualSource(str(folder / "secret.h5"), "X", shape=(4, 3))
    file.create_virtual_dataset("X", layout)


@pytest.mark.parametrize("point_outside", [external_link, soft_link, external_storage, virtual])
@pytest.mark.parametrize("suffix", [".mat", ".h5ad", ".h5mu"])
def test_what_points_outside_is_refused(secret, point_outside, suffix):
    path = secret / f"a{suffix}"
    with h5py.File(path, "w") as file:
        group = file.create_group("mod/rna") if suffix == ".h5mu" else file
        point_outside(group if point_outside is not soft_link else file, secret)
        if point_outside is soft_link and suffix == ".h5mu":
            group["X"] = h5py.SoftLink("/X")
        for part in ("obs", "var"):
            group.create_group(part)
    if suffix != ".mat" or point_outside not in (external_link, soft_link):
        with h5py.File(path) as file:
            found = (file["mod/rna"] if suffix == ".h5mu" else file)["X"][()]
            assert found.ravel().tolist() == list(range(12))  # h5py itself follows
    with pytest.raises(ValueError, match=r"link to another file|keeps its data in another file") as caught:
        read_views(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize("chunks", [None, (2, 3)])
def test_what_is_whole_is_read(tmp_path, chunks):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("X", data=np.arange(12.0).reshape(4, 3), chunks=chunks)
        file["text"] = np.array(["a", "b"], dtype=object)
    with open_hdf5(str(tmp_path / "a.h5")) as file:
        assert read_dataset(file["X"], Answer(1000)).tolist() == np.arange(12.0).reshape(4, 3).tolist()
        assert read_dataset(file["text"], Answer(1000)).tolist() == [b"a", b"b"]
        with pytest.raises(MemoryError, match="96 bytes"):
            read_dataset(file["X"], Answer(90))


def test_chunks_that_are_not_there_are_missed(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("X", shape=(8, 3), chunks=(2, 3), dtype="f8")[:4] = 1.0
    with (
        open_hdf5(str(tmp_path / "a.h5")) as file,
        pytest.raises(ValueError, match=r"/X of shape \(8, 3\) needs 4 chunks, 2 are stored"),
    ):
        read_dataset(file["X"], Answer(1000))
