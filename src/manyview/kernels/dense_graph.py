"""Graphs that join so many pairs of samples that an N x N array is smaller and faster than a list of edges.

S = (A + A') / 2,    components by breadth-first search over blocks of rows
"""

import numpy as np

from manyview.kernels.arrays import FloatArray, IntArray
from manyview.kernels.sample_graph import Run, in_order

TILE = 128  # rows and columns: a tile and its mirror image stay in the cache
ROWS_AT_ONCE = 64


def symmetric_array(A: FloatArray, /, *, run: Run = in_order) -> FloatArray:
    """(A + A') / 2, tile by tile."""
    n = len(A)
    S = np.empty_like(A)

    def mirror(i: int) -> None:
        for j in range(i, n, TILE):
            tile = (A[i : i + TILE, j : j + TILE] + A[j : j + TILE, i : i + TILE].T) / 2
            S[i : i + TILE, j : j + TILE] = tile
            S[j : j + TILE, i : i + TILE] = tile.T

    run(mirror, range(0, n, TILE))
    return S


def absolute_degrees(A: FloatArray, /, *, run: Run = in_order) -> FloatArray:
    """Row sums (N,) of |A|."""
    starts = range(0, len(A), ROWS_AT_ONCE)
    return np.concatenate(run(lambda start: np.abs(A[start : start + ROWS_AT_ONCE]).sum(axis=1), starts))


def array_components(A: FloatArray, /, *, above: float | None = None) -> IntArray:
    """Component (N,) of every vertex of a symmetric graph, numbered by first row.

    Edges are the entries that are not 0, or those of at least ``above``.
    """
    labels = np.full(len(A), -1)
    number = 0
    for first in range(len(A)):
        if labels[first] < 0:
            _flood(A, labels, first, number, above)
            number += 1
    return labels


def _flood(A: FloatArray, labels: IntArray, first: int, number: int, above: float | None) -> None:
    """Give a number to all that can be reached from ``first``; only vertices without a number are looked at."""
    labels[first] = number
    queue = [np.array([first])]
    waiting = np.flatnonzero(labels < 0)
    while queue and len(waiting):
        rows = queue.pop()
        if len(rows) > ROWS_AT_ONCE:
            queue.append(rows[ROWS_AT_ONCE:])
            rows = rows[:ROWS_AT_ONCE]
        block = A[np.ix_(rows, waiting)] if len(waiting) < len(A) // 2 else A[rows][:, waiting]
        reached = ((block != 0) if above is None else (block >= above)).any(axis=0)
        if reached.any():
            labels[waiting[reached]] = number
            queue.append(waiting[reached])
            waiting = waiting[~reached]
