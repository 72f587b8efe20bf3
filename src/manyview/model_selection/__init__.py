"""Choices without labels: the number of clusters, and other parameters."""

from manyview.cluster.anchor_graph.selection import CurvePoint, Selection, Trial
from manyview.model_selection.choose import select

__all__ = ["CurvePoint", "Selection", "Trial", "select"]
