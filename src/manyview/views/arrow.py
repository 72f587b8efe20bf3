"""Rows of Parquet files and Arrow data sets, decoded as a stream: a block costs its own decoding, not its file's."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from manyview.engine.optional import optional
from manyview.kernels.arrays import FloatArray

BATCH_ROWS = 16_384
BUFFER_BYTES = 1 << 20
INDEX_COLUMN = "__index_level_"  # under which pandas stores an index without a name


class _Stream(NamedTuple):
    """Where reading stopped: the next row, what of its batch is left, and the batches to come."""

    position: int
    rest: FloatArray
    batches: Iterator[FloatArray]


class ArrowSource:
    """A data set of numeric columns.

    Reading goes on where the last reading stopped; any other place is reached through the nearest row group.
    """

    slow = True

    def __init__(self, dataset: Any, place: str, name: str) -> None:
        self.place = place
        self._dataset = dataset  # a pyarrow Dataset, or paths of Parquet files
        self._opened: Any = None
        self._lock = threading.Lock()
        self._stream: _Stream | None = None
        try:
            schema, sizes = self._fragments()[0].physical_schema, [size for _, _, size in self._parts()]
        except (OSError, ValueError) as error:
            raise ValueError(f"View {name!r}: {place} cannot be read: {error}") from error
        self._names, self.dtype = _numeric_columns(schema, place, name)
        self.columns: list[str] | None = self._names
        self._edges = np.cumsum([0, *sizes]).tolist()
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
            self._stream = _Stream(stop, rest, stream.batches)
            return np.concatenate(parts)

    def _fragments(self) -> list[Any]:
        if self._opened is None:
            if isinstance(self._dataset, list):
                self._opened = list(_arrow("pyarrow.dataset").dataset(self._dataset, format="parquet").get_fragments())
            else:
                self._opened = list(self._dataset.get_fragments())
        return list(self._opened)

    def _parts(self) -> Iterator[tuple[Any, int | None, int]]:
        """(fragment, row group, number of rows) in the order of the rows."""
        for fragment in self._fragments():
            if hasattr(fragment, "row_groups"):
                yield from ((fragment, group.id, group.num_rows) for group in fragment.row_groups)
            else:
                yield fragment, None, fragment.count_rows()

    def _rows_from(self, start: int) -> Iterator[FloatArray]:
        first = max(bisect_right(self._edges, start) - 1, 0)
        skip = start - self._edges[first]
        parts = list(self._parts())[first:]
        return _without_first(skip, (rows for part in parts for rows in self._decode(*part[:2])))

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


def _numbers(column: Any, dtype: np.dtype[Any]) -> FloatArray:
    target = _arrow().from_numpy_dtype(dtype)
    if column.type != target:
        column = column.cast(target)
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _without_first(skip: int, batches: Iterator[FloatArray]) -> Iterator[FloatArray]:
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
