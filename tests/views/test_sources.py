"""Every container gives the same views, with the same ids."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.compose import make_column_selector

from manyview import LMVSC, Views
from manyview.datasets import MultiViewData
from manyview.views import check_views

N = 7
IDS = [f"p{i}" for i in range(N)]
RNA = np.arange(3 * N, dtype=float).reshape(N, 3)
TEXT = -np.arange(2 * N, dtype=float).reshape(N, 2)


def pandas_frame(table, ids):
    return pd.DataFrame(table, index=list(ids)).add_prefix("c")


def with_id_column(library):
    def make(table, ids):
        return library({"sample": list(ids)} | {f"c{j}": table[:, j] for j in range(table.shape[1])})

    return make


def arrow_with_index(table, ids):
    return pa.Table.from_pandas(pandas_frame(table, ids))


def annotated(table, ids):
    anndata = pytest.importorskip("anndata")
    var = pd.DataFrame(index=[f"c{j}" for j in range(table.shape[1])])
    return anndata.AnnData(table, obs=pd.DataFrame(index=list(ids)), var=var)


def several_levels(table, ids):
    index = pd.MultiIndex.from_tuples([("site", each) for each in ids])
    return pd.DataFrame(table, index=index).add_prefix("c")


CONTAINERS = {
    "pandas": (pandas_frame, {}),
    "pandas column": (with_id_column(pd.DataFrame), {"id_column": "sample"}),
    "polars": (with_id_column(pl.DataFrame), {"id_column": "sample"}),
    "arrow": (with_id_column(pa.table), {"id_column": {"rna": "sample", "text": "sample"}}),
    "arrow index": (arrow_with_index, {}),
    "anndata": (annotated, {}),
    "levels": (several_levels, {}),
}
CONTAINER = pytest.mark.parametrize("container", CONTAINERS)


def rows_by_id(views):
    """What every view says about every id."""
    ids = [each[1] if isinstance(each, tuple) else each for each in views.ids.tolist()]
    tables = {
        name: table.toarray() if sp.issparse(table) else table
        for name, table in zip(views.names, views.tables, strict=True)
    }
    return {each: {name: table[row].tolist() for name, table in tables.items()} for row, each in enumerate(ids)}


EXPECTED = {each: {"rna": RNA[row].tolist(), "text": TEXT[row].tolist()} for row, each in enumerate(IDS)}


@CONTAINER
@settings(deadline=None, max_examples=15)
@given(data=st.data())
def test_any_shuffle_of_rows_and_keys_gives_the_same_rows_by_id(container, data):
    make, options = CONTAINERS[container]
    tables = {}
    for name, table in data.draw(st.permutations([("rna", RNA), ("text", TEXT)])):
        order = data.draw(st.permutations(range(N)))
        tables[name] = make(table[order], [IDS[row] for row in order])
        if len(tables) == 1:
            first = [IDS[row] for row in order]
    views = check_views(tables, **options)
    assert rows_by_id(views) == EXPECTED
    assert [each[1] if isinstance(each, tuple) else each for each in views.ids.tolist()] == first
    through = check_views(Views.from_tables(tables, **options))
    assert rows_by_id(through) == EXPECTED


@CONTAINER
def test_joins_of_all_containers(container):
    make, options = CONTAINERS[container]
    tables = {"rna": make(RNA[:5], IDS[:5]), "text": make(TEXT[3:], IDS[3:])}
    with pytest.raises(ValueError, match=r"View 'text' lacks 3 of the 5 ids of view 'rna'"):
        check_views(tables, **options)
    inner = check_views(tables, join="inner", **options)
    assert rows_by_id(inner) == {each: EXPECTED[each] for each in IDS[3:5]}
    outer = check_views(tables, join="outer", rows_may_miss=True, **options)
    assert len(outer) == N
    assert_array_equal(outer.present[0], [True] * 5 + [False] * 2)
    assert_array_equal(outer.present[1], [False] * 3 + [True] * 4)
    found = rows_by_id(outer)
    assert found["p3"] == EXPECTED["p3"]
    assert_array_equal(found["p0"]["text"], [np.nan, np.nan])
    assert_array_equal(outer[[0, 6]].present[0], [True, False])


def test_outer_join_of_sparse_matrices_has_empty_rows():
    tables = {"rna": annotated(sp.csr_matrix(RNA[:5]), IDS[:5]), "text": annotated(sp.csr_matrix(TEXT[3:]), IDS[3:])}
    outer = check_views(tables, join="outer")
    assert_array_equal(outer.tables[1].toarray(), np.vstack([np.zeros((3, 2)), TEXT[3:]]))
    assert_array_equal(outer.present[1], [False] * 3 + [True] * 4)


def test_outer_join_keeps_booleans_and_whole_numbers():
    first = pd.DataFrame({"yes": [True, False], "n": [1, 2]}, index=["a", "b"])
    second = pd.DataFrame({"kind": pd.Categorical(["u", "v"])}, index=["b", "c"])
    views = check_views([first, second], join="outer", rows_may_miss=True)
    assert_array_equal(views.tables[0], [[1, 1], [0, 2], [np.nan, np.nan]])
    assert_array_equal(views.tables[1], [[np.nan, np.nan], [1, 0], [0, 1]])


def test_estimators_without_missing_views_say_who_lacks_one():
    views = Views.from_tables({"a": pandas_frame(RNA[:5], IDS[:5]), "b": pandas_frame(TEXT, IDS)}, join="outer")
    with pytest.raises(ValueError, match=r"View 'a' .* row 5\..* 2 samples lack this view altogether \(first 'p5'\)"):
        LMVSC(2).fit(views)


def test_views_of_frames_are_matched_by_index():
    order = [3, 0, 6, 5, 1, 2, 4]
    frames = [pandas_frame(RNA, IDS), pandas_frame(TEXT, IDS).iloc[order]]
    for views in (Views(frames), Views(frames, names=["rna", "text"], ids=IDS)):
        assert_array_equal(check_views(views).tables[1], TEXT)
        assert views.ids.tolist() == IDS
        assert views.library == "pandas"
    turned = Views(frames[::-1])
    assert turned.ids.tolist() == [IDS[row] for row in order]
    assert_array_equal(check_views(turned).tables[1], RNA[order])


def test_ids_beside_frames_must_be_theirs():
    with pytest.raises(ValueError, match="View 'view 1' lacks 7 of the 7 ids of view 'view 0'"):
        Views([pandas_frame(RNA, IDS), TEXT], ids=[f"q{i}" for i in range(N)])


def test_default_index_counts_as_no_ids():
    views = check_views([pd.DataFrame(RNA), TEXT, pd.DataFrame(TEXT)])
    assert views.ids is None


@pytest.mark.parametrize("other", [TEXT, pd.DataFrame(TEXT), pl.DataFrame(TEXT), sp.csr_array(TEXT)])
def test_ids_beside_positions_are_refused(other):
    with pytest.raises(ValueError, match=r"view 'rna' carry ids, those of view 'text' do not"):
        check_views({"rna": pandas_frame(RNA, IDS), "text": other})


def test_large_numbers_are_exact_ids():
    ids = [2**60 + i for i in range(N)]
    for library in (pd.DataFrame, pl.DataFrame, pa.table):
        make = with_id_column(library)
        order = [6, 5, 4, 3, 2, 1, 0]
        views = check_views([make(RNA, ids), make(TEXT[order], ids[::-1])], id_column="sample")
        assert views.ids.tolist() == ids
        assert_array_equal(views.tables[1], TEXT)


def test_parts_of_one_frame_may_repeat_ids():
    frame = pandas_frame(RNA, ["same"] * N)
    assert check_views(frame, ranges=[1, 2]).ids.tolist() == ["same"] * N


def test_files_among_frames_must_be_in_their_order(tmp_path):
    pandas_frame(TEXT, IDS).to_parquet(tmp_path / "text.parquet")
    rna = pandas_frame(RNA, IDS)
    views = check_views({"rna": rna, "text": tmp_path / "text.parquet"})
    assert rows_by_id(views) == EXPECTED
    with pytest.raises(ValueError, match="View 'text' is on disk, and its rows are not those of the other views"):
        check_views({"rna": rna.iloc[::-1], "text": tmp_path / "text.parquet"})
    np.save(tmp_path / "text.npy", TEXT)
    with pytest.raises(ValueError, match="view 'rna' carry ids, those of view 'text' do not"):
        check_views({"rna": rna, "text": tmp_path / "text.npy"}, lazy=True)


def test_ids_beside_files_are_theirs(tmp_path):
    np.save(tmp_path / "text.npy", TEXT)
    views = Views([RNA, tmp_path / "text.npy"], ["rna", "text"], IDS)
    assert rows_by_id(check_views(views)) == EXPECTED
    again = Views(views.tables, views.names, views.ids)
    assert again.ids.tolist() == IDS


def test_dask_arrays_are_checked_once():
    array = pytest.importorskip("dask.array").from_array(RNA, chunks=4)
    views = check_views([array], lazy=True)
    assert Views(views.tables).tables[0] is views.tables[0]
    assert check_views(views, lazy=True).tables[0] is views.tables[0]
    assert_array_equal(check_views([array]).tables[0], RNA)


def test_repeated_names_of_arrow_columns():
    table = pa.Table.from_arrays([pa.array([1.0, 2.0]), pa.array([3.0, 4.0])], names=["a", "a"])
    assert_array_equal(check_views([table]).tables[0], [[1, 3], [2, 4]])


def test_missing_id_column_is_told():
    with pytest.raises(
        ValueError, match=r"View 'rna' has no column 'who' to take ids from; its columns are 'c0', 'c1'"
    ):
        check_views({"rna": pandas_frame(RNA, IDS)}, id_column="who")
    named = pandas_frame(RNA, IDS).rename_axis("who")
    assert check_views({"rna": named}, id_column="who").ids.tolist() == IDS


def test_ids_are_kept_on_the_estimator():
    model = LMVSC(2, n_anchors=3, random_state=0)
    frames = {"rna": pandas_frame(RNA, IDS), "text": pandas_frame(TEXT, IDS)}
    assert model.fit(frames).sample_ids_.tolist() == IDS
    assert model.input_library_ == "pandas"
    assert model.fit([RNA, TEXT]).sample_ids_ is None
    assert model.input_library_ is None


def test_data_sets_of_the_readers():
    data = MultiViewData({"rna": RNA, "text": sp.csr_array(TEXT)})
    views = check_views(data)
    assert views.names == ("rna", "text")
    assert views.ids is None

    class WithIds:
        views = data.views
        n_samples = N
        ids = tuple(IDS)

    assert rows_by_id(check_views(WithIds())) == EXPECTED


# one frame


def joint_frame():
    frame = pandas_frame(RNA, IDS).rename(columns={"c0": "g0", "c1": "g1", "c2": "g2"})
    return frame.assign(sex=pd.Categorical(list("fmfmfmf")))


def test_one_frame_is_cut_by_names_and_selectors():
    views = {"rna": ["g0", "g2"], "clinical": make_column_selector(dtype_include="category")}
    for checked in (
        check_views(joint_frame(), ranges=views),
        check_views(Views.from_tables(joint_frame(), views=views)),
    ):
        assert checked.names == ("rna", "clinical")
        assert checked.columns == (("g0", "g2"), ("sex=f", "sex=m"))
        assert checked.ids.tolist() == IDS
        assert_array_equal(checked.tables[0], RNA[:, [0, 2]])


def test_estimators_cut_one_frame_by_names():
    views = {"rna": ["g0", "g1"], "clinical": make_column_selector("g2|sex")}
    model = LMVSC(2, views=views, n_anchors=3, random_state=0).fit(joint_frame())
    assert model.view_columns_ == (("g0", "g1"), ("g2", "sex=f", "sex=m"))
    assert model.n_features_in_ == 4
    assert model.feature_names_in_.tolist() == ["g0", "g1", "g2", "sex"]
    assert_array_equal(model.predict(joint_frame()[2:5]), model.labels_[2:5])


def test_one_array_is_cut_by_numbers():
    views = check_views(RNA, ranges={"first": [0], "rest": slice(1, None)})
    assert (views.names, views.widths) == (("first", "rest"), (1, 2))


@pytest.mark.parametrize(
    "views, message",
    [
        ({"rna": ["g7"]}, "names the column 'g7', which the table does not have"),
        ({"rna": []}, "selects no column"),
        ({"rna": make_column_selector("zzz")}, "selects no column"),
    ],
)
def test_columns_that_are_not_there_are_named(views, message):
    with pytest.raises(ValueError, match=f"views={{'rna': …}} {message}"):
        check_views(joint_frame(), ranges=views)


def test_top_level_of_the_columns_makes_the_views():
    columns = pd.MultiIndex.from_tuples([("rna", "g0"), ("text", "w0"), ("rna", "g1"), ("rna", "g2"), ("text", "w1")])
    frame = pd.DataFrame(np.hstack([RNA[:, :1], TEXT[:, :1], RNA[:, 1:], TEXT[:, 1:]]), index=IDS, columns=columns)
    views = check_views(frame)
    assert views.columns == (("g0", "g1", "g2"), ("w0", "w1"))
    assert rows_by_id(views) == EXPECTED


# annotated data


def test_places_of_annotated_data():
    data = annotated(RNA, IDS)
    data.layers["counts"] = sp.csr_array(RNA)
    data.obsm["X_pca"] = TEXT
    assert check_views(data).names == ("X",)
    views = check_views(data, ranges={"rna": "layers/counts", "text": "obsm/X_pca"})
    assert rows_by_id(views) == EXPECTED
    assert views.columns == (("c0", "c1", "c2"), None)
    with pytest.raises(ValueError, match=r"no 'obsm/X_umap'; it has 'X', 'layers/counts', 'obsm/X_pca'"):
        check_views(data, ranges={"text": "obsm/X_umap"})
    with pytest.raises(ValueError, match="for annotated data name the place of every view"):
        check_views(data, ranges=2)


@pytest.mark.filterwarnings("ignore::FutureWarning:mudata", "ignore::UserWarning:mudata")
def test_modalities_are_views():
    mudata = pytest.importorskip("mudata")
    order = [6, 1, 0, 2, 5, 4, 3]
    data = mudata.MuData({"rna": annotated(RNA, IDS), "text": annotated(TEXT[order], [IDS[row] for row in order])})
    assert rows_by_id(check_views(data)) == EXPECTED
    model = LMVSC(2, n_anchors=3, random_state=0).fit(data)
    assert model.sample_ids_.tolist() == IDS
    assert_array_equal(model.predict(data), model.labels_)
    assert check_views(data, ranges={"one": "text", "two": "rna/X"}).names == ("one", "two")
    with pytest.raises(ValueError, match=r"has no modality 'atac'; it has \['rna', 'text'\]"):
        check_views(data, ranges={"x": "atac/X"})
    with pytest.raises(TypeError, match=r"View 'both' is a MuData, which holds several views"):
        check_views({"both": data})


# tensors


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16", "int64", "uint8", "bool"])
def test_tensors_of_any_type(dtype):
    torch = pytest.importorskip("torch")
    table = torch.tensor([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]).to(getattr(torch, dtype))
    for views in (check_views([table, table]), check_views({"a": table}), check_views(table)):
        assert_array_equal(views.tables[0], [[0, 1], [1, 0], [1, 1]])


def test_tensors_that_learn_or_are_sparse():
    torch = pytest.importorskip("torch")
    assert check_views([torch.ones((3, 2), requires_grad=True)]).widths == (2,)
    with pytest.raises(TypeError, match=r"View 'view 0' is a sparse tensor: give tensor\.to_dense\(\)"):
        check_views([torch.eye(3).to_sparse()])
    with pytest.raises(TypeError, match=r"View 'view 0' is a tensor on meta: give tensor\.cpu\(\)"):
        check_views([torch.ones((3, 2), device="meta")])


class Tensor:
    """Has what is asked of a bfloat16 tensor."""

    shape, dtype, layout = (2, 1), "torch.bfloat16", "torch.strided"

    class device:
        type = "cpu"

    def float(self):
        return self

    detach = float

    def numpy(self):
        return np.array([[1.0], [2.0]], np.float32)


def test_tensor_is_known_by_the_module_of_its_type(monkeypatch):
    monkeypatch.setattr(Tensor, "__module__", "torch")
    assert_array_equal(check_views([Tensor()]).tables[0], [[1], [2]])
