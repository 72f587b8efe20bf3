"""Graphs that join so many pairs of samples that an N x N array is smaller and faster than a list of edges.

S = (A + A') / 2,    components from the edges of a few rows, joined by one product with their indicators

Passes over N x N numbers go by ranges of rows, one per thread at a time, and within a range by blocks that stay
in the cache. A stretch brings its own scratch arrays and uses them for all its blocks: a new array for every block
would be given back to the system and fetched again, at several times the price of the arithmetic.
"""

from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from manyview.kernels.arrays import FloatArray, IntArray
from manyview.kernels.sample_graph import Run, in_order

STRETCH = 512  # rows
ENTRIES_AT_ONCE = 1 << 16  # of a block: half a megabyte

Stretch = tuple[int, int]


def stretches(n_samples: int, /) -> list[Stretch]:
    """Split the rows of an N x N array into ranges (start, stop), the pieces that are shared among threads."""
    return list(pairwise([*range(0, n_samples, STRETCH), n_samples]))


def block_height(n_samples: int, /) -> int:
    """Return how many rows of N numbers stay in the cache."""
    return min(max(1, ENTRIES_AT_ONCE // n_samples), STRETCH, n_samples)


def cache_blocks(stretch: Stretch, n_samples: int, /) -> list[slice]:
    """Split a stretch into blocks of rows that stay in the cache."""
    start, stop = stretch
    edges = [*range(start, stop, block_height(n_samples)), stop]
    return [slice(*pair) for pair in pairwise(edges)]


def symmetric_array(A: FloatArray, /, *, run: Run = in_order, out: FloatArray | None = None) -> FloatArray:
    """Compute (A + A') / 2, tile by tile, in ``out`` if given."""
    n, size = len(A), 192  # rows and columns of a tile, which stays in the cache with its mirror image
    S = np.empty((n, n)) if out is None else out

    def mirror(i: int) -> None:
        scratch = np.empty((size, size))
        for j in range(i, n, size):
            above = A[i : i + size, j : j + size]
            tile = scratch[: above.shape[0], : above.shape[1]]
            np.copyto(tile, A[j : j + size, i : i + size].T)
            tile += above
            tile *= 0.5
            S[i : i + size, j : j + size] = tile
            S[j : j + size, i : i + size] = tile.T

    run(mirror, range(0, n, size))
    return S


def absolute_degrees(A: FloatArray, /, *, run: Run = in_order) -> FloatArray:
    """Compute the row sums (N,) of |A|."""
    n = len(A)
    sums, ones = np.empty(n), np.ones(n)

    def add(stretch: Stretch) -> None:
        for rows in cache_blocks(stretch, n):
            block = A[rows]
            sums[rows] = (block if block.min() >= 0 else np.abs(block)) @ ones

    run(add, stretches(n))
    return sums


def smallest_entry(A: FloatArray, /, *, run: Run = in_order) -> float:
    """Find the smallest entry."""
    return float(min(run(lambda stretch: A[slice(*stretch)].min(), stretches(len(A)))))


def array_components(A: FloatArray, /, *, above: float | None = None, run: Run = in_order) -> IntArray:
    """Find the component (N,) of every vertex of a symmetric graph, numbered by first row.

    Edges are the entries that are not 0, or those of at least ``above``. The edges of a few rows give parts; which of
    them the other edges join is seen from  edges @ indicators of the parts.
    """
    n, n_hubs = len(A), 64  # rows whose edges are followed first; they join nearly all of a graph with many edges
    hubs = np.unique(np.linspace(0, n - 1, n_hubs).astype(np.int64))
    i, j = np.nonzero(_edges(A[hubs], above))
    parts = parts_of(hubs[i], j, n)
    if parts.max() >= n_hubs:  # few edges, then
        i, j = np.nonzero(_edges(A, above))
        return by_first_row(parts_of(i, j, n))
    indicators = (parts[:, None] == np.arange(parts.max() + 1)).astype(np.float32)  # (N, q)
    touched = np.empty(indicators.shape, dtype=np.bool_)

    def touch(stretch: Stretch) -> None:
        scratch = np.empty((block_height(n), n), dtype=np.float32)
        for rows in cache_blocks(stretch, n):
            edges = _edges(A[rows], above, out=scratch[: rows.stop - rows.start])
            touched[rows] = edges @ indicators > 0

    run(touch, stretches(n))
    i, part = np.nonzero(touched)
    return by_first_row(parts_of(parts[i], part, indicators.shape[1])[parts])


def _edges(A: FloatArray, above: float | None, out: FloatArray | None = None) -> Any:
    return np.not_equal(A, 0, out=out) if above is None else np.greater_equal(A, above, out=out)


def parts_of(i: IntArray, j: IntArray, n: int, /) -> IntArray:
    """Find the component of each of n vertices for the edges (i, j)."""
    graph = sp.csr_array((np.ones(len(i), dtype=np.int8), (i, j)), shape=(n, n))
    return np.asarray(connected_components(graph, directed=True, connection="weak")[1])


def by_first_row(labels: IntArray, /) -> IntArray:
    """Renumber labels in the order in which they appear."""
    _, first, labels = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[labels]
