"""How far a row is from all anchors, beside the rows of the fit.

    novelty = mean over the geometries of  r / fence,      fence = q3 + 3 (q3 - q1) of the training rows

r: mean distance to the three nearest anchors in the joint table; q1, q3: quartiles of r over the sampled rows of the
fit. Up to 1 a row lies where rows of the fit lie; beyond 1 it is an outlier among them. Quartiles hardly move if some
of the rows are outliers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from manyview.anchors import AnchorGraph, GraphBlock
from manyview.cluster.anchor_graph.membership import MembershipMap, membership_of
from manyview.engine import Engine
from manyview.kernels.arrays import BoolArray, FloatArray, IntArray
from manyview.views.blocks import RowBlock

FENCE = 3.0  # interquartile ranges beyond the third quartile: the outer fence of a box plot
OUTLIER = -1  # the label of rows beyond the fence


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


def measure_novelty(graph: AnchorGraph, sample: list[GraphBlock], engine: Engine, /) -> Novelty:
    """Find the fence of every slice on the sampled rows."""
    reach = engine.collect(lambda block: block.reach, sample).astype(np.float64)
    present = engine.collect(lambda block: block.present, sample)
    views = np.array([-1 if name.view is None else name.view for name in graph.slices])
    fences = [_fence(reach[present[:, index], index]) for index in range(len(views))]
    return Novelty(views, len(graph.views[0]), np.array(fences))


def _fence(reach: FloatArray) -> float:
    if not len(reach):
        return 0.0
    q1, q3 = np.quantile(reach, [0.25, 0.75])
    return float(q3 + FENCE * (q3 - q1))


def without_outliers(labels: IntArray, novelty: FloatArray, /) -> IntArray:
    """Return the labels, and -1 for rows beyond the fence."""
    return np.where(novelty > 1, OUTLIER, labels)


def label_known_rows(members: MembershipMap, novelty: Novelty, block: RowBlock, /) -> IntArray:
    """Return the cluster of every row, -1 for outliers (n,)."""
    graph = members.graph(block)
    labels = membership_of(members.fusion, members.anchor_membership, graph).argmax(axis=1)
    return without_outliers(labels, novelty.of_rows(graph))
