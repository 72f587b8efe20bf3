"""Interface of the engines, which run a function on one row block over all rows; nothing here knows clustering.

A *block* is any object that holds a stretch of rows: arrays, CSR matrices, plain values, and tuples or lists of them.
Block functions change nothing in place. What crosses blocks is small and is combined in one fixed tree over the order
of the blocks, so the result has the same bits for any number of workers and for any engine.

A plain list instead of an engine's own blocks is small: it is processed in the caller's process.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from operator import is_
from typing import Any, Literal, NamedTuple, Protocol, TypeVar, cast

import numpy as np
import scipy.sparse as sp

PLAIN = {int, float, str, bool, type(None)}  # types that need no change
BLOCK_ROWS = 16384  # rows of a block: enough work per call that threads seldom wait for one another

B = TypeVar("B")
C = TypeVar("C")
T = TypeVar("T")
Block = TypeVar("Block", covariant=True)


Takes = Literal["arrays", "stored", "collections"]  # how an engine takes tables: in memory, also on disk, from Dask


class Rows(Protocol[Block]):
    """A collection of row blocks; where they live is the engine's business."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Block]: ...


class Engine(Protocol):
    """Runs block functions. Every engine gives the same bits for the same blocks."""

    def running(self) -> AbstractContextManager["Engine"]:
        """Hold what the engine needs (threads, files, a cluster) for the time of a fit."""

    def partition(self, make: Callable[[int, int], B], n_rows: int) -> Rows[B]:
        """Make blocks ``make(start, stop)`` that cover the rows in order."""

    def map(self, function: Callable[[B], C], rows: Rows[B]) -> Rows[C]:
        """Make a new block from every block."""

    def zip(self, first: Rows[B], second: Rows[C]) -> Rows[tuple[B, C]]:
        """Pair the blocks of two collections over the same rows."""

    def reduce(self, function: Callable[[B], T], rows: Rows[B], combine: Callable[[T, T], T]) -> T:
        """Combine one small result per block, in the tree of :func:`fold`."""

    def step(
        self, function: Callable[[B], tuple[C, T]], rows: Rows[B], combine: Callable[[T, T], T]
    ) -> tuple[Rows[C], T]:
        """Make one pass that renews the blocks and combines what they report."""

    def collect(self, function: Callable[[B], Any], rows: Rows[B]) -> Any:
        """Put arrays or CSR matrices with one row per sample together in order, in memory."""

    def persist(self, function: Callable[[B], Any], rows: Rows[B]) -> Any:
        """Keep an array with one row per sample beyond the engine, where the rows live: memory, disk, workers."""


class FitBytes(NamedTuple):
    """Bytes that a fit holds, stage by stage; an engine knows which of them are in its memory at once."""

    n_threads: int
    threads: int  # of all threads, beside the rows
    sampling: float
    building: float  # the graphs of the rows at work
    factorizing: float  # the factors of the rows at work,
    factorizing_in_memory: float  # and what of them is not kept anyway
    graphs: float  # of all rows
    rows: float  # graphs, factors and results of all rows
    labels: float
    tables: int  # of all views as they came,
    loaded: int  # and of those that are not in memory yet
    decoding: float = 0  # Parquet files
    reader: int = 0


class Need(NamedTuple):
    """Bytes of memory and of scratch space that a fit needs; with Dask, on all workers together."""

    memory: int
    scratch: int = 0


def add(first: T, second: T) -> T:
    """Sum of two arrays, numbers, or tuples of them: the usual way to combine."""
    if isinstance(first, tuple):
        total = tuple(add(a, b) for a, b in zip(first, second, strict=True))  # type: ignore[call-overload]
        return type(first)(*total) if hasattr(first, "_fields") else total  # type: ignore[return-value]
    return first + second  # type: ignore[operator]


def fold(values: Iterable[T], combine: Callable[[T, T], T]) -> T:
    """Combine values in one fixed binary tree over their order, ((0 1)(2 3))((4 5)6), as they arrive.

    Stretches of 2^j values that start at a multiple of 2^j are subtrees, so they may be folded elsewhere first. At
    most log2 of the number of values is held at a time.
    """
    pending: list[tuple[int, T]] = []  # (values inside, their fold), sizes falling
    for value in values:
        size = 1
        while pending and pending[-1][0] == size:
            value = combine(pending.pop()[1], value)
            size *= 2
        pending.append((size, value))
    total = pending.pop()[1]
    while pending:
        total = combine(pending.pop()[1], total)
    return total


def as_contiguous(block: T) -> T:
    """Return the block with row-major, aligned arrays and CSR matrices, so that its bits do not show where it was."""
    if isinstance(block, np.ndarray):
        return cast(T, block if block.flags.c_contiguous and block.flags.aligned else block.copy())
    if isinstance(block, tuple | list):
        parts = [part if type(part) in PLAIN else as_contiguous(part) for part in block]
        return block if all(map(is_, parts, block)) else rebuilt(block, parts)
    return cast(T, block.tocsr()) if sp.issparse(block) else block  # type: ignore[attr-defined]


def rebuilt(like: T, parts: list[Any]) -> T:
    """Return a tuple, named tuple or list of the same kind with other parts."""
    return type(like)(*parts) if hasattr(like, "_fields") else type(like)(parts)  # type: ignore[call-arg]


def edges(n_rows: int, block_rows: int) -> list[tuple[int, int]]:
    """Split rows into consecutive ranges of at most ``block_rows``."""
    return [(start, min(start + block_rows, n_rows)) for start in range(0, n_rows, block_rows)]


def even_edges(n_rows: int, block_rows: int) -> list[tuple[int, int]]:
    """Split rows evenly among threads: ranges of one length and an even number of them, or one short range."""
    if 2 * n_rows <= block_rows:
        return edges(n_rows, block_rows)
    n_blocks = min(2 * -(-n_rows // (2 * block_rows)), n_rows)
    return [(i * n_rows // n_blocks, (i + 1) * n_rows // n_blocks) for i in range(n_blocks)]


def concatenate(parts: Sequence[Any]) -> Any:
    """Concatenate the parts of all blocks to one array or CSR matrix."""
    if len(parts) == 1:
        return parts[0]
    return sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.concatenate(parts)
