"""Warnings about the result of a fit."""

from __future__ import annotations

import warnings

from sklearn.exceptions import ConvergenceWarning


def warn_of_lost_clusters(n_found: int, n_clusters: int, /, *, matched: bool = False) -> None:
    """Warn if the rows fall into fewer clusters than asked for."""
    if n_found < n_clusters:
        gaps = " Clusters are numbered without gaps, and not as match_to asks." if matched else ""
        warnings.warn(
            f"Found {n_found} distinct clusters, fewer than n_clusters={n_clusters}; "
            f"the rows may have fewer distinct values.{gaps}",
            ConvergenceWarning,
            stacklevel=3,
        )
