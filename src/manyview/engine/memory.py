"""Row blocks in memory, run by threads; BLAS keeps to one thread, because the blocks are the parallelism."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import reduce
from typing import Any

from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

from manyview.engine.rows import B, C, Rows, T, concatenate, edges


class MemoryEngine:
    """The engine for data that fits in memory.

    Use it as a context: BLAS is limited to one thread inside, in the small steps between passes too, so that the
    number of threads cannot change a bit of the result.
    """

    def __init__(self, *, n_jobs: int | None = None, block_rows: int = 4096) -> None:
        self.n_threads = int(effective_n_jobs(-1 if n_jobs is None else n_jobs))
        self.block_rows = block_rows
        self._pool: ThreadPoolExecutor | None = None

    @contextmanager
    def running(self) -> Iterator[MemoryEngine]:
        """Hold the thread pool and the one-thread limit for the time of a fit."""
        with ThreadpoolController().limit(limits=1), ThreadPoolExecutor(self.n_threads) as pool:
            self._pool = pool
            try:
                yield self
            finally:
                self._pool = None

    def cut(self, make: Callable[[int, int], B], n_rows: int) -> list[B]:
        return [make(start, stop) for start, stop in edges(n_rows, self.block_rows)]

    def map(self, function: Callable[[B], C], rows: Rows[B]) -> list[C]:
        if self.n_threads == 1 or len(rows) == 1:
            return [function(block) for block in rows]
        if self._pool is None:
            raise RuntimeError("A MemoryEngine with several threads works inside `with engine.running():`.")
        return list(self._pool.map(function, rows))

    def pair(self, first: Rows[B], second: Rows[C]) -> list[tuple[B, C]]:
        return list(zip(first, second, strict=True))

    def reduce(self, function: Callable[[B], T], rows: Rows[B], combine: Callable[[T, T], T]) -> T:
        return reduce(combine, self.map(function, rows))

    def step(
        self, function: Callable[[B], tuple[C, T]], rows: Rows[B], combine: Callable[[T, T], T]
    ) -> tuple[list[C], T]:
        results = self.map(function, rows)
        return [block for block, _ in results], reduce(combine, [report for _, report in results])

    def collect(self, function: Callable[[B], Any], rows: Rows[B]) -> Any:
        return concatenate(self.map(function, rows))
