"""Files that Octave wrote: those in tests/data/octave, and where Octave is installed, new ones."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import issparse

from manyview.io import MultiViewData, read_views, write_views

pytestmark = pytest.mark.usefixtures("inline")

FOLDER = Path(__file__).resolve().parents[1] / "data" / "octave"
X1 = np.array([[1.5, -2, 0], [3, 4.25, 0], [0, 0, 1e-3], [7, 8, 9]])
X2 = np.array([[1, 0], [0, 2], [3, 0], [0, 4]])


@pytest.fixture(params=["kept", "new"])
def folder(request, tmp_path):
    if request.param == "kept":
        return FOLDER
    shutil.copy(FOLDER / "make.m", tmp_path)
    octave(tmp_path, "make.m")
    return tmp_path


def octave(folder, *words):
    if shutil.which("octave-cli") is None:
        pytest.skip("octave-cli is not installed")
    # its exit code is of no use: on some systems it complains on the way out
    subprocess.run(["octave-cli", "--quiet", *words], cwd=folder, capture_output=True, check=False, timeout=120)


@pytest.mark.parametrize("name", ["v6.mat", "v7.mat", "cell.mat"])
def test_mat_files(folder, name):
    data = read_views(folder / name)
    dense, sparse = data.views.values()
    assert_array_equal(dense, X1)
    assert issparse(sparse)
    assert_array_equal(sparse.toarray(), X2)
    assert data.labels.tolist() == [0, 1, 1, 0]


def test_csv(folder):
    assert_array_equal(read_views(folder / "plain.csv", header=False).views["plain"], X1)


@pytest.mark.parametrize("name", ["own-hdf5.mat", "own-text.mat", "own-binary.mat"])
def test_formats_of_its_own_are_named(folder, name):
    with pytest.raises(ValueError, match=rf"{name}: cannot be read: it is in a format of Octave's own; .* save -v7"):
        read_views(folder / name)


def test_octave_reads_what_we_write(tmp_path):
    write_views(MultiViewData({"a": X1, "b": X2.astype(float)}, np.array([0, 1, 1, 0])), tmp_path / "ours.mat")
    octave(tmp_path, "--eval", 'load("ours.mat"); X1 = X{1}; X2 = X{2}; save("-v7", "back.mat", "X1", "X2", "Y")')
    back = read_views(tmp_path / "back.mat")
    assert_array_equal(next(iter(back.views.values())), X1)
    assert back.labels.tolist() == [0, 1, 1, 0]
