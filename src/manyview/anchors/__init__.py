"""Anchors that stand for many rows, and the sparse graphs that tie rows to them."""

from manyview.anchors.graph import AnchorGraph, GraphBlock, fit_anchor_graph
from manyview.anchors.selection import RULES, AnchorRule, choose_groups

__all__ = ["RULES", "AnchorGraph", "AnchorRule", "GraphBlock", "choose_groups", "fit_anchor_graph"]
