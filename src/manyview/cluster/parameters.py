"""Parameter constraints as a table: every estimator lists what each parameter may be, one function checks all."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Rule = tuple[str, Callable[[Any], bool]]  # what to write in the error, and the test


def _is_number(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def integer(low: int) -> Rule:
    """Require an integer, at least ``low``."""
    return (
        f"an integer >= {low}",
        lambda value: _is_number(value, numbers.Integral) and bool(value >= low),
    )


def real(low: float, high: float = np.inf, *, open_low: bool = False) -> Rule:
    """Require a finite number in [low, high], or (low, high] with ``open_low``."""
    text = f"a number {'>' if open_low else '>='} {low:g}" + (f" and <= {high:g}" if np.isfinite(high) else "")

    def holds(value: Any) -> bool:
        if not _is_number(value, numbers.Real) or not np.isfinite(float(value)):
            return False
        return bool(low < value <= high if open_low else low <= value <= high)

    return text, holds


def choice(*options: str) -> Rule:
    """Require one of these strings."""
    return (
        "one of " + ", ".join(repr(option) for option in options),
        lambda value: isinstance(value, str) and value in options,
    )


def boolean() -> Rule:
    """Require True or False."""
    return "True or False", lambda value: isinstance(value, bool | np.bool_)


def array() -> Rule:
    """Require an array or a sequence of numbers; its shape is checked where it is used."""
    return "an array", lambda value: not isinstance(value, str) and hasattr(value, "__len__")


def nothing() -> Rule:
    """Require None."""
    return "None", lambda value: value is None


def check_parameters(estimator: Any, constraints: Mapping[str, tuple[Rule, ...]]) -> None:
    """Raise one ValueError for the first parameter that fits none of its rules."""
    for name, rules in constraints.items():
        value = getattr(estimator, name)
        if not any(holds(value) for _, holds in rules):
            allowed = " or ".join(text for text, _ in rules)
            raise ValueError(f"{type(estimator).__name__}: {name} must be {allowed}; got {value!r}.")


def check_sizes(n_samples: int, n_clusters: int) -> None:
    """Raise an error unless there are at least two samples, and no more clusters than samples."""
    if n_samples < 2:
        raise ValueError(f"Found n_samples={n_samples}; clustering needs at least 2 samples.")
    if n_clusters > n_samples:
        raise ValueError(
            f"n_clusters={n_clusters} is more than n_samples={n_samples}: ask for at most as many clusters."
        )
