"""The one door for all input: whatever users have, out come matched, finite, numeric views.

An estimator remembers the views of its fit; other views are compared with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Number
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, validate_data

from manyview.views.container import Views, is_elsewhere
from manyview.views.dask_tables import is_dask
from manyview.views.frames import frame_of
from manyview.views.numeric import Preparation, as_numbers, floats, numeric
from manyview.views.ranges import Ranges
from manyview.views.sources import IdColumn, as_array, is_one_table, refuse
from manyview.views.sparse import verified
from manyview.views.stored import is_stored

__all__ = ["check_views", "in_memory", "is_elsewhere"]


def check_views(
    X: Any,
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
        X = _as_scikit_learn_has_it(X, estimator, reset)
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
    """Whether X is one table of a kind that scikit-learn knows."""
    if isinstance(X, Views):
        return False
    frame = frame_of(X)
    if frame is not None:
        return frame.library != "pyarrow"
    return is_one_table(X) and (isinstance(X, np.memmap) or not (is_stored(X) or is_dask(X)))


def _as_scikit_learn_has_it(X: Any, estimator: Any, reset: bool) -> Any:
    """One table through scikit-learn's own validation, so that its conventions hold to the letter."""
    if frame_of(X) is not None:
        if estimator is not None:
            validate_data(estimator, X, reset=reset, skip_check_array=True)
        return X
    refuse(X, "view 0")
    if isinstance(X, np.memmap):
        _as_scikit_learn_has_it(np.asarray(X[:2]), estimator, reset)  # what it has to say, said about a few rows
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
    """Views as the estimator was fitted on: by name where the names are the same set, else by position."""
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
