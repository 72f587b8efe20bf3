"""Effects of features: those of `explain`, sparse as dense, without missing rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from manyview import LMVSC
from manyview.report.summary.features import feature_effects, heatmap, table_effects, top_features
from manyview.report.summary.inputs import gather


def inputs_of(model, views):
    return gather(model, views, name="", y_true=None, metadata=None, ids=None, images=None, seconds=None)


def test_effects_are_those_of_explain(model, data):
    inputs = inputs_of(model, data.views)
    effects = feature_effects(inputs)
    explained = model.explain(data.views, n_features=3)
    for k, cluster in enumerate(explained.clusters):
        for v, found in enumerate(cluster.features.values()):
            ours = [shift for shift in top_features(inputs, effects, k) if shift["view"] == f"view_{v}"]
            assert_allclose([one["effect"] for one in ours], [one.effect for one in found], rtol=1e-9)


def test_sparse_views_have_the_effects_of_dense_ones(data):
    dense = {name: np.where(view > 0.5, view, 0) for name, view in data.views.items()}
    sparse = {name: sp.csr_array(view) for name, view in dense.items()}
    model = LMVSC(3, random_state=0).fit(dense)
    first, second = (feature_effects(inputs_of(model, views)) for views in (dense, sparse))
    for a, b in zip(first, second, strict=True):
        assert_allclose(a.effect, b.effect, atol=1e-9)


def test_far_offset_loses_no_digits():
    rng = np.random.default_rng(0)
    codes, table = np.arange(200) % 2, rng.normal(size=(200, 3))
    moved = table_effects(table + 1e6, codes, 2).effect
    assert_allclose(moved, table_effects(table, codes, 2).effect, rtol=1e-5)


@pytest.mark.parametrize("K", [1, 2])
def test_nothing_to_tell_apart_is_nothing(K):
    codes = np.arange(20) % K
    effects = table_effects(np.ones((20, 4)), codes, K)
    assert heatmap(list(range(K)), ["a"], [list("wxyz")], [effects], 10) is None


def test_every_cluster_brings_its_strongest_feature():
    codes = np.repeat(np.arange(5), 20)
    table = np.eye(5)[codes] * 3 + np.random.default_rng(0).normal(size=(100, 5))
    found = heatmap(list(range(5)), ["a"], [list("vwxyz")], [table_effects(table, codes, 5)], 5)
    assert found["features"] == list("vwxyz")
    assert (np.argmax(found["effects"], axis=1) == np.arange(5)).all()
