"""partial_fit: anchors stay, sums grow."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from manyview import AnchorGraphClustering
from manyview.datasets import make_views
from manyview.metrics import adjusted_rand_index
from recipes import QUICK

N, K = 600, 4
SETTINGS = {"n_anchors": 60, "block_rows": 70, "recipe": QUICK, "random_state": 0}


@pytest.fixture(scope="module")
def data():
    made = make_views(N, K, widths=(6, 9), separation=4.0, random_state=0)
    return list(made.views.values()), made.labels


def rows(views, chosen):
    return [view[chosen] for view in views]


@pytest.fixture
def model(data):
    return AnchorGraphClustering(K, **SETTINGS).fit(rows(data[0], slice(0, 400)))


def test_the_first_batch_is_fitted(data, model):
    first = AnchorGraphClustering(K, **SETTINGS).partial_fit(rows(data[0], slice(0, 400)))
    assert_array_equal(first.labels_, model.labels_)
    assert_array_equal(first.anchor_membership_, model.anchor_membership_)


def test_batch_is_labeled_like_predict_and_anchors_stay(data, model):
    batch = rows(data[0], slice(400, 500))
    expected, before = model.predict(batch), model.anchor_graph_
    assert model.partial_fit(batch) is model
    assert_array_equal(model.labels_, expected)
    assert model.anchor_graph_ is before
    assert model.membership_.shape == (100, K)
    assert model.confidence_.shape == (100,)
    assert model.embedding_.shape == (100, K)
    assert_allclose(np.linalg.norm(model.embedding_, axis=1), 1, rtol=1e-6)
    assert_allclose(model.membership_.sum(axis=1), 1, atol=1e-12)
    assert model.cluster_sizes_.sum() == 500


def test_sums_grow_by_those_of_the_batches(data, model):
    """Against the sums of the batches' rows, counted one by one."""
    views, _ = data
    dense = fused_weights(model, views)
    degree = dense[:400].sum(axis=0)
    row_sum = model.fusion_.row_sum
    mass, sizes = row_sum * degree[:, None] * model.anchor_membership_, model.cluster_sizes_
    for first in (400, 500):
        model.partial_fit(rows(views, slice(first, first + 100)))
        Z = np.eye(K)[model.labels_]
        mass, sizes = mass + dense[first : first + 100].T @ Z, sizes + Z.sum(axis=0)
    degree = dense.sum(axis=0)
    used = degree > 1e-9
    assert_allclose(1 / model.fusion_.column_scale[used] ** 2, row_sum * degree[used], rtol=1e-9)
    assert_allclose(model.anchor_membership_[used], mass[used] / (row_sum * degree[used, None]), atol=1e-12)
    assert_array_equal(model.cluster_sizes_, sizes)


def fused_weights(model, views):
    """B (N, G m) of all rows in double precision."""
    from manyview.views.blocks import RowBlock

    return model.fusion_.mixed(model.anchor_graph_(RowBlock(0, tuple(views)))).toarray()


def test_batches_end_near_fit_on_all_rows(data, model):
    views, truth = data
    model.partial_fit(rows(views, slice(400, 600)))
    assert adjusted_rand_index(truth, model.predict(views)) > 0.95
    whole = AnchorGraphClustering(K, **SETTINGS).fit(views)
    assert adjusted_rand_index(whole.labels_, model.predict(views)) > 0.95


def test_engines_give_the_same_bits(data, tmp_path):
    views, _ = data
    models = []
    for options in ({"engine": "memory"}, {"engine": "disk", "scratch": tmp_path}):
        model = AnchorGraphClustering(K, **SETTINGS, **options).fit(rows(views, slice(0, 400)))
        models.append(model.partial_fit(rows(views, slice(400, 600))))
    for name in ("labels_", "membership_", "confidence_", "embedding_", "anchor_membership_", "cluster_sizes_"):
        assert_array_equal(getattr(models[0], name), getattr(models[1], name))


def test_batch_with_other_columns_raises(data, model):
    with pytest.raises(ValueError, match="View 'view 1' has 8 columns; the model was fitted on 9"):
        model.partial_fit([data[0][0][:5], data[0][1][:5, :8]])
