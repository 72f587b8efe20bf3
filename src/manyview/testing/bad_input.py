"""Input that cannot be clustered, and what an estimator must do with it: one error that says what is wrong."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

CASES: dict[str, tuple[Any, str]] = {}  # what is wrong: (views, a word that the error must contain)


def _with(view: Any, word: str) -> tuple[Any, str]:
    return [np.arange(24.0).reshape(12, 2), view], word


def _holding(value: Any) -> Any:
    table = np.arange(36.0).reshape(12, 3)
    table[4, 1] = value
    return table


CASES.update(
    {
        "NaN": _with(_holding(np.nan), "view 1"),
        "infinity": _with(_holding(np.inf), "row 4"),
        "complex numbers": _with(np.ones((12, 2)) * 1j, "view 1"),
        "objects": _with(np.array([["a", "b"]] * 12, dtype=object), "view 1"),
        "three dimensions": _with(np.ones((12, 2, 2)), "view 1"),
        "one dimension": _with(np.ones(12), "view 1"),
        "no columns": _with(np.ones((12, 0)), "view 1"),
        "another number of rows": _with(np.ones((11, 2)), "view 1"),
        "no rows": ([np.ones((0, 2)), np.ones((0, 3))], "view 0"),
        "no views": ({}, "view"),
    }
)
PARAMETERS: dict[str, tuple[Any, ...]] = {"n_clusters": (0, -1, 2.5, 13, "many")}


def check_bad_input_is_refused(estimator: Any) -> None:
    """Check that bad input is one ValueError or TypeError that names the view, or the parameter."""
    for case, (views, word) in CASES.items():
        _must_refuse(clone(estimator).set_params(n_clusters=2), views, case, word)
    good = [np.arange(24.0).reshape(12, 2), np.arange(36.0).reshape(12, 3)]
    for name, values in PARAMETERS.items():
        for value in values:
            _must_refuse(clone(estimator).set_params(**{name: value}), good, f"{name}={value!r}", name)


def _must_refuse(model: Any, views: Any, case: str, word: str) -> None:
    said = _refusal(model, views)
    if said is None:
        raise AssertionError(f"{case}: fit took it without a word")
    if word.lower() not in said.lower():
        raise AssertionError(f"{case}: the error does not say {word!r}: {said}")


def _refusal(model: Any, views: Any) -> str | None:
    """Return what fit says against these views; None if it accepts them."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(views)
    except (ValueError, TypeError) as error:
        return str(error)
    return None
