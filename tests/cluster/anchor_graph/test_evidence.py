"""What the default does with views that disagree, repeat one another, or say nothing."""

import warnings

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from manyview import AnchorGraphClustering, NoiseViewWarning, Recipe
from manyview.cluster.anchor_graph.evidence import without_copies


def groups(labels, width, separation, rng):
    centers = separation * rng.standard_normal((int(labels.max()) + 1, width))
    return centers[labels] + rng.standard_normal((len(labels), width))


def fit(views, K, **recipe):
    return AnchorGraphClustering(K, recipe=Recipe(n_draws=1, **recipe), random_state=0, n_jobs=1).fit(views)


def test_view_that_disagrees_is_not_left_out():
    rng = np.random.default_rng(0)
    labels, others = rng.integers(0, 4, 600), rng.integers(0, 4, 600)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = fit([groups(labels, 20, 1.5, rng), groups(others, 20, 1.0, rng)], 4)
    assert model.views_left_out_ == []
    assert adjusted_rand_score(labels, model.labels_) > 0.9


def test_of_two_unrelated_views_the_one_without_structure_goes():
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 4, 600)
    with pytest.warns(NoiseViewWarning, match="'noise'"):
        model = fit({"noise": rng.standard_normal((600, 30)), "good": groups(labels, 20, 1.0, rng)}, 4)
    assert model.views_left_out_ == ["noise"]
    assert adjusted_rand_score(labels, model.labels_) > 0.9


def test_noise_alone_is_kept():
    rng = np.random.default_rng(2)
    assert fit([rng.standard_normal((400, width)) for width in (10, 20, 30)], 3).views_left_out_ == []


def test_view_of_few_rings_is_related_to_groups_in_another():
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, 600)
    turn = 2 * np.pi * rng.random(600)
    rings = np.c_[np.cos(turn), np.sin(turn)] * np.where(labels, 2.0, 1.0)[:, None] + rng.normal(0, 0.1, (600, 2))
    views = {"rings": rings, "groups": groups(labels, 5, 1.5, rng), "noise": rng.standard_normal((600, 8))}
    with pytest.warns(NoiseViewWarning, match="'noise'"):
        model = fit(views, 2)
    assert model.views_left_out_ == ["noise"]


def test_copies_of_a_weak_view_do_not_outvote_a_good_one():
    rng = np.random.default_rng(4)
    labels = rng.integers(0, 5, 1_000)
    weak = groups(labels, 20, 0.3, rng)
    model = fit([groups(labels, 20, 0.8, rng), *[weak] * 4], 5)
    assert adjusted_rand_score(labels, model.labels_) > 0.8


def test_without_copies_keeps_first_of_rotated_tables():
    rng = np.random.default_rng(5)
    x, other = np.linalg.qr(rng.standard_normal((100, 4)))[0], rng.standard_normal((100, 4))
    x -= x.mean(axis=0)
    x = np.linalg.qr(x)[0]
    kept = without_copies([x, other, x @ np.linalg.qr(rng.standard_normal((4, 4)))[0]])
    assert [table is wanted for table, wanted in zip(kept, (x, other), strict=True)] == [True, True]


def test_separated_clusters_are_found_from_a_sample():
    rng = np.random.default_rng(6)
    labels = rng.integers(0, 10, 6_000)
    views = [groups(labels, width, 2.0, rng) for width in (20, 50, 30)]
    assert adjusted_rand_score(labels, fit(views, 10, n_sampled_rows=2_000).labels_) > 0.999


def test_sampled_graph_finds_separated_clusters_without_a_rule():
    rng = np.random.default_rng(7)
    labels = rng.integers(0, 10, 6_000)
    views = [groups(labels, width, 2.0, rng) for width in (20, 50, 30)]
    model = fit(views, 10, n_sampled_rows=2_000, min_half_explained=np.inf, fine_anchors=500)
    assert adjusted_rand_score(labels, model.labels_) > 0.999
