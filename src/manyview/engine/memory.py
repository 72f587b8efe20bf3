"""Row blocks in memory, run by threads; BLAS keeps to one thread, because the blocks are the parallelism."""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from itertools import islice
from math import hypot
from typing import Any

import threadpoolctl
from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

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

_lock = threading.Lock()
_inside = 0
_limit: Any = None
_known: tuple[int, ThreadpoolController] | None = None  # made when so many modules were there


class MemoryEngine:
    """The engine for data that fits in memory.

    Use it as a context: BLAS is limited to one thread inside, in the small steps between passes too, so that the
    number of threads cannot change a bit of the result.
    """

    takes: Takes = "arrays"

    def __init__(self, *, n_jobs: int | None = None, block_rows: int = BLOCK_ROWS) -> None:
        self.threads = int(effective_n_jobs(n_jobs))
        self.block_rows = block_rows
        self._pool: ThreadPoolExecutor | None = None

    @classmethod
    def of(cls, *, n_jobs: int | None, block_rows: int, scratch: Any) -> MemoryEngine:
        """Make the engine from the parameters that all engines share."""
        return cls(n_jobs=n_jobs, block_rows=block_rows)

    @staticmethod
    def need(held: FitBytes) -> Need:
        """Estimate the memory of a fit.

        The allocator gives back only a part between two stages: the peak lies between the largest and their sum.
        """
        peak = hypot(held.sampling, held.graphs + held.building, held.rows + held.factorizing_in_memory)
        return Need(int(held.threads + peak) + held.loaded)

    @contextmanager
    def running(self) -> Iterator[MemoryEngine]:
        """Hold the thread pool and the one-thread limit for the time of a fit."""
        with one_blas_thread(), ThreadPoolExecutor(self.threads, initializer=one_openmp_thread) as pool:
            self._pool = pool
            try:
                yield self
            finally:
                self._pool = None

    def partition(self, make: Callable[[int, int], B], n_rows: int) -> Rows[B]:
        return MadeRows(make, even_edges(n_rows, self.block_rows))

    def map(self, function: Callable[[B], C], rows: Rows[B]) -> list[C]:
        return list(self.results(function, rows))

    def zip(self, first: Rows[B], second: Rows[C]) -> Rows[tuple[B, C]]:
        return list(zip(first, second, strict=True))

    def reduce(self, function: Callable[[B], T], rows: Rows[B], combine: Callable[[T, T], T]) -> T:
        return fold(self.results(function, rows), combine)

    def step(
        self, function: Callable[[B], tuple[C, T]], rows: Rows[B], combine: Callable[[T, T], T]
    ) -> tuple[list[C], T]:
        """Let all threads, this one too, take blocks until there is none."""
        old: list[Any] = rows if isinstance(rows, list) else list(rows)
        new: list[Any] = [None] * len(old)
        numbers = iter(range(len(old)))

        def work() -> None:
            for i in numbers:  # the interpreter gives every number to one thread only
                block, old[i] = old[i], None
                new[i] = as_contiguous(function(block))

        helpers = [self._threads().submit(work) for _ in range(min(self.threads, len(old)) - 1)]
        try:
            work()
        finally:
            for _ in numbers:  # after an error no thread takes another block
                pass
            wait(helpers)
        for helper in helpers:
            helper.result()
        old.clear()
        return [block for block, _ in new], fold((report for _, report in new), combine)

    def collect(self, function: Callable[[B], Any], rows: Rows[B]) -> Any:
        return concatenate(self.map(function, rows))

    def persist(self, function: Callable[[B], Any], rows: Rows[B]) -> Any:
        return self.collect(function, rows)

    def results(self, function: Callable[[B], C], rows: Rows[B]) -> Iterator[C]:
        """Yield the results of ``function`` for all blocks in order, few of them held at a time."""
        if self.threads == 1 or len(rows) == 1:
            yield from (as_contiguous(function(block)) for block in rows)
            return
        blocks, pool = iter(rows), self._threads()
        # At most four blocks go to a thread together: handing over takes as long as a short step of a block. A thread
        # gets eight bundles at least, so that all end at about the same time, and two may wait for an earlier one.
        size = max(min(len(rows) // (8 * self.threads), 4), 1)
        waiting: deque[Future[list[C]]] = deque()

        def of_bundle(bundle: list[B]) -> list[C]:
            return [as_contiguous(function(block)) for block in _released(bundle)]

        try:
            while bundle := list(islice(blocks, size)):
                waiting.append(pool.submit(of_bundle, bundle))
                if len(waiting) > 2 * self.threads:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()

    def _threads(self) -> ThreadPoolExecutor:
        if self._pool is None:
            raise RuntimeError("An engine with several threads works inside `with engine.running():`.")
        return self._pool


def _released(rows: Rows[B]) -> Iterator[B]:
    """Yield the blocks and forget each, so that new blocks reuse its memory while it is in the cache."""
    if not isinstance(rows, list):
        yield from rows
        return
    rows.reverse()
    while rows:
        yield rows.pop()


class MadeRows(Sequence[Any]):
    """Blocks that are made anew whenever they are asked for: cutting arrays costs nothing, keeping pieces does."""

    def __init__(self, make: Callable[[int, int], B], stretches: list[tuple[int, int]]) -> None:
        self._make = make
        self._stretches = stretches

    def __len__(self) -> int:
        return len(self._stretches)

    def __getitem__(self, index: Any) -> Any:
        start, stop = self._stretches[index]
        return self._make(start, stop)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread while any thread of this process is inside: the last one out lifts the limit."""
    global _inside, _limit
    with _lock:
        _inside += 1
        if _inside == 1:
            _take_control()
            _limit = _controller().limit(limits=1)
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _take_control()
                _limit.restore_original_limits()
                _take_control()  # from ourselves


def one_openmp_thread() -> None:
    """Limit OpenMP to one thread in the calling thread for good: k-means of a worker thread then keeps its bits."""
    _controller().select(user_api="openmp").limit(limits=1)


def _take_control() -> None:
    """Let this thread set the limit: since threadpoolctl 3.8 only the thread that set one can change it for OpenBLAS.

    The thread that had control gets it back with the next limit that it sets.
    """
    openblas: Any = getattr(threadpoolctl, "OpenBLASController", None)
    if hasattr(openblas, "clear_controlling_thread"):
        openblas.clear_controlling_thread(force=True)


def _controller() -> ThreadpoolController:
    """Return the controller of the libraries that are loaded now; it is kept until another module is imported."""
    global _known
    if _known is None or _known[0] != len(sys.modules):
        _known = len(sys.modules), ThreadpoolController()
    return _known[1]
