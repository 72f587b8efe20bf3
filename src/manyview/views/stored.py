"""Tables that stay on disk: ``.npy`` files, memory maps, Parquet files and folders, Arrow data sets.

A :class:`StoredTable` looks like a table of floats, but only the rows that are asked for are read. What is read is
checked on the way: an error names the view and the row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from manyview.kernels.arrays import FloatArray, IntArray, float_type
from manyview.views.arrow import ArrowSource
from manyview.views.blocks import require_finite

READ_ROWS = 65_536  # at once, where all rows are wanted
PARQUET = (".parquet", ".pq")


class Source(Protocol):
    """The file or data set of a stored table."""

    place: str  # for messages
    shape: tuple[int, int]
    dtype: np.dtype[Any]  # of what is stored
    columns: list[str] | None
    pieces: list[tuple[int, int]]  # stretches of rows that are best read at once
    slow: bool  # decoding costs more than reading plain numbers

    def read(self, start: int, stop: int, /) -> Any:
        """Read rows start … stop as an array of numbers."""


class StoredTable:
    """A table (n_samples, n_columns) of float32 or float64 that is read row block by row block.

    Parameters
    ----------
    source : path, numpy.memmap, pyarrow.dataset.Dataset
        A ``.npy`` file, a Parquet file, a folder of Parquet files (in the order of their names, numbers counting as
        numbers), or what NumPy or Arrow have opened.
    name : str
        The view's name in messages.

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> from manyview.views import StoredTable
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/image.npy", np.arange(12).reshape(4, 3))
    ...     table = StoredTable(f"{folder}/image.npy", name="image")
    ...     table.shape, table[1:3]
    ((4, 3), array([[3., 4., 5.], [6., 7., 8.]]))
    >>> table.renamed("picture").name, table.ids() is None  # an .npy file has no ids
    ('picture', True)
    """

    ndim = 2

    def __init__(self, source: Any, *, name: str = "view 0") -> None:
        self.name = name
        self._source: Source = _open(source, name)
        self._first, self._last = 0, self._source.shape[1]
        self.dtype: np.dtype[Any] = float_type(self._source.dtype)

    @property
    def shape(self) -> tuple[int, int]:
        """Return the numbers of rows and columns."""
        return self._source.shape[0], self._last - self._first

    @property
    def columns(self) -> list[str] | None:
        """Return the names of the columns, if they have names."""
        names = self._source.columns
        return None if names is None else names[self._first : self._last]

    @property
    def pieces(self) -> list[tuple[int, int]]:
        """List the ranges of rows that are best read at once."""
        return self._source.pieces

    @property
    def slow(self) -> bool:
        """Return whether copying the rows is faster than reading them twice."""
        return self._source.slow

    def ids(self) -> Any:
        """Yield the ids that are stored with the rows, each part a tuple of arrays; None if there are none.

        Returns
        -------
        iterator of tuples of arrays, or None
            The ids, in parts.
        """
        return self._source.ids() if isinstance(self._source, ArrowSource) else None

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> Any:
        """Read ``table[start:stop]`` or ``table[rows]``; ``table[:, a:b]`` is again a stored table."""
        if isinstance(key, tuple):
            return self._between(*key)
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self))
            if step == 1:
                return self._read(start, max(start, stop))
            key = np.arange(start, stop, step)
        return self._take(np.asarray(key))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> FloatArray:
        out = np.empty(self.shape, self.dtype)
        for start in range(0, len(self), READ_ROWS):
            out[start : start + READ_ROWS] = self[start : start + READ_ROWS]
        return out if dtype is None else out.astype(dtype, copy=False)

    def _between(self, rows: slice, columns: slice) -> StoredTable:
        if rows != slice(None) or columns.step not in (None, 1):
            raise TypeError("A stored table is cut by columns as table[:, start:stop].")
        start, stop, _ = columns.indices(self.shape[1])
        part = StoredTable.__new__(StoredTable)
        part.__dict__.update(self.__dict__, _first=self._first + start, _last=self._first + stop)
        return part

    def renamed(self, name: str, /) -> StoredTable:
        """Return the same table under another name.

        Parameters
        ----------
        name : str
            The new name.

        Returns
        -------
        StoredTable
            It shares the file.
        """
        part = self[:, :]
        part.name = name
        return part

    def _take(self, rows: IntArray) -> FloatArray:
        if rows.dtype == bool:
            rows = np.flatnonzero(rows)
        rows = np.where(rows < 0, rows + len(self), rows)
        if len(rows) and not 0 <= rows.min() <= rows.max() < len(self):
            raise IndexError(f"View {self.name!r} has rows 0 … {len(self) - 1}.")
        out = np.empty((len(rows), self.shape[1]), self.dtype)
        order = np.argsort(rows, kind="stable")
        for start in range(0, len(self), READ_ROWS):
            first, last = np.searchsorted(rows, (start, start + READ_ROWS), sorter=order)
            if first < last:
                here = order[first:last]
                low, high = rows[here[0]], rows[here[-1]] + 1
                out[here] = self._read(int(low), int(high))[rows[here] - low]
        return out

    def _read(self, start: int, stop: int) -> FloatArray:
        try:
            block = self._source.read(start, stop)
        except (KeyError, NotImplementedError, OSError, TypeError, ValueError) as error:  # Arrow's are of these kinds
            raise OSError(
                f"View {self.name!r}: rows {start} … {stop - 1} of {self._source.place} cannot be read: {error}"
            ) from error
        block = np.ascontiguousarray(block[:, self._first : self._last], dtype=self.dtype)
        require_finite(block, self.name, start=start, rows_may_miss=True)
        return block


def is_stored(item: Any, /) -> bool:
    """Return whether an item of the input is a table on disk."""
    return isinstance(item, str | PathLike | np.memmap | StoredTable) or _is_dataset(item)


def _is_dataset(item: Any) -> bool:
    return type(item).__module__.startswith("pyarrow") and hasattr(item, "get_fragments")


def _open(source: Any, name: str) -> Source:
    if isinstance(source, np.memmap):
        return MappedSource(source, name)
    if _is_dataset(source):
        return ArrowSource(source, "the Arrow data set", name)
    path = Path(fspath(source)).absolute()  # workers may run in another directory
    if path.suffix == ".npy" and path.is_file():
        return NpySource(path, name)
    if path.is_dir():
        files = sorted(_parquet_files(path), key=lambda file: _natural(str(file.relative_to(path))))
        if not files:
            raise ValueError(f"View {name!r}: the folder {str(path)!r} holds no .parquet file.")
        return ArrowSource([str(file) for file in files], repr(str(path)), name)
    if path.suffix in PARQUET and path.is_file():
        return ArrowSource([str(path)], repr(str(path)), name)
    if not path.exists():
        raise FileNotFoundError(f"View {name!r}: there is no file or folder {str(path)!r}.")
    raise ValueError(f"View {name!r}: {str(path)!r} is neither .npy nor Parquet nor a folder of Parquet files.")


def _parquet_files(folder: Path) -> Iterator[Path]:
    """List the Parquet files below a folder, without names that begin with a dot or an underscore."""
    for file in folder.rglob("*"):
        own = file.relative_to(folder).parts
        if file.suffix in PARQUET and not any(part.startswith((".", "_")) for part in own) and file.is_file():
            yield file


def _natural(text: str) -> list[Any]:
    """Return a sort key that puts part.10 after part.2."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", text)]


def _check_array(array: Any, name: str, place: str) -> None:
    if array.ndim != 2:
        raise ValueError(f"View {name!r}: {place} has {array.ndim} dimensions; a view is a table.")
    if not array.shape[1]:
        raise ValueError(f"View {name!r}: {place} has no columns.")
    if array.dtype.kind not in "fiub" or array.dtype == np.longdouble:
        raise ValueError(f"View {name!r}: {place} holds {array.dtype}, not numbers of a usual kind.")


def _stretches(n_rows: int) -> list[tuple[int, int]]:
    return [(start, min(start + READ_ROWS, n_rows)) for start in range(0, n_rows, READ_ROWS)]


class MappedSource:
    """A memory map that NumPy has opened."""

    columns: list[str] | None = None
    slow = False

    def __init__(self, array: Any, name: str) -> None:
        self.place = "the memory map"
        _check_array(array, name, self.place)
        self._array = array
        self.shape, self.dtype = array.shape, array.dtype
        self.pieces = _stretches(len(array))

    def read(self, start: int, stop: int, /) -> Any:
        return np.array(self._array[start:stop])


class NpySource:
    """A ``.npy`` file, read and not mapped: mapped pages would count as this process's memory."""

    columns: list[str] | None = None
    slow = False

    def __init__(self, path: Path, name: str) -> None:
        self.place = repr(str(path))
        try:
            header = np.load(path, mmap_mode="r", allow_pickle=False)
        except (ValueError, EOFError) as error:
            raise ValueError(f"View {name!r}: {self.place} is not a readable .npy file: {error}") from error
        _check_array(header, name, self.place)
        if not header.flags.c_contiguous:
            raise ValueError(
                f"View {name!r}: {self.place} is stored column by column; save numpy.ascontiguousarray(table)."
            )
        self._path, self._offset = path, int(header.offset)
        self.shape, self.dtype = header.shape, header.dtype
        self.pieces = _stretches(len(header))

    def read(self, start: int, stop: int, /) -> Any:
        row_bytes = self.shape[1] * self.dtype.itemsize
        count = (stop - start) * self.shape[1]
        numbers = np.fromfile(self._path, self.dtype, count, offset=self._offset + start * row_bytes)
        if len(numbers) < count:
            raise OSError("the file is shorter than its header says")
        return numbers.reshape(stop - start, self.shape[1])
