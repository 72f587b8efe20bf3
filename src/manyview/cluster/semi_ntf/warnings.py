"""Warnings of a factorization."""

from __future__ import annotations

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from manyview.cluster.checks import warn_caller
from manyview.cluster.semi_ntf.admm import Factorization


class RowOrderWarning(UserWarning):
    """The result depends on the order of the rows.

    Examples
    --------
    Silence it where the rows have a real order, such as frames of a film:

    >>> import warnings
    >>> from manyview import RowOrderWarning, SemiNTF
    >>> from manyview.datasets import make_views
    >>> data = make_views(n_samples=90, n_clusters=3, random_state=0)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", RowOrderWarning)
    ...     model = SemiNTF(n_clusters=3, coupling="samples", random_state=0).fit(data.views)
    >>> model.n_clusters_
    3
    """


def warn_of_row_order(coupling: str, /) -> None:
    """Warn before a fit with a transform along the samples."""
    if coupling == "samples":
        warn_caller(
            "coupling='samples' smooths the clusters along the order of the rows: the result depends on it. "
            "Use it only where the order means something (frames, time), or to reproduce published numbers.",
            RowOrderWarning,
        )


def warn_of_residuals(result: Factorization, n_clusters: int, n_samples: int, *, max_iter: int, tol: float) -> None:
    """Warn if the loop stopped before its residuals were small."""
    if not result.converged:
        warn_caller(
            f"The factorization stopped after max_iter={max_iter} iterations with residuals "
            f"{result.history['residual_HQ'][-1]:.2e} and {result.history['residual_QJ'][-1]:.2e}, above "
            f"tol * sqrt(K / N) = {tol * np.sqrt(n_clusters / n_samples):.2e}. Raise max_iter or tol.",
            ConvergenceWarning,
        )
