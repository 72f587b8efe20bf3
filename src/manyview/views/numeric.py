"""Views as given turned into tables of numbers: the same way at predict as in the fit.

Columns without any number go; missing cells of others are filled if that is asked for.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple, TypedDict

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array

from manyview.kernels.arrays import BoolArray, FloatArray, Table
from manyview.views.blocks import require_finite
from manyview.views.container import Views, is_elsewhere
from manyview.views.encode import Categories, encode, looks_like_ids, require_no_ids
from manyview.views.frames import Frame, frame_of, of_objects
from manyview.views.sources import Names
from manyview.views.sparse import canonical, verified

FLOATS = (np.float64, np.float32)


class Preparation(TypedDict):
    """What was done to the columns of one view, as plain data."""

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
    """Tables of finite numbers, and what was done to get them; ``known`` is what the fit did."""
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
    frame = frame_of(table)
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
            notes.append(_dropped(name, columns, preparation["dropped"]))
            table, columns = _without(table, columns, preparation["dropped"])
        if impute is not None:
            preparation["fill"] = fill = column_values(table, impute)
            table, count = filled(table, fill)
            notes += [f"View {name!r}: {count} missing cells got the {impute} of their column."] if count else []
    preparation["n_columns"] = int(table.shape[1])
    return _Prepared(table, columns, preparation, notes)


def _apply(table: Any, name: str, columns: Names, known: Preparation) -> _Prepared:
    """Do to other rows what the fit did."""
    frame, width = frame_of(table), int(table.shape[1])
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
    """One view as a 2-D float array or CSR matrix; every error names the view."""
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
    """The types that a table may keep, or the one that it gets: half precision becomes single, as in files."""
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


def _dropped(name: str, columns: Names, dropped: Sequence[int]) -> str:
    shown = ", ".join(str(j) if columns is None else repr(columns[j]) for j in dropped[:3])
    more = ", …" if len(dropped) > 3 else ""
    return f"View {name!r}: {len(dropped)} columns without any number were dropped ({shown}{more})."


def _other_width(name: str, width: int, known: Preparation, columns: Names) -> ValueError:
    frame = "" if known["categories"] is None or width != known["width"] else " of a frame, some of them categories"
    looks = [label for label in columns or () if looks_like_ids(label)]
    hint = f" Is {looks[0]!r} an id? Views.from_tables(X, id_column={looks[0]!r}) takes it out." if looks else ""
    return ValueError(f"View {name!r} has {width} columns; the model was fitted on {known['width']}{frame}.{hint}")


def empty_columns(table: FloatArray, /) -> list[int]:
    """Columns without any number, unless that is all of them."""
    if len(table) < 2 or not np.isnan(table[0]).any():
        return []
    empty = np.flatnonzero(np.isnan(table).all(axis=0))
    return [] if len(empty) == table.shape[1] else empty.tolist()


def column_values(table: FloatArray, impute: str, /) -> list[float]:
    """The mean or median of every column, of the cells that are there."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Mean of empty slice|All-NaN slice", RuntimeWarning)
        values = np.nanmean(table, axis=0, dtype=np.float64) if impute == "mean" else np.nanmedian(table, axis=0)
    return np.asarray(values, dtype=np.float64).tolist()


def filled(table: FloatArray, values: Sequence[float], /) -> tuple[FloatArray, int]:
    """The table with missing cells filled, and their number; rows that are missing altogether stay so."""
    missing: BoolArray = np.asarray(np.isnan(table))
    missing &= ~np.all(missing, axis=1, keepdims=True)
    count = int(missing.sum())
    return (np.where(missing, np.asarray(values, table.dtype), table), count) if count else (table, 0)
