"""The nearest anchors of rows in several tables, and in all of them side by side, in one go.

    d_ij = sum over tables t of ||x_i^t - a_j^t||²          anchor j has a place in every table

Distances of a few rows at a time never leave the cache: the expansion of each table (`kernels/distances.py`) is a
product with panels of 64 anchors, and the smallest are taken at once. There is only a compiled loop for it; its twin is
in `anchors/search.py`, which goes table after table.
"""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import c_void_p
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from manyview.kernels.arrays import FloatArray, IntArray
from manyview.kernels.distances import Expansion, lost_share
from manyview.kernels.nearest import loops_for

PANEL = 64  # anchors; _compiled.c has the same number


class NearTables(NamedTuple):
    """Nearest anchors of every row in every table and, if requested, in all of them together."""

    columns: IntArray  # (n, tables [+ 1], k)
    d: FloatArray  # (n, tables [+ 1], k), ascending
    doubtful: IntArray  # rows to be searched again: close to an anchor, with many ties, or with NaN


def near_tables(tables: Sequence[Expansion], k: int, /, *, joint: bool) -> NearTables | None:
    """Find the k nearest anchors of every row, with ``joint`` also in all tables together; None if not compiled."""
    library = loops_for(len(tables[0].right), k)
    if library is None or any(sp.issparse(t.x) or t.left.dtype != np.float32 for t in tables):
        return None
    n, m, n_slices = len(tables[0].left), len(tables[0].right), len(tables) + joint
    lefts, rights = [np.ascontiguousarray(t.left) for t in tables], [_panels(t.right) for t in tables]
    depths = np.array([left.shape[1] for left in lefts], np.int64)
    farthest = np.array([t.aa.max() for t in tables], np.float32)
    found = NearTables(
        np.empty((n, n_slices, k), np.int64), np.empty((n, n_slices, k), np.float32), np.empty(n, np.int64)
    )
    n_doubtful = library.search(
        n,
        m,
        k,
        len(tables),
        joint,
        lost_share(np.float32),
        depths.ctypes.data,
        _addresses(lefts),
        _addresses(rights),
        farthest.ctypes.data,
        *(array.ctypes.data for array in found),
    )
    if n_doubtful < 0:
        raise MemoryError(f"No memory for the distances of a few rows to {m} anchors.")
    return found._replace(doubtful=found.doubtful[:n_doubtful])


def _panels(right: FloatArray) -> FloatArray:
    """Arrange anchors (m, depth) as (panels, depth, PANEL), padded with anchors that are infinitely far away."""
    m, depth = right.shape
    n_panels = -(-m // PANEL)
    filled = np.zeros((n_panels * PANEL, depth), np.float32)
    filled[:m] = right
    filled[m:, -1] = np.inf
    return np.ascontiguousarray(filled.reshape(n_panels, PANEL, depth).swapaxes(1, 2))


def _addresses(arrays: Sequence[FloatArray]) -> object:
    return (c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
