"""The membership map from rows through anchors to clusters, against dense sums."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from manyview.anchors import GraphBlock
from manyview.cluster.anchor_graph.fusion import Fusion
from manyview.cluster.anchor_graph.membership import fit_anchor_membership, membership_of, read_through_anchors
from manyview.engine import MemoryEngine

ENGINE = MemoryEngine(n_jobs=1)
M = 6


def blocks_of(columns, weights):
    """One slice, in blocks of five rows."""
    columns, weights = np.asarray(columns, dtype=np.int32)[:, None], np.asarray(weights, dtype=float)[:, None]
    return [
        GraphBlock(a, columns[a : a + 5], weights[a : a + 5], np.ones((len(columns[a : a + 5]), 1), dtype=bool))
        for a in range(0, len(columns), 5)
    ]


def fusion_of(blocks):
    degree = sum(np.bincount(b.columns.ravel(), weights=b.weights.ravel(), minlength=M) for b in blocks)
    scale = 1 / np.sqrt(np.where(degree > 0, degree, np.inf))
    return Fusion(np.zeros(1, dtype=int), np.ones(1), scale)


@pytest.fixture
def graph():
    rng = np.random.default_rng(0)
    blocks = blocks_of([rng.permutation(M)[:3] for _ in range(13)], rng.dirichlet(np.ones(3), 13))
    B = np.vstack([fusion_of(blocks).mixed(block).toarray() for block in blocks])
    return blocks, fusion_of(blocks), B


def in_blocks(labels):
    return [labels[a : a + 5] for a in range(0, len(labels), 5)]


def test_map_is_share_of_clusters_in_every_anchor(graph):
    blocks, fusion, B = graph
    labels = np.arange(13) % 3
    found = fit_anchor_membership(blocks, in_blocks(labels), fusion, ENGINE, 3)
    assert_allclose(found, (B.T @ np.eye(3)[labels]) / B.sum(axis=0)[:, None])
    assert_allclose(found.sum(axis=1), 1)


def test_membership_is_mean_over_the_anchors_of_a_row(graph):
    blocks, fusion, B = graph
    shares = np.random.default_rng(1).dirichlet(np.ones(3), M)
    assert_allclose(np.vstack([membership_of(fusion, shares, block) for block in blocks]), B @ shares)


def test_labels_are_read_through_the_anchors():
    blocks = blocks_of([[0, 1]] * 6 + [[2, 3]] * 6, [[0.5, 0.5]] * 12)
    labels = np.repeat([0, 1], 6)
    labels[2] = 1  # a row whose anchors belong to the other cluster
    read = read_through_anchors(blocks, in_blocks(labels), fusion_of(blocks), ENGINE, 2)
    assert_array_equal(np.concatenate(list(read.labels)), np.repeat([0, 1], 6))
    assert_allclose(np.concatenate(list(read.memberships)).sum(axis=1), 1)


def test_labels_stay_if_reading_loses_a_cluster():
    blocks = blocks_of([[0, 1]] * 12, [[0.5, 0.5]] * 12)
    labels = np.repeat([0, 1], [9, 3])
    read = read_through_anchors(blocks, in_blocks(labels), fusion_of(blocks), ENGINE, 2)
    assert_array_equal(np.concatenate(list(read.labels)), labels)
