"""Single sections of a summary, for plots: the same numbers as in the report."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manyview.report.summary.convergence import convergence
from manyview.report.summary.features import Heatmap, feature_effects, heatmap, table_effects
from manyview.report.summary.inputs import Inputs, gather
from manyview.report.summary.map import place
from manyview.report.summary.scores import matched_contingency
from manyview.report.summary.selection import chosen
from manyview.report.summary.shown import choose_rows
from manyview.report.summary.views import ViewAgreement
from manyview.report.summary.views import view_agreement as _view_agreement

__all__ = [
    "PlacedSamples",
    "chosen",
    "convergence",
    "feature_heatmap",
    "map_points",
    "matched_contingency",
    "table_heatmap",
    "view_agreement",
]


class PlacedSamples(NamedTuple):
    """Samples in the plane."""

    rows: NDArray[np.intp]
    points: NDArray[np.float64]  # (n, 2)
    method: str


def _inputs(model: Any, views: Any) -> Inputs:
    return gather(model, views, name="", y_true=None, metadata=None, ids=None, images=None, seconds=None)


def map_points(model: Any, views: Any, /) -> PlacedSamples:
    """Place the samples as the report does."""
    inputs = _inputs(model, views)
    shown = choose_rows(inputs, voting=False)
    placed = place(inputs, shown)
    if placed is None:
        raise ValueError(
            f"{type(model).__name__} keeps no embedding to place samples by: pass the views of the fit, too."
        )
    return PlacedSamples(shown.rows, placed[1], placed[2])


def view_agreement(model: Any, views: Any, /) -> ViewAgreement:
    """Compare the clusters that the views would choose by themselves."""
    inputs = _inputs(model, views)
    found = _view_agreement(inputs, choose_rows(inputs))
    if found is None:
        raise ValueError(
            f"{type(model).__name__} has no views that vote: the views must be several, and rated by the model."
        )
    return found


def feature_heatmap(model: Any, views: Any, /, *, n_features: int) -> Heatmap:
    """Return the features that set the clusters of a model apart."""
    inputs = _inputs(model, views)
    names = [inputs.feature_names(v) for v in range(len(inputs.view_names))]
    effects = feature_effects(inputs)
    return _some(heatmap(inputs.clusters.tolist(), inputs.view_names, names, effects, n_features))


def table_heatmap(
    table: NDArray[np.float64], labels: NDArray[Any], names: list[str] | None, /, *, n_features: int
) -> Heatmap:
    """Return the features of one table that set the clusters of a labeling apart."""
    clusters, codes = np.unique(labels, return_inverse=True)
    known = [f"column {j}" for j in range(table.shape[1])] if names is None else list(names)
    effects = table_effects(table, codes, len(clusters))
    return _some(heatmap(clusters.tolist(), ["table"], [known], [effects], n_features))


def _some(found: Heatmap | None) -> Heatmap:
    if found is None:
        raise ValueError("No feature differs between clusters: there must be two clusters and a column that varies.")
    return found
