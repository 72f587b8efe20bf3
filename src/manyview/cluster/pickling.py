"""A pickled model knows the version that made it, and warns if another one opens it, as scikit-learn's own do."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sklearn.exceptions import InconsistentVersionWarning

from manyview.cluster.checks import warn_caller

KEY = "_manyview_version"


class PickledVersionWarning(InconsistentVersionWarning):
    """A pickled model comes from another version of this package.

    It is an :class:`sklearn.exceptions.InconsistentVersionWarning`: a filter for those holds for it, too.

    Examples
    --------
    >>> import warnings
    >>> from manyview import AnchorGraphClustering, PickledVersionWarning
    >>> model = AnchorGraphClustering(n_clusters=3)
    >>> state = model.__getstate__() | {"_manyview_version": "0.0.1"}
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", PickledVersionWarning)
    ...     model.__setstate__(state)
    Traceback (most recent call last):
    ...
    manyview.cluster.pickling.PickledVersionWarning: This AnchorGraphClustering was pickled by manyview 0.0.1, ...
    """

    def __init__(self, message: str) -> None:
        Warning.__init__(self, message)

    def __str__(self) -> str:
        return str(self.args[0])


def with_version(state: dict[str, Any], /) -> dict[str, Any]:
    """Return the state of a model with the version of this package."""
    return state | {KEY: _version()}


def without_version(state: dict[str, Any], name: str, /) -> dict[str, Any]:
    """Return the state of a model as it was; warn if another version has written it."""
    original = state.get(KEY, "before 0.1.0")
    if original != _version():
        warn_caller(
            f"This {name} was pickled by manyview {original}, and this is manyview {_version()}: it may fail, or give "
            "other results. Fit it again; what save() writes, manyview.load() reads in later versions, too.",
            PickledVersionWarning,
        )
    return {key: value for key, value in state.items() if key != KEY}


def _version() -> str:
    version: str = import_module("manyview").__version__  # imports this module, and knows its version afterward
    return version
