"""Novelty: how far rows are from all anchors, beside the rows of the fit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from manyview import AnchorGraphClustering, Recipe, load
from manyview.anchors import GraphBlock
from manyview.cluster.anchor_graph.membership import FENCE, Novelty, without_outliers
from manyview.datasets import load_digits_views, make_views
from manyview.views.blocks import RowBlock

QUICK = Recipe(n_draws=1, n_init=1)


def clusterer(**parameters):
    return AnchorGraphClustering(3, recipe=QUICK, random_state=0, **parameters)


def views(n_samples=150, seed=0):
    return list(make_views(n_samples, 3, widths=(5, 8), random_state=seed).views.values())


def block(reach, present=None):
    reach = np.asarray(reach, dtype=float)
    shape = (*reach.shape, 1)
    present = np.ones(reach.shape, dtype=bool) if present is None else np.asarray(present)
    return GraphBlock(0, np.zeros(shape, np.int16), np.ones(shape), present, reach)


@pytest.fixture(scope="module")
def model():
    return clusterer().fit(views())


def test_the_reach_is_the_mean_distance_to_the_three_nearest_anchors():
    X = views()
    graph = clusterer(scale="none", anchors="random", n_anchors=40).fit(X).anchor_graph_
    read = graph(_rows(X))
    for place, name in enumerate(graph.slices):
        tables = [name.view] if name.view is not None else [0, 1]
        d = sum(_squares(graph, X, v) for v in tables) / len(tables)
        assert_allclose(read.reach[:, place], np.sqrt(np.sort(d, axis=1)[:, :3]).mean(axis=1))


def _squares(graph, X, v):
    table = X[v] / graph.geometry.lengths[0, v]
    return ((table[:, None] - graph.views[0][v].centers) ** 2).sum(axis=2)


def _rows(X):
    return RowBlock(0, tuple(X))


@given(st.floats(0.1, 100), st.floats(0.01, 10))
@settings(deadline=None, max_examples=30)
def test_novelty_has_no_unit_and_grows_with_distance(fence, distance):
    novelty = Novelty(np.array([-1, 0]), 1, np.array([fence, 1.0]))
    first, farther = novelty.of_rows(block([[distance, 0.0], [2 * distance, 0.0]]))
    assert first == pytest.approx(distance / fence)
    assert farther == pytest.approx(2 * first)


def test_without_a_joint_table_the_views_that_know_the_row_are_averaged():
    novelty = Novelty(np.array([0, 1]), 2, np.array([1.0, 2.0]))
    read = block([[3.0, 2.0], [3.0, 9.0]], [[True, True], [True, False]])
    assert_allclose(novelty.of_rows(read), [2.0, 3.0])
    assert_array_equal(novelty.of_views(read), [[3.0, 1.0], [3.0, np.nan]])


def test_beside_rows_that_are_all_alike_everything_else_is_infinitely_far():
    novelty = Novelty(np.array([-1]), 1, np.array([0.0]))
    assert_array_equal(novelty.of_rows(block([[0.0], [1e-9]])), [0.0, np.inf])


def test_the_fence_is_three_interquartile_ranges_beyond_the_third_quartile(model):
    X = views()
    read = model.anchor_graph_(_rows(X))
    q1, q3 = np.quantile(read.reach.astype(float), [0.25, 0.75], axis=0)
    assert_allclose(model.novelty_.fences, q3 + FENCE * (q3 - q1))
    assert_allclose(model.outlier_score_, model.novelty_.of_rows(read))


def test_rows_from_elsewhere_are_novel_however_confident(model):
    far = [view[:4] + 50 for view in views()]
    found = model.assess(far)
    assert (found.novelty > 10).all()
    assert (found.view_novelty > 10).all()
    known = model.assess(views())
    assert np.mean(known.novelty > 1) < 0.02
    assert_allclose(known.novelty, model.outlier_score_)


def test_a_row_that_is_odd_in_one_view_is_novel_there(model):
    odd = [view[:3].copy() for view in views()]
    odd[1] += 30
    found = model.assess(odd)
    assert (found.view_novelty[:, 1] > 5).all()
    assert (found.view_novelty[:, 0] < 1.2).all()
    assert (found.novelty > 1).all()


def test_a_view_that_a_row_lacks_has_no_novelty(model):
    some = [view[:3].copy() for view in views()]
    some[0][1] = np.nan
    found = model.assess(some)
    assert_array_equal(np.isnan(found.view_novelty), [[False, False], [True, False], [False, False]])
    assert np.isfinite(found.novelty).all()
    assert (found.novelty < 1.5).all()


def test_outliers_are_labeled_only_if_asked():
    X = views()
    rng = np.random.default_rng(0)
    for view in X:
        view[:5] += 40 * rng.standard_normal((5, view.shape[1]))
    plain, marked = clusterer().fit(X), clusterer(label_outliers=True).fit(X)
    assert plain.labels_.min() == 0
    assert (marked.labels_[:5] == -1).all()
    assert np.mean(marked.labels_[5:] == -1) < 0.03
    kept = marked.labels_ >= 0
    assert_array_equal(marked.labels_[kept], plain.labels_[kept])
    assert_array_equal(marked.labels_, without_outliers(plain.labels_, plain.outlier_score_))
    assert_array_equal(marked.predict(X) == -1, ~kept)
    assert_array_equal(marked.assess(X).labels == -1, ~kept)
    assert sum(cluster.size for cluster in marked.explain(X).clusters) == kept.sum()


def test_a_saved_model_tells_the_same(model, tmp_path):
    far = [view[:4] + 50 for view in views()]
    assert_array_equal(load(model.save(tmp_path / "model")).assess(far).novelty, model.assess(far).novelty)


def test_a_batch_is_rated_beside_the_first():
    X = views()
    model = clusterer(label_outliers=True).fit([view[:120] for view in X])
    batch = [np.vstack([view[120:], view[:2] + 50]) for view in X]
    rated = model.assess(batch)
    model.partial_fit(batch)
    assert_array_equal(model.outlier_score_, rated.novelty)
    assert_array_equal(np.flatnonzero(model.outlier_score_[30:] > 1), [0, 1])
    assert (model.labels_[30:] == -1).all()


def test_every_engine_gives_the_same_bits():
    distributed = pytest.importorskip("distributed")
    X = views(seed=1)
    here, disk = (clusterer(engine=name, block_rows=40).fit(X) for name in ("memory", "disk"))
    with distributed.Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None):
        workers = clusterer(engine="dask", block_rows=40).fit(X)
    for there in (disk, workers):
        assert_array_equal(there.outlier_score_, here.outlier_score_)
        assert_array_equal(there.novelty_.fences, here.novelty_.fences)


def test_a_digit_that_was_left_out_is_told_from_the_others():
    digits = load_digits_views()
    known, new = np.flatnonzero(digits.labels != 3), np.flatnonzero(digits.labels == 3)
    fitted, held = known[::2], known[1::2]
    tables = list(digits.views.values())
    model = clusterer().fit([table[fitted] for table in tables])
    near = model.assess([table[held] for table in tables]).novelty
    far = model.assess([table[new] for table in tables]).novelty
    auc = np.mean(far[:, None] > near)
    assert auc > 0.9
