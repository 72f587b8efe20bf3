"""The membership map, which labels rows of the fit and new rows alike: row -> anchors -> clusters.

    M = D^(-1) B'Z / G          membership = B M          label = largest membership

B: fused weights (n, G m), D: their column sums over all rows, Z: indicator of the labels. M is the share of every
anchor's mass that lies in each cluster. Where the consensus is a linear rule, its label stands beside the anchors as
one more of them (fusion.py). What the map says about a row that is far from all anchors means little:

    novelty = mean over the geometries of  r / fence,      fence = q3 + 3 (q3 - q1) of the training rows

r: mean distance to the three nearest anchors in the joint table; q1, q3: quartiles of r over the sampled rows of the
fit. Up to 1 a row lies where rows of the fit lie; beyond 1 it is an outlier among them. Quartiles hardly move if some
of the rows are outliers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from manyview.anchors import AnchorGraph, GraphBlock
from manyview.cluster.anchor_graph.candidates import label_sizes
from manyview.cluster.anchor_graph.fusion import Fusion
from manyview.engine import Engine, Rows, add
from manyview.geometry.fit import Geometry
from manyview.geometry.scaling import dense
from manyview.kernels.arrays import BoolArray, FloatArray, IntArray
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


@dataclass(frozen=True)
class LinearRule:
    """A label for every row of raw views."""

    geometry: Geometry
    number: int  # of the geometry whose joint table the rule reads
    directions: FloatArray  # (d, K)
    offsets: FloatArray  # (K,)

    @property
    def n_clusters(self) -> int:
        """Return the number of labels."""
        return len(self.offsets)

    def __call__(self, block: RowBlock, /) -> IntArray:
        """Return the label of every row of a block (n,)."""
        return self.labels(dense(self.geometry.joint_table(self.geometry.scored(block), self.number)))

    def labels(self, x: FloatArray, /) -> IntArray:
        """Return the label of every row of the joint table (n,)."""
        return (x.astype(np.float64, copy=False) @ self.directions + self.offsets).argmax(axis=1)


class Read(NamedTuple):
    """Labels and memberships of all rows, computed through the anchors."""

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


class Novelty(NamedTuple):
    """The distances that rows of the fit have; it rates new rows, too."""

    view_of_slice: IntArray  # (L,), -1 for the joint tables
    n_views: int
    fences: FloatArray  # (L,)

    def of_rows(self, block: GraphBlock, /) -> FloatArray:
        """Return the novelty of rows (n,): that of the joint tables, or of the views where there are none."""
        joint = self.view_of_slice < 0
        return self._mean(block, joint if joint.any() else ~joint)

    def of_views(self, block: GraphBlock, /) -> FloatArray:
        """Return the novelty of rows in every view (n, V); NaN where the view does not know the row."""
        return np.column_stack([self._mean(block, self.view_of_slice == v) for v in range(self.n_views)])

    def _mean(self, block: GraphBlock, slices: BoolArray) -> FloatArray:
        present, reach = block.present[:, slices], block.reach[:, slices].astype(np.float64)
        fences = self.fences[slices]
        # beyond rows that are all alike everything is infinitely far
        far = np.divide(reach, fences, out=np.where(reach > 0, np.inf, 0.0), where=fences > 0)
        count = present.sum(axis=1)
        total = np.where(present, far, 0).sum(axis=1)
        return np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0)


def measure_novelty(graph: AnchorGraph, sample: list[GraphBlock], engine: Engine, fence: float, /) -> Novelty:
    """Find the fence of every slice on the sampled rows: so many interquartile ranges beyond the third quartile."""
    reach = engine.collect(lambda block: block.reach, sample).astype(np.float64)
    present = engine.collect(lambda block: block.present, sample)
    views = np.array([-1 if name.view is None else name.view for name in graph.slices])
    fences = [_fence(reach[present[:, index], index], fence) for index in range(len(views))]
    return Novelty(views, len(graph.views[0]), np.array(fences))


def _fence(reach: FloatArray, fence: float) -> float:
    if not len(reach):
        return 0.0
    q1, q3 = np.quantile(reach, [0.25, 0.75])
    return float(q3 + fence * (q3 - q1))


def without_outliers(labels: IntArray, novelty: FloatArray, /) -> IntArray:
    """Return the labels, and -1 for rows beyond the fence."""
    return np.where(novelty > 1, -1, labels)


def label_known_rows(members: MembershipMap, novelty: Novelty, block: RowBlock, /) -> IntArray:
    """Return the cluster of every row, -1 for outliers (n,)."""
    graph = members.graph(block)
    labels = membership_of(members.fusion, members.anchor_membership, graph).argmax(axis=1)
    return without_outliers(labels, novelty.of_rows(graph))
