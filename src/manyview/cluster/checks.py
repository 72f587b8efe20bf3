"""Checks around every fit: rules for parameters and input, attributes restored after an error, warnings that point at
the caller.
"""

from __future__ import annotations

import numbers
import sys
import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from types import FrameType
from typing import Any, TypeVar, cast

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from manyview.cluster.progress import with_callbacks
from manyview.views.frames import frame_of

Rule = tuple[str, Callable[[Any], bool]]  # what to write in the error, and the test
Method = TypeVar("Method", bound=Callable[..., Any])
OURS = ("manyview.", "sklearn.", "joblib.", "contextlib", "functools")


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


# as in joblib: None is 1, or what parallel_config says, and -1 all cores
N_JOBS: tuple[Rule, ...] = (
    ("an integer other than 0", lambda value: _is_number(value, numbers.Integral) and value != 0),
    nothing(),
)


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


def refuse_second_table(y: Any, /) -> None:
    """Raise an error if what is passed as y is a view: it would be ignored without a word."""
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if y is not None and (frame_of(y) is not None or (len(shape) >= 2 and shape[1] > 1)):
        raise TypeError(
            f"The second argument is a table ({type(y).__name__}), and y is ignored: pass the views as a list, "
            "fit([X1, X2])."
        )


def all_or_nothing(method: Method, /) -> Method:
    """Wrap a method so that its object keeps its former attributes if the method fails.

    Examples
    --------
    >>> class Counter:
    ...     n = 0
    ...     @all_or_nothing
    ...     def count(self, more):
    ...         self.n += 1
    ...         self.n += more
    >>> counter = Counter()
    >>> counter.count("many")
    Traceback (most recent call last):
    ...
    TypeError: unsupported operand type(s) for +=: 'int' and 'str'
    >>> counter.n
    0
    """

    run = with_callbacks(method)

    @wraps(method)
    def safe(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        before = dict(vars(self))
        try:
            return run(self, *args, **kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return cast(Method, safe)


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
