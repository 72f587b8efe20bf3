"""Linear rules: nearest centers and discriminants against literal versions, and what they do in a fit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import adjusted_rand_score

from manyview import AnchorGraphClustering, SemiNTF
from manyview.cluster.anchor_graph.consensus import centers_rule, discriminant_rule, log_within
from recipes import QUICK


def clusters(seed, n=200, d=4, K=3, separation=3.0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, K, n)
    return separation * rng.standard_normal((K, d))[labels] + rng.standard_normal((n, d)), labels


@given(st.integers(0, 10_000))
@settings(max_examples=25)
def test_centers_rule_names_nearest_center(seed):
    x, _ = clusters(seed)
    centers = np.random.default_rng(seed + 1).standard_normal((5, 4))
    nearest = [int(np.argmin([np.sum((row - center) ** 2) for center in centers])) for row in x]
    assert_array_equal(centers_rule(centers, None, 0).labels(x), nearest)


@given(st.integers(0, 10_000))
@settings(max_examples=15)
def test_discriminant_rule_is_fixed_point_of_linear_discriminant_analysis(seed):
    x, labels = clusters(seed)
    rule = discriminant_rule(x, labels, 3, None)
    found = rule.labels(x)
    analysis = LinearDiscriminantAnalysis(priors=np.full(3, 1 / 3)).fit(x, found)
    assert np.mean(analysis.predict(x) == found) > 0.99
    assert log_within(x, found, 3) <= log_within(x, labels, 3) + 1e-9


def test_discriminant_rule_does_not_depend_on_scales_of_columns():
    x, _ = clusters(0, separation=2.0)
    start = KMeans(3, n_init=3, random_state=0).fit_predict(x)
    stretched = x @ np.diag([1, 5, 0.2, 2])
    first, second = (discriminant_rule(table, start, 3, None).labels(table) for table in (x, stretched))
    assert adjusted_rand_score(first, second) > 0.95


def overlapping(n, seed=0, K=10):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, K, n)
    views = [0.35 * rng.standard_normal((K, width))[labels] + rng.standard_normal((n, width)) for width in (20, 50, 30)]
    return views, labels


@pytest.fixture(scope="module")
def round_fit():
    views, labels = overlapping(3_000)
    return views, labels, AnchorGraphClustering(10, random_state=0, n_jobs=1).fit(views)


def test_overlapping_round_clusters_are_found_like_by_k_means(round_fit):
    views, labels, model = round_fit
    expected = adjusted_rand_score(labels, KMeans(10, n_init=10, random_state=0).fit_predict(np.hstack(views)))
    assert adjusted_rand_score(labels, model.labels_) > expected - 0.02
    assert model.anchor_graph_.rule is not None


def test_rule_labels_new_rows_and_memberships_agree(round_fit):
    views, _, model = round_fit
    assert_array_equal(model.predict(views), model.labels_)
    assert_array_equal(model.membership_.argmax(axis=1), model.labels_)
    assert_allclose(model.membership_.sum(axis=1), 1, atol=1e-6)
    assert model.membership_.min() >= 0
    assert 0 < model.confidence_.mean() < 1


def test_few_noisy_columns_do_not_win_over_many_good_ones():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 6, 3_000)
    views = [
        s * rng.standard_normal((6, d))[labels] + rng.standard_normal((3_000, d)) for d, s in ((8, 0.3), (40, 0.4))
    ]
    model = AnchorGraphClustering(6, random_state=0, n_jobs=1).fit(views)
    assert model.views_left_out_ == []
    assert adjusted_rand_score(labels, model.labels_) > 0.6


def test_sampled_rows_and_engines_follow_the_same_rule(tmp_path):
    views, labels = overlapping(1_200, K=4)
    recipe = QUICK.__class__(**{**QUICK.__dict__, "n_sampled_rows": 600})
    options = {"recipe": recipe, "random_state": 0, "block_rows": 300, "n_jobs": 1}
    model = AnchorGraphClustering(4, engine="memory", **options).fit(views)
    assert model.anchor_graph_.rule is not None
    assert adjusted_rand_score(labels, model.labels_) > 0.8
    on_disk = AnchorGraphClustering(4, engine="disk", scratch=tmp_path, **options).fit(views)
    assert_array_equal(on_disk.labels_, model.labels_)


def test_factorization_starts_from_the_rule():
    views, labels = overlapping(600, K=3)
    model = SemiNTF(3, recipe=QUICK, random_state=0, n_jobs=1).fit(views)
    assert adjusted_rand_score(labels, model.labels_) > 0.8
