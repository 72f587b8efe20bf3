"""Candidate labelings and their smoothness by chance, against random labels drawn one by one."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from manyview import AnchorGraphClustering
from manyview.cluster.anchor_graph.candidates import (
    Labeling,
    best_labeling,
    beyond_chance,
    chance_smoothness,
    label_indicator,
    label_smoothness,
    mean_over_geometries,
    n_vectors,
)
from manyview.cluster.anchor_graph.fusion import slice_degrees
from manyview.datasets import make_views
from manyview.engine import MemoryEngine
from manyview.views.blocks import RowBlock
from recipes import QUICK


@pytest.fixture(scope="module")
def graph_and_blocks():
    data = make_views(400, 4, widths=(6, 9), separation=3.0, random_state=0)
    views = list(data.views.values())
    graph = AnchorGraphClustering(4, n_anchors=60, recipe=QUICK, random_state=0).fit(views).anchor_graph_
    blocks = [graph(RowBlock(start, tuple(view[start : start + 150] for view in views))) for start in (0, 150, 300)]
    return graph, blocks, data.labels


@pytest.mark.parametrize("K", [2, 5])
def test_chance_is_mean_smoothness_of_labels_drawn_per_anchor(graph_and_blocks, K):
    graph, blocks, _ = graph_and_blocks
    engine = MemoryEngine(n_jobs=1)
    degrees = slice_degrees(graph, blocks, engine)
    joint = [index for index, name in enumerate(graph.slices) if name.view is None]
    expected = chance_smoothness(graph, blocks, degrees, engine, K)
    rng = np.random.default_rng(0)
    for geometry, index in enumerate(joint):
        of_geometry = [i for i, name in enumerate(graph.slices) if name.geometry == geometry]
        drawn = []
        for _ in range(100):
            labels_of_anchors = rng.integers(K, size=graph.n_anchors)
            labels = [labels_of_anchors[block.columns[:, index, 0]] for block in blocks]
            drawn.append(label_smoothness(labels, degrees, blocks, engine, K)[of_geometry])
        assert_allclose(np.mean(drawn, axis=0), expected[of_geometry], atol=0.03)


def test_true_labels_are_beyond_chance_and_random_ones_are_not(graph_and_blocks):
    graph, blocks, truth = graph_and_blocks
    engine = MemoryEngine(n_jobs=1)
    degrees = slice_degrees(graph, blocks, engine)
    chance = chance_smoothness(graph, blocks, degrees, engine, 4)
    random = np.random.default_rng(1).integers(4, size=400)
    for labels, low, high in ((truth, 0.3, 1.0), (random, -0.25, 0.05)):
        parts = [labels[block.start : block.start + block.n_rows] for block in blocks]
        beta = beyond_chance(label_smoothness(parts, degrees, blocks, engine, 4), chance)
        assert ((beta > low) & (beta <= high)).all()


def test_one_cluster_is_never_beyond_chance():
    assert_allclose(beyond_chance(np.array([1.0, 1.0]), np.array([1.0, 1.0])), 0)


def test_mean_over_geometries(graph_and_blocks):
    graph, _, _ = graph_and_blocks
    values = np.arange(6.0)  # view 0, view 1, joint; twice
    assert_allclose(mean_over_geometries(values, graph), [1.5, 2.5])


@pytest.mark.parametrize("K, factor, wanted", [(4, 1.0, 4), (4, 1.5, 7), (4, 2.0, 9), (4, 3.0, 13), (1, 1.5, 2)])
def test_number_of_vectors(K, factor, wanted):
    assert n_vectors(K, factor) == wanted


def test_labeling_gives_nearest_center_in_embedding():
    labeling = Labeling(np.array([1.0, 2.0]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    T = np.array([[3.0, 0.1, 9.0], [1.0, 0.6, 9.0], [0.0, -0.2, 9.0]])  # the third column is not in the embedding
    assert_allclose(np.linalg.norm(labeling.embedding(T), axis=1), 1)
    assert labeling.labels(T).tolist() == [0, 1, 0]


def test_best_labeling_agrees_with_others_or_has_more_merit():
    common, odd = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1, 2, 0, 1, 2])
    labelings = [odd, common, common[::-1]]
    assert best_labeling(labelings, np.array([0.7, 0.7, 0.7]), 3, 1.25) == 1
    assert best_labeling(labelings, np.array([3.0, 0.7, 0.7]), 3, 1.25) == 0
    assert best_labeling(labelings, np.array([3.0, 0.7, 0.7]), 3, 0.0) == 1


def test_labeling_that_lost_a_cluster_is_passed_over():
    lost, complete = np.array([0, 0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 2, 2])
    assert best_labeling([lost, lost, complete], np.array([9.0, 9.0, 0.0]), 3, 1.0) == 2


def test_label_indicator_has_orthonormal_columns():
    labels = np.array([0, 2, 2, 1, 0, 0])
    Z = label_indicator(labels, np.bincount(labels).astype(float))
    assert_allclose(Z.T @ Z, np.eye(3), atol=1e-12)
    assert np.isfinite(label_indicator(labels, np.array([3.0, 1.0, 2.0, 0.0]))).all()  # an empty cluster
