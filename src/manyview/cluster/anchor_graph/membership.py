"""The membership map, which labels rows of the fit and new rows alike: row -> anchors -> clusters.

    M = D^(-1) B'Z / G          membership = B M          label = largest membership

B: fused weights (n, G m), D: their column sums over all rows, Z: indicator of the labels. M is the share of every
anchor's mass that lies in each cluster.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from manyview.anchors import AnchorGraph, GraphBlock
from manyview.cluster.anchor_graph.candidates import label_sizes
from manyview.cluster.anchor_graph.fusion import Fusion
from manyview.engine import Engine, Rows, add
from manyview.kernels.arrays import FloatArray, IntArray
from manyview.kernels.sparse import times
from manyview.views.blocks import RowBlock


class MembershipMap(NamedTuple):
    """The small parts of a fitted model that label rows; nothing in it has one row per sample."""

    graph: AnchorGraph
    fusion: Fusion
    anchor_membership: FloatArray  # (G m, K)

    def membership(self, block: RowBlock, /) -> FloatArray:
        """Return the share of every cluster in every row (n, K)."""
        return membership_of(self.fusion, self.anchor_membership, self.graph(block))

    def labels(self, block: RowBlock, /) -> IntArray:
        """Return the cluster with the largest share (n,)."""
        return self.membership(block).argmax(axis=1)


class Read(NamedTuple):
    """Labels and memberships of all rows through the anchors."""

    anchor_membership: FloatArray  # (G m, K)
    memberships: Rows[FloatArray]  # (n, K)
    labels: Rows[IntArray]


def read_through_anchors(
    graphs: Rows[GraphBlock], labels: Rows[IntArray], fusion: Fusion, engine: Engine, n_clusters: int, /
) -> Read:
    """Fit the map to labels, and label the rows by it; the labels stay as they were if the map loses a cluster."""
    K = n_clusters
    anchor_membership = fit_anchor_membership(graphs, labels, fusion, engine, K)
    memberships = engine.map(partial(_in_graph_precision, fusion, anchor_membership), graphs)
    read = engine.map(lambda block: block.argmax(axis=1), memberships)
    complete = (label_sizes(read, engine, K) > 0).sum() == (label_sizes(labels, engine, K) > 0).sum()
    return Read(anchor_membership, memberships, read if complete else labels)


def fit_anchor_membership(
    graphs: Rows[GraphBlock], labels: Rows[IntArray], fusion: Fusion, engine: Engine, n_clusters: int, /
) -> FloatArray:
    """Return M (G m, K): of what flows through an anchor, the share that comes from each cluster."""

    def mass(pair: tuple[GraphBlock, IntArray]) -> FloatArray:
        return fusion.label_masses(*pair, n_clusters)

    return engine.reduce(mass, engine.zip(graphs, labels), add) * fusion.column_scale[:, None] ** 2


def membership_of(fusion: Fusion, anchor_membership: FloatArray, block: GraphBlock, /) -> FloatArray:
    """Return the share of every cluster in every row of a block (n, K)."""
    return _in_graph_precision(fusion, anchor_membership, block).astype(np.float64, copy=False)


def _in_graph_precision(fusion: Fusion, anchor_membership: FloatArray, block: GraphBlock) -> FloatArray:
    """Return the same in the precision of the graph, in which it is kept for all rows."""
    return times(fusion.mixed(block), anchor_membership.astype(block.weights.dtype))
