"""Anchors that stand for many rows, and the sparse graphs that tie rows to them."""

from manyview.anchors.choose import choose_groups
from manyview.anchors.graph import AnchorGraph, GraphBlock, fit_anchor_graph, pick
from manyview.anchors.selection import RULES

__all__ = ["RULES", "AnchorGraph", "GraphBlock", "choose_groups", "fit_anchor_graph", "pick"]
