"""Views that cannot be related to the clusters of the others: they are found, named, and left out of the fit.

    unrelated:  no other view depends on it                                                             (evidence.py)
    left out:   unrelated, and   its own columns are independent where some other view's are not,
                            or   at least two other views are related

A view is never left out because it disagrees with the labels of the others: with two views nobody could tell which of
them is right. Clusters that views share make the views depend on each other, however weakly; a view on which none
depends has no part in them.
"""

from __future__ import annotations

import numpy as np

from manyview.cluster.anchor_graph.context import FitContext
from manyview.cluster.anchor_graph.evidence import related_views, structured_views, tables_of
from manyview.cluster.anchor_graph.graphs import Draw, leave_out
from manyview.cluster.fit_warnings import warn_caller
from manyview.kernels.arrays import BoolArray
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
    tables, significance = tables_of(draw, context), context.recipe.significance
    related = related_views(tables, significance)
    if related.sum(axis=1).min() > 1:
        return draw
    left_out = find_noise_views(related, structured_views(tables, significance))
    if not left_out.any():
        return draw
    _warn(left_out, views.names)
    return leave_out(draw, tuple(map(int, np.flatnonzero(left_out))), views, context)


def find_noise_views(related: BoolArray, structured: BoolArray, /) -> BoolArray:
    """Find views (V,) that cannot share clusters, from who depends on whom (V, V) and who has structure (V,)."""
    alone = related.sum(axis=1) == 1
    noise = alone & ~structured & structured.any()
    return np.asarray(noise if alone.all() else alone)


def _warn(left_out: BoolArray, names: tuple[str, ...]) -> None:
    lost = ", ".join(f"{names[v]!r}" for v in np.flatnonzero(left_out))
    warn_caller(
        f"Left out, because no other view depends on it, so that it cannot show the same clusters: view {lost}. If the "
        "view should be informative, check that its rows are in the order of the others.",
        NoiseViewWarning,
    )
