"""Warnings of a fit, which point at the line that called it, outside of this package and of scikit-learn."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

from sklearn.exceptions import ConvergenceWarning

OURS = ("manyview.", "sklearn.", "contextlib", "functools")


def warn_caller(message: str, category: type[Warning], /) -> None:
    """Warn at the first line on the stack that is the user's."""
    level = 2  # the caller of this function
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith(OURS):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level - 1 if frame is None else level)


def warn_of_lost_clusters(n_found: int, n_clusters: int, /, *, matched: bool = False) -> None:
    """Warn if the rows fall into fewer clusters than asked for."""
    if n_found < n_clusters:
        gaps = " Clusters are numbered without gaps, and not as match_to asks." if matched else ""
        warn_caller(
            f"Found {n_found} distinct clusters, fewer than n_clusters={n_clusters}; "
            f"the rows may have fewer distinct values.{gaps}",
            ConvergenceWarning,
        )
