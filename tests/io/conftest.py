"""Small data sets, and writers that put them into the layouts that readers meet."""

import csv
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import csc_matrix, csr_matrix, issparse

from manyview.io import MultiViewData


@pytest.fixture(scope="session")
def tiny():
    """12 samples, a dense, an integer and a mostly empty view, labels 0..2."""
    rng = np.random.default_rng(7)
    views = {
        "view_0": rng.standard_normal((12, 5)),
        "view_1": rng.integers(0, 200, (12, 7)).astype(float),
        "view_2": rng.integers(1, 9, (12, 9)) * (rng.random((12, 9)) < 0.4) * 1.0,
    }
    return MultiViewData(views, rng.permutation(np.arange(12) % 3), "tiny")


@pytest.fixture(scope="session")
def write():
    """The writers below, by format."""
    return SimpleNamespace(
        cell=cell,
        mat5=write_mat5,
        mat73=write_mat73,
        npz=write_npz,
        csv=write_csv,
        csv_folder=write_csv_folder,
        parquet_folder=write_parquet_folder,
    )


@pytest.fixture(scope="session")
def same():
    return assert_same


def cell(items, *, column=False):
    """A MATLAB cell array, 1 x V or V x 1."""
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array.reshape((-1, 1) if column else (1, -1))


def mat5_variables(data):
    """X as a cell with a double, a small integer and a sparse matrix, labels from 1."""
    dense, counts, thin = data.views.values()
    return {
        "X": cell([dense, counts.astype(np.uint8), csc_matrix(thin)]),
        "Y": (data.labels + 1).astype(np.uint8)[:, None],
    }


def write_mat5(path, data, *, compressed):
    savemat(path, mat5_variables(data), do_compression=compressed)


def write_mat73(path, data, *, compressed=False):
    """A file as MATLAB writes it: columns first, cells as references, sparse matrices as groups."""
    h5py = pytest.importorskip("h5py")
    dense, counts, thin = data.views.values()
    options = {"compression": "gzip", "shuffle": True} if compressed else {}
    with h5py.File(path, "w", userblock_size=512) as file:
        refs = file.create_group("#refs#")
        refs.create_dataset("a", data=dense.T, **options).attrs["MATLAB_class"] = np.bytes_("double")
        refs.create_dataset("b", data=counts.T.astype(np.uint8), **options).attrs["MATLAB_class"] = np.bytes_("uint8")
        sparse = csc_matrix(thin)
        group = refs.create_group("c")
        group.attrs["MATLAB_class"], group.attrs["MATLAB_sparse"] = np.bytes_("double"), np.uint64(thin.shape[0])
        for key, part in {"data": sparse.data, "ir": sparse.indices, "jc": sparse.indptr}.items():
            group.create_dataset(key, data=part if key == "data" else part.astype(np.uint64))
        references = np.array([[refs[key].ref] for key in "abc"], dtype=h5py.ref_dtype)  # 1 x 3, columns first
        file.create_dataset("X", data=references).attrs["MATLAB_class"] = np.bytes_("cell")
        file.create_dataset("Y", data=data.labels[None, :] + 1.0).attrs["MATLAB_class"] = np.bytes_("double")
    with open(path, "r+b") as raw:
        raw.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")


def write_npz(path, data, *, compressed):
    dense, counts, thin = data.views.values()
    S = csr_matrix(thin)
    parts = {"data": S.data, "indices": S.indices, "indptr": S.indptr, "shape": np.array(S.shape)}
    sparse = {f"view_2_{key}": part for key, part in parts.items()}
    save = np.savez_compressed if compressed else np.savez
    save(path, view_0=dense, view_1=counts.astype(np.int16), labels=data.labels + 1, **sparse)


def write_csv(path, header, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        if header is not None:
            writer.writerow(header)
        writer.writerows(rows)


def write_csv_folder(folder, data, *, ids=None):
    """One csv per view and labels.csv; with ids each table has its own order of rows."""
    folder.mkdir()
    for v, (name, view) in enumerate({**data.views, "labels": data.labels[:, None] + 1}.items()):
        header = [f"{name}_{j}" for j in range(view.shape[1])]
        rows = view.tolist()
        if ids is not None:
            header = ["id", *header]
            rows = [[key, *row] for key, row in zip(ids, rows, strict=True)]
            rows = rows if v == 0 else rows[v:] + rows[:v]
        write_csv(folder / f"{name}.csv", header, rows)


def write_parquet_folder(folder, data):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    folder.mkdir()
    for name, view in {**data.views, "labels": data.labels[:, None] + 1}.items():
        table = pa.table({f"c{j}": column for j, column in enumerate(view.T)})
        pq.write_table(table, folder / f"{name}.parquet")


def assert_same(got, want, *, rtol=0.0):
    assert list(got.views) == list(want.views)
    for name, view in want.views.items():
        A, B = got.views[name], view
        assert A.shape == B.shape, name
        if issparse(A) or issparse(B):
            A, B = csr_matrix(A), csr_matrix(B)
            np.testing.assert_array_equal(A.indptr, B.indptr, err_msg=name)
            np.testing.assert_array_equal(A.indices, B.indices, err_msg=name)
            A, B = A.data, B.data
        np.testing.assert_allclose(A, B, rtol=rtol, err_msg=name)
    np.testing.assert_array_equal(got.labels, want.labels)
