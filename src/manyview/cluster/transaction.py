"""A fit that fails, or is interrupted, leaves the estimator as it was."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def all_or_nothing(method: Callable[Concatenate[Any, P], R], /) -> Callable[Concatenate[Any, P], R]:
    """The method, after whose failure the attributes of its object are those from before.

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

    @wraps(method)
    def safe(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
        before = dict(vars(self))
        try:
            return method(self, *args, **kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return safe
