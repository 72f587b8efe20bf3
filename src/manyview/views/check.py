"""The one door for all input: whatever users have, out come aligned, finite, numeric views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from operator import index
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, validate_data

from manyview.kernels.arrays import Table
from manyview.views.align import aligned_rows, require_same_order
from manyview.views.container import Views
from manyview.views.dask_tables import checked_array, is_dask
from manyview.views.finite import require_finite
from manyview.views.stored import StoredTable, is_stored

FLOATS = (np.float64, np.float32)
Columns = Sequence[tuple[str, ...] | None]  # their names, of every view
Ranges = Any  # None, int, widths, or (start, stop) pairs


def check_views(
    X: Any,
    /,
    *,
    ranges: Ranges = None,
    estimator: Any = None,
    reset: bool = True,
    lazy: bool = False,
    rows_may_miss: bool = False,
) -> Views:
    """Turn any accepted input into :class:`Views`, or say what is wrong with which view.

    Parameters
    ----------
    X : Views, mapping of name to table, list of tables, or one table
        A table is a 2-D array, a SciPy sparse matrix, a pandas or polars DataFrame; a table on disk: the path of a
        ``.npy`` file, a Parquet file or a folder of them, a memory map or an Arrow data set; or a Dask array or
        DataFrame. A list whose items are tables is a list of views; anything else is one table. pandas DataFrames
        are aligned by index, everything else by position.
    ranges : None, int, widths, or (start, stop) pairs
        How one table is cut into views by columns: not at all, into equal parts, or as told.
    estimator : object, optional
        The estimator that asks. Widths and names are stored on it (``reset=True``) or compared with
        what it has stored (``reset=False``).
    lazy : bool
        Leave tables on disk, and Dask collections, where they are; they are checked when they are read.
    rows_may_miss : bool
        Let rows of NaN alone pass: views that a sample lacks. A NaN beside numbers is an error in any case.

    Examples
    --------
    >>> import numpy as np
    >>> from manyview.views import check_views
    >>> check_views(np.ones((5, 6)), ranges=[2, 4]).widths
    (2, 4)
    >>> check_views({"a": np.ones((5, 1)), "b": np.full((5, 1), np.nan)})
    Traceback (most recent call last):
    ...
    ValueError: View 'b' contains NaN or infinity, first in row 0. Fill it or drop the row.
    """
    named = _named_tables(X)
    for name, table in zip(*named, strict=True) if named else [("view 0", X)]:
        _require_rows(table, name)
    columns: Columns
    if named is None:
        views = _cut(_one_table(X, estimator, reset), ranges)
        tables = [_named(table, name) for name, table in zip(views.names, views.tables, strict=True)]
        views, columns = Views(tables, views.names), [None] * len(tables)
    else:
        names, tables = named
        given, tables = tables, [_opened(table, name) for name, table in zip(names, tables, strict=True)]
        columns = [_column_names(table) or _column_names(raw) for table, raw in zip(tables, given, strict=True)]
        tables, ids = (tables, X.ids) if isinstance(X, Views) else aligned_rows(tables, names)
        views = Views([_check_table(table, name) for name, table in zip(names, tables, strict=True)], names, ids)
        require_same_order(views.tables, names)
    if not lazy:
        views = in_memory(views)
    for name, table in zip(views.names, views.tables, strict=True):
        if not is_elsewhere(table):
            require_finite(table, name, rows_may_miss=rows_may_miss)
    if estimator is not None:
        views = _remember(estimator, views, columns) if reset else _compare(estimator, views, columns)
    return views


def in_memory(views: Views, /) -> Views:
    """The same views with every table in the memory of this process."""
    tables = [np.asarray(table) if is_elsewhere(table) else table for table in views.tables]
    return Views(tables, views.names, views.ids)


def is_elsewhere(table: Any, /) -> bool:
    """Whether a table is not in the memory of this process."""
    return is_dask(table) or isinstance(table, StoredTable)


def _opened(table: Any, name: str) -> Any:
    """A table on disk or a Dask collection as something with rows and columns; others as they are."""
    if isinstance(table, StoredTable):
        return table.renamed(name)
    if is_stored(table):
        return StoredTable(table, name=name)
    return checked_array(table, name) if is_dask(table) else table


def _column_names(table: Any) -> tuple[str, ...] | None:
    """Names of the columns, where all have one; as in scikit-learn, numbers are no names."""
    columns = getattr(table, "columns", None)
    names = () if columns is None else tuple(columns)
    return names if names and all(isinstance(column, str) for column in names) else None


def _named(table: Any, name: str) -> Any:
    """A part of one table under its own name."""
    if isinstance(table, StoredTable):
        return table.renamed(name)
    return table


def _named_tables(X: Any) -> tuple[list[str], list[Any]] | None:
    """Names and tables where X is several tables; None where it is one."""
    if isinstance(X, Views):
        return list(X.names), list(X.tables)
    if isinstance(X, Mapping) and not sp.issparse(X):  # a DOK matrix is a mapping too
        if not X:
            raise ValueError("Got an empty mapping: pass at least one view.")
        return [str(name) for name in X], list(X.values())
    if isinstance(X, list | tuple) and not X:
        raise ValueError("Got an empty list: pass at least one view.")
    if isinstance(X, list | tuple) and any(_is_table(item) for item in X):
        return [f"view {v}" for v in range(len(X))], list(X)
    return None


def _is_table(item: Any) -> bool:
    """Whether an item of a list is a view of its own, not a row; polars tables have a shape but no ndim."""
    return len(getattr(item, "shape", ())) >= 2 or is_stored(item) or is_dask(item) or _is_query(item)


def _is_query(item: Any) -> bool:
    return type(item).__module__.startswith("polars") and hasattr(item, "sink_parquet")


def _require_rows(table: Any, name: str) -> None:
    if _is_query(table):
        raise TypeError(
            f"View {name!r} is a polars LazyFrame, a query that has no rows yet: give its collect(), or write the rows "
            "with sink_parquet(path) and give the path."
        )


def _one_table(X: Any, estimator: Any, reset: bool) -> Table:
    """One table, through scikit-learn's own validation, so that its conventions hold to the letter."""
    if isinstance(X, np.memmap):
        _one_table(np.asarray(X[:2]), estimator, reset)  # what scikit-learn has to say, said about a few rows
    if is_stored(X) or is_dask(X):
        return _opened(X, "view 0")
    options = {"accept_sparse": "csr", "dtype": _floats(X), "ensure_all_finite": False}
    known = estimator is not None
    table = validate_data(estimator, X, reset=reset, **options) if known else check_array(X, **options)
    return _canonical(table, "view 0")


def _cut(table: Table, ranges: Ranges) -> Views:
    """One table cut into views by columns."""
    width = int(table.shape[1])
    if ranges is None:
        return Views([table])
    if isinstance(ranges, int | np.integer):
        if not 1 <= ranges <= width:
            raise ValueError(f"views={ranges} cannot cut n_features={width} columns into that many views.")
        edges = np.linspace(0, width, int(ranges) + 1).round().astype(int)
        pairs = list(pairwise(edges))
    elif np.iterable(ranges) and all(isinstance(item, int | np.integer) for item in ranges):
        edges = np.cumsum([0, *ranges])
        if edges[-1] != width or min(ranges) < 1:
            raise ValueError(f"views={list(ranges)} must be positive widths that sum to n_features={width}.")
        pairs = list(pairwise(edges))
    else:
        pairs = _pairs(ranges)
        for v, (start, stop) in enumerate(pairs):
            if not 0 <= start < stop <= width:
                raise ValueError(f"views: range {v} is ({start}, {stop}), outside n_features={width} or empty.")
    return Views([table[:, start:stop] for start, stop in pairs])


def _pairs(ranges: Ranges) -> list[tuple[int, int]]:
    try:
        return [(index(start), index(stop)) for start, stop in ranges]
    except (TypeError, ValueError) as error:
        raise ValueError(f"views={ranges!r}: give a number of views, their widths, or (start, stop) pairs.") from error


def _check_table(table: Any, name: str) -> Table:
    """One view as a finite 2-D float array or CSR matrix; every error names the view."""
    if is_elsewhere(table):
        return table
    if getattr(table, "ndim", 2) != 2:
        raise ValueError(f"View {name!r} has {table.ndim} dimensions; a view is a table (n_samples, n_columns).")
    if hasattr(table, "to_numpy"):
        table = _values(table)
    try:
        checked = check_array(table, accept_sparse="csr", dtype=_floats(table), ensure_all_finite=False)
    except (TypeError, ValueError) as error:
        raise type(error)(f"View {name!r}: {error}") from error
    return _canonical(checked, name)


def _values(table: Any) -> Any:
    """The numbers of a DataFrame; NA of pandas' own numeric columns is NaN."""
    values = table.to_numpy()
    if values.dtype == object and hasattr(table, "iloc") and all(kind.kind in "fiub" for kind in table.dtypes):
        return table.to_numpy(dtype=np.float64, na_value=np.nan)
    return values


def _floats(table: Any) -> Any:
    """The types that a table may keep, or the one that it gets: half precision becomes single, as in files."""
    return np.float32 if getattr(table, "dtype", None) == np.float16 else FLOATS


def _canonical(table: Table, name: str) -> Table:
    """Every entry of a CSR matrix in its place, and once: two halves of a count are not two counts."""
    if not sp.issparse(table):
        return table
    if table.nnz and not 0 <= table.indices.min() <= table.indices.max() < table.shape[1]:
        raise ValueError(
            f"View {name!r} is a sparse matrix of {table.shape[1]} columns with an entry in column "
            f"{table.indices.max() if table.indices.min() >= 0 else table.indices.min()}: it was put together wrongly."
        )
    if table.has_canonical_format:
        return table
    table = table.copy()
    table.sum_duplicates()
    return table


def _remember(estimator: Any, views: Views, columns: Columns) -> Views:
    estimator.n_features_in_ = views.shape[1]
    estimator.view_names_ = views.names
    estimator.view_widths_ = views.widths
    estimator.view_columns_ = tuple(columns)
    return views


def _compare(estimator: Any, views: Views, columns: Columns) -> Views:
    """Views as the estimator was fitted on: by name where the names are the same set, else by position."""
    fitted_names, fitted_widths = estimator.view_names_, estimator.view_widths_
    if views.names != fitted_names and set(views.names) == set(fitted_names):
        order = [views.names.index(name) for name in fitted_names]
        views, columns = Views([views.tables[v] for v in order], fitted_names, views.ids), [columns[v] for v in order]
    if len(views.widths) != len(fitted_widths):
        raise ValueError(
            f"Got {len(views.widths)} views; the model was fitted on {len(fitted_widths)}: {list(fitted_names)}."
        )
    for name, width, fitted in zip(fitted_names, views.widths, fitted_widths, strict=True):
        if width != fitted:
            raise ValueError(f"View {name!r} has {width} columns; the model was fitted on {fitted}.")
    for name, given, known in zip(fitted_names, columns, estimator.view_columns_, strict=True):
        if given is not None and known is not None and given != known:
            at = next(j for j, pair in enumerate(zip(given, known, strict=True)) if pair[0] != pair[1])
            raise ValueError(
                f"View {name!r}: column {at} is {given[at]!r}; in the fit it was {known[at]!r}. Give the columns that "
                "the model was fitted on, in their order."
            )
    return views
