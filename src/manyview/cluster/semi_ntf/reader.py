"""How rows are read, once a model is fitted: raw row -> anchors -> clusters. Old rows and new ones, the same way."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from manyview.anchors import AnchorGraph
from manyview.cluster.semi_ntf.doubt import Assessment, Doubt
from manyview.cluster.semi_ntf.fusion import Fusion
from manyview.cluster.semi_ntf.model import membership_of
from manyview.kernels.arrays import FloatArray, IntArray
from manyview.views.blocks import RowBlock


class Reader(NamedTuple):
    """The small parts of a fitted model, without anything that has a row per sample: it travels to where rows are."""

    graph: AnchorGraph
    fusion: Fusion
    anchor_membership: FloatArray  # (G m, K)
    doubt: Doubt

    def membership(self, block: RowBlock, /) -> FloatArray:
        """Share of every cluster in every row (n, K)."""
        return membership_of(self.fusion, self.anchor_membership, self.graph(block))

    def labels(self, block: RowBlock, /) -> IntArray:
        """The cluster with the largest share (n,)."""
        return self.membership(block).argmax(axis=1)

    def assessed(self, block: RowBlock, /) -> FloatArray:
        """Label, confidence, disagreement and the views' own labels, side by side (n, 3 + V)."""
        graph, doubt = self.graph(block), self.doubt
        labels = membership_of(self.fusion, self.anchor_membership, graph).argmax(axis=1)
        votes, opinion = doubt.votes(graph)
        contradicted = doubt.contradicted(votes, opinion, labels)
        confidence = doubt.confidence(self.fusion, graph, labels)
        return np.column_stack([labels, confidence, contradicted, np.where(opinion, votes, -1)])


def assessment(columns: FloatArray, /) -> Assessment:
    """What :meth:`Reader.assessed` put side by side, taken apart."""
    return Assessment(columns[:, 0].astype(np.intp), columns[:, 1], columns[:, 2] > 0, columns[:, 3:].astype(np.intp))
