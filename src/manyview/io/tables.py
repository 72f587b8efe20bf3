"""One table of a file: its rows' ids, the names of its columns, and the numbers in it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manyview.io.data import LabelArray, ViewMatrix
from manyview.io.files import ID_NAMES, LABEL_NAMES
from manyview.io.matrices import check_labels, check_matrix, finish_view
from manyview.io.values import RawTable, Unusable, describe
from manyview.views.frames import row_major

IdArray = NDArray[Any]  # whole numbers or text


@dataclass(frozen=True, eq=False)
class TableFile:
    """One table as a file holds it.

    Parameters
    ----------
    name : str
        The file's name without its suffix.
    frame : pyarrow.Table, ndarray or CSR matrix of shape (n_samples, n_features)
        An Arrow table from csv, Parquet, Feather and Excel, its columns of any type; a matrix from other files.
        The ids are not among the columns.
    ids : ndarray of shape (n_samples,) or None
        Ids of the rows: whole numbers if all ids are, else text.
    feature_names : tuple of str or None
        Names of the columns, where the file has them.

    Examples
    --------
    >>> import numpy as np
    >>> from manyview.io import TableFile
    >>> TableFile("rna", np.ones((3, 5)), ids=np.array(["a", "b", "c"]))
    TableFile('rna', 3 x 5, with ids)
    """

    name: str
    frame: Any
    ids: IdArray | None = None
    feature_names: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        ids = "without ids" if self.ids is None else "with ids"
        return f"TableFile({self.name!r}, {self.frame.shape[0]} x {self.frame.shape[1]}, {ids})"


def to_table(raw: RawTable, where: str, name: str, /, *, id_column: str | None = None) -> TableFile:
    """Find the ids of a table and check its shape; the entries are not looked at yet."""
    if hasattr(raw.content, "schema"):
        return _from_arrow(raw, where, name, id_column)
    if isinstance(raw.content, Unusable):
        raise ValueError(f"{where} holds {describe(raw.content)}; a table of numbers is needed")
    if id_column is not None and raw.ids is None:
        raise ValueError(f"{where} has no column {id_column!r}: its columns cannot hold ids")
    matrix = check_matrix(raw.content, where)
    for what, names, size in (("rows", raw.ids, matrix.shape[0]), ("columns", raw.columns, matrix.shape[1])):
        if names is not None and len(names) != size:
            raise ValueError(f"{where} has {size} {what} and {len(names)} names for them")
    ids = None if raw.ids is None else as_ids(raw.ids, where)
    return TableFile(name, matrix, ids, None if raw.columns is None else tuple(raw.columns))


def _from_arrow(raw: RawTable, where: str, name: str, id_column: str | None) -> TableFile:
    frame = _without_blank_end(raw)
    names = [str(column) for column in frame.column_names]
    if id_column is not None:
        places = [j for j, column in enumerate(names) if column == id_column and raw.columns is not None]
        if not places:
            shown = f"its columns are {names[:10]}" if raw.columns is not None else "it has no header"
            raise ValueError(f"{where} has no column {id_column!r}; {shown}")
    else:
        index = _pandas_index(frame)
        places = [] if raw.columns is None else [j for j, column in enumerate(names) if column in index]
        places = places or ([] if raw.columns is None else [j for j, c in enumerate(names) if c.lower() in ID_NAMES])
    if len(places) > 1:
        found = [names[j] for j in places]
        raise ValueError(f"{where} has several id columns {found}; choose one with id_column=")
    ids = None
    for j in places:
        column = frame.column(j)
        if column.null_count:
            raise ValueError(f"{where} has {column.null_count} rows without an id in column {names[j]!r}")
        ids = as_ids(column.to_pylist(), where)
        frame = frame.remove_column(j)
        del names[j]
    if not names:
        raise ValueError(f"{where} has no column besides the ids")
    frame = frame.replace_schema_metadata(None)  # what pandas wrote there speaks of the index
    return TableFile(name, frame, ids, None if raw.columns is None else tuple(names))


def _without_blank_end(raw: RawTable) -> Any:
    """Leave out a last column without a name or a value, which a delimiter at the end of every line makes."""
    frame, last = raw.content, raw.content.num_columns - 1
    if raw.columns is None or last < 1 or str(frame.column_names[last]).strip():
        return frame
    blank = all(value is None or value == "" for value in frame.column(last).to_pylist())
    return frame.remove_column(last) if blank else frame


def _pandas_index(frame: Any) -> list[str]:
    """Name the columns that pandas stored as the index."""
    try:
        columns = json.loads(frame.schema.metadata[b"pandas"])["index_columns"]
        return [column for column in columns if isinstance(column, str)]
    except (TypeError, KeyError, ValueError):
        return []


def as_ids(values: list[Any], where: str, /) -> IdArray:
    """Give ids as whole numbers where that loses nothing ("7" and 7.0 do, "007" does not), else as text; each once."""
    texts = [str(int(value)) if isinstance(value, float) and value.is_integer() else str(value) for value in values]
    ids = np.array(texts, dtype=np.str_)
    if all(len(text) < 19 and text.removeprefix("-").isdecimal() and text == str(int(text)) for text in texts):
        ids = np.array(texts, dtype=np.int64)
    rows: dict[str, int] = {}
    for row, text in enumerate(texts):
        if rows.setdefault(text, row) != row:
            raise ValueError(f"{where} has the id {text!r} twice, in rows {rows[text]} and {row}")
    return ids


def to_view(table: TableFile, where: str, /) -> ViewMatrix:
    """Give the numbers of a table that has nothing else."""
    frame = table.frame
    return finish_view(_numbers(frame, where) if hasattr(frame, "schema") else frame, where)


def _numbers(frame: Any, where: str) -> ViewMatrix:
    """Make a matrix of an Arrow table; null is NaN."""
    import pyarrow as pa

    columns = []
    for name, column in zip(frame.column_names, frame.columns, strict=True):
        kind = column.type
        is_numeric = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_decimal)
        if pa.types.is_null(kind) or any(check(kind) for check in is_numeric):
            columns.append(column.cast(pa.float32() if pa.types.is_float32(kind) else pa.float64()))
        else:
            raise ValueError(f"{where}: column {name!r} {_complaint(column)}; a view must hold real numbers")
    single = bool(columns) and all(pa.types.is_float32(column.type) for column in columns)
    matrix = row_major(pa.table(columns, names=frame.column_names), np.float32 if single else np.float64)
    return check_matrix(matrix, where)


def _complaint(column: Any) -> str:
    import pyarrow as pa

    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return f"holds {column.type} values"
    for row, text in enumerate(column.to_pylist()):
        try:
            is_number = not text or (float(text) is not None and "_" not in text)  # Python reads 1_5 as 15
        except ValueError:
            is_number = False
        if not is_number:
            return f"is {text!r} in row {row}"
    return "holds text"


def to_labels(table: TableFile, where: str, /) -> LabelArray:
    """Give the labels in a table of one column, or in the one column that has a usual name."""
    frame = table.frame
    if not hasattr(frame, "schema"):
        return check_labels(frame, where)
    names = list(frame.column_names)
    places = [j for j, name in enumerate(names) if name.lower() in LABEL_NAMES] or list(range(len(names)))
    if len(places) != 1:
        raise ValueError(f"{where}: labels must be one column besides the ids; found {names}")
    values = frame.column(places[0]).to_pylist()
    bad = next((row for row, value in enumerate(values) if value is None or value == ""), None)
    if bad is not None:
        raise ValueError(f"{where}: row {bad} has no label")
    return check_labels(np.array(values), where)
