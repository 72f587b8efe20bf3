"""Confidence, contradicting views, and the stability of clusters."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from manyview import AnchorGraphClustering
from manyview.anchors import GraphBlock
from manyview.cluster.anchor_graph.reliability import Reliability, slice_votes
from manyview.datasets import make_views
from manyview.metrics import match_labels
from manyview.views.blocks import RowBlock


@pytest.fixture(scope="module")
def overlapping():
    return make_views(300, 4, widths=(6, 9, 5), separation=2.0, random_state=1)


@pytest.fixture(scope="module")
def model(overlapping):
    return AnchorGraphClustering(4, random_state=0).fit(overlapping.views)


def test_confident_rows_are_right_more_often(overlapping, model):
    right = match_labels(overlapping.labels, model.labels_) == overlapping.labels
    order = np.argsort(-model.confidence_)
    assert right[order[:150]].mean() > right[order[150:]].mean() + 0.03


def test_confidence_is_margin_of_squared_distances_to_means(overlapping, model):
    with_rows = AnchorGraphClustering(4, random_state=0, block_rows=64).fit(overlapping.views)
    assert_allclose(with_rows.confidence_, model.confidence_, atol=1e-8)
    reliability, views = model.reliability_, [np.asarray(view) for view in overlapping.views.values()]
    graph = model.anchor_graph_(RowBlock(0, tuple(views)))
    E = reliability.embedding(model.fusion_, graph)
    E /= np.linalg.norm(E, axis=1, keepdims=True)
    centers = np.stack([E[model.labels_ == k].mean(axis=0) for k in range(4)])
    assert_allclose(reliability.centers, centers, atol=1e-10)
    distances = ((E[:, None] - centers) ** 2).sum(axis=2)
    own = distances[np.arange(300), model.labels_]
    other = np.where(np.eye(4, dtype=bool)[model.labels_], np.inf, distances).min(axis=1)
    assert_allclose(model.confidence_, np.clip((other - own) / 2, 0, 1), atol=1e-10)


def test_separated_clusters_are_certain():
    data = make_views(200, 4, random_state=0)
    model = AnchorGraphClustering(4, random_state=0).fit(data.views)
    assert model.confidence_.min() > 0.5
    assert model.confidence_.mean() > 0.95
    assert model.views_disagree_.mean() < 0.03
    assert_allclose(model.cluster_stability_, 1, atol=0.1)


def test_views_disagree_where_their_rows_were_exchanged():
    """In two of three equal views the rows of two clusters change places for some samples."""
    data = make_views(200, 3, widths=(8, 8, 8), separation=8.0, random_state=0)
    first, second = np.flatnonzero(data.labels == 0)[:4], np.flatnonzero(data.labels == 1)[:4]
    views = [view.copy() for view in data.views.values()]
    for view in views[1:]:
        view[first], view[second] = view[second].copy(), view[first].copy()
    model = AnchorGraphClustering(3, random_state=0).fit(views)
    told = np.zeros(200, dtype=bool)
    told[[*first, *second]] = True
    votes, _ = model.reliability_.votes(model.anchor_graph_(RowBlock(0, tuple(views))), own=model.labels_)
    assert (votes[told, 0] != votes[told, 1]).all()
    assert (votes[~told, 0] == votes[~told, 1]).mean() > 0.95
    assert_array_equal(model.views_disagree_[told], (model.labels_ == votes[:, 0])[told])
    assert model.views_disagree_[~told].mean() < 0.03


def test_random_split_of_one_group_is_unstable():
    rng = np.random.default_rng(0)
    blob, far = rng.standard_normal((150, 10)), rng.standard_normal((50, 10)) + 12
    model = AnchorGraphClustering(4, random_state=0).fit([np.vstack([blob, far])])
    alone = model.labels_[150]
    assert (model.labels_[150:] == alone).all()
    assert model.cluster_stability_[alone] > 0.95
    assert np.delete(model.cluster_stability_, alone).min() < 0.9


def test_new_rows_are_assessed_like_old_ones(overlapping, model):
    assessment = model.assess(overlapping.views)
    assert_array_equal(assessment.labels, model.predict(overlapping.views))
    assert_allclose(assessment.confidence, model.confidence_, atol=1e-10)
    assert assessment.view_labels.shape == (300, 3)
    assert set(np.unique(assessment.view_labels)) <= set(range(4))
    # without taking out a row's own mass, a row can only seem less contradicted
    assert assessment.views_disagree.sum() <= model.views_disagree_.sum()


def block_of(weights, columns):
    weights = np.asarray(weights, dtype=float)[:, None]
    return GraphBlock(0, np.asarray(columns, dtype=np.int32)[:, None], weights, np.ones((len(weights), 1), dtype=bool))


def test_row_does_not_vote_for_itself():
    block = block_of([[0.75, 0.25], [0.5, 0.5], [1.0, 0.0]], [[0, 1], [1, 2], [2, 0]])
    labels = np.array([0, 1, 1])
    mass = np.zeros((3, 2))
    for row, label in enumerate(labels):
        np.add.at(mass[:, label], block.columns[row, 0], block.weights[row, 0])
    votes = slice_votes(block.columns, block.weights, mass[None], own=labels)[:, 0]
    wanted = []
    for row in range(3):  # the same, with the row really left out
        rest = mass.copy()
        np.add.at(rest[:, labels[row]], block.columns[row, 0], -block.weights[row, 0])
        degree = rest.sum(axis=1)
        vote = sum(
            w * rest[j] / degree[j]
            for w, j in zip(block.weights[row, 0], block.columns[row, 0], strict=True)
            if degree[j] > 1e-9
        )
        wanted.append(np.zeros(2) if np.sum(vote) == 0 else vote / vote.sum())
    assert_allclose(votes, wanted, atol=1e-12)
    assert votes[0, 0] == 0  # only itself was for cluster 0


def test_view_without_the_row_casts_no_vote():
    block = block_of([[0.0, 0.0], [0.5, 0.5]], [[0, 1], [0, 1]])
    reliability = Reliability(
        to_embedding=np.zeros((2, 1)),
        centers=np.zeros((2, 1)),
        slice_mass=np.array([[[1.0, 0.0], [1.0, 0.0]]]),
        view_of_slice=np.array([0]),
        slice_weights=np.ones(1),
        view_weights=np.ones(1),
        cluster_stability=np.ones(2),
    )
    _, opinion = reliability.votes(block)
    assert_array_equal(opinion, [[False], [True]])
    assert_array_equal(reliability.contradicted(*reliability.votes(block), np.array([1, 1])), [False, True])


@pytest.mark.parametrize("at_a_time", [1, 7, 300])
def test_rows_vote_alike_however_many_at_a_time(overlapping, model, at_a_time):
    views = tuple(np.asarray(view) for view in overlapping.views.values())
    graph = model.anchor_graph_(RowBlock(0, views))
    votes, opinion = model.reliability_.votes(graph, own=model.labels_, rows_at_once=at_a_time)
    assert_array_equal(np.where(opinion, votes, -1), model.view_labels_)
    assert_array_equal(model.reliability_.contradicted(votes, opinion, model.labels_), model.views_disagree_)
    assert model.reliability_.votes(GraphBlock(0, *(part[:0] for part in graph[1:])))[0].shape == (0, 3)


def test_one_cluster_is_certain():
    model = AnchorGraphClustering(1, random_state=0).fit(make_views(40, 2, random_state=0).views)
    assert_array_equal(model.confidence_, np.ones(40))
    assert_array_equal(model.cluster_stability_, np.ones(1))
    assert not model.views_disagree_.any()
