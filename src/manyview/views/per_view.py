"""Preprocessing view by view, as a scikit-learn transformer from views to views."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import TransformerMixin, clone
from sklearn.utils.metaestimators import _BaseComposition
from sklearn.utils.validation import check_is_fitted

from manyview.kernels.arrays import Table
from manyview.views.align import taken
from manyview.views.check import in_fitted_order
from manyview.views.container import Views
from manyview.views.frames import frame_of
from manyview.views.sources import column_names

AS_IT_IS = ("passthrough", "drop")


class PerView(TransformerMixin, _BaseComposition):
    """Apply a transformer to each view, and leave ids and rows as they are.

    Parameters
    ----------
    transformers : mapping of view to transformer, "passthrough" or "drop"
        Views are named, or numbered by their position. A transformer gets the view's table as it was given: an array,
        a sparse matrix or a DataFrame. Samples that lack the view are kept from it.
    remainder : "passthrough" or "drop", default="passthrough"
        What happens to views that are not named.

    Attributes
    ----------
    transformers_ : dict
        The fitted transformers, by name of the view.
    views_kept_ : tuple of int
        Positions of the views that are not dropped.
    view_names_ : tuple of str
        Views of the fit; other rows are matched with them by name, else by position.

    Notes
    -----
    Parameters of a transformer are set as ``rna__n_components``; it works in ``Pipeline`` and, given
    :class:`Views`, in ``GridSearchCV``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.preprocessing import StandardScaler
    >>> from manyview.views.per_view import PerView
    >>> views = {"rna": np.array([[1.0], [3.0]]), "text": np.ones((2, 4))}
    >>> scale = PerView({"rna": StandardScaler()})
    >>> scale.fit_transform(views).tables[0].ravel()
    array([-1.,  1.])
    >>> scale.transform({"rna": np.array([[2.0]]), "text": np.ones((1, 4))}).tables[0].ravel()
    array([0.])
    """

    def __init__(self, transformers: Mapping[Any, Any], *, remainder: str = "passthrough") -> None:
        self.transformers = transformers
        self.remainder = remainder

    @property
    def _named(self) -> list[tuple[str, Any]]:
        """Return names and transformers in the form of scikit-learn's compositions."""
        return [(str(name), transformer) for name, transformer in self.transformers.items()]

    @_named.setter
    def _named(self, named: list[tuple[str, Any]]) -> None:
        keys = {str(name): name for name in self.transformers}
        self.transformers = {keys.get(name, name): transformer for name, transformer in named}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters of this transformer and, with ``deep``, of those that it holds.

        Parameters
        ----------
        deep : bool, default=True
            Whether to include the parameters of the transformers.

        Returns
        -------
        dict
            Values by name.
        """
        parameters: dict[str, Any] = self._get_params("_named", deep=deep)
        return parameters

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters of this transformer, or of those that it holds, ``rna__n_components``.

        Parameters
        ----------
        **parameters : Any
            New values by name.

        Returns
        -------
        PerView
            The transformer itself.
        """
        if "transformers" in parameters:
            self.transformers = parameters.pop("transformers")
        self._set_params("_named", **parameters)
        return self

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit every transformer on its view.

        Parameters
        ----------
        X : as for :meth:`Views.from_tables`
            The views.
        y : optional
            Passed on to the transformers.

        Returns
        -------
        PerView
            The transformer itself.
        """
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Views:
        """Fit every transformer on its view, and transform the view with it.

        Parameters
        ----------
        X : as for :meth:`Views.from_tables`
            The views.
        y : optional
            Passed on to the transformers.
        **fit_params : Any
            Not used; scikit-learn's pipelines may pass some.

        Returns
        -------
        Views
            The transformed views.
        """
        views = Views.from_tables(X)
        chosen = self._chosen(views)
        self.view_names_ = views.names
        self.transformers_: dict[str, Any] = {}
        done: dict[int, tuple[Table, Any]] = {}
        for v, transformer in enumerate(chosen):
            if not isinstance(transformer, str):
                fitted = clone(transformer)
                done[v] = _apply(views, v, lambda table, fitted=fitted: _fit_transform(fitted, table, y), fitted)
                self.transformers_[views.names[v]] = fitted
        self.views_kept_ = tuple(v for v, transformer in enumerate(chosen) if not _is(transformer, "drop"))
        return _assembled(views, done, self.views_kept_)

    def transform(self, X: Any) -> Views:
        """Transform every view with the transformer that was fitted on it.

        Parameters
        ----------
        X : as for :meth:`Views.from_tables`
            The views.

        Returns
        -------
        Views
            The transformed views.
        """
        check_is_fitted(self, "transformers_")
        views = in_fitted_order(self, Views.from_tables(X))
        done = {
            v: _apply(views, v, self.transformers_[name].transform, self.transformers_[name])
            for v, name in enumerate(views.names)
            if name in self.transformers_
        }
        return _assembled(views, done, self.views_kept_)

    def _chosen(self, views: Views) -> list[Any]:
        """Return the transformer of every view, in the order of the views."""
        if self.remainder not in AS_IT_IS:
            raise ValueError(f"remainder={self.remainder!r}: use 'passthrough' or 'drop'.")
        self._validate_names([name for name, _ in self._named])
        chosen: list[Any] = [self.remainder] * len(views.names)
        for key, transformer in self.transformers.items():
            numbered = isinstance(key, int) and -len(chosen) <= key < len(chosen)
            if not numbered and str(key) not in views.names:
                raise ValueError(f"PerView names the view {key!r}; the views are {list(views.names)}.")
            if isinstance(transformer, str) and transformer not in AS_IT_IS:
                raise ValueError(f"View {key!r}: {transformer!r} is no transformer, 'passthrough' or 'drop'.")
            chosen[key if numbered else views.names.index(str(key))] = transformer
        if all(_is(transformer, "drop") for transformer in chosen):
            raise ValueError("PerView drops every view: keep at least one.")
        return chosen

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "transformers_")


def _apply(views: Views, v: int, transform: Any, fitted: Any) -> tuple[Table, Any]:
    """Transform a table; samples that lack the view get rows of NaN, or empty rows in a sparse table."""
    table, there = views.tables[v], views.described(v)
    missing = not there.all()
    try:
        made = transform(taken(table, np.flatnonzero(there), None) if missing else table)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"View {views.names[v]!r}: {error}") from error
    if sp.issparse(made):
        made = made.tocsr()
    if made.shape[0] != int(there.sum()):
        raise ValueError(f"View {views.names[v]!r}: {fitted!r} gave {made.shape[0]} rows for {int(there.sum())}.")
    if missing:
        made = taken(made, np.where(there, np.cumsum(there) - 1, -1), views.ids)
    return made, _columns(made, fitted, views.columns[v])


def _fit_transform(transformer: Any, table: Table, y: Any) -> Table:
    if hasattr(transformer, "fit_transform"):
        return transformer.fit_transform(table, y)
    return transformer.fit(table, y).transform(table)


def _columns(made: Table, fitted: Any, before: Any) -> Any:
    frame = frame_of(made)
    if frame is not None:
        return column_names(frame.labels)
    try:
        names = fitted.get_feature_names_out(None if before is None else np.asarray(before, dtype=object))
    except (AttributeError, TypeError, ValueError):
        return None
    return column_names(str(name) for name in names) if len(names) == made.shape[1] else None


def _assembled(views: Views, done: Mapping[int, tuple[Table, Any]], kept: tuple[int, ...]) -> Views:
    tables = [done[v][0] if v in done else views.tables[v] for v in range(len(views.tables))]
    columns = [done[v][1] if v in done else views.columns[v] for v in range(len(views.tables))]
    present = [
        None if known is None and views.described(v).all() else views.described(v)
        for v, known in enumerate(views.present)
    ]
    return views.with_(
        tables=tuple(tables[v] for v in kept),
        names=tuple(views.names[v] for v in kept),
        columns=tuple(columns[v] for v in kept),
        present=tuple(present[v] for v in kept),
    )


def _is(transformer: Any, word: str) -> bool:
    return isinstance(transformer, str) and transformer == word
