"""The k smallest entries of every row, without sorting the rows.

    t_i = k-th smallest of (min over j = b, b + B, b + 2B, … of d_ij)  for b = 1..B       B buckets of columns, B > k

k buckets have a minimum of at most t_i, so at least k entries of row i do, and mostly few more. Only these are sorted:
a pass of minima and a comparison are all that the other columns cost.
"""

import numpy as np

from manyview.kernels.arrays import FloatArray, IntArray

LARGEST_BUCKET = 8  # columns
NUMBERS_AT_ONCE = 1 << 18  # of a stretch of rows, 1 MB: it stays in the cache from the first look to the last


def nearest(d: FloatArray, k: int, /) -> tuple[IntArray, FloatArray]:
    """Columns and values of the k smallest entries of every row, ascending; the lower column first among equals."""
    n, m = d.shape
    bucket = min(LARGEST_BUCKET, m // (2 * k))
    if bucket < 2:
        return _by_sorting(d, k)
    columns, values = np.empty((n, k), dtype=np.int64), np.empty((n, k), dtype=d.dtype)
    stretch = max(NUMBERS_AT_ONCE // m, 1)
    for start in range(0, n, stretch):
        rows = slice(start, start + stretch)
        columns[rows], values[rows] = _by_threshold(d[rows], k, bucket)
    return columns, values


def _by_sorting(d: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
    columns = np.argsort(d, axis=1, kind="stable")[:, :k]
    return columns, np.take_along_axis(d, columns, axis=1)


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
    """A value (n, 1) that at least k entries of the row do not exceed."""
    size = d.shape[1] // bucket
    lowest = np.minimum(d[:, :size], d[:, size : 2 * size])
    for start in range(2 * size, bucket * size, size):
        np.minimum(lowest, d[:, start : start + size], out=lowest)
    lowest.partition(k - 1, axis=1)
    return lowest[:, k - 1 : k]
