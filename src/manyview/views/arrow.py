"""Rows of Parquet files and Arrow data sets; all files must have the same columns, and these must be numbers.

A row group is decoded a few columns at a time into one array: the pages and dictionaries of a column take several times
the room of its numbers, and columns one after another are decoded faster than side by side. Of a long row group only a
piece is kept. Row groups beyond a million rows, and data sets that have none, are read as a stream of batches.
"""

from __future__ import annotations

import json
import threading
from bisect import bisect_right
from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manyview.engine.optional import optional
from manyview.engine.rows import edges
from manyview.kernels.arrays import FloatArray

PIECE_ROWS = 1 << 18  # rows that are kept at once
WHOLE_ROWS = 1 << 20  # of a row group that is decoded as often as it has pieces
NUMBERS_AT_ONCE, COLUMNS_AT_ONCE = 1 << 23, 32  # that are decoded, at most
BATCH_ROWS = 1 << 14  # of a stream

Ids = tuple[NDArray[Any], ...]  # of some rows, a level of the index each


class _Stream(NamedTuple):
    """The place where reading stopped: the next row, the rest of its batch, and the batches to come."""

    position: int
    rest: FloatArray
    batches: Generator[FloatArray]


class _Part(NamedTuple):
    """A stretch of rows that is decoded on its own: a fragment, or a row group or a piece of it."""

    fragment: Any
    n_rows: int
    group: int | None = None  # row group; None: the whole fragment
    first: int | None = None  # row in its group; None: the whole group, as a stream


class ArrowSource:
    """A data set of numeric columns.

    Reading goes on where the last reading stopped; any other place is reached through the nearest piece. At the end of
    a piece nothing is kept.
    """

    slow = True

    def __init__(self, dataset: Any, place: str, name: str) -> None:
        self.place = place
        self._dataset = dataset  # a pyarrow Dataset, or paths of Parquet files
        self._opened: list[_Part] | None = None
        self._lock = threading.Lock()
        self._stream: _Stream | None = None
        try:
            schema, parts = self._open().schema, self._parts()
            if not parts:
                raise ValueError("It has no rows.")
        except (OSError, ValueError) as error:
            raise ValueError(f"View {name!r}: {place} cannot be read: {error}") from error
        fragments = list({id(part.fragment): part.fragment for part in parts}.values())
        self._names, self.dtype, self._ids = columns_of(schema, fragments, place, name, same=isinstance(dataset, list))
        self.columns: list[str] | None = self._names
        self._edges = np.cumsum([0, *(part.n_rows for part in parts)]).tolist()
        self._ends = frozenset(self._edges)
        self.shape = (self._edges[-1], len(self._names))
        self.pieces = [(start, stop) for start, stop in pairwise(self._edges) if start < stop]

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_opened": None, "_lock": None, "_stream": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock())

    def read(self, start: int, stop: int, /) -> Any:
        with self._lock:
            stream, self._stream = self._stream, None  # after an error the stream is not at this place any more
            if stream is None or stream.position != start:
                stream = _Stream(start, np.empty((0, self.shape[1]), self.dtype), self._rows_from(start))
            _, rest, batches = stream
            del stream
            parts, missing = [rest[: stop - start]], stop - start - len(rest)
            rest = rest[stop - start :]
            if missing > 0:  # release the piece before the next one is read
                parts, rest = [parts[0].copy()], rest.copy()
            while missing > 0:
                batch = next(batches, None)
                if batch is None:
                    raise OSError(f"{missing} rows fewer than its metadata says")
                parts.append(batch[:missing])
                rest = batch[missing:]
                missing -= len(batch)
            if stop in self._ends:
                batches.close()
                _arrow().default_memory_pool().release_unused()
            else:
                self._stream = _Stream(stop, rest, batches)
            parts = [part for part in parts if len(part)] or parts[:1]
            whole = len(parts) == 1 and not len(rest)  # else a block would hold the piece that it is cut from
            return parts[0] if whole else np.concatenate(parts)

    def ids(self) -> Iterator[Ids] | None:
        """Yield the index that pandas stored with the rows, in parts; None where there is none."""
        if not self._ids:
            return None
        fragments = self._open().get_fragments()
        batches = (batch for f in fragments for batch in f.to_batches(columns=self._ids, batch_size=BATCH_ROWS))
        return (tuple(np.asarray(column.to_numpy(zero_copy_only=False)) for column in b.columns) for b in batches)

    def _open(self) -> Any:
        paths = self._dataset
        return _arrow("pyarrow.dataset").dataset(paths, format="parquet") if isinstance(paths, list) else paths

    def _parts(self) -> list[_Part]:
        """List row groups, or fragments that have none, in the order of the rows."""
        if self._opened is None:
            self._opened = [part for fragment in _fragments(self._open()) for part in _parts_of(fragment)]
        return self._opened

    def _rows_from(self, start: int) -> Generator[FloatArray]:
        first = max(bisect_right(self._edges, start) - 1, 0)
        skip = start - self._edges[first]
        parts = islice(self._parts(), first, None)
        return _without_first(skip, chain.from_iterable(map(self._decode, parts)))  # which holds no piece itself

    def _decode(self, part: _Part) -> Iterator[FloatArray]:
        names = self._names
        if part.group is None:
            batches = part.fragment.to_batches(columns=names, batch_size=BATCH_ROWS)
        elif part.first is None:  # a scanner would decode the whole row group first
            batches = _parquet_file(part).iter_batches(BATCH_ROWS, row_groups=[part.group], columns=names)
        else:
            yield self._piece(part)
            return
        for batch in batches:
            rows = np.empty((batch.num_rows, len(names)), self.dtype)
            self._fill(rows, batch, names)
            yield rows

    def _piece(self, part: _Part) -> FloatArray:
        file, names = _parquet_file(part), self._names
        rows = np.empty((part.n_rows, len(names)), self.dtype)
        height = file.metadata.row_group(part.group).num_rows
        width = min(max(NUMBERS_AT_ONCE // height, 1), COLUMNS_AT_ONCE)
        for start, stop in edges(len(names), width):
            decoded = file.read_row_group(part.group, columns=names[start:stop])
            self._fill(rows[:, start:stop], decoded.slice(part.first, part.n_rows), names[start:stop])
        del decoded
        _arrow().default_memory_pool().release_unused()
        return rows

    def _fill(self, rows: FloatArray, decoded: Any, names: list[str]) -> None:
        for j, name in enumerate(names):
            rows[:, j] = _numbers(decoded.column(name), self.dtype)


def _fragments(dataset: Any) -> list[Any]:
    try:
        return list(dataset.get_fragments())
    except ValueError as error:  # a filtered data set must be read before its rows can be counted
        raise ValueError(
            f"{error} Or write its rows with pyarrow.dataset.write_dataset and give the folder, or give its to_table()."
        ) from error


def _parts_of(fragment: Any) -> Iterator[_Part]:
    if not hasattr(fragment, "row_groups"):
        yield _Part(fragment, fragment.count_rows())
        return
    for group in fragment.row_groups:
        if group.num_rows > WHOLE_ROWS:
            yield _Part(fragment, group.num_rows, group.id)
        else:
            pieces = edges(group.num_rows, PIECE_ROWS)
            yield from (_Part(fragment, stop - start, group.id, start) for start, stop in pieces)


def _parquet_file(part: _Part) -> Any:
    return _arrow("pyarrow.parquet").ParquetFile(
        part.fragment.open(), metadata=part.fragment.metadata, buffer_size=1 << 16, pre_buffer=False
    )


def _numbers(column: Any, dtype: np.dtype[Any]) -> FloatArray:
    target = _arrow().from_numpy_dtype(dtype)
    if column.type != target:
        column = column.cast(target, safe=False)  # rounds as NumPy does
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _without_first(skip: int, batches: Iterator[FloatArray]) -> Generator[FloatArray]:
    while (batch := next(batches, None)) is not None and skip >= len(batch):
        skip -= len(batch)
    if batch is not None:
        yield batch[skip:]
    del batch
    yield from batches


def _arrow(module: str = "pyarrow") -> Any:
    return optional(module, extra="files", use="Reading Parquet files and Arrow data sets")


INDEX_COLUMN = "__index_level_"  # under which pandas stores an index without a name


class Columns(NamedTuple):
    """The numeric columns of a data set."""

    names: list[str]
    dtype: np.dtype[Any]  # float32 if all are of single precision or less, else float64
    ids: list[str]  # of the index, in every file


def columns_of(schema: Any, fragments: Sequence[Any], place: str, name: str, /, *, same: bool) -> Columns:
    """Check that every fragment has the columns of a schema, with ``same`` no others; an error names the file."""
    names = [field.name for field in schema if field.name not in index_columns(schema)]
    if not names:
        raise ValueError(f"View {name!r}: {place} has no columns.")
    for fragment in fragments:
        _require_columns(fragment.physical_schema, names, getattr(fragment, "path", place), name, same=same)
    schemas = [schema, *(fragment.physical_schema for fragment in fragments)] if same else [schema]
    single = all(_is_single(each.field(column).type) for each in schemas for column in names)
    ids = [column for column in index_columns(schema) if all(column in f.physical_schema.names for f in fragments)]
    return Columns(names, np.dtype(np.float32 if single else np.float64), ids)


def _require_columns(schema: Any, names: list[str], place: str, view: str, *, same: bool) -> None:
    index = index_columns(schema)
    there = [field.name for field in schema if field.name not in index]
    lacks = [column for column in names if column not in there]
    more = [column for column in there if column not in names] if same else []
    if lacks or more:
        what, which = ("lacks", lacks) if lacks else ("has", more)
        raise ValueError(
            f"View {view!r}: {place} {what} the column {_some(which)}, unlike the first file or the schema: all files "
            "of a view must have the same columns."
        )
    types = optional("pyarrow.types", extra="files", use="Reading Parquet files and Arrow data sets")
    for column in names:
        kind = schema.field(column).type
        if not (types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind) or types.is_decimal(kind)):
            raise ValueError(f"View {view!r}: column {column!r} of {place} holds {kind}, not numbers.")


def index_columns(schema: Any) -> list[str]:
    """Return the names of the columns that are an index."""
    known = json.loads((schema.metadata or {}).get(b"pandas", b"{}")).get("index_columns", [])
    named = [column for column in known if isinstance(column, str)]  # others are ranges, which have no column
    return [field.name for field in schema if field.name in named or field.name.startswith(INDEX_COLUMN)]


def _is_single(kind: Any) -> bool:
    types = optional("pyarrow.types", extra="files", use="Reading Parquet files and Arrow data sets")
    return bool(types.is_float32(kind) or types.is_float16(kind))


def _some(names: Iterable[str]) -> str:
    shown = [repr(column) for column in names]
    return ", ".join(shown[:3]) + (", …" if len(shown) > 3 else "")
