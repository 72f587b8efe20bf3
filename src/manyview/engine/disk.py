"""Row blocks on disk: of all rows, only the few blocks that threads are working on are in memory.

A pass reads its blocks from scratch files and writes the new ones to another. Arrays that a function only passes on
are not written again, so an iteration moves what it changes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import hypot
from os import PathLike, fspath
from typing import Any

import numpy as np

from manyview.engine.memory import MemoryEngine
from manyview.engine.rows import (
    BLOCK_ROWS,
    B,
    C,
    FitBytes,
    Need,
    Rows,
    T,
    Takes,
    as_contiguous,
    concatenate,
    even_edges,
    fold,
)
from manyview.engine.spill import Loader, Made, SpillFile, pack, rows_of


class DiskRows:
    """Blocks that are loaded when they are asked for."""

    def __init__(self, packed: Sequence[Any]) -> None:
        self.packed = packed

    def __len__(self) -> int:
        return len(self.packed)

    def __iter__(self) -> Iterator[Any]:
        return (Loader().unpack(block) for block in self.packed)


class DiskEngine:
    """The engine for data that does not fit in memory.

    Parameters
    ----------
    n_jobs, block_rows
        As for the engine in memory, and with the same bits.
    scratch : path, optional
        Directory for the blocks, by default that of temporary files. On some systems that one is kept in memory.
    """

    takes: Takes = "stored"

    def __init__(
        self, *, n_jobs: int | None = None, block_rows: int = BLOCK_ROWS, scratch: str | PathLike[str] | None = None
    ) -> None:
        self._local = MemoryEngine(n_jobs=n_jobs, block_rows=block_rows)
        self.block_rows = block_rows
        self.scratch = fspath(tempfile.gettempdir() if scratch is None else scratch)

    @classmethod
    def of(cls, *, n_jobs: int | None, block_rows: int, scratch: Any) -> DiskEngine:
        """Make the engine from the parameters that all engines share."""
        return cls(n_jobs=n_jobs, block_rows=block_rows, scratch=scratch)

    @staticmethod
    def need(held: FitBytes) -> Need:
        """Estimate the memory of a fit, and its scratch space; Parquet files are decoded once and copied there."""
        peak = hypot(held.decoding, held.sampling, held.building, held.labels + held.factorizing)
        measured = 1.06  # of the sum, as measured
        scratch = int(held.rows) + (held.tables if held.decoding else 0)
        return Need(int(measured * (held.threads + peak)) + held.reader, scratch)

    @contextmanager
    def running(self) -> Iterator[DiskEngine]:
        """Hold the threads for the time of a fit."""
        with self._local.running():
            yield self

    def partition(self, make: Callable[[int, int], B], n_rows: int) -> Rows[B]:
        """Make blocks that are read again in every pass, or copied to scratch where ``make.slow`` says so."""
        stretches = even_edges(n_rows, self.block_rows)
        if not getattr(make, "slow", False):
            return DiskRows([Made(make, start, stop) for start, stop in stretches])
        file = SpillFile(self.scratch)
        return DiskRows([pack(as_contiguous(make(start, stop)), file.append) for start, stop in stretches])

    def map(self, function: Callable[[B], C], rows: Rows[B]) -> Rows[C]:
        if not isinstance(rows, DiskRows):
            return self._local.map(function, rows)
        file = SpillFile(self.scratch)

        def of_block(packed: Any) -> Any:
            block, loader = _load(packed)
            return pack(as_contiguous(function(block)), loader.saver(file))

        return DiskRows(self._local.map(of_block, rows.packed))

    def zip(self, first: Rows[B], second: Rows[C]) -> Rows[tuple[B, C]]:
        if isinstance(first, DiskRows) and isinstance(second, DiskRows):
            return DiskRows(list(zip(first.packed, second.packed, strict=True)))
        return self._local.zip(first, second)

    def reduce(self, function: Callable[[B], T], rows: Rows[B], combine: Callable[[T, T], T]) -> T:
        if not isinstance(rows, DiskRows):
            return self._local.reduce(function, rows, combine)
        return fold(self._results(function, rows), combine)

    def step(
        self, function: Callable[[B], tuple[C, T]], rows: Rows[B], combine: Callable[[T, T], T]
    ) -> tuple[Rows[C], T]:
        if not isinstance(rows, DiskRows):
            return self._local.step(function, rows, combine)
        file = SpillFile(self.scratch)

        def of_block(packed: Any) -> tuple[Any, T]:
            block, loader = _load(packed)
            renewed, report = as_contiguous(function(block))
            return pack(renewed, loader.saver(file)), report

        packed, total = self._local.step(of_block, list(rows.packed), combine)
        return DiskRows(packed), total

    def collect(self, function: Callable[[B], Any], rows: Rows[B]) -> Any:
        if not isinstance(rows, DiskRows):
            return self._local.collect(function, rows)
        return concatenate(list(self._results(function, rows)))

    def persist(self, function: Callable[[B], Any], rows: Rows[B]) -> Any:
        """Return a read-only memory-mapped array; its file is deleted with the array."""
        if not isinstance(rows, DiskRows):
            return self._local.persist(function, rows)
        file = SpillFile(self.scratch)
        parts = [file.append(np.asarray(part)) for part in self._results(function, rows)]
        return file.map(parts[0], rows_of(parts))

    def _results(self, function: Callable[[B], C], rows: DiskRows) -> Iterator[C]:
        return self._local.results(lambda packed: function(_load(packed)[0]), rows.packed)


def _load(packed: Any) -> tuple[Any, Loader]:
    loader = Loader()
    return loader.unpack(packed), loader
