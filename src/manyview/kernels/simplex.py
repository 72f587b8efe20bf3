"""Weights on the probability simplex {w >= 0, sum w = 1}, for full rows, sparse rows, and rows of distances.

    a_i = argmin_a ||a - z_i||²,  a >= 0,  sum a = 1,  a_j = 0 outside the support of row i   =   max(z_i - t_i, 0)

The threshold of a row is the mean excess of its active entries, t = (sum z - 1) / count. Starting with all entries
active, entries at or below t leave and t grows until none leaves: a few passes over flat arrays, no sorting, rows of
any length. Rows of length N are projected where they are made, block by block in the cache, so that Z never exists as
a whole.
"""

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from manyview.kernels.arrays import BoolArray, FloatArray, IntArray
from manyview.kernels.dense_graph import Stretch, block_height, cache_blocks, stretches
from manyview.kernels.sample_graph import Run, compressed, in_order

RUN = 1024  # truth values, 128 words of eight bytes: as many as a byte can count without overflow
Fill = Callable[[int, int, FloatArray], None]


def project_simplex(z: FloatArray, /) -> FloatArray:
    """Project every row on the simplex, by Euclidean distance.

        argmin_w ||w - z||²,  w >= 0,  sum w = 1   =   max(z - t, 0)   with t such that the sum is 1

    Rows (n, m) are sorted once; entries of minus infinity never receive weight.
    """
    largest = z.max(axis=1, keepdims=True)
    z = z - np.where(np.isfinite(largest), largest, 0)  # a shift changes nothing; beside large z the 1 is lost
    descending = -np.sort(-z, axis=1)
    finite = np.isfinite(descending)
    sums = np.cumsum(np.where(finite, descending, 0), axis=1) - 1
    counts = np.arange(1, z.shape[1] + 1)
    kept = np.maximum((finite & (descending * counts > sums)).sum(axis=1), 1)
    t = sums[np.arange(len(z)), kept - 1] / kept
    return np.maximum(z - t[:, None], 0)


def pkn_weights(d: FloatArray, k: int, /) -> FloatArray:
    """Compute probabilistic k-neighbor weights from sorted squared distances d_1 <= d_2 <= … (n, at least k + 1).

        w_j = (d_{k+1} - d_j) / (k d_{k+1} - sum_{l<=k} d_l)      j = 1..k

    the minimizer of sum_j d_j w_j + gamma ||w||² on the simplex, gamma such that k weights are non-zero. Where the
    k + 1 nearest are equally far the formula is 0/0; the weights are then 1/k, its limit for a vanishing spread.
    """
    last = d[:, k : k + 1]
    w = last - d[:, :k]
    total = w.sum(axis=1, keepdims=True)
    flat = total <= 8 * np.finfo(d.dtype).eps * k * last
    return np.where(flat, 1 / k, w / np.where(flat, 1, total))


def project_rows(Z: sp.csr_array, /) -> sp.csr_array:
    """Project the stored entries of every row (N, M); a row without entries stays empty."""
    lengths = np.diff(Z.indptr)
    full = np.flatnonzero(lengths)
    largest = np.zeros(len(lengths))
    largest[full] = np.maximum.reduceat(Z.data, Z.indptr[full]) if len(full) else 0
    rows = np.repeat(np.arange(len(lengths)), lengths)
    weights, kept, columns = _project(Z.data - largest[rows], rows, Z.indices, len(lengths))
    return compressed(weights, columns, np.bincount(kept, minlength=len(lengths)), Z.shape[1])


def project_blocks(fill: Fill, W: FloatArray, /, *, run: Run = in_order) -> FloatArray:
    """Project whole rows into W (N, N), which is also given back; ``fill(start, stop, out)`` writes Z[start:stop]."""
    n = len(W)

    def project(stretch: Stretch) -> None:
        scratch, padded = np.empty((2, block_height(n), n)), -(-n // RUN) * RUN
        mask = np.zeros((block_height(n), padded), dtype=np.bool_)
        for rows in cache_blocks(stretch, n):
            height = rows.stop - rows.start
            Z, V = scratch[:, :height]
            fill(rows.start, rows.stop, Z)
            _project_dense(Z, V, mask[:height], W[rows])

    run(project, stretches(n))
    return W


def _project_dense(Z: FloatArray, V: FloatArray, mask: BoolArray, W: FloatArray) -> None:
    """Project the rows of a block Z (b, N) into W; V and mask are scratch, Z is used up.

    Newton's method on the sum of max(Z - t, 0): from below the threshold it never goes beyond, and it is there when no
    entry leaves.
    """
    n = Z.shape[1]
    ones, above = np.ones(n), mask[:, :n]
    Z -= Z.max(axis=1, keepdims=True)
    # both are below the threshold: from there it only grows
    threshold = np.maximum(((Z @ ones)[:, None] - 1) / n, -1)
    active: IntArray | None = None
    while True:
        np.greater(Z, threshold, out=above)
        previous, active = active, _row_counts(mask)
        np.maximum(Z, threshold, out=V)
        if previous is not None and (active == previous).all():
            break
        step = ((V @ ones)[:, None] - n * threshold - 1) / active
        threshold += np.maximum(step, 0)  # rounding must not decrease it, or the loop might not end
    np.subtract(V, threshold, out=W)
    off = (W @ ones)[:, None] - 1
    if (np.abs(off) > 1e-14).any():  # far below the largest entry n * threshold had cost digits
        threshold += off / active
        np.subtract(np.maximum(Z, threshold, out=V), threshold, out=W)


def _row_counts(mask: BoolArray) -> IntArray:
    """Count the true values of every row (b, 1), adding whole words of eight one-byte counters."""
    words = mask.view(np.uint64).reshape(len(mask), -1, RUN // 8).sum(axis=2)
    return words.view(np.uint8).sum(axis=1, keepdims=True, dtype=np.int64)


def _project(z: FloatArray, rows: IntArray, columns: IntArray, n_rows: int) -> tuple[FloatArray, IntArray, IntArray]:
    """Return weights, rows and columns of the positive entries, rows in order; the largest z of every row is 0.

    With the largest at 0 the threshold is negative whatever the rounding, so no row loses all its entries.
    """
    while True:
        count = np.bincount(rows, minlength=n_rows)
        threshold = (np.bincount(rows, weights=z, minlength=n_rows) - 1) / np.maximum(count, 1)
        active = z > threshold[rows]
        if active.all():
            return z - threshold[rows], rows, columns
        z, rows, columns = z[active], rows[active], columns[active]


def embedded_distances(F: FloatArray, pattern: sp.csr_array, /) -> FloatArray:
    """Compute ||F_i - F_j||² for the stored pairs (i, j) of a pattern (N, N), in their order."""
    rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    d = np.empty(len(rows))
    at_once = 1 << 20  # pairs
    for start in range(0, len(rows), at_once):
        pairs = slice(start, start + at_once)
        difference = F[rows[pairs]] - F[pattern.indices[pairs]]
        d[pairs] = np.einsum("pc,pc->p", difference, difference)
    return d


def with_data(pattern: sp.csr_array, data: FloatArray, /) -> sp.csr_array:
    """Return the same pattern with other entries."""
    return sp.csr_array((data, pattern.indices, pattern.indptr), shape=pattern.shape)
