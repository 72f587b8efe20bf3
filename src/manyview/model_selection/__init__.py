"""Choices without labels: the number of clusters, anchors, lambda and p."""

from manyview.cluster.semi_ntf.n_clusters import Candidate, Selection, Trial
from manyview.model_selection.choose import select

__all__ = ["Candidate", "Selection", "Trial", "select"]
