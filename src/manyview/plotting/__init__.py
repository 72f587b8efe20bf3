"""Plots in scikit-learn's manner: a display holds the numbers, ``plot`` draws them. Needs matplotlib."""

from manyview.plotting.agreement import ViewAgreementDisplay
from manyview.plotting.alluvial import AlluvialDisplay
from manyview.plotting.contingency import ContingencyDisplay
from manyview.plotting.convergence import ConvergenceDisplay
from manyview.plotting.features import FeatureHeatmapDisplay
from manyview.plotting.map import MapDisplay
from manyview.plotting.membership import MembershipDisplay
from manyview.plotting.selection import SelectionDisplay

__all__ = [
    "AlluvialDisplay",
    "ContingencyDisplay",
    "ConvergenceDisplay",
    "FeatureHeatmapDisplay",
    "MapDisplay",
    "MembershipDisplay",
    "SelectionDisplay",
    "ViewAgreementDisplay",
]
