"""Data frames of pandas, polars and Arrow behind one small interface; none of the libraries is imported for it.

A frame is known by the module of its type. Whoever has a frame has its library, so `sys.modules` holds it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from manyview.kernels.arrays import IntArray
from manyview.views.arrow import index_columns

ROWS_AT_ONCE = 1 << 12  # of an Arrow table, whose columns lie one after the other


class Column(NamedTuple):
    """One column of a frame, by what it holds."""

    kind: str  # "number", "boolean", "category"; "text", "dates", "complex numbers" or what else cannot be a feature
    values: NDArray[Any]  # floats, NaN where missing; codes of a category, -1 where missing; objects of anything else
    categories: list[Any] | None = None
    single: bool = False  # whether single precision holds the numbers


class Frame(Protocol):
    """The interface to a data frame of any library."""

    library: str
    table: Any
    labels: list[Any]  # of the columns

    def ids(self) -> NDArray[Any] | None:
        """Return the ids in the index of the rows; None if there are none."""

    def take(self, rows: IntArray, /) -> Any:
        """Return a frame of these rows; -1 is a row of missing values."""

    def select(self, positions: Sequence[int], /) -> Any:
        """Return a frame of these columns."""

    def column(self, position: int, /) -> Column:
        """Return one column as numbers, categories, text or objects."""

    def listed(self, position: int, /) -> list[Any]:
        """Return the values of one column unchanged, for ids."""

    def matrix(self) -> NDArray[Any] | None:
        """Return all columns at once, if they are known to be numbers."""


def frame_of(table: Any, /) -> Frame | None:
    """Return the interface to a frame; None for anything else."""
    makers: dict[str, Callable[[Any], Frame]] = {"pandas": PandasFrame, "polars": PolarsFrame, "pyarrow": ArrowFrame}
    for base in type(table).__mro__:
        library = base.__module__.partition(".")[0]
        if library in makers and base.__name__ in ("DataFrame", "Table", "RecordBatch"):
            return makers[library](table)
    return None


def empty_rows(frame: Frame, /) -> NDArray[np.bool_]:
    """Find the rows without any value."""
    empty: NDArray[np.bool_] | None = None
    for j in range(len(frame.labels)):
        column = frame.column(j)
        if column.kind in ("number", "boolean"):
            here = np.isnan(column.values)
        elif column.kind == "category":
            here = column.values < 0
        else:
            here = np.array([is_missing(value) for value in column.values.tolist()], dtype=bool)
        empty = here if empty is None else empty & here
        if not empty.any():
            break
    return np.zeros(frame.table.shape[0], dtype=bool) if empty is None else empty


def shown(identifier: Any, /) -> str:
    """Write an id in a message without the types of NumPy."""
    if isinstance(identifier, np.datetime64 | np.timedelta64):
        return str(identifier)
    return repr(identifier.item() if isinstance(identifier, np.generic) else identifier)


class PandasFrame:
    """A pandas DataFrame; an index other than the default one holds ids."""

    library = "pandas"

    def __init__(self, table: Any) -> None:
        self.table = table
        self.labels = list(table.columns)

    def ids(self) -> NDArray[Any] | None:
        index = self.table.index
        default = type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1
        return (
            None
            if default
            else as_ids(index.tolist() if index.dtype == object or index.nlevels > 1 else index.to_numpy())
        )

    def take(self, rows: IntArray, /) -> Any:
        if (rows >= 0).all():
            return self.table.iloc[rows]
        frame = self.table.reset_index(drop=True)
        truths = [j for j, dtype in enumerate(frame.dtypes) if dtype.name == "bool"]
        for j in truths:  # beside a missing value these would become objects
            frame.isetitem(j, frame.iloc[:, j].astype("boolean"))
        return frame.reindex(rows)

    def select(self, positions: Sequence[int], /) -> Any:
        return self.table.iloc[:, list(positions)]

    def listed(self, position: int, /) -> list[Any]:
        values: list[Any] = self.table.iloc[:, position].tolist()
        return values

    def matrix(self) -> NDArray[Any] | None:
        plain = all(isinstance(dtype, np.dtype) and dtype.kind in "iuf" for dtype in set(self.table.dtypes))
        return self.table.to_numpy() if plain else None

    def column(self, position: int, /) -> Column:
        series = self.table.iloc[:, position]
        if "dictionary" in str(series.dtype):
            series = series.astype("category")
        dtype = series.dtype
        if dtype.name == "category":
            return Column("category", series.cat.codes.to_numpy(), series.cat.categories.tolist())
        kind = getattr(dtype, "kind", "O")
        if kind in "iufb":
            single = dtype in ("float32", "float16", "Float32")
            values = series.to_numpy(dtype=np.float64, na_value=np.nan) if series.hasnans else series.to_numpy()
            return Column("boolean" if kind == "b" else "number", np.asarray(values, np.float64), single=single)
        if kind in "Mmc":
            return Column("complex numbers" if kind == "c" else "dates or times", series.to_numpy())
        return of_objects(series.to_numpy(dtype=object), str(dtype))


class PolarsFrame:
    """A polars DataFrame, which has no index."""

    library = "polars"

    def __init__(self, table: Any) -> None:
        self.table = table
        self.labels = list(table.columns)

    def ids(self) -> None:
        return None

    def take(self, rows: IntArray, /) -> Any:
        pl = sys.modules["polars"]
        wanted = pl.Series([None if row < 0 else int(row) for row in rows], dtype=pl.UInt32)
        return self.table.select(pl.all().gather(wanted))

    def select(self, positions: Sequence[int], /) -> Any:
        return self.table[:, list(positions)]

    def listed(self, position: int, /) -> list[Any]:
        values: list[Any] = self.table.to_series(position).to_list()
        return values

    def matrix(self) -> None:
        return None

    def column(self, position: int, /) -> Column:
        pl = sys.modules["polars"]
        series = self.table.to_series(position)
        dtype = series.dtype
        if dtype in (pl.Categorical, pl.Enum):
            texts = series.cast(pl.String)
            categories = dtype.categories.to_list() if dtype == pl.Enum else sorted(texts.drop_nulls().unique())
            return Column("category", codes_of(texts.to_list(), categories), categories)
        if dtype.is_numeric() or dtype in (pl.Boolean, pl.Null):
            kind = "boolean" if dtype == pl.Boolean else "number"
            return Column(kind, series.cast(pl.Float64).to_numpy(), single=dtype == pl.Float32)
        kind = "dates or times" if dtype.is_temporal() else str(dtype)
        return Column("text" if dtype == pl.String else kind, np.array(series.to_list(), dtype=object))


class ArrowFrame:
    """A pyarrow Table; the index that pandas stored with it holds ids."""

    library = "pyarrow"

    def __init__(self, table: Any) -> None:
        if type(table).__name__ == "RecordBatch":
            table = sys.modules["pyarrow"].Table.from_batches([table])
        self._index = index_columns(table.schema)
        self._whole = table
        kept = [j for j, name in enumerate(table.column_names) if name not in self._index]
        self.table = table.select(kept)
        self.labels = list(self.table.column_names)

    def ids(self) -> NDArray[Any] | None:
        levels = [self._whole.column(name).to_pylist() for name in self._index]
        if not levels:
            return None
        return as_ids(levels[0] if len(levels) == 1 else list(zip(*levels, strict=True)))

    def take(self, rows: IntArray, /) -> Any:
        return self.table.take(sys.modules["pyarrow"].array(rows, mask=rows < 0))

    def select(self, positions: Sequence[int], /) -> Any:
        return self.table.select(list(positions))

    def listed(self, position: int, /) -> list[Any]:
        values: list[Any] = self.table.column(position).to_pylist()
        return values

    def matrix(self) -> NDArray[Any] | None:
        types, kinds = sys.modules["pyarrow"].types, set(self.table.schema.types)
        is_number = (types.is_floating, types.is_integer, types.is_decimal)
        if not kinds or not all(any(check(kind) for check in is_number) for kind in kinds):
            return None
        single = all(types.is_float32(kind) or types.is_float16(kind) for kind in kinds)
        return row_major(self.table, np.float32 if single else np.float64)

    def column(self, position: int, /) -> Column:
        pa = sys.modules["pyarrow"]
        column, types = self.table.column(position), pa.types
        kind = column.type
        if types.is_dictionary(kind):
            column = column.unify_dictionaries().combine_chunks()
            codes = column.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
            return Column("category", codes, column.dictionary.to_pylist())
        if types.is_boolean(kind) or types.is_null(kind):  # Arrow casts neither to floats
            values = np.array([np.nan if value is None else value for value in column.to_pylist()], np.float64)
            return Column("boolean" if types.is_boolean(kind) else "number", values)
        if types.is_floating(kind) or types.is_integer(kind) or types.is_decimal(kind):
            values = column.cast("float64", safe=False).to_numpy(zero_copy_only=False)
            return Column("number", values, single=types.is_float32(kind) or types.is_float16(kind))
        text = types.is_string(kind) or types.is_large_string(kind)
        name = "text" if text else "dates or times" if types.is_temporal(kind) else str(kind)
        return Column(name, np.array(column.to_pylist(), dtype=object))


def row_major(table: Any, dtype: type[np.floating[Any]], /) -> NDArray[Any]:
    """Copy an Arrow table to a row-major array, missing numbers as NaN, in parts that fit the cache."""
    matrix = np.empty(table.shape, dtype)
    wanted, start = sys.modules["pyarrow"].from_numpy_dtype(dtype), 0
    for batch in table.to_batches(max_chunksize=ROWS_AT_ONCE):
        rows = matrix[start : start + batch.num_rows]
        for j, column in enumerate(batch.columns):
            numbers = column if column.type == wanted else column.cast(wanted, safe=False)
            rows[:, j] = numbers.to_numpy(zero_copy_only=False)
        start += batch.num_rows
    return matrix


def of_objects(values: NDArray[Any], name: str, /) -> Column:
    """Return a column of Python objects as numbers if all of them are, else as text or unchanged."""
    present = [value for value in values.tolist() if not is_missing(value)]
    if all(isinstance(value, bool | int | float | np.number | np.bool_) for value in present):
        if any(isinstance(value, np.complexfloating) for value in present):
            return Column("complex numbers", values)
        floats = np.array([np.nan if is_missing(value) else value for value in values.tolist()], np.float64)
        truths = bool(present) and all(isinstance(value, bool | np.bool_) for value in present)
        return Column("boolean" if truths else "number", floats)
    first = present[0]
    text = isinstance(first, str | bytes)
    dates = hasattr(first, "isoformat") or hasattr(first, "total_seconds")
    return Column("text" if text else "dates or times" if dates else f"{type(first).__name__} ({name})", values)


def is_missing(value: Any, /) -> bool:
    """Return whether a value of a column or an id is None, NaN, NaT or pandas' NA."""
    return value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and value != value)


def codes_of(values: Sequence[Any], categories: Sequence[Any], /) -> IntArray:
    """Place of every value among the categories; -1 where it is missing, the number of categories where unknown."""
    place = {category: code for code, category in enumerate(categories)}
    return np.array([-1 if is_missing(v) else place.get(v, len(place)) for v in values], dtype=np.intp)


def as_ids(values: Sequence[Any] | NDArray[Any], /) -> NDArray[Any]:
    """Convert ids to an array with one entry per row, also where they are tuples or of several types."""
    listed = values.tolist() if isinstance(values, np.ndarray) and values.dtype == object else values
    if len({type(value) for value in listed}) <= 1 or (isinstance(listed, np.ndarray) and listed.ndim == 1):
        ids = np.asarray(listed)
        if ids.ndim == 1:
            return ids
    ids = np.empty(len(listed), dtype=object)  # NumPy would make text of mixed types, and columns of tuples
    ids[:] = list(listed)
    return ids
