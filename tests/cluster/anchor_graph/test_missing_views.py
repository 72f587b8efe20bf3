"""A row of NaN in a view: the sample lacks it, and is grouped by the others; nothing of the row is made up."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from manyview import LMVSC, AnchorGraphClustering, SemiNTF
from manyview.datasets import make_views
from manyview.metrics import adjusted_rand_index
from manyview.model_selection import select
from manyview.views.blocks import RowBlock
from recipes import QUICK

N, K = 400, 4
SMALL = {"n_anchors": 60, "block_rows": 90, "recipe": QUICK, "random_state": 0}


@pytest.fixture(scope="module")
def data():
    return make_views(N, K, widths=(6, 9, 4), separation=3.0, random_state=0)


@pytest.fixture(scope="module")
def whole(data):
    return list(data.views.values())


@pytest.fixture(scope="module")
def gone():
    """Which views (3, N) which rows lack: a third of each, but no row all of them."""
    rng = np.random.default_rng(0)
    gone = rng.random((3, N)) < 1 / 3
    gone[rng.integers(3, size=N), np.arange(N)] = False
    return gone


@pytest.fixture(scope="module")
def views(whole, gone):
    return lacking(whole, gone)


@pytest.fixture(scope="module")
def model(views):
    return AnchorGraphClustering(K, **SMALL).fit(views)


def lacking(views, gone, value=np.nan):
    return [np.where(rows[:, None], value, view) for view, rows in zip(views, gone, strict=True)]


def test_rows_are_labeled_by_the_views_they_have(model, data, views):
    assert adjusted_rand_index(data.labels, model.labels_) > 0.9
    assert_array_equal(model.predict(views), model.labels_)
    assert_allclose(model.membership_.sum(axis=1), 1)
    assert np.isfinite(model.confidence_).all()


def test_where_a_view_lies_does_not_matter(model, views):
    """Zeros in place of the missing rows would be far from everything in a view with an offset."""
    moved = [views[0], views[1] - 1_000, views[2] - 50]
    assert adjusted_rand_index(AnchorGraphClustering(K, **SMALL).fit(moved).labels_, model.labels_) > 0.99


def test_scalings_are_those_of_the_rows_that_the_view_has(model, views, gone):
    scaling = model.anchor_graph_.geometry.scalings[0][1].scaling
    there = views[1][~gone[1]]
    assert_allclose(scaling.mean, there.mean(axis=0), rtol=1e-12)
    assert_allclose(scaling.deviation, there.std(axis=0), rtol=1e-12)


def test_a_missing_row_has_no_weight_in_the_slices_of_its_view(model, views, gone):
    block = model.anchor_graph_(RowBlock(0, tuple(views)))
    for number, (_, v) in enumerate(model.anchor_graph_.slices):
        weight = block.weights[:, number].sum(axis=1)
        assert_allclose(weight, 1 if v is None else ~gone[v], atol=1e-12)


@pytest.mark.parametrize("lost", range(3))
def test_new_rows_may_lack_a_view_that_all_had_in_the_fit(whole, data, lost):
    fitted = AnchorGraphClustering(K, **SMALL).fit(whole)
    new = [np.full_like(view, np.nan) if v == lost else view for v, view in enumerate(whole)]
    assert adjusted_rand_index(data.labels, fitted.predict(new)) > 0.75
    assert np.isfinite(fitted.assess(new).confidence).all()


def test_rows_of_zeros_are_data_where_only_nan_rows_are_missing(model, views, gone):
    zeros = [view.copy() for view in views]
    zeros[0][~gone[0]] = 0
    geometry = model.anchor_graph_.geometry
    assert not geometry.empty_rows_absent.any()
    assert_array_equal(geometry.present(RowBlock(0, tuple(zeros))), ~gone)


@pytest.mark.parametrize("form", ["pandas", "nullable pandas", "Arrow pandas", "polars", "one table"])
def test_every_form_of_input(model, views, form):
    if form == "one table":
        again = AnchorGraphClustering(K, **SMALL, views=[6, 9, 4]).fit(np.hstack(views))
    elif form == "polars":
        nulls = [pl.DataFrame(view, schema=[f"c{j}" for j in range(view.shape[1])]).fill_nan(None) for view in views]
        again = AnchorGraphClustering(K, **SMALL).fit(nulls)
    else:
        frames = [pd.DataFrame(view) for view in views]
        there = [frame.dropna().sample(frac=1, random_state=0) for frame in frames]
        if form != "pandas":
            backend = "pyarrow" if form.startswith("Arrow") else "numpy_nullable"
            there = [frame.convert_dtypes(dtype_backend=backend) for frame in there]
        again = AnchorGraphClustering(K, **SMALL).fit([frame.reindex(range(N)) for frame in there])
    assert_array_equal(again.labels_, model.labels_)


def test_files_give_the_same_bits(model, views, tmp_path):
    np.save(tmp_path / "0.npy", views[0])
    for v in (1, 2):
        columns = {f"c{j}": pa.array(views[v][:, j], from_pandas=True) for j in range(views[v].shape[1])}  # nulls
        pq.write_table(pa.table(columns), tmp_path / f"{v}.parquet", row_group_size=70)
    files = [tmp_path / name for name in ("0.npy", "1.parquet", "2.parquet")]
    disk = AnchorGraphClustering(K, **SMALL, scratch=tmp_path).fit(files)
    assert_array_equal(disk.membership_, model.membership_)
    assert_array_equal(disk.labels_, model.labels_)


def test_words_may_be_missing_too():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 300)
    words = [sp.random_array((300, 90), density=0.02, random_state=rng).toarray() for _ in range(2)]
    for table in words:
        for k in range(3):
            table[labels == k, 30 * k : 30 * k + 30] += rng.random(((labels == k).sum(), 30)) < 0.2
    numbers = np.eye(3)[labels] + 0.3 * rng.standard_normal((300, 3))
    gone = np.zeros((3, 300), dtype=bool)
    gone[0, :60], gone[1, 60:120], gone[2, 120:180] = True, True, True
    views = lacking([*words, numbers], gone)
    model = AnchorGraphClustering(3, random_state=0).fit(views)
    assert model.anchor_graph_.geometry.kinds[:2] == ("sparse counts",) * 2
    assert adjusted_rand_index(labels, model.labels_) > 0.9


def test_more_data_reasons_and_the_number_of_clusters(model, views, data):
    selection = select(views, estimator=AnchorGraphClustering(**SMALL))
    assert selection.n_clusters == K
    for cluster in model.explain(views).clusters:
        assert all(np.isfinite([f.effect, f.inside, f.outside]).all() for v in cluster.features.values() for f in v)
    grown = (
        AnchorGraphClustering(K, **SMALL)
        .partial_fit([view[:300] for view in views])
        .partial_fit([view[300:] for view in views])
    )
    assert adjusted_rand_index(data.labels[300:], grown.labels_) > 0.85


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "model",
    [SemiNTF(K, **SMALL, coupling="clusters", max_iter=20), AnchorGraphClustering(K, **SMALL, scale="standard")],
)
def test_other_ways_to_fit(views, data, model):
    assert adjusted_rand_index(data.labels, model.fit(views).labels_) > 0.85


def with_nan(views, v, rows):
    changed = [view.copy() for view in views]
    changed[v][rows] = np.nan
    return changed


def test_views_that_cannot_be_used_raise(whole, views, tmp_path):
    part = [view.copy() for view in whole]
    part[1][7, 2] = np.nan
    with pytest.raises(ValueError, match=r"View 'view 1' .* row 7\. Fill it or make the whole row NaN"):
        AnchorGraphClustering(K).fit(part)
    part[1][7, 2] = np.inf
    with pytest.raises(ValueError, match=r"View 'view 1' .* row 7\."):
        AnchorGraphClustering(K).fit(part)
    everywhere = with_nan(with_nan(with_nan(whole, 0, 133), 1, 133), 2, 133)
    with pytest.raises(ValueError, match="Row 133 is NaN in every view: drop it"):
        AnchorGraphClustering(K, **SMALL).fit(everywhere)
    with pytest.raises(ValueError, match="Row 133 is NaN in every view"):
        AnchorGraphClustering(K, **SMALL).fit(whole).predict(everywhere)
    with pytest.raises(ValueError, match="View 'view 2' is NaN in every row: leave it out"):
        AnchorGraphClustering(K, **SMALL).fit(with_nan(whole, 2, slice(None)))
    with pytest.raises(ValueError, match=r"View 'view 0' is NaN in \d+ rows: Algorithm 1 needs every view"):
        SemiNTF.paper(K, n_anchors=40).fit(views)
    np.save(tmp_path / "view.npy", views[1])
    for given in (views[1], tmp_path / "view.npy"):
        with pytest.raises(ValueError, match=r"View 'view 1' contains NaN .* row \d+\. .* drop the row"):
            LMVSC(K).fit([whole[0], given])
