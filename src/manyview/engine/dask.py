"""Row blocks on a Dask cluster: blocks stay on the workers, and only what is small comes back.

Consecutive blocks travel in bundles of a power of two, so that a bundle is a subtree of the fixed tree in which results
are combined, and the number of tasks follows the number of workers, not the number of rows. A pass is one task graph.
The scheduler keeps the graph that led to a bundle, so what a lost worker held is computed again, to the same bits.
"""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from math import hypot
from typing import Any

import numpy as np

from manyview.engine.memory import MemoryEngine, one_blas_thread
from manyview.engine.optional import optional
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


class DaskRows:
    """Bundles of blocks on the workers."""

    def __init__(self, engine: DaskEngine, bundles: Sequence[Any], sizes: Sequence[int]) -> None:
        self.engine = engine
        self.bundles = bundles  # futures of tuples of blocks; a list of two bundles is their blocks side by side
        self.sizes = sizes  # blocks in every bundle

    def __len__(self) -> int:
        return sum(self.sizes)

    def __iter__(self) -> Iterator[Any]:
        """Fetch the blocks to this process, which is for small ones only."""
        for bundle in self.engine.fetch(list(self.bundles)):
            yield from _blocks(bundle)


class DaskEngine:
    """The engine for data on a cluster, run by ``distributed``.

    Parameters
    ----------
    block_rows : int
        As for the engine in memory, and with the same bits.
    client : distributed.Client, optional
        The cluster; by default that of the active client.
    """

    takes: Takes = "collections"

    def __init__(self, *, block_rows: int = BLOCK_ROWS, client: Any = None) -> None:
        self._library = optional("dask", extra="distributed", use="The Dask engine")
        self.client = _active_client() if client is None else client
        self.block_rows = block_rows
        self.computes = 0  # task graphs sent to the cluster
        self._local = MemoryEngine(n_jobs=1, block_rows=block_rows)

    @classmethod
    def of(cls, *, n_jobs: int | None, block_rows: int, scratch: Any) -> DaskEngine:
        """Make the engine from the parameters that all engines share."""
        return cls(block_rows=block_rows)

    @staticmethod
    def need(held: FitBytes) -> Need:
        """Estimate the memory of a fit on all workers, which hold everything."""
        peak = hypot(held.n_threads * held.decoding, held.graphs + held.building, held.rows + held.factorizing)
        return Need(int(held.threads + peak) + held.n_threads * held.reader + held.tables)

    @contextmanager
    def running(self) -> Iterator[DaskEngine]:
        """Hold one thread for the small steps between passes."""
        with self._local.running():
            yield self

    def partition(self, make: Callable[[int, int], B], n_rows: int) -> Rows[B]:
        """Put blocks of Dask collections together on the workers; other tables are sent with the graph.

        A maker with ``split`` makes a whole bundle at once, which the worker then cuts into its blocks.
        """
        stretches = even_edges(n_rows, self.block_rows)
        size = _bundle_size(len(stretches), self._n_threads())
        bundles = [stretches[start : start + size] for start in range(0, len(stretches), size)]
        split = getattr(make, "split", None)
        if split is None:
            tasks = [self._delayed(_as_contiguous_blocks)([make(*stretch) for stretch in bundle]) for bundle in bundles]
        else:
            whole = [make(bundle[0][0], bundle[-1][1]) for bundle in bundles]
            held = self._delayed(_Held(split))
            tasks = [self._delayed(_split)(held, *both) for both in zip(whole, bundles, strict=True)]
        with warnings.catch_warnings():  # tables of this process have no other way to the workers
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
            futures = self._compute(tasks)
        return DaskRows(self, futures, [len(bundle) for bundle in bundles])

    def map(self, function: Callable[[B], C], rows: Rows[B]) -> Rows[C]:
        if not isinstance(rows, DaskRows):
            return self._local.map(function, rows)
        return DaskRows(self, self._compute(self._tasks(_map, function, rows)), rows.sizes)

    def zip(self, first: Rows[B], second: Rows[C]) -> Rows[tuple[B, C]]:
        if not (isinstance(first, DaskRows) and isinstance(second, DaskRows)):
            return self._local.zip(first, second)
        pairs = [[a, b] for a, b in zip(first.bundles, second.bundles, strict=True)]
        return DaskRows(self, pairs, first.sizes)

    def reduce(self, function: Callable[[B], T], rows: Rows[B], combine: Callable[[T, T], T]) -> T:
        if not isinstance(rows, DaskRows):
            return self._local.reduce(function, rows, combine)
        total = self._folded(self._tasks(_reduce, function, rows, combine), combine)
        return self.fetch(self._compute([total])[0])

    def step(
        self, function: Callable[[B], tuple[C, T]], rows: Rows[B], combine: Callable[[T, T], T]
    ) -> tuple[Rows[C], T]:
        if not isinstance(rows, DaskRows):
            return self._local.step(function, rows, combine)
        both = self._tasks(_step, function, rows, combine)
        total = self._folded([pair[1] for pair in both], combine)
        *bundles, total = self._compute([*(pair[0] for pair in both), total])
        return DaskRows(self, bundles, rows.sizes), self.fetch(total)

    def collect(self, function: Callable[[B], Any], rows: Rows[B]) -> Any:
        if not isinstance(rows, DaskRows):
            return self._local.collect(function, rows)
        parts = self._compute(self._tasks(_collect, function, rows))
        return concatenate(self.fetch(parts))

    def persist(self, function: Callable[[B], Any], rows: Rows[B]) -> Any:
        """Return a Dask array whose chunks the workers hold."""
        if not isinstance(rows, DaskRows):
            return self._local.persist(function, rows)
        array = optional("dask.array", extra="distributed", use="The Dask engine")
        parts = self._tasks(_collect, function, rows)
        kinds = [self._delayed(_kind)(part) for part in parts]
        futures = self._compute([*parts, *kinds])
        chunks = zip(futures[: len(parts)], self.fetch(futures[len(parts) :]), strict=True)
        return array.concatenate([array.from_delayed(part, shape, dtype) for part, (shape, dtype) in chunks])

    def fetch(self, futures: Any, /) -> Any:
        """Bring results to this process; a lost cluster is one clear error."""
        try:
            return self.client.gather(futures)
        except (CancelledError, OSError) as error:  # a lost connection cancels what was asked for
            if not isinstance(error, CancelledError) and self.client.status == "running":
                raise  # an error of the block function itself
            raise RuntimeError(
                "The Dask scheduler was lost, and with it the blocks on the workers. Start the cluster and fit again; "
                "with a checkpoint the fit goes on where it was."
            ) from error

    def _tasks(self, run: Callable[..., Any], function: Callable[..., Any], rows: DaskRows, *others: Any) -> list[Any]:
        """Make one task per bundle; the function, which holds small matrices, is in the graph once."""
        shared = self._delayed(_Held(function, *others))
        task = self._delayed(run, nout=2 if run is _step else None)
        return [task(shared, bundle) for bundle in rows.bundles]

    def _delayed(self, function: Any, nout: int | None = None) -> Any:
        return self._library.delayed(function, pure=False, nout=nout)

    def _folded(self, parts: list[Any], combine: Callable[[T, T], T]) -> Any:
        task, held = self._delayed(_fold), self._delayed(_Held(combine))
        size = 8  # partial results that one task combines; a power of two keeps the tree
        while len(parts) > 1:
            parts = [task(held, parts[start : start + size]) for start in range(0, len(parts), size)]
        return parts[0]

    def _compute(self, tasks: list[Any]) -> list[Any]:
        self.computes += 1
        return list(self.client.compute(tasks, optimize_graph=False))

    def _n_threads(self) -> int:
        return max(sum(self.client.nthreads().values()), 1)


class _Held:
    """A function and how to combine what it gives, as bytes: arrays inside arrive aligned, as they were sent."""

    def __init__(self, function: Callable[..., Any], combine: Callable[..., Any] | None = None) -> None:
        self._bytes = optional("cloudpickle", extra="distributed", use="The Dask engine").dumps((function, combine))
        self._loaded: tuple[Callable[..., Any], Any] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return _held, (self._bytes,)

    @property
    def function(self) -> Callable[..., Any]:
        """Return the function on blocks."""
        return self._load()[0]

    @property
    def combine(self) -> Any:
        """Return the function that combines two of its results."""
        return self._load()[1]

    def _load(self) -> tuple[Callable[..., Any], Any]:
        if self._loaded is None:
            self._loaded = pickle.loads(self._bytes)
        return self._loaded


def _held(data: bytes) -> _Held:
    held = _Held.__new__(_Held)
    held._bytes, held._loaded = data, None
    return held


def _split(held: _Held, whole: Any, stretches: list[tuple[int, int]]) -> tuple[Any, ...]:
    return _as_contiguous_blocks([held.function(whole, start, stop) for start, stop in stretches])


def _as_contiguous_blocks(blocks: list[Any]) -> tuple[Any, ...]:
    return tuple(as_contiguous(block) for block in blocks)


def _blocks(bundle: Any) -> tuple[Any, ...]:
    if isinstance(bundle, list):
        return tuple(zip(*(_blocks(part) for part in bundle), strict=True))
    return tuple(as_contiguous(block) for block in bundle)  # an array that has traveled may be out of alignment


def _map(held: _Held, bundle: Any) -> tuple[Any, ...]:
    with one_blas_thread():
        return tuple(as_contiguous(held.function(block)) for block in _blocks(bundle))


def _reduce(held: _Held, bundle: Any) -> Any:
    with one_blas_thread():
        return fold((as_contiguous(held.function(block)) for block in _blocks(bundle)), held.combine)


def _step(held: _Held, bundle: Any) -> tuple[tuple[Any, ...], Any]:
    with one_blas_thread():
        results = [as_contiguous(held.function(block)) for block in _blocks(bundle)]
        return tuple(block for block, _ in results), fold((report for _, report in results), held.combine)


def _collect(held: _Held, bundle: Any) -> Any:
    return concatenate(_map(held, bundle))


def _fold(held: _Held, parts: list[Any]) -> Any:
    return fold((as_contiguous(part) for part in parts), held.function)


def _kind(part: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
    return part.shape, part.dtype


def _bundle_size(n_blocks: int, n_threads: int) -> int:
    """Find the smallest power of two that keeps the number of bundles near a multiple of the threads."""
    wanted = max(16, 8 * n_threads)
    size = 1
    while size * wanted < n_blocks:
        size *= 2
    return size


def _active_client() -> Any:
    distributed = optional("distributed", extra="distributed", use="The Dask engine")
    try:
        return distributed.get_client()
    except ValueError as error:
        raise ValueError(
            "engine='dask' needs a cluster: start a distributed.Client first, for example "
            "`client = distributed.Client()` for the cores of this machine."
        ) from error


def memory_of_workers() -> int | None:
    """Return the bytes that the workers may still take together; None without workers, or if one has no limit."""
    left = list(_active_client().run(_memory_left).values())
    return None if not left or None in left else sum(left)


def _memory_left(dask_worker: Any) -> int | None:
    limit: int | None = dask_worker.memory_manager.memory_limit
    return max(limit - int(dask_worker.monitor.get_process_memory()), 0) if limit else None
