"""What a fit warns its caller of."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from manyview.cluster.semi_ntf.model import Fitted
from manyview.cluster.semi_ntf.settings import Settings


class RowOrderWarning(UserWarning):
    """The result depends on the order of the rows."""


def of_row_order(coupling: str, /) -> None:
    """Before the fit: a transform along the samples."""
    if coupling == "samples":
        warnings.warn(
            "coupling='samples' smooths the clusters along the order of the rows: the result depends on it. "
            "Use it only where the order means something (frames, time), or to reproduce published numbers.",
            RowOrderWarning,
            stacklevel=3,
        )


def of_result(fitted: Fitted, settings: Settings, /, *, matched: bool) -> None:
    """After the fit: clusters that were lost, iterations that were too few."""
    result, n_found, n_clusters = fitted.factorization, len(fitted.found), settings.n_clusters
    if n_found < n_clusters:
        warnings.warn(
            f"Found {n_found} distinct clusters, fewer than n_clusters={n_clusters}; "
            "the rows may have fewer distinct values."
            + " Clusters are numbered without gaps, and not as match_to asks."
            * matched,
            ConvergenceWarning,
            stacklevel=3,
        )
    if not result.converged:
        warnings.warn(
            f"The factorization stopped after max_iter={settings.max_iter} iterations with residuals "
            f"{result.history['residual_HQ'][-1]:.2e} and {result.history['residual_QJ'][-1]:.2e}, above "
            f"tol * sqrt(K / N) = {settings.tol * np.sqrt(n_clusters / len(fitted.labels)):.2e}. "
            "Raise max_iter or tol.",
            ConvergenceWarning,
            stacklevel=3,
        )
