"""Arrays on disk, for row blocks that do not fit in memory.

A pass writes all its arrays to one scratch file. The file has no name: it disappears when the last array in it is
forgotten, or when the process ends in whatever way, so nothing is ever left behind.
"""

from __future__ import annotations

import errno
import mmap
import os
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import scipy.sparse as sp

from manyview.engine.rows import as_contiguous, rebuilt

FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)


class SpillFile:
    """A nameless scratch file that arrays are appended to, by several threads."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._file = tempfile.TemporaryFile(dir=directory, buffering=0)  # noqa: SIM115 - lives as long as its arrays
        self._end = 0
        self._lock = threading.Lock()

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()

    def append(self, array: np.ndarray[Any, Any], /) -> StoredArray:
        """Write an array behind the others."""
        if array.dtype.hasobject:
            raise TypeError("Blocks on disk hold numbers; got an array of Python objects.")
        with self._lock:
            offset, self._end = self._end, self._end + array.nbytes
        if array.nbytes:
            self._write(_bytes(np.ascontiguousarray(array)), offset)
        return StoredArray(self, offset, array.shape, array.dtype)

    def _write(self, data: memoryview, offset: int) -> None:
        try:
            while data:
                written = os.pwrite(self._file.fileno(), data, offset)
                data, offset = data[written:], offset + written
        except OSError as error:
            if error.errno not in FULL:
                raise
            raise OSError(
                error.errno,
                f"No room for row blocks in {self._directory!r}, {offset / 1e9:.2f} GB into a file. "
                "Free some space, or name a directory with more of it (scratch=).",
            ) from error

    def read(self, out: np.ndarray[Any, Any], offset: int, /) -> None:
        """Fill an array from the file."""
        data = _bytes(out)
        while data:
            count = os.preadv(self._file.fileno(), [data], offset)
            if count == 0:
                raise OSError(errno.EIO, f"A scratch file in {self._directory!r} ends too early.")
            data, offset = data[count:], offset + count

    def map(self, first: StoredArray, n_rows: int, /) -> np.ndarray[Any, Any]:
        """Map everything from ``first`` on as one read-only array of rows like its own, still on disk.

        No numpy.memmap: joblib would send one to other processes by the name of its file, and this one has none.
        """
        shape = (n_rows, *first.shape[1:])
        if not prod(shape):
            return np.empty(shape, first.dtype)
        mapped = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        return np.frombuffer(mapped, first.dtype, prod(shape), first.offset).reshape(shape)


@dataclass(frozen=True, slots=True)
class StoredArray:
    """The place of an array in a scratch file."""

    file: SpillFile
    offset: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def load(self) -> np.ndarray[Any, Any]:
        """Read the array; it is read-only, because changes would not reach the disk."""
        out = np.empty(self.shape, self.dtype)
        if out.nbytes:
            self.file.read(out, self.offset)
        out.flags.writeable = False
        return out


@dataclass(frozen=True, slots=True)
class StoredCsr:
    """The places of the three arrays of a CSR matrix."""

    parts: tuple[StoredArray, ...]
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Made:
    """A block that is made from its source again whenever it is asked for."""

    make: Callable[[int, int], Any]
    start: int
    stop: int


def pack(block: Any, save: Callable[[np.ndarray[Any, Any]], StoredArray], /) -> Any:
    """Return the block with every array replaced by its place on disk; plain values stay."""
    if isinstance(block, np.ndarray):
        return save(block)
    if sp.issparse(block):
        return StoredCsr(tuple(save(part) for part in (block.data, block.indices, block.indptr)), block.shape)
    if isinstance(block, tuple | list):
        return rebuilt(block, [pack(part, save) for part in block])
    return block


class Loader:
    """Loads the arrays of one block and remembers where each came from."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[np.ndarray[Any, Any], StoredArray]] = {}

    def unpack(self, packed: Any, /) -> Any:
        """Return the block that was packed."""
        if isinstance(packed, StoredArray):
            return self._remember(packed.load(), packed)
        if isinstance(packed, StoredCsr):
            matrix = sp.csr_array(tuple(part.load() for part in packed.parts), shape=packed.shape)
            for array, stored in zip((matrix.data, matrix.indices, matrix.indptr), packed.parts, strict=True):
                self._remember(array, stored)
            return matrix
        if isinstance(packed, Made):
            return as_contiguous(packed.make(packed.start, packed.stop))
        if isinstance(packed, tuple | list):
            return rebuilt(packed, [self.unpack(part) for part in packed])
        return packed

    def saver(self, file: SpillFile, /) -> Callable[[np.ndarray[Any, Any]], StoredArray]:
        """Save to the file, but for an array that was only passed on: it stays where it is."""

        def save(array: np.ndarray[Any, Any]) -> StoredArray:
            known = self._known.get(id(array))
            return known[1] if known is not None else file.append(array)

        return save

    def _remember(self, array: np.ndarray[Any, Any], stored: StoredArray) -> np.ndarray[Any, Any]:
        self._known[id(array)] = array, stored
        return array


def rows_of(stored: Sequence[StoredArray], /) -> int:
    """Count the rows of several arrays together."""
    return sum(array.shape[0] for array in stored)


def _bytes(array: np.ndarray[Any, Any]) -> memoryview:
    return array.reshape(-1).view(np.uint8).data
