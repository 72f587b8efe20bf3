"""Views that are unrelated to the clusters that the others show: they are found, named, and left out of the fit.

    left out:  mean of beta over the view's geometries < threshold x that of the best view          (candidates.py)

Small weights are not enough for such a view: its distances have already moved the anchors of the joint table, and a
handful of noise views outweighs the informative ones. Anchors and graph are therefore built again without it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from manyview.cluster.anchor_graph.candidates import (
    InitialCandidates,
    beyond_chance,
    initial_candidates,
    mean_over_geometries,
)
from manyview.cluster.anchor_graph.context import FitContext
from manyview.cluster.anchor_graph.graphs import Draw, leave_out
from manyview.cluster.anchor_graph.recipe import Recipe
from manyview.cluster.fit_warnings import warn_caller
from manyview.kernels.arrays import BoolArray, FloatArray
from manyview.views import Views


class NoiseViewWarning(UserWarning):
    """A view is unrelated to the clusters and was left out.

    Examples
    --------
    >>> import warnings
    >>> from manyview import AnchorGraphClustering, NoiseViewWarning
    >>> from manyview.datasets import make_views
    >>> data = make_views(n_samples=300, n_clusters=3, noise_views=1, random_state=0)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", NoiseViewWarning)
    ...     model = AnchorGraphClustering(n_clusters=3, random_state=0).fit(data.views)
    >>> model.views_left_out_
    ['noise_0']
    """


class NoiseReport(NamedTuple):
    """What the initial labels say about the views."""

    agreement: FloatArray  # (V,), beyond chance
    left_out: BoolArray  # (V,)


def drop_noise_views(views: Views, draw: Draw, context: FitContext, /) -> tuple[Draw, InitialCandidates | None]:
    """Return the graph without noise views, and its initial candidates, which the consensus uses again."""
    if not draw.joint or draw.n_samples < context.recipe.min_judged_rows:
        return draw, None
    initial = initial_candidates(draw, context)
    agreement = mean_over_geometries(beyond_chance(initial.smoothness, initial.chance), draw.graph)
    report = find_noise_views(agreement, draw.graph.geometry.kinds, draw.n_samples, context.recipe)
    if not report.left_out.any():
        return draw, initial
    _warn(report, views.names)
    draw = leave_out(draw, tuple(map(int, np.flatnonzero(report.left_out))), views, context)
    return draw, initial_candidates(draw, context)


def find_noise_views(agreement: FloatArray, kinds: tuple[str, ...], n_samples: int, recipe: Recipe, /) -> NoiseReport:
    """Find views that agree with the labels so much less than the best view that they cannot be related to them."""
    if agreement.max() < recipe.min_best_agreement:
        return NoiseReport(agreement, np.zeros(len(kinds), dtype=bool))
    few = n_samples <= recipe.max_drawn_rows
    of_dense = recipe.min_agreement if few else recipe.min_agreement_of_many_rows
    threshold = np.array([recipe.min_agreement_of_counts if kind == "sparse counts" else of_dense for kind in kinds])
    return NoiseReport(agreement, agreement < threshold * agreement.max())


def _warn(report: NoiseReport, names: tuple[str, ...]) -> None:
    agreement = report.agreement
    best = int(agreement.argmax())
    lost = ", ".join(f"view {names[v]!r} with {agreement[v]:.2f}" for v in np.flatnonzero(report.left_out))
    warn_caller(
        f"Left out, because it is unrelated to the clusters that the other views show: {lost} (agreement beyond "
        f"chance; the best view, {names[best]!r}, has {agreement[best]:.2f}). If the view should be informative, check "
        "that its rows are in the order of the others.",
        NoiseViewWarning,
    )
