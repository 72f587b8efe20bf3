"""How a function on one row block runs over all rows. This module knows blocks and order, and no clustering.

A *block* is any object that holds a stretch of rows. What crosses blocks is small and is combined in the order of
the blocks, so the result is the same bits for any number of workers and for any engine.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
import scipy.sparse as sp

B = TypeVar("B")
C = TypeVar("C")
T = TypeVar("T")
Block = TypeVar("Block", covariant=True)


class Rows(Protocol[Block]):
    """A collection of row blocks; where they live is the engine's business."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Block]: ...


class Engine(Protocol):
    """Runs block functions. Every engine gives the same bits for the same blocks."""

    def cut(self, make: Callable[[int, int], B], n_rows: int) -> Rows[B]:
        """Blocks ``make(start, stop)`` that cover the rows in order."""

    def map(self, function: Callable[[B], C], rows: Rows[B]) -> Rows[C]:
        """A new block for every block."""

    def pair(self, first: Rows[B], second: Rows[C]) -> Rows[tuple[B, C]]:
        """Blocks of two collections over the same rows, side by side."""

    def reduce(self, function: Callable[[B], T], rows: Rows[B], combine: Callable[[T, T], T]) -> T:
        """Combine one small result per block, in the order of the blocks."""

    def step(
        self, function: Callable[[B], tuple[C, T]], rows: Rows[B], combine: Callable[[T, T], T]
    ) -> tuple[Rows[C], T]:
        """One pass that renews the blocks and combines what they report."""

    def collect(self, function: Callable[[B], Any], rows: Rows[B]) -> Any:
        """Arrays or CSR matrices with one row per sample, put together in order."""


def add(first: T, second: T) -> T:
    """Sum of two arrays, numbers, or tuples of them: the usual way to combine."""
    if isinstance(first, tuple):
        total = tuple(add(a, b) for a, b in zip(first, second, strict=True))  # type: ignore[call-overload]
        return type(first)(*total) if hasattr(first, "_fields") else total  # type: ignore[return-value]
    return first + second  # type: ignore[operator]


def edges(n_rows: int, block_rows: int) -> list[tuple[int, int]]:
    """Consecutive stretches of at most ``block_rows`` rows."""
    return [(start, min(start + block_rows, n_rows)) for start in range(0, n_rows, block_rows)]


def concatenate(parts: Sequence[Any]) -> Any:
    """One array, or one CSR matrix, out of the blocks' parts."""
    if len(parts) == 1:
        return parts[0]
    return sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.concatenate(parts)
