"""The course of an iteration, for the methods that have one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

import numpy as np

TITLES = {
    "residual_HQ": "max |H − Q|",
    "residual_QJ": "max |Q − J|",
    "connectivity": "sum of the smallest eigenvalues, 0 with as many components as clusters",
    "lam": "weight of that sum (lam)",
}
PENALTIES = ("mu", "rho", "penalty")  # grow on schedule and say nothing about convergence


class Series(TypedDict):
    """One number per iteration."""

    name: str
    title: str
    values: list[float]
    residual: bool  # must fall below the limit


class Convergence(TypedDict):
    """The course of the iteration."""

    n_iter: int
    converged: bool | None  # None: the method does not say
    limit: float | None  # the residuals must fall below it
    series: list[Series]


def convergence(model: Any, /) -> Convergence | None:
    """Return the history of a fit; None for a method without one."""
    history = getattr(model, "history_", None)
    if not isinstance(history, Mapping):
        values = None if history is None else np.asarray(history)
        history = {"objective": values} if values is not None and values.ndim == 1 else {}
    shared = getattr(model, "coupling", None) == "shared"  # one H for all slices: there is no J to differ from Q
    series = [
        Series(
            name=name,
            title=TITLES.get(name, name.replace("_", " ")),
            values=np.asarray(values, dtype=np.float64).tolist(),
            residual=name.startswith("residual"),
        )
        for name, values in history.items()
        if name not in PENALTIES
        and not (shared and name == "residual_QJ")
        and np.ndim(values) == 1
        and len(values) > 0
        and np.isfinite(np.asarray(values, dtype=np.float64)).all()
    ]
    if not series:
        return None
    found = getattr(model, "converged_", None)
    factorized = hasattr(model, "indicator_")  # only the factorization stops by this rule
    return Convergence(
        n_iter=int(getattr(model, "n_iter_", len(series[0]["values"]))),
        converged=None if found is None else bool(found),
        limit=float(model.tol * np.sqrt(model.n_clusters_ / len(model.labels_))) if factorized else None,
        series=series,
    )
