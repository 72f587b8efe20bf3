"""Rows of Parquet files and Arrow data sets, decoded as a stream: a block costs its own decoding, not its file's."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Generator, Iterator
from itertools import islice, pairwise
from typing import Any, NamedTuple

import numpy as np

from manyview.engine.optional import optional
from manyview.kernels.arrays import FloatArray

BATCH_ROWS = 16_384
BUFFER_BYTES = 1 << 16  # of every column
INDEX_COLUMN = "__index_level_"  # under which pandas stores an index without a name


class _Stream(NamedTuple):
    """Where reading stopped: the next row, what of its batch is left, and the batches to come."""

    position: int
    rest: FloatArray
    batches: Generator[FloatArray]


class _Part(NamedTuple):
    """A stretch of rows that is decoded on its own."""

    fragment: Any
    group: int | None  # row group; None: the whole fragment
    n_rows: int


class ArrowSource:
    """A data set of numeric columns.

    Reading goes on where the last reading stopped; any other place is reached through the nearest row group. At the end
    of a row group nothing is kept: what is decoded of every column takes a megabyte or more.
    """

    slow = True

    def __init__(self, dataset: Any, place: str, name: str) -> None:
        self.place = place
        self._dataset = dataset  # a pyarrow Dataset, or paths of Parquet files
        self._opened: list[_Part] | None = None
        self._lock = threading.Lock()
        self._stream: _Stream | None = None
        try:
            parts = self._parts()
            if not parts:
                raise ValueError("it has no rows")
        except (OSError, ValueError) as error:
            raise ValueError(f"View {name!r}: {place} cannot be read: {error}") from error
        self._names, self.dtype = _numeric_columns(parts[0].fragment.physical_schema, place, name)
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
            if self._stream is None or self._stream.position != start:
                self._stream = _Stream(start, np.empty((0, self.shape[1]), self.dtype), self._rows_from(start))
            stream, self._stream = self._stream, None  # whatever goes wrong, the stream is not where it was
            parts, missing = [stream.rest[: stop - start]], stop - start - len(stream.rest)
            rest = stream.rest[stop - start :]
            while missing > 0:
                batch = next(stream.batches, None)
                if batch is None:
                    raise OSError(f"{missing} rows fewer than its metadata says")
                parts.append(batch[:missing])
                rest = batch[missing:]
                missing -= len(batch)
            if stop in self._ends:
                stream.batches.close()
                _arrow().default_memory_pool().release_unused()
            else:
                self._stream = _Stream(stop, rest, stream.batches)
            return np.concatenate(parts)

    def _parts(self) -> list[_Part]:
        """Row groups, or fragments that have none, in the order of the rows."""
        if self._opened is None:
            dataset = self._dataset
            if isinstance(dataset, list):
                dataset = _arrow("pyarrow.dataset").dataset(dataset, format="parquet")
            self._opened = [part for fragment in dataset.get_fragments() for part in _parts_of(fragment)]
        return self._opened

    def _rows_from(self, start: int) -> Generator[FloatArray]:
        first = max(bisect_right(self._edges, start) - 1, 0)
        skip = start - self._edges[first]
        parts = islice(self._parts(), first, None)
        return _without_first(skip, (rows for part in parts for rows in self._decode(part.fragment, part.group)))

    def _decode(self, fragment: Any, group: int | None) -> Iterator[FloatArray]:
        if group is None:
            batches = fragment.to_batches(columns=self._names, batch_size=BATCH_ROWS)
        else:  # a scanner would decode the whole row group first
            file = _arrow("pyarrow.parquet").ParquetFile(fragment.open(), buffer_size=BUFFER_BYTES, pre_buffer=False)
            batches = file.iter_batches(BATCH_ROWS, row_groups=[group], columns=self._names)
        for batch in batches:
            rows = np.empty((batch.num_rows, len(self._names)), self.dtype)
            for j, name in enumerate(self._names):
                rows[:, j] = _numbers(batch.column(name), self.dtype)
            yield rows


def _parts_of(fragment: Any) -> Iterator[_Part]:
    if hasattr(fragment, "row_groups"):
        yield from (_Part(fragment, group.id, group.num_rows) for group in fragment.row_groups)
    else:
        yield _Part(fragment, None, fragment.count_rows())


def _numbers(column: Any, dtype: np.dtype[Any]) -> FloatArray:
    target = _arrow().from_numpy_dtype(dtype)
    if column.type != target:
        column = column.cast(target)
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _without_first(skip: int, batches: Iterator[FloatArray]) -> Generator[FloatArray]:
    for batch in batches:
        if skip < len(batch):
            yield batch[skip:]
        skip = max(skip - len(batch), 0)


def _numeric_columns(schema: Any, place: str, name: str) -> tuple[list[str], np.dtype[Any]]:
    types = _arrow("pyarrow.types")
    fields = [field for field in schema if not field.name.startswith(INDEX_COLUMN)]
    for field in fields:
        kind = field.type
        if not (types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind) or types.is_decimal(kind)):
            raise ValueError(f"View {name!r}: column {field.name!r} of {place} holds {kind}, not numbers.")
    if not fields:
        raise ValueError(f"View {name!r}: {place} has no columns.")
    single = all(types.is_float32(field.type) or types.is_float16(field.type) for field in fields)
    return [field.name for field in fields], np.dtype(np.float32 if single else np.float64)


def _arrow(module: str = "pyarrow") -> Any:
    return optional(module, extra="files", use="Reading Parquet files and Arrow data sets")
