import anndata
import mudata
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.io import loadmat
from scipy.sparse import csr_matrix, issparse

from manyview.io import MultiViewData, read_views, write_views

pytestmark = pytest.mark.usefixtures("inline")


@pytest.fixture
def data():
    """Views in alphabetical order, so that a folder keeps it; the sample p2 lacks the first."""
    rng = np.random.default_rng(5)
    first = rng.standard_normal((6, 3))
    first[2] = np.nan
    second = csr_matrix(rng.integers(1, 9, (6, 5)) * (rng.random((6, 5)) < 0.4) * 0.1)
    return MultiViewData(
        {"protein": first, "rna": second},
        np.array([0, 1, 1, 2, 0, 2]),
        "patients",
        ids=np.array([f"p{i}" for i in range(6)]),
        feature_names={"protein": ("a", "b", "größe"), "rna": None},
    )


def dense(view):
    return view.toarray() if issparse(view) else view


def check(got, want, *, names=True, sparse=True):
    assert list(got.views) == list(want.views)
    for name, view in want.views.items():
        assert_array_equal(dense(got.views[name]), dense(view), err_msg=name)
        if sparse:
            assert issparse(got.views[name]) is issparse(view)
    assert_array_equal(got.labels, want.labels)
    assert_array_equal(got.ids, want.ids)
    if names:
        assert got.feature_names == want.feature_names


@pytest.mark.parametrize("name", ["a.npz", "a.mat"])
def test_archives_keep_everything(tmp_path, data, name):
    write_views(data, tmp_path / name)
    check(read_views(tmp_path / name), data)


def test_mudata_keeps_everything_but_nameless_columns(tmp_path, data):
    write_views(data, tmp_path / "a.h5mu")
    got = read_views(tmp_path / "a.h5mu")
    check(got, data, names=False)
    assert got.feature_names == data.feature_names | {"rna": tuple("01234")}


@pytest.mark.parametrize("tables", ["csv", "parquet"])
def test_folders_keep_everything_but_sparseness(tmp_path, data, tables):
    write_views(data, tmp_path / "a", tables=tables)
    assert {path.name for path in (tmp_path / "a").iterdir()} == {f"{n}.{tables}" for n in ("protein", "rna", "labels")}
    check(read_views(tmp_path / "a"), data, names=False, sparse=False)


@pytest.mark.filterwarnings("ignore")  # MuData speaks of its own future
def test_mudata_itself_reads_what_we_write(tmp_path, data):
    write_views(data, tmp_path / "a.h5mu")
    found = mudata.read_h5mu(tmp_path / "a.h5mu")
    assert sorted(found.obs_names) == data.ids.tolist()  # MuData puts samples that the first modality lacks last
    assert found["protein"].obs_names.tolist() == ["p0", "p1", "p3", "p4", "p5"]
    assert found["protein"].var_names.tolist() == ["a", "b", "größe"]
    assert_array_equal(found["rna"].X.toarray(), data.views["rna"].toarray())
    assert found.obs["labels"].loc[data.ids].tolist() == data.labels.tolist()
    found.update()
    assert found.n_obs == 6


def test_anndata_itself_reads_what_we_write(tmp_path, data):
    single = MultiViewData({"rna": data.views["rna"]}, data.labels, ids=data.ids)
    write_views(single, tmp_path / "a.h5ad")
    found = anndata.read_h5ad(tmp_path / "a.h5ad")
    assert_array_equal(found.X.toarray(), data.views["rna"].toarray())
    assert found.obs_names.tolist() == data.ids.tolist()
    assert found.obs["labels"].tolist() == data.labels.tolist()
    with pytest.raises(ValueError, match=r"a single view, there are 2; choose \.h5mu"):
        write_views(data, tmp_path / "b.h5ad")


def test_matlab_file_has_the_usual_names(tmp_path, data):
    write_views(data, tmp_path / "a.mat")
    found = loadmat(tmp_path / "a.mat")
    assert found["X"].shape == (2, 1)
    assert found["Y"].ravel().tolist() == [1, 2, 2, 3, 1, 3]
    assert [cell.item() for cell in found["view_names"].ravel()] == ["protein", "rna"]


def test_nothing_is_replaced_unless_asked(tmp_path, data):
    write_views(data, tmp_path / "a.npz")
    with pytest.raises(FileExistsError, match=r"a\.npz: is there already; say overwrite=True"):
        write_views(data, tmp_path / "a.npz")
    write_views(MultiViewData({"x": np.eye(2)}), tmp_path / "a.npz", overwrite=True)
    assert read_views(tmp_path / "a.npz").n_samples == 2
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileExistsError, match="folder: is there already; remove it"):
        write_views(data, tmp_path / "folder", overwrite=True)


@pytest.mark.parametrize("name", ["labels", "a/b", "..", ""])
def test_names_that_are_no_file_are_refused(tmp_path, name):
    with pytest.raises(ValueError, match="cannot be the name of a table"):
        write_views(MultiViewData({name: np.eye(2)}), tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("names", [("id", "x"), ("x", "x")])
def test_column_names_that_would_not_come_back_are_refused(tmp_path, names):
    with pytest.raises(ValueError, match="different names, none of which means an id"):
        write_views(MultiViewData({"v": np.eye(2)}, feature_names={"v": names}), tmp_path / "a")


@pytest.mark.parametrize(
    "path, error, complaint",
    [("a.txt", ValueError, r"cannot write \.txt; choose \.npz"), ("no/a.npz", FileNotFoundError, "does not exist")],
)
def test_impossible_paths_are_refused(tmp_path, data, path, error, complaint):
    with pytest.raises(error, match=complaint):
        write_views(data, tmp_path / path)


words = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=6)
numbers = st.floats(allow_nan=False, allow_infinity=False, width=32)


@settings(deadline=None, max_examples=40)
@given(
    ids=st.lists(words, min_size=2, max_size=5, unique=True)
    | st.lists(st.integers(), min_size=2, max_size=5, unique=True),
    name=words,
    features=st.lists(words, min_size=1, max_size=3, unique=True),
    drawn=st.data(),
    suffix=st.sampled_from([".npz", ".mat", ".h5mu"]),
)
def test_any_names_survive(tmp_path_factory, ids, name, features, drawn, suffix):
    row = st.lists(numbers, min_size=len(features), max_size=len(features))
    rows = drawn.draw(st.lists(row, min_size=len(ids), max_size=len(ids)))
    texts = ids if all(-(2**62) < one < 2**62 for one in ids if isinstance(one, int)) else list(map(str, ids))
    data = MultiViewData({name: np.array(rows)}, ids=np.array(texts), feature_names={name: tuple(features)})
    path = tmp_path_factory.mktemp("write") / f"a{suffix}"
    if suffix == ".h5mu" and ("/" in name or name == "."):
        with pytest.raises(ValueError, match="cannot be the name of a modality"):
            write_views(data, path)
        return
    write_views(data, path)
    got = read_views(path)
    assert_array_equal(got.views[name], data.views[name])
    assert list(map(str, got.ids.tolist())) == list(map(str, ids))
    assert got.feature_names == {name: tuple(features)}
