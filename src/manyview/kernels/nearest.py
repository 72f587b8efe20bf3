"""The k smallest entries of every row, without sorting the rows.

    B buckets of columns, B > k:  bucket b holds the columns b, b + B, b + 2B, …      low_ib = min of row i in bucket b

The k smallest entries of a row lie in the k buckets with the smallest low, since each of these k has an entry that is
at least as small. In single precision that is all: bits of floats that are not negative sort like integers, and
integers have room for a number beside them, so that the buckets are found by one sort and the entries by another.

    t_i = k-th smallest of low_i;     the candidates are the entries of row i up to t_i

is the way in double precision, and of the compiled loop: at least k entries are candidates, mostly few more, and only
these are sorted. All ways give the same.
"""

import sys

import numpy as np

from manyview.kernels import compiled
from manyview.kernels.arrays import FloatArray, IntArray
from manyview.kernels.compiled import Library

COMPILED_K = 16  # half of the buckets of the compiled loop
NUMBERS_AT_ONCE = 1 << 20  # of a range of rows, 4 MB
LOW, HIGH = (0, 1) if sys.byteorder == "little" else (1, 0)  # halves of a long integer


def nearest(d: FloatArray, k: int, /) -> tuple[IntArray, FloatArray]:
    """Find columns and values of the k smallest entries of every row, ascending; equals by column."""
    n, m = d.shape
    bucket = min(8, m // (2 * k))
    if bucket < 2:
        return _by_sorting(d, k)
    library = loops_for(m, k)
    if library is not None and d.dtype == np.float32:
        return _by_compiled(library, d, k)
    columns, values = np.empty((n, k), dtype=np.int64), np.empty((n, k), dtype=d.dtype)
    stretch = max(NUMBERS_AT_ONCE // m, 1)
    find = _by_buckets if d.dtype == np.float32 else _by_threshold
    for start in range(0, n, stretch):
        rows = slice(start, start + stretch)
        columns[rows], values[rows] = find(d[rows], k, bucket)
    return columns, values


def loops_for(m: int, k: int, /) -> Library | None:
    """Return the compiled loops, if there are any and they can find k of m entries."""
    return compiled.library if k <= COMPILED_K and m >= 4 * k else None


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
