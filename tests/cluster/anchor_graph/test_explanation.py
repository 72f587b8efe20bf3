"""Explanations of clusters by views, prototypes and features, against direct sums and planted causes."""

import json
from html import escape
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from manyview import AnchorGraphClustering, SemiNTF, Views
from manyview.cluster.anchor_graph.explanation import (
    FeatureSums,
    cohesion,
    feature_effects,
    feature_names,
    feature_sums,
)
from manyview.datasets import make_views
from manyview.views import check_views
from recipes import ONE_DRAW

pytestmark = pytest.mark.filterwarnings("ignore::manyview.NoiseViewWarning")  # the planted noise is left out


@pytest.fixture(scope="module")
def planted():
    """Feature "marker" of the first view sets cluster 0 apart; the last view is noise."""
    data = make_views(240, 3, widths=(5, 6), separation=5.0, noise_views=1, random_state=0)
    views = {
        name: pd.DataFrame(view, columns=[f"{name}.{j}" for j in range(view.shape[1])]).set_axis(
            [f"sample {i}" for i in range(240)]
        )
        for name, view in data.views.items()
    }
    views["view_0"]["marker"] = 6.0 * (data.labels == 0) + np.random.default_rng(0).standard_normal(240)
    return views, data.labels


@pytest.fixture(scope="module")
def explained(planted):
    views, _ = planted
    model = AnchorGraphClustering(3, recipe=ONE_DRAW, random_state=0).fit(views)
    return model, model.explain(views, n_prototypes=3, n_features=2)


def test_the_planted_feature_is_named_first(planted, explained):
    _, truth = planted
    model, explanation = explained
    label = model.labels_[truth == 0][0]
    first = explanation.clusters[label].features["view_0"][0]
    assert first.feature == "marker"
    assert first.effect > 4
    assert first.inside - first.outside == pytest.approx(6, abs=0.5)
    assert [len(features) for features in explanation.clusters[label].features.values()] == [2, 2, 2]


def test_noise_view_has_no_effect(explained):
    _, explanation = explained
    for cluster in explanation.clusters:
        by_name = {view.view: view for view in cluster.views}
        assert max(cluster.views, key=lambda view: view.effect).view != "noise_0"
        assert by_name["noise_0"].alone < min(by_name["view_0"].alone, by_name["view_1"].alone) - 0.3


def test_prototypes_are_certain_members_named_by_index(explained):
    model, explanation = explained
    for cluster in explanation.clusters:
        assert len(cluster.rows) == 3
        for row in cluster.rows:
            assert model.labels_[row.row] == cluster.label
            assert row.id == f"sample {row.row}"
            assert model.confidence_[row.row] > np.median(model.confidence_) - 0.1
        values = [row.typicality for row in cluster.rows]
        assert values == sorted(values, reverse=True)
        assert all(anchor.purity > 0.9 for anchor in cluster.anchors)
        assert 0 < sum(anchor.share for anchor in cluster.anchors) < 1
        assert cluster.size == (model.labels_ == cluster.label).sum()


def test_explanation_does_not_depend_on_block_size(planted, explained):
    views, _ = planted
    model, explanation = explained
    small = (
        AnchorGraphClustering(3, recipe=ONE_DRAW, random_state=0, block_rows=50)
        .fit(views)
        .explain(views, n_prototypes=3, n_features=2)
    )
    for a, b in zip(small.clusters, explanation.clusters, strict=True):
        assert [row.row for row in a.rows] == [row.row for row in b.rows]
        assert a.features["view_0"][0].effect == pytest.approx(b.features["view_0"][0].effect)
    assert model.n_clusters_ == len(small.clusters)


def test_explanation_is_frozen_readable_and_plain(explained):
    _, explanation = explained
    text = str(explanation)
    assert "held together by" in text
    assert "marker +" in text
    assert repr(explanation) == "Explanation(3 clusters)"
    plain = json.loads(json.dumps(explanation.to_dict()))
    assert [cluster["label"] for cluster in plain["clusters"]] == [0, 1, 2]
    assert plain["clusters"][0]["rows"][0]["row"] == explanation.clusters[0].rows[0].row
    with pytest.raises(AttributeError):
        explanation.clusters[0].size = 0


def test_explanation_in_a_notebook(explained):
    _, explanation = explained
    html = explanation._repr_html_()
    assert html.count("<tr>") == 1 + len(explanation.clusters)
    for cluster in explanation.clusters:
        for effects in cluster.features.values():
            assert f"{escape(effects[0].feature)} {effects[0].effect:+.1f}" in html


# ------------------------------------------------------------------------------------------------ the sums


@given(st.integers(0, 10_000), st.integers(2, 4))
@settings(deadline=None, max_examples=25)
def test_feature_sums_are_the_same_sparse_and_dense_in_one_piece_and_in_two(seed, K):
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((20, 5)) * (rng.random((20, 5)) < 0.5)
    labels = rng.integers(K, size=20)
    centers = rng.standard_normal((K, 5))
    whole = feature_sums(table, labels, K, centers=centers)
    sparse = feature_sums(sp.csr_array(table), labels, K, centers=centers)
    parts = [feature_sums(table[s], labels[s], K, centers=centers) for s in (slice(8), slice(8, None))]
    for field in range(3):
        assert_allclose(sparse[field], whole[field], atol=1e-9)
        assert_allclose(parts[0][field] + parts[1][field], whole[field], atol=1e-9)
    for k in range(K):
        assert_allclose(whole.squares[k], ((table[labels == k] - centers[k]) ** 2).sum(axis=0), atol=1e-9)


def test_feature_effect_is_standardized_difference_of_means():
    rng = np.random.default_rng(0)
    table, labels = rng.standard_normal((60, 3)) + 1e6, np.repeat([0, 1, 2], 20)
    table[labels == 1, 2] += 3
    centers = np.stack([table[labels == k].mean(axis=0) for k in range(3)])
    total = feature_sums(table, labels, 3, centers=None)
    sums = FeatureSums(total.total, feature_sums(table, labels, 3, centers=centers).squares, total.sizes)
    effect, inside, outside = feature_effects(sums)
    pooled = np.sqrt(sum(20 * table[labels == k].var(axis=0) for k in range(3)) / 57)
    wanted = (table[labels == 1].mean(axis=0) - table[labels != 1].mean(axis=0)) / pooled
    assert_allclose(effect[1], wanted, rtol=1e-6)
    assert_allclose(inside[1] - outside[1], wanted * pooled, rtol=1e-6)


def test_constant_features_have_no_effect_and_perfect_ones_stay_finite():
    labels = np.array([0, 0, 1, 1])
    table = np.column_stack([np.ones(4), labels])
    total = feature_sums(table, labels, 2, centers=None)
    squares = feature_sums(table, labels, 2, centers=total.total / 2).squares
    effect, _, _ = feature_effects(FeatureSums(total.total, squares, total.sizes))
    assert_allclose(effect[:, 0], 0)
    assert np.isfinite(effect).all()
    assert effect[1, 1] > 1e3


@given(st.integers(0, 10_000))
@settings(deadline=None, max_examples=25)
def test_cohesion_is_chance_of_coming_back(seed):
    rng = np.random.default_rng(seed)
    W = rng.random((30, 8))
    W /= W.sum(axis=1, keepdims=True)
    labels = np.concatenate([np.arange(3), rng.integers(3, size=27)])
    Z = np.eye(3)[labels]
    mass = (W.T @ Z)[None]
    walk = W @ np.diag(1 / W.sum(axis=0)) @ W.T
    p = Z.mean(axis=0)
    stay = np.array([walk[labels == k][:, labels == k].sum() / (labels == k).sum() for k in range(3)])
    assert_allclose(cohesion(mass, np.ones(1), np.zeros(1, dtype=int)), (stay - p) / (1 - p), atol=1e-12)


def test_cohesion_is_one_where_walks_never_leave_and_zero_without_slices():
    mass = np.array([[[5.0, 0.0], [0.0, 7.0]]])
    geometry = np.zeros(1, dtype=int)
    assert_allclose(cohesion(mass, np.ones(1), geometry), 1)
    assert_allclose(cohesion(mass, np.zeros(1), geometry), 0)
    assert_allclose(cohesion(mass.sum(axis=2, keepdims=True), np.ones(1), geometry), 1)


# ------------------------------------------------------------------------------------------------ names, refusals


def test_names_come_from_the_tables():
    first = pd.DataFrame(np.arange(12.0).reshape(6, 2), columns=["a", "b"])
    second = pl.DataFrame({"c": np.arange(6.0) ** 2})
    for views, names in (
        ({"x": first, "y": second}, [["a", "b"], ["c"]]),
        ([first.to_numpy(), second], [["0", "1"], ["c"]]),
        (Views([np.ones((6, 1))]), [["0"]]),
    ):
        asked = SimpleNamespace()
        checked = check_views(views, estimator=asked)
        assert feature_names(checked, asked) == names


def test_names_of_the_fit_are_used_where_new_rows_have_none():
    asked = SimpleNamespace()
    check_views({"x": pd.DataFrame(np.eye(3), columns=list("abc"))}, estimator=asked)
    new = check_views({"x": np.eye(3)}, estimator=asked, reset=False)
    assert feature_names(new, asked) == [["a", "b", "c"]]


def test_other_rows_than_fitted_raise(planted, explained):
    views, _ = planted
    model, _ = explained
    with pytest.raises(ValueError, match="10 rows, the fit had 240"):
        model.explain({name: view[:10] for name, view in views.items()})
    with pytest.raises(ValueError, match="n_features must be"):
        model.explain(views, n_features=0)


def test_sparse_views_and_the_paper_are_explained():
    data = make_views(90, 3, widths=(60, 80), sparse=True, density=0.1, separation=3.0, random_state=0)
    model = AnchorGraphClustering(3, recipe=ONE_DRAW, random_state=0).fit(data.views)
    strongest = [cluster.features["view_0"][0].effect for cluster in model.explain(data.views).clusters]
    assert min(strongest) > 0.5
    paper = SemiNTF.paper(3, n_anchors=20, lam=1.0, tol=0.1).fit(list(make_views(90, 3, random_state=0).views.values()))
    explanation = paper.explain(list(make_views(90, 3, random_state=0).views.values()))
    assert len(explanation.clusters) == len(np.unique(paper.labels_))
