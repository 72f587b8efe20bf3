"""Every other format, in files written by the libraries that users have."""

import anndata
import mudata
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from scipy.io import mmwrite
from scipy.sparse import coo_matrix, csc_matrix, csr_matrix, issparse

from manyview.io import read_table, read_views

pytestmark = pytest.mark.usefixtures("inline")

IDS = [f"s{i}" for i in range(6)]
GENES = ["TP53", "MYC", "EGFR", "KRAS"]


@pytest.fixture(scope="module")
def matrix():
    rng = np.random.default_rng(3)
    return rng.integers(1, 9, (6, 4)) * (rng.random((6, 4)) < 0.6) * 1.5


@pytest.fixture
def frame(matrix):
    return pd.DataFrame(matrix, index=pd.Index(IDS, name="sample"), columns=GENES)


WRITERS = {
    "a.parquet": lambda frame, path: frame.to_parquet(path),
    "b.parquet": lambda frame, path: pl.from_pandas(frame.rename_axis("id").reset_index()).write_parquet(path),
    "c.feather": lambda frame, path: frame.rename_axis("id").reset_index().to_feather(path),
    "d.arrow": lambda frame, path: pl.from_pandas(frame.rename_axis("id").reset_index()).write_ipc(path),
    "e.arrow": lambda frame, path: pl.from_pandas(frame.rename_axis("id").reset_index()).write_ipc_stream(path),
    "f.xlsx": lambda frame, path: frame.rename_axis("id").to_excel(path),
    "g.h5ad": lambda frame, path: anndata.AnnData(frame.rename_axis(None)).write_h5ad(path),
    "h.h5ad": lambda frame, path: as_anndata(frame, csr_matrix).write_h5ad(path),
    "i.h5ad": lambda frame, path: as_anndata(frame, csc_matrix).write_h5ad(path, compression="gzip"),
    "j.csv": lambda frame, path: frame.rename_axis("id").to_csv(path),
}


def as_anndata(frame, kind=np.asarray):
    obs, var = pd.DataFrame(index=frame.index.rename(None)), pd.DataFrame(index=frame.columns)
    return anndata.AnnData(kind(frame.to_numpy()), obs=obs, var=var)


@pytest.mark.parametrize("name", WRITERS)
def test_numbers_ids_and_names_arrive(tmp_path, frame, name):
    WRITERS[name](frame, tmp_path / name)
    data = read_views(tmp_path / name)
    (view,) = data.views.values()
    assert_array_equal(view.toarray() if issparse(view) else view, frame.to_numpy())
    assert data.ids.tolist() == IDS
    assert list(data.feature_names.values()) == [tuple(GENES)]
    assert issparse(view) is (name in ("h.h5ad", "i.h5ad"))
    assert read_table(tmp_path / name).ids.tolist() == IDS


def test_all_formats_together_are_matched_by_id(tmp_path, frame):
    for i, (name, write) in enumerate(WRITERS.items()):
        rows = np.random.default_rng(i).permutation(6)
        write(frame.iloc[rows], tmp_path / name)
    data = read_views([tmp_path / name for name in WRITERS])
    want = frame.loc[data.ids].to_numpy()
    for name, view in data.views.items():
        assert_array_equal(view.toarray() if issparse(view) else view, want, err_msg=name)


@pytest.mark.parametrize("kind", [np.asarray, csr_matrix, coo_matrix])
@pytest.mark.parametrize("suffix", [".mtx", ".mtx.gz"])
def test_matrix_market(tmp_path, matrix, kind, suffix):
    mmwrite(tmp_path / "a.mtx", kind(matrix))
    if suffix == ".mtx.gz":
        pack(tmp_path / "a.mtx")
    view = read_views(tmp_path / f"a{suffix}").views["a"]
    assert issparse(view) is (kind is not np.asarray)
    assert_array_equal(view.toarray() if issparse(view) else view, matrix)


def pack(path):
    with pa.output_stream(f"{path}.gz", compression="gzip") as stream:
        stream.write(path.read_bytes())


@pytest.mark.parametrize("dtype", ["f8", "f4", "i2", ">f8", "?"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy(tmp_path, matrix, dtype, order):
    stored = np.asarray(matrix.astype(dtype), order=order)
    np.save(tmp_path / "a.npy", stored)
    view = read_views(tmp_path / "a.npy").views["a"]
    assert_array_equal(view, stored)
    assert view.dtype == (np.float32 if dtype == "f4" else np.float64)


@pytest.mark.parametrize(
    "array, complaint",
    [
        (np.arange(3), "has 1 dimensions"),
        (np.array([["a"]]), "must hold real numbers"),
        (np.eye(2) * 1j, "real numbers"),
    ],
)
def test_npy_that_is_no_view_is_refused(tmp_path, array, complaint):
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(ValueError, match=rf"a\.npy.*{complaint}"):
        read_views(tmp_path / "a.npy")


def test_npy_is_never_unpickled(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[1, "x"]], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match=r"a\.npy: cannot be read: Array can't be memory-mapped: Python objects"):
        read_views(tmp_path / "a.npy")


def test_npy_of_another_size_than_its_header_is_refused(tmp_path, matrix):
    np.save(tmp_path / "a.npy", matrix)
    content = (tmp_path / "a.npy").read_bytes()
    for damaged in (content[:-8], content + b"x"):
        (tmp_path / "a.npy").write_bytes(damaged)
        with pytest.raises(ValueError, match=r"a\.npy: cannot be read"):
            read_views(tmp_path / "a.npy")


def test_excel_has_a_view_per_sheet(tmp_path, frame):
    with pd.ExcelWriter(tmp_path / "a.xlsx") as book:
        frame.to_excel(book, sheet_name="rna", index_label="id")
        frame.iloc[::-1, :2].to_excel(book, sheet_name="protein", index_label="id")
        pd.DataFrame({"id": IDS, "label": list("aabbcc")}).to_excel(book, sheet_name="labels", index=False)
    data = read_views(tmp_path / "a.xlsx")
    assert_array_equal(data.views["protein"], frame.to_numpy()[:, :2])
    assert data.labels.tolist() == [0, 0, 1, 1, 2, 2]
    assert read_table(tmp_path / "a.xlsx", key="protein").ids.tolist() == IDS[::-1]
    with pytest.raises(ValueError, match=r"holds 3 tables .*'rna', 'protein', 'labels'.*; choose one with key="):
        read_table(tmp_path / "a.xlsx")
    with pytest.raises(ValueError, match="it has no sheet 'dna'"):
        read_table(tmp_path / "a.xlsx", key="dna")


def test_excel_columns_keep_their_kind(tmp_path):
    table = pd.DataFrame({"a": [1, 2.5], "b": ["x", 3], "c": pd.to_datetime(["2020-01-05", "2021-02-06"]), "d": [1, 2]})
    table.to_excel(tmp_path / "a.xlsx", index=False)
    frame = read_table(tmp_path / "a.xlsx").frame
    assert [str(field.type) for field in frame.schema] == ["double", "string", "timestamp[us]", "int64"]


def test_parts_of_an_anndata_file(tmp_path, frame):
    data = as_anndata(frame)
    data.layers["counts"] = csr_matrix(frame.to_numpy() * 2)
    data.obsm["X_pca"] = frame.to_numpy()[:, :2]
    data.obsm["scores"] = pd.DataFrame({"g1": range(6), "g2": range(6)}, index=data.obs_names)
    data.obs["label"] = pd.Categorical(list("bbaabb"))
    data.write_h5ad(tmp_path / "a.h5ad")
    found = read_views(tmp_path / "a.h5ad", keys=["X", "layers/counts", "obsm/X_pca", "obsm/scores"])
    assert found.n_features == (4, 4, 2, 2)
    assert found.labels.tolist() == [1, 1, 0, 0, 1, 1]
    assert_array_equal(found.views["counts"].toarray(), frame.to_numpy() * 2)
    assert found.feature_names == {"X": tuple(GENES), "counts": tuple(GENES), "X_pca": None, "scores": ("g1", "g2")}
    with pytest.raises(ValueError, match=r"has no 'obsm/X'; there are \['X', 'layers/counts', 'obsm/X_pca'"):
        read_table(tmp_path / "a.h5ad", key="obsm/X")


@pytest.mark.filterwarnings("ignore")  # MuData speaks of its own future
def test_modalities_of_a_mudata_file(tmp_path, frame):
    rna, protein = as_anndata(frame, csr_matrix), as_anndata(frame.iloc[[4, 1, 3], :2])
    rna.layers["counts"] = frame.to_numpy() * 2
    together = mudata.MuData({"rna": rna, "protein": protein})
    together.obs["label"] = list("xxyyxy")
    together.write_h5mu(tmp_path / "a.h5mu")
    data = read_views(tmp_path / "a.h5mu")
    want = np.full((6, 2), np.nan)
    want[[4, 1, 3]] = frame.to_numpy()[[4, 1, 3], :2]
    assert list(data.views) == ["rna", "protein"]
    assert data.ids.tolist() == IDS
    assert_array_equal(data.views["rna"].toarray(), frame.to_numpy())
    assert_array_equal(data.views["protein"], want)
    assert data.labels.tolist() == [0, 0, 1, 1, 0, 1]
    assert read_views(tmp_path / "a.h5mu", keys=["rna/layers/counts"]).n_features == (4,)
    with pytest.raises(ValueError, match=r"it has no modality 'dna'; there are \['protein', 'rna'\]"):
        read_views(tmp_path / "a.h5mu", keys=["dna"])


def test_a_categorical_index_column_in_parquet(tmp_path):
    table = pa.table({"id": pa.array(["b", "a"]).dictionary_encode(), "x": [1, None], "y": [2.0, None]})
    pa.parquet.write_table(table, tmp_path / "a.parquet")
    data = read_views(tmp_path / "a.parquet")
    assert data.ids.tolist() == ["b", "a"]
    assert_array_equal(data.views["a"], [[1, 2], [np.nan, np.nan]])
