"""The same samples, seen by several tables: a container that is indexed by rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from html import escape
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from manyview.kernels.arrays import BoolArray, IntArray, Table
from manyview.views.align import Match, match_rows, require_same_order, taken
from manyview.views.blocks import missing_rows
from manyview.views.dask_tables import is_dask
from manyview.views.frames import as_ids, empty_rows, frame_of
from manyview.views.output import html_table
from manyview.views.ranges import Ranges
from manyview.views.sources import Given, IdColumn, Names, ViewsLike, column_names, one_view, sources
from manyview.views.stored import StoredTable

IMPUTES = (None, "mean", "median")


class Views:
    """Several tables over the same rows; indexing takes rows of all of them.

    Parameters
    ----------
    tables : sequence of tables (n_samples, width)
        Arrays, sparse matrices, data frames: one table per view. Where rows carry ids (an index other than the
        default one) they are matched by id, in the order of the first view, else by position.
    names : sequence of str, optional
        One name per view; ``"view 0"``, ``"view 1"``, … by default.
    ids : array of shape (n_samples,), optional
        An identifier per row, for tables that carry none.
    columns : sequence of (sequence of str or None), optional
        Names of the columns of each view, for arrays and sparse matrices; frames have their own.

    Attributes
    ----------
    tables, names, ids, columns : as above, rows matched
    present : tuple of (None or ndarray of shape (n_samples,))
        Which samples a view describes; None where nothing is known to be missing.
    impute : None, "mean" or "median"
        How an estimator fills missing cells.
    notes : tuple of str
        What was done to the columns, for reports.
    library : str or None
        "pandas", "polars" or "pyarrow" if the views came as frames of it, the first one decides.

    Notes
    -----
    ``len(views)`` is the number of samples and ``views[rows]`` is again a :class:`Views`, so that
    scikit-learn's ``train_test_split``, ``cross_val_score`` and ``GridSearchCV`` can cut it. Frames stay frames until
    an estimator reads them: categories and fills are learned in its fit and used again in predict.

    Examples
    --------
    >>> import numpy as np
    >>> from manyview import Views
    >>> views = Views([np.ones((4, 2)), np.zeros((4, 3))], names=["image", "text"])
    >>> len(views), views.widths, views[1:3].shape
    (4, (2, 3), (2, 5))
    >>> views.with_(names=("photo", "text")).names, views.described(0)
    (('photo', 'text'), array([ True,  True,  True,  True]))
    """

    columns: tuple[Names, ...]
    __iter__ = None  # rows or tables? say which: views[rows] or views.tables

    def __init__(
        self,
        tables: Sequence[Table],
        names: Sequence[str] | None = None,
        ids: Any = None,
        *,
        columns: Sequence[Sequence[str] | None] | None = None,
    ) -> None:
        tables = tuple(tables)
        names = tuple(f"view {v}" for v in range(len(tables))) if names is None else tuple(map(str, names))
        if not tables:
            raise ValueError("Views needs at least one table.")
        if len(names) != len(tables):
            raise ValueError(f"{len(tables)} tables but {len(names)} names: give one name per view.")
        if len(set(names)) != len(names):
            raise ValueError(f"View names must differ; got {list(names)}.")
        given = [one_view(table, name) for table, name in zip(tables, names, strict=True)]
        if ids is not None:
            _require_rows(given)
            given = _with_ids(given, as_ids(ids))
        self._keep(given, join=None)
        if columns is not None:
            self.columns = _checked_columns(dict(zip(names, columns, strict=True)), self)

    @classmethod
    def from_tables(
        cls,
        X: ViewsLike,
        /,
        *,
        views: Ranges = None,
        join: str | None = None,
        id_column: IdColumn = None,
        impute: str | None = None,
        feature_names: Mapping[str, Sequence[str]] | Sequence[Sequence[str] | None] | None = None,
    ) -> Self:
        """Read any accepted input, and say how rows are matched and missing cells are filled.

        Parameters
        ----------
        X : mapping, list, one table, AnnData, MuData, MultiViewData, or Views
            What estimators take.
        views : int, widths, (start, stop) pairs, or mapping; optional
            How one table is cut: a mapping names the columns of every view, or gives a selector such as
            scikit-learn's ``make_column_selector``. For AnnData the place of each view, ``"X"``,
            ``"layers/counts"`` or ``"obsm/X_pca"``; for MuData the modality in front of it, ``"rna/X"``.
        join : None, "inner" or "outer"
            Rows with ids: None asks for the same ids in all views, "inner" keeps the common samples, "outer" keeps
            all: a sample that lacks a view gets a row of NaN, in a sparse table an empty row.
        id_column : str or mapping of view to str, optional
            Column of every frame that holds the ids.
        impute : None, "mean" or "median"
            How an estimator fills missing cells of rows that have others.
        feature_names : mapping of view to names, or a sequence; optional
            Names of the columns of arrays and sparse matrices.

        Returns
        -------
        Views
            The tables, with rows that belong together.

        Examples
        --------
        >>> import pandas as pd
        >>> from manyview import Views
        >>> rna = pd.DataFrame({"g": [1.0, 2.0]}, index=["p1", "p2"])
        >>> image = pd.DataFrame({"area": [5.0, 6.0]}, index=["p2", "p3"])
        >>> views = Views.from_tables({"rna": rna, "image": image}, join="outer")
        >>> views.ids.tolist(), views.tables[1]["area"].tolist()
        (['p1', 'p2', 'p3'], [nan, 5.0, 6.0])
        """
        if impute not in IMPUTES:
            raise ValueError(f"impute={impute!r}: use None, 'mean' or 'median'.")
        made = cls.__new__(cls)
        if isinstance(X, Views):
            if join is not None or id_column is not None:
                raise ValueError("Rows of a Views are matched already: give join and id_column where it is made.")
            made.__dict__.update(X.__dict__)
        else:
            given = sources(X, views=views, id_column=id_column)
            names = [each.name for each in given]
            if len(set(names)) != len(names):
                raise ValueError(f"View names must differ; got {names}.")
            made._keep(given, join=join)
        if impute is not None:
            made.impute = impute
        if feature_names is not None:
            made.columns = _checked_columns(feature_names, made)
        return made

    def _keep(self, given: Sequence[Given], *, join: str | None) -> None:
        match = _match(given, join)
        self.names: tuple[str, ...] = tuple(each.name for each in given)
        self.ids: NDArray[Any] | None = match.ids
        self.tables: tuple[Table, ...] = tuple(
            each.table if rows is None else taken(each.table, rows, match.ids)
            for each, rows in zip(given, match.rows, strict=True)
        )
        self.columns = tuple(each.columns for each in given)
        self.present: tuple[BoolArray | None, ...] = tuple(
            None if rows is None or (rows >= 0).all() else rows >= 0 for rows in match.rows
        )
        self.impute: str | None = None
        self.notes: tuple[str, ...] = ()
        self.library: str | None = next((each.library for each in given if each.library is not None), None)
        _require_rows([each._replace(table=table) for each, table in zip(given, self.tables, strict=True)])

    @property
    def n_samples(self) -> int:
        """Return the number of rows that all views share."""
        return int(self.tables[0].shape[0])

    @property
    def widths(self) -> tuple[int, ...]:
        """Return the number of columns of each view."""
        return tuple(int(table.shape[1]) for table in self.tables)

    @property
    def shape(self) -> tuple[int, int]:
        """Return the number of rows, and of columns of all views together."""
        return self.n_samples, sum(self.widths)

    def with_(self, **changes: Any) -> Self:
        """Return the same views with some attributes replaced, without a check.

        Parameters
        ----------
        **changes : Any
            New values of attributes.

        Returns
        -------
        Views
            A copy that shares the tables.
        """
        other = copy(self)
        other.__dict__.update(changes)
        return other

    def described(self, v: int, /) -> BoolArray:
        """Return which samples (n_samples,) view ``v`` describes.

        Parameters
        ----------
        v : int
            Number of the view.

        Returns
        -------
        ndarray of bool of shape (n_samples,)
            True where the sample has the view.
        """
        known = self.present[v]
        if known is not None:
            return known
        table = self.tables[v]
        frame = frame_of(table)
        if frame is not None:
            return ~empty_rows(frame)
        if isinstance(table, np.ndarray) and table.dtype.kind == "f":
            return ~(missing_rows(table) & np.isnan(table).all(axis=1))
        return np.ones(self.n_samples, dtype=bool)

    def __len__(self) -> int:
        return self.n_samples

    def __getitem__(self, rows: int | slice | IntArray) -> Self:
        if isinstance(rows, int | np.integer):
            rows = slice(rows, rows + 1) if rows != -1 else slice(-1, None)
        return self.with_(
            tables=tuple(self._rows(table, rows) for table in self.tables),
            ids=None if self.ids is None else self.ids[rows],
            present=tuple(None if known is None else known[rows] for known in self.present),
        )

    def _rows(self, table: Any, rows: Any) -> Any:
        frame = frame_of(table)
        return table[rows] if frame is None else frame.take(np.arange(self.n_samples)[rows])

    def __repr__(self) -> str:
        widths = ", ".join(f"{name!r}: {width}" for name, width in zip(self.names, self.widths, strict=True))
        known = "" if self.ids is None else " with ids"
        return f"Views({self.n_samples} samples{known}; {{{widths}}})"

    def _repr_html_(self) -> str:
        return views_as_html(self)


def is_elsewhere(table: Any, /) -> bool:
    """Return whether a table is not in the memory of this process."""
    return not isinstance(table, np.ndarray) and (is_dask(table) or isinstance(table, StoredTable))


def _match(given: Sequence[Given], join: str | None) -> Match:
    """Match rows by id; tables on disk take part if others carry ids, and must be in their order."""
    if join is None and all(each.ids is None and isinstance(each.table, np.ndarray) for each in given):
        return Match(None, [None] * len(given))  # plain arrays are matched by position
    names = [each.name for each in given]
    require_same_order([each.table for each in given], names)
    if all(each.ids is None for each in given) and any(is_elsewhere(each.table) for each in given):
        return match_rows([None] * len(given), names, join=join)
    ids = [
        _stored_ids(each.table) if each.ids is None and isinstance(each.table, StoredTable) else each.ids
        for each in given
    ]
    match = match_rows(ids, names, join=join)
    for each, rows in zip(given, match.rows, strict=True):
        if rows is not None and is_elsewhere(each.table):
            raise ValueError(
                f"View {each.name!r} is on disk, and its rows are not those of the other views in the same order: "
                "write the file in their order, or read it into memory."
            )
    return match


def _stored_ids(table: StoredTable) -> NDArray[Any] | None:
    pieces = table.ids()
    if pieces is None:
        return None
    rows = [row for levels in pieces for row in zip(*(level.tolist() for level in levels), strict=True)]
    return as_ids([row[0] if len(row) == 1 else row for row in rows])


def _with_ids(given: Sequence[Given], ids: NDArray[Any]) -> list[Given]:
    """Attach ids that were given beside the tables; tables that carry ids must carry these."""
    n_rows = int(given[0].table.shape[0])
    if len(ids) != n_rows:
        raise ValueError(f"{len(ids)} ids for {n_rows} samples.")
    return [each if each.ids is not None else each._replace(ids=ids) for each in given]


def _require_rows(given: Sequence[Given]) -> None:
    first = given[0]
    for each in given[1:]:
        if each.table.shape[0] != first.table.shape[0]:
            raise ValueError(
                f"View {each.name!r} has {each.table.shape[0]} rows but view {first.name!r} has "
                f"{first.table.shape[0]}: every view must describe the same samples, in the same order."
            )


def _checked_columns(feature_names: Any, views: Views) -> tuple[Names, ...]:
    """Return the column names of every view: those given, else those known."""
    given = feature_names if isinstance(feature_names, Mapping) else dict(zip(views.names, feature_names, strict=False))
    unknown = [name for name in given if name not in views.names]
    if unknown or (not isinstance(feature_names, Mapping) and len(feature_names) != len(views.names)):
        raise ValueError(f"feature_names={list(given)}: give a list of names for each of {list(views.names)}.")
    columns = list(views.columns)
    for v, (name, width) in enumerate(zip(views.names, views.widths, strict=True)):
        names = given.get(name)
        if names is None:
            continue
        texts = tuple(map(str, names))
        if len(texts) != width:
            raise ValueError(f"feature_names of view {name!r} has {len(texts)} names for {width} columns.")
        columns[v] = column_names(texts)
    return tuple(columns)


def views_as_html(views: Views, /, *, max_notes: int = 10) -> str:
    """Return an HTML table: one row per view with its width, its kind and how many samples it describes."""
    rows = [
        (name, f"{width:,}", _kind(table), f"{views.n_samples if present is None else int(present.sum()):,}")
        for name, width, table, present in zip(views.names, views.widths, views.tables, views.present, strict=True)
    ]
    ids = "without ids" if views.ids is None else "with ids"
    notes = "".join(f"<li>{escape(note)}</li>" for note in views.notes[:max_notes])
    more = f"<li>… and {len(views.notes) - max_notes} more</li>" if len(views.notes) > max_notes else ""
    return (
        f"<div><p>Views: {views.n_samples:,} samples {ids}</p>"
        + html_table(("view", "columns", "table", "samples"), rows)
        + (f"<ul>{notes}{more}</ul>" if notes else "")
        + "</div>"
    )


def _kind(table: object) -> str:
    kind = type(table).__name__
    dtype = getattr(table, "dtype", None)
    return kind if dtype is None else f"{kind}, {dtype}"
