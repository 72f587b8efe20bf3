"""What chance gives a slice, against random labels drawn one by one."""

import numpy as np
import pytest
from manyview.cluster.semi_ntf.fusion import slice_degrees
from manyview.cluster.semi_ntf.weights import beyond_chance, chance_shares, label_shares, mean_over_geometries
from numpy.testing import assert_allclose

from manyview import SemiNTF
from manyview.datasets import make_views
from manyview.engine import MemoryEngine
from manyview.views.blocks import RowBlock


@pytest.fixture(scope="module")
def graph_and_blocks():
    data = make_views(400, 4, widths=(6, 9), separation=3.0, random_state=0)
    views = list(data.views.values())
    graph = SemiNTF(4, n_anchors=60, random_state=0).fit(views).anchor_graph_
    blocks = [graph(RowBlock(start, tuple(view[start : start + 150] for view in views))) for start in (0, 150, 300)]
    return graph, blocks, data.labels


@pytest.mark.parametrize("K", [2, 5])
def test_chance_is_the_mean_share_of_labels_drawn_for_the_anchors(graph_and_blocks, K):
    graph, blocks, _ = graph_and_blocks
    engine = MemoryEngine(n_jobs=1)
    degrees = slice_degrees(graph, blocks, engine)
    joint = [index for index, name in enumerate(graph.slices) if name.view is None]
    expected = chance_shares(graph, blocks, degrees, engine, K)
    rng = np.random.default_rng(0)
    for geometry, index in enumerate(joint):
        of_geometry = [i for i, name in enumerate(graph.slices) if name.geometry == geometry]
        drawn = []
        for _ in range(200):
            labels_of_anchors = rng.integers(K, size=graph.n_anchors)
            labels = [labels_of_anchors[block.columns[:, index, 0]] for block in blocks]
            drawn.append(label_shares(labels, degrees, blocks, engine, K)[of_geometry])
        assert_allclose(np.mean(drawn, axis=0), expected[of_geometry], atol=0.02)


def test_true_labels_are_far_beyond_chance_and_random_ones_are_not(graph_and_blocks):
    graph, blocks, truth = graph_and_blocks
    engine = MemoryEngine(n_jobs=1)
    degrees = slice_degrees(graph, blocks, engine)
    chance = chance_shares(graph, blocks, degrees, engine, 4)
    random = np.random.default_rng(1).integers(4, size=400)
    for labels, low, high in ((truth, 0.3, 1.0), (random, -0.25, 0.05)):
        parts = [labels[block.start : block.start + block.n_rows] for block in blocks]
        beta = beyond_chance(label_shares(parts, degrees, blocks, engine, 4), chance)
        assert ((beta > low) & (beta <= high)).all()


def test_with_one_cluster_there_is_nothing_to_know():
    assert_allclose(beyond_chance(np.array([1.0, 1.0]), np.array([1.0, 1.0])), 0)


def test_values_of_views_are_means_over_their_geometries(graph_and_blocks):
    graph, _, _ = graph_and_blocks
    values = np.arange(6.0)  # view 0, view 1, joint; twice
    assert_allclose(mean_over_geometries(values, graph), [1.5, 2.5])
