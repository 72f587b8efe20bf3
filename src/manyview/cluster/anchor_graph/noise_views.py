"""Views that are unrelated to the clusters of the others: they are found, named, and left out of the fit.

    alone:     no other view depends on it, not even in doubt                                           (evidence.py)
    left out:  alone, and     other views are related for certain, or its own columns are independent
                      and     its mean beta over the geometries < threshold x that of the best view      (candidates.py)

Both must say so: views are never left out only because they disagree with the labels of the others, for with two views
nobody could tell which of them is right; nor only because a test on few rows cannot see how they depend on each other.
Small weights are not enough for such a view: its distances have already moved the anchors of the joint table.
"""

from __future__ import annotations

import numpy as np

from manyview.cluster.anchor_graph.candidates import beyond_chance, initial_candidates, mean_over_geometries
from manyview.cluster.anchor_graph.context import FitContext
from manyview.cluster.anchor_graph.evidence import dependence, structured_views, tables_of
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


def drop_noise_views(views: Views, draw: Draw, context: FitContext, /) -> Draw:
    """Return the graph without noise views."""
    if not draw.joint or draw.source is None or draw.n_samples < context.recipe.min_judged_rows:
        return draw
    recipe, tables = context.recipe, tables_of(draw, context)
    suspects = unrelated_views(dependence(tables), structured_views(tables, recipe.significance), recipe)
    if not suspects.any():
        return draw
    initial = initial_candidates(draw, context)
    agreement = mean_over_geometries(beyond_chance(initial.smoothness, initial.chance), draw.graph)
    left_out = suspects & silent_views(agreement, draw.graph.geometry.kinds, draw.n_samples, recipe)
    if not left_out.any():
        return draw
    _warn(left_out, agreement, views.names)
    return leave_out(draw, tuple(map(int, np.flatnonzero(left_out))), views, context)


def unrelated_views(z: FloatArray, structured: BoolArray, recipe: Recipe, /) -> BoolArray:
    """Find views (V,) on which no other depends, from dependence (V, V) and from who has structure of its own (V,)."""
    others = z.copy()
    np.fill_diagonal(others, -np.inf)
    alone = others.max(axis=1) < recipe.doubt
    if others.max() > recipe.significance:
        return np.asarray(alone)
    return np.asarray(alone & alone.all() & ~structured & structured.any())


def silent_views(agreement: FloatArray, kinds: tuple[str, ...], n_samples: int, recipe: Recipe, /) -> BoolArray:
    """Find views (V,) that agree with the labels of the joint table much less than the best view does."""
    if agreement.max() < recipe.min_best_agreement:
        return np.zeros(len(kinds), dtype=bool)
    few = n_samples <= recipe.max_drawn_rows
    of_dense = recipe.min_agreement if few else recipe.min_agreement_of_many_rows
    threshold = np.array([recipe.min_agreement_of_counts if kind == "sparse counts" else of_dense for kind in kinds])
    return np.asarray(agreement < threshold * agreement.max())


def _warn(left_out: BoolArray, agreement: FloatArray, names: tuple[str, ...]) -> None:
    best = int(agreement.argmax())
    lost = ", ".join(f"view {names[v]!r} with {agreement[v]:.2f}" for v in np.flatnonzero(left_out))
    warn_caller(
        f"Left out, because it is unrelated to the clusters that the other views show: {lost} (agreement beyond "
        f"chance; the best view, {names[best]!r}, has {agreement[best]:.2f}). If the view should be informative, check "
        "that its rows are in the order of the others.",
        NoiseViewWarning,
    )
