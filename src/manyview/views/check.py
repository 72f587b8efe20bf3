"""Checks of all input, which turn whatever users have into matched, finite, numeric views.

An estimator remembers the views of its fit and what was done to their columns; other views are compared with them, and
turned into numbers the same way. Columns without any number go; missing cells are filled if that is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Number
from typing import Any, NamedTuple, TypedDict

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, validate_data

from manyview.kernels.arrays import FloatArray, Table
from manyview.views.blocks import column_values, constant_columns, empty_columns, filled, require_finite
from manyview.views.container import Views, is_elsewhere
from manyview.views.dask_tables import is_dask
from manyview.views.encode import Categories, encode, looks_like_ids, require_no_ids
from manyview.views.frames import Frame, frame_of, of_objects
from manyview.views.ranges import Ranges
from manyview.views.sources import IdColumn, Names, ViewsLike, as_array, is_one_table, refuse
from manyview.views.sparse import canonical, verified
from manyview.views.stored import is_stored

__all__ = ["check_views", "in_memory", "is_elsewhere"]
FLOATS = (np.float64, np.float32)


def check_views(
    X: ViewsLike,
    /,
    *,
    ranges: Ranges = None,
    estimator: Any = None,
    reset: bool = True,
    lazy: bool = False,
    rows_may_miss: bool = False,
    join: str | None = None,
    id_column: IdColumn = None,
    impute: str | None = None,
    feature_names: Mapping[str, Sequence[str]] | Sequence[Sequence[str] | None] | None = None,
) -> Views:
    """Turn any accepted input into :class:`Views` of numbers, or say what is wrong with which view.

    Parameters
    ----------
    X : Views, mapping of name to table, list of tables, one table, AnnData, MuData or MultiViewData
        A table is a 2-D array, a SciPy sparse matrix, a torch tensor on the CPU, a pandas or polars DataFrame, an
        Arrow table; a table on disk: the path of a ``.npy`` file, a Parquet file or a folder of them, a memory map or
        an Arrow data set; or a Dask array or DataFrame. A list whose items are tables is a list of views; anything
        else is one table.
    ranges : None, int, widths, (start, stop) pairs, or mapping of view to columns
        How one table is cut into views by columns: not at all, into equal parts, or as told.
    estimator : object, optional
        The estimator that asks.
    reset : bool
        Whether names, widths, ids and what was done to the columns are stored on the estimator, as in ``fit``, or
        compared with and repeated from what it has stored.
    lazy : bool
        Leave tables on disk, and Dask collections, where they are; they are checked when they are read.
    rows_may_miss : bool
        Let rows of NaN alone pass: views that a sample lacks. A NaN beside numbers is an error in any case.
    join, id_column, impute, feature_names
        See :meth:`Views.from_tables`.

    Returns
    -------
    Views
        Of float32 or float64 tables, dense or CSR.

    Notes
    -----
    Rows that carry ids are matched by id and come in the order of the first view; without ids they are matched by
    position. Categories become columns of 0 and 1, and one that the fit did not see is 0 in all of them.

    Examples
    --------
    >>> import numpy as np
    >>> from manyview.views import check_views
    >>> check_views(np.ones((5, 6)), ranges=[2, 4]).widths
    (2, 4)
    >>> check_views({"a": np.ones((5, 1)), "b": np.full((5, 1), np.nan)})
    Traceback (most recent call last):
    ...
    ValueError: View 'b' contains NaN or infinity, first in row 0. Fill it or drop the row, ...
    """
    one = _is_for_scikit_learn(X)
    if one:
        X = _validated_by_scikit_learn(X, estimator, reset)
    given = Views.from_tables(
        X, views=ranges, join=join, id_column=id_column, impute=impute, feature_names=feature_names
    )
    known = None
    if estimator is not None and not reset:
        given = in_fitted_order(estimator, given)
        known = estimator.view_preparations_
    views, preparations = numeric(given if lazy else in_memory(given), known, rows_may_miss=rows_may_miss)
    if estimator is not None and reset:
        remember(estimator, given, views, preparations, one_table=one)
    elif estimator is not None:
        require_same_columns(estimator, views)
    return views


def in_memory(views: Views, /) -> Views:
    """Read every table into the memory of this process.

    Parameters
    ----------
    views : Views
        Some of whose tables may be on disk, or Dask collections.

    Returns
    -------
    Views

    Examples
    --------
    >>> import pathlib, tempfile, numpy as np
    >>> from manyview.views import check_views, in_memory
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "view.npy"
    >>> np.save(path, np.ones((3, 2)))
    >>> type(in_memory(check_views([path], lazy=True)).tables[0]).__name__
    'ndarray'
    """
    tables = tuple(np.asarray(table) if is_elsewhere(table) else table for table in views.tables)
    return views.with_(tables=tables)


def _is_for_scikit_learn(X: Any) -> bool:
    """Return whether X is one table of a kind that scikit-learn knows."""
    if isinstance(X, Views) or not is_one_table(X):
        return False
    frame = frame_of(X)
    if frame is not None:
        return frame.library != "pyarrow"
    return isinstance(X, np.memmap) or not (is_stored(X) or is_dask(X))


def _validated_by_scikit_learn(X: Any, estimator: Any, reset: bool) -> Any:
    """Check one table by scikit-learn's own validation, so that its conventions hold exactly."""
    if frame_of(X) is not None:
        if estimator is not None:
            validate_data(estimator, X, reset=reset, skip_check_array=True)
        return X
    refuse(X, "view 0")
    if isinstance(X, np.memmap):
        _validated_by_scikit_learn(np.asarray(X[:2]), estimator, reset)  # its errors, from a few rows
        return X
    if isinstance(X, list | tuple):
        if not isinstance(X[0], str | Number):
            refuse(X[0], "view 0")
        as_array(X, "view 0")
    elif sp.issparse(X):
        X = verified(X, "view 0")
    elif getattr(X, "dtype", np.dtype(float)).kind in "mMV":
        as_numbers(X, "view 0")
    options = {"accept_sparse": "csr", "dtype": floats(X), "ensure_all_finite": False}
    if estimator is None:
        return check_array(X, **options)
    return validate_data(estimator, X, reset=reset, **options)


def remember(
    estimator: Any, given: Views, views: Views, preparations: Sequence[Preparation], /, *, one_table: bool
) -> None:
    """Store names, widths, ids and preparation, as plain data."""
    if not one_table:  # of one table, scikit-learn's own validation has stored both
        estimator.__dict__.pop("feature_names_in_", None)
        estimator.n_features_in_ = given.shape[1]
    estimator.view_names_ = views.names
    estimator.view_widths_ = views.widths
    estimator.view_columns_ = views.columns
    estimator.view_preparations_ = tuple(preparations)
    estimator.sample_ids_ = views.ids
    estimator.input_library_ = views.library
    estimator.view_notes_ = views.notes


def in_fitted_order(estimator: Any, views: Views, /) -> Views:
    """Order views as in the fit: by name where the names are the same set, else by position."""
    names = estimator.view_names_
    if len(views.names) != len(names):
        raise ValueError(f"Got {len(views.names)} views; the model was fitted on {len(names)}: {list(names)}.")
    if views.names == names:
        return views
    order = [views.names.index(n) for n in names] if set(views.names) == set(names) else range(len(names))
    return views.with_(
        names=names,
        tables=tuple(views.tables[v] for v in order),
        columns=tuple(views.columns[v] for v in order),
        present=tuple(views.present[v] for v in order),
    )


def require_same_columns(estimator: Any, views: Views, /) -> None:
    """Raise an error where columns have names that are not those of the fit, in their order."""
    for name, given, known in zip(views.names, views.columns, estimator.view_columns_, strict=True):
        if given is None or known is None or given == known:
            continue
        at = next(j for j, pair in enumerate(zip(given, known, strict=True)) if pair[0] != pair[1])
        raise ValueError(
            f"View {name!r}: column {at} is {given[at]!r}; in the fit it was {known[at]!r}. Give the columns that "
            "the model was fitted on, in their order."
        )


class Preparation(TypedDict):
    """The changes to the columns of one view, as plain data."""

    width: int  # of the view as given
    n_columns: int  # of the table that was made of it
    categories: Categories  # of every column as given
    dropped: list[int]  # encoded columns that had no number
    fill: list[float] | None  # for missing cells of the columns that are left


class _Prepared(NamedTuple):
    table: Table
    columns: Names
    preparation: Preparation
    notes: list[str]


def numeric(
    views: Views, known: Sequence[Preparation] | None, /, *, rows_may_miss: bool
) -> tuple[Views, tuple[Preparation, ...]]:
    """Convert tables to finite numbers and tell how; ``known`` is how the fit did."""
    done = [_prepare(views, v, None if known is None else known[v]) for v in range(len(views.tables))]
    for v, (table, columns, _, _) in enumerate(done):
        if not is_elsewhere(table):
            name = views.names[v]
            require_finite(table, name, rows_may_miss=rows_may_miss, columns=columns, ids=views.ids)
    checked = views.with_(
        tables=tuple(each.table for each in done),
        columns=tuple(each.columns for each in done),
        notes=(*views.notes, *(note for each in done for note in each.notes)),
        impute=None,
    )
    return checked, tuple(each.preparation for each in done)


def _prepare(views: Views, v: int, known: Preparation | None) -> _Prepared:
    table, name, columns = views.tables[v], views.names[v], views.columns[v]
    if is_elsewhere(table):
        if views.impute is not None:
            raise ValueError(f"View {name!r} is not in memory: impute={views.impute!r} works on tables in memory only.")
        width = int(table.shape[1])
        if known is not None and width != known["n_columns"]:
            raise _other_width(name, width, known, columns)
        return _Prepared(table, columns, _plain(width), [])
    if known is None:
        return _fit(table, name, columns, views.impute)
    if views.impute is not None and known["fill"] is None:
        raise ValueError(f"impute={views.impute!r} was not chosen in the fit, so there are no values to fill in.")
    return _apply(table, name, columns, known)


def _fit(table: Any, name: str, columns: Names, impute: str | None) -> _Prepared:
    """Decide from these rows how the columns become numbers."""
    preparation, notes = _plain(int(table.shape[1])), []
    frame = None if isinstance(table, np.ndarray) else frame_of(table)
    if frame is not None:
        labels = _labels(frame, columns)
        require_no_ids(frame, name, labels)
        encoded = encode(frame, name, labels)
        table, preparation["categories"], notes = encoded.table, encoded.categories, encoded.notes
        columns = None if columns is None else tuple(encoded.columns)
    table = as_numbers(table, name)
    if not sp.issparse(table):
        preparation["dropped"] = empty_columns(table)
        if preparation["dropped"]:
            notes.append(f"View {name!r}: {_some(columns, preparation['dropped'])} without any number, dropped.")
            table, columns = _without(table, columns, preparation["dropped"])
        constant = constant_columns(table)
        if constant:
            notes.append(f"View {name!r}: {_some(columns, constant)} with one value in all rows, which says nothing.")
        if impute is not None:
            preparation["fill"] = fill = column_values(table, impute)
            table, count = filled(table, fill)
            notes += [f"View {name!r}: {count} missing cells got the {impute} of their column."] if count else []
    preparation["n_columns"] = int(table.shape[1])
    return _Prepared(table, columns, preparation, notes)


def _apply(table: Any, name: str, columns: Names, known: Preparation) -> _Prepared:
    """Do to other rows what the fit did."""
    frame, width = None if isinstance(table, np.ndarray) else frame_of(table), int(table.shape[1])
    raw = width == known["width"] and (frame is not None or known["categories"] is None)
    if not raw and (width != known["n_columns"] or frame is not None):
        raise _other_width(name, width, known, columns)
    if frame is not None:
        encoded = encode(frame, name, _labels(frame, columns), known=known["categories"], fitted=True)
        table, columns = encoded.table, None if columns is None else tuple(encoded.columns)
    table = as_numbers(table, name)
    if raw and known["dropped"]:
        table, columns = _without(table, columns, known["dropped"])
    if known["fill"] is not None and not sp.issparse(table):
        table, _ = filled(table, known["fill"])
    return _Prepared(table, columns, known, [])


def as_numbers(table: Any, name: str, /) -> Table:
    """Convert one view to a 2-D float array or CSR matrix; every error names the view."""
    if type(table) is np.ndarray and table.dtype in FLOATS and table.ndim == 2 and table.size:
        return table  # the usual case needs none of the questions below
    if sp.issparse(table):
        table = verified(table, name)
    elif table.dtype.kind == "O":
        _require_numbers(table, name)
    kind = _not_numbers(table.dtype.kind)
    if kind:
        raise ValueError(f"View {name!r} holds {kind[0]}, not numbers: {kind[1]}.")
    try:
        checked = check_array(table, accept_sparse="csr", dtype=floats(table), ensure_all_finite=False)
    except (TypeError, ValueError) as error:
        raise (TypeError if isinstance(error, TypeError) else ValueError)(f"View {name!r}: {error}") from error
    return canonical(checked) if sp.issparse(checked) else checked


def floats(table: Any, /) -> Any:
    """Return the types that a table may keep, or the one that it gets; half precision becomes single."""
    return np.float32 if getattr(table, "dtype", None) == np.float16 else FLOATS


def _not_numbers(kind: str) -> tuple[str, str] | None:
    return {
        "c": ("complex numbers", "give real and imaginary parts as columns, numpy.hstack([z.real, z.imag])"),
        "M": ("dates", "turn them into numbers, such as days since a date, or drop them"),
        "m": ("durations", "turn them into numbers, such as hours, or drop them"),
        "U": ("text", "count its words, encode it as categories, or drop it"),
        "S": ("text", "count its words, encode it as categories, or drop it"),
        "V": ("records", "give their fields as columns of a 2-D array"),
    }.get(kind)


def _require_numbers(table: Any, name: str) -> None:
    for j in range(table.shape[1]):
        kind = of_objects(table[:, j], "object").kind
        if kind not in ("number", "boolean"):
            raise ValueError(f"View {name!r}: column {j} holds {kind}, not numbers: encode, convert or drop it.")


def _labels(frame: Frame, columns: Names) -> list[str]:
    return list(columns) if columns is not None else [str(label) for label in frame.labels]


def _plain(width: int) -> Preparation:
    return {"width": width, "n_columns": width, "categories": None, "dropped": [], "fill": None}


def _without(table: FloatArray, columns: Names, dropped: Sequence[int]) -> tuple[FloatArray, Names]:
    kept = np.setdiff1d(np.arange(table.shape[1]), dropped)
    return table[:, kept], None if columns is None else tuple(columns[j] for j in kept)


def _some(columns: Names, at: Sequence[int]) -> str:
    shown = ", ".join(str(j) if columns is None else repr(columns[j]) for j in at[:3])
    more = ", …" if len(at) > 3 else ""
    return f"1 column ({shown})" if len(at) == 1 else f"{len(at)} columns ({shown}{more})"


def _other_width(name: str, width: int, known: Preparation, columns: Names) -> ValueError:
    frame = "" if known["categories"] is None or width != known["width"] else " of a frame, some of them categories"
    looks = [label for label in columns or () if looks_like_ids(label)]
    hint = f" Is {looks[0]!r} an id? Views.from_tables(X, id_column={looks[0]!r}) takes it out." if looks else ""
    return ValueError(f"View {name!r} has {width} columns; the model was fitted on {known['width']}{frame}.{hint}")
