"""The nearest anchors of rows: squared distances, and the k smallest of each row.

    d_ij = ||x_i - a_j||²  =  ||x_i||² + ||a_j||² - 2 x_i'a_j

The expansion is one matrix product, but where x_i is close to a_j it subtracts nearly equal numbers. Both sides are
therefore shifted to the center of the anchors, and pairs whose result lost most of its digits are recomputed directly.

    B buckets of columns, B > k:  bucket b holds the columns b, b + B, b + 2B, …      low_ib = min of row i in bucket b

The k smallest entries of a row lie in the k buckets with the smallest low, since each of these k has an entry that is
at least as small. In single precision that is all: bits of floats that are not negative sort like integers, and
integers have room for a number beside them, so that the buckets are found by one sort and the entries by another.

    t_i = k-th smallest of low_i;     the candidates are the entries of row i up to t_i

is the way in double precision, and of the compiled loop: at least k entries are candidates, mostly few more, and only
these are sorted. All ways give the same.

    d_ij = sum over tables t of ||x_i^t - a_j^t||²          anchor j has a place in every table

In several tables at once, distances of a few rows never leave the cache: the expansion of each table is a product with
panels of 64 anchors, and the smallest are taken at once. There is only a compiled loop for that; its twin is in
`anchors/graph.py`, which goes table after table.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from ctypes import c_void_p
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike

from manyview.kernels import compiled
from manyview.kernels.arrays import FloatArray, IntArray, Table
from manyview.kernels.compiled import Library

LOW, HIGH = (0, 1) if sys.byteorder == "little" else (1, 0)  # halves of a long integer
PANEL = 64  # anchors; _compiled.c has the same number
FEW_ENTRIES = 2048  # are sorted in less time than the calls of the other ways take


def nearest(d: FloatArray, k: int, /, *, numbers_at_once: int = 1 << 20) -> tuple[IntArray, FloatArray]:
    """Find columns and values of the k smallest entries of every row, ascending; equals by column.

    Rows go through all steps a few at a time, ``numbers_at_once`` entries (4 MB), so that they stay in the cache.
    """
    n, m = d.shape
    bucket = min(8, m // (2 * k))
    if bucket < 2:
        return _by_sorting(d, k)
    library = loops_for(m, k)
    if library is not None and d.dtype == np.float32:
        return _by_compiled(library, d, k)
    if d.size <= FEW_ENTRIES:
        return _by_sorting(d, k)
    columns, values = np.empty((n, k), dtype=np.int64), np.empty((n, k), dtype=d.dtype)
    stretch = max(numbers_at_once // m, 1)
    find = _by_buckets if d.dtype == np.float32 else _by_threshold
    for start in range(0, n, stretch):
        rows = slice(start, start + stretch)
        columns[rows], values[rows] = find(d[rows], k, bucket)
    return columns, values


def loops_for(m: int, k: int, /) -> Library | None:
    """Return the compiled loops, if there are any and they can find k of m entries."""
    return compiled.library if k <= 16 and m >= 4 * k else None  # 16: half of the buckets of the compiled loop


def _by_sorting(d: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
    columns = np.argsort(d, axis=1, kind="stable")[:, :k]
    return columns, np.take_along_axis(d, columns, axis=1)


def _by_compiled(library: Library, d: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
    n, m = d.shape
    d = np.ascontiguousarray(d)
    columns, values, left = np.empty((n, k), np.int64), np.empty((n, k), np.float32), np.empty(n, np.int64)
    found = (array.ctypes.data for array in (columns, values, left))
    n_left = library.nearest(d.ctypes.data, n, m, k, *found)
    if n_left:  # rows with many equals, or with hardly a number
        rows = left[:n_left]
        columns[rows], values[rows] = _by_sorting(d[rows], k)
    return columns, values


def _by_buckets(d: FloatArray, k: int, bucket: int) -> tuple[IntArray, FloatArray]:
    n, m = d.shape
    d = np.ascontiguousarray(d)
    size = m // min(bucket, 4)  # these are sorted, so they should be many
    low = _lowest(d, size)
    numbered = (1 << size.bit_length()) - 1  # the last bits of low make room for the number of the bucket
    keys = low.view(np.int32)
    keys &= ~numbered
    keys |= np.arange(size, dtype=np.int32)
    keys.sort(axis=1)
    row = np.arange(0, n * m, m, dtype=np.int32)[:, None]  # where it begins
    first = (keys[:, :k] & numbered) + row  # the first column of every bucket that counts
    steps = np.arange(0, m - size + 1, size, dtype=np.int32)
    n_rest = m - len(steps) * size  # columns in no bucket: these always count
    pairs = np.empty((n, len(steps) * k + n_rest, 2), dtype=np.int32)
    at = pairs[..., LOW]
    np.add(first[:, None], steps[:, None], out=at[:, : len(steps) * k].reshape(n, len(steps), k))
    np.add(row, np.arange(m - n_rest, m, dtype=np.int32), out=at[:, len(steps) * k :])
    pairs[..., HIGH] = d.ravel().view(np.int32).take(at)
    pairs.view(np.int64)[..., 0].sort(axis=1)
    columns, bits = pairs[:, :k, LOW] - row, pairs[:, :k, HIGH]
    values = bits.view(np.float32)
    # below zero bits sort the other way; and with the last bits gone, a bucket may have been left out wrongly
    unsure = np.flatnonzero((bits[:, 0] < 0) | (bits[:, -1] >= keys[:, k] & ~numbered))
    if len(unsure):
        columns[unsure], values[unsure] = _by_sorting(d[unsure], k)
    return columns, values


def _by_threshold(d: FloatArray, k: int, bucket: int) -> tuple[IntArray, FloatArray]:
    n, m = d.shape
    at = np.flatnonzero(d <= _threshold(d, k, bucket))  # row after row, columns ascending
    ends = np.searchsorted(at, np.arange(1, n + 1) * m)
    counts = np.diff(ends, prepend=0)
    width = min(int(counts.max()), 3 * k)
    kept = counts <= width  # the others have many equals, or none that is a number
    place = np.arange(len(at)) - np.repeat(ends - counts, counts) + np.repeat(np.arange(n) * width, counts)
    if not kept.all():
        inside = np.repeat(kept, counts)
        at, place = at[inside], place[inside]
    columns, values = np.zeros((n, width), dtype=np.int64), np.full((n, width), np.inf, dtype=d.dtype)
    columns.ravel()[place] = at % m
    values.ravel()[place] = d.ravel()[at]
    order = np.argsort(values, axis=1, kind="stable")[:, :k]
    columns, values = np.take_along_axis(columns, order, axis=1), np.take_along_axis(values, order, axis=1)
    if not kept.all():
        columns[~kept], values[~kept] = _by_sorting(d[~kept], k)
    return columns, values


def _threshold(d: FloatArray, k: int, bucket: int) -> FloatArray:
    """Find a value (n, 1) that at least k entries of the row do not exceed."""
    low = _lowest(d, d.shape[1] // bucket)
    low.partition(k - 1, axis=1)
    return low[:, k - 1 : k]


def _lowest(d: FloatArray, size: int) -> FloatArray:
    """Find the smallest number in every bucket (n, size); columns beyond the last whole round are in none."""
    low = np.fmin(d[:, :size], d[:, size : 2 * size])
    for start in range(2 * size, d.shape[1] - size + 1, size):
        np.fmin(low, d[:, start : start + size], out=low)
    return low


@dataclass(frozen=True)
class Prepared:
    """Anchors (m, d), and what distances to them need of them alone: computed once, for any number of rows."""

    anchors: FloatArray

    @cached_property
    def center(self) -> FloatArray:
        """Mean of the anchors (d,)."""
        center: FloatArray = self.anchors.mean(axis=0)
        return center

    @cached_property
    def squares(self) -> FloatArray:
        """Squared lengths of the anchors (m,), as they are."""
        return np.einsum("md,md->m", self.anchors, self.anchors)

    @cached_property
    def right(self) -> FloatArray:
        """[-2a, 1, ||a||²] about their center (m, d + 2)."""
        around = self.anchors - self.center
        aa = np.einsum("md,md->m", around, around)
        return np.column_stack([-2 * around, np.ones_like(aa), aa])

    @cached_property
    def farthest(self) -> float:
        """Largest squared length about their center."""
        return float(self.right[:, -1].max(initial=0))

    @cached_property
    def panels(self) -> FloatArray:
        """Return `right` as (panels, d + 2, PANEL), padded with anchors that are infinitely far away."""
        m, depth = self.right.shape
        n_panels = -(-m // PANEL)
        filled = np.zeros((n_panels * PANEL, depth), np.float32)
        filled[:m] = self.right
        filled[m:, -1] = np.inf
        return np.ascontiguousarray(filled.reshape(n_panels, PANEL, depth).swapaxes(1, 2))


class Expansion(NamedTuple):
    """Rows and anchors prepared so that the distances of a range of rows are one product."""

    x: Table  # (n, d), as it came
    prepared: Prepared
    left: Table  # (n, d + 2), [x, ||x||², 1] about the center of the anchors; x itself where it is sparse
    xx: FloatArray  # (n,)

    @property
    def anchors(self) -> FloatArray:
        """Return the anchors (m, d)."""
        return self.prepared.anchors

    @property
    def aa(self) -> FloatArray:
        """Squared lengths of the anchors (m,), about their center unless the rows are sparse."""
        return self.prepared.squares if sp.issparse(self.x) else self.prepared.right[:, -1]

    @property
    def farthest(self) -> float:
        """Largest squared length of an anchor."""
        return float(self.aa.max(initial=0)) if sp.issparse(self.x) else self.prepared.farthest

    def take(self, rows: IntArray, /) -> Expansion:
        """Select some of the rows."""
        return self._replace(x=self.x[rows], left=self.left[rows], xx=self.xx[rows])

    def distances(self, rows: slice, /, *, out: FloatArray | None = None) -> FloatArray:
        """Compute distances of some rows to all anchors; close pairs may need `correct_close`."""
        if not sp.issparse(self.x):
            return np.matmul(self.left[rows], self.prepared.right.T, out=out)
        d = np.asarray(self.x[rows] @ self.anchors.T)
        d *= -2
        d += self.xx[rows, None]
        d += self.aa
        return d

    def correct_close(
        self, d: FloatArray, rows: slice, smallest: FloatArray, /, *, numbers_at_once: int = 1 << 22
    ) -> IntArray:
        """Do the pairs again that lost half their digits, in place; the rows of d that have changed.

        Only rows whose smallest distance is suspicious are checked, ``numbers_at_once`` entries (32 MB) in one go.
        """
        share, first, xx = lost_share(d.dtype), rows.start or 0, self.xx[rows]
        near = np.flatnonzero(smallest < share * (xx + xx.dtype.type(self.farthest)))
        if not len(near):
            return near
        inside, columns = np.nonzero(d[near] < share * (xx[near, None] + self.aa))
        pairs = max(numbers_at_once // max(self.x.shape[1], 1), 1)
        for start in range(0, len(columns), pairs):
            i, j = near[inside[start : start + pairs]], columns[start : start + pairs]
            # of the rows as they came: close numbers subtract exactly, and the shift has rounded them
            x = self.x[first + i]
            difference = (x.toarray() if sp.issparse(x) else x) - self.anchors[j]
            d[i, j] = np.einsum("pd,pd->p", difference, difference)
        return near


@cache
def lost_share(dtype: DTypeLike, /) -> float:
    """Return the share of a pair's squared lengths below which their distance has lost half its digits."""
    return float(np.sqrt(np.finfo(np.dtype(dtype)).eps))


def squared_distances(x: Table, anchors: FloatArray, /) -> FloatArray:
    """Compute squared distances (n, m) of the rows of x (n, d), dense or CSR, to the anchors (m, d)."""
    expansion = expand(x, anchors)
    d = expansion.distances(slice(None))
    expansion.correct_close(d, slice(None), d.min(axis=1, initial=np.inf))
    return d


def expand(x: Table, anchors: FloatArray | Prepared, /) -> Expansion:
    """Prepare the distances as one product  [x, ||x||², 1] [-2a, 1, ||a||²]'."""
    prepared = anchors if isinstance(anchors, Prepared) else Prepared(anchors)
    if sp.issparse(x):
        return Expansion(x, prepared, x, np.asarray(x.multiply(x).sum(axis=1)).ravel())
    center = prepared.center
    n, width = x.shape
    left = np.empty((n, width + 2), dtype=np.result_type(x, center))
    shifted = np.subtract(x, center, out=left[:, :width])
    xx = left[:, width] = np.einsum("nd,nd->n", shifted, shifted)
    left[:, width + 1] = 1
    return Expansion(x, prepared, left, xx)


class NearTables(NamedTuple):
    """Nearest anchors of every row in every table and, if requested, in all of them together."""

    columns: IntArray  # (n, tables [+ 1], k)
    d: FloatArray  # (n, tables [+ 1], k), ascending
    doubtful: IntArray  # rows to be searched again: close to an anchor, with many ties, or with NaN


def near_tables(tables: Sequence[Expansion], k: int, /, *, joint: bool) -> NearTables | None:
    """Find the k nearest anchors of every row, with ``joint`` also in all tables together; None if not compiled."""
    library = loops_for(len(tables[0].anchors), k)
    if library is None or any(sp.issparse(t.x) or t.left.dtype != np.float32 for t in tables):
        return None
    n, m, n_slices = len(tables[0].left), len(tables[0].anchors), len(tables) + joint
    lefts, rights = [np.ascontiguousarray(t.left) for t in tables], [t.prepared.panels for t in tables]
    depths = np.array([left.shape[1] for left in lefts], np.int64)
    farthest = np.array([t.farthest for t in tables], np.float32)
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


def _addresses(arrays: Sequence[FloatArray]) -> object:
    return (c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
