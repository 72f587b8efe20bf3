"""Euclidean projection on the simplex for every row of a sparse matrix, and for whole rows of distances.

    a_i = argmin_a ||a - z_i||²,  a >= 0,  sum a = 1,  a_j = 0 outside the support of row i   =   max(z_i - t_i, 0)

The threshold of a row is the mean excess of its active entries, t = (sum z - 1) / count. Starting with all entries
active, entries at or below t leave and t grows until none leaves: a few passes over flat arrays, no sorting, rows of
any length. An entry that left never returns, so rows of length N can be cut down while they are made, block by block.
"""

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from manyview.kernels.arrays import FloatArray, IntArray
from manyview.kernels.sample_graph import Run, compressed, in_order, row_blocks

PAIRS_AT_ONCE = 1 << 20
ENTRIES_AT_ONCE = 1 << 18  # of a dense block: 2 MB, so that the passes over it stay in the cache


def project_rows(Z: sp.csr_array, /) -> sp.csr_array:
    """Project the stored entries of every row (N, M); a row without entries stays empty."""
    lengths = np.diff(Z.indptr)
    full = np.flatnonzero(lengths)
    largest = np.zeros(len(lengths))
    largest[full] = np.maximum.reduceat(Z.data, Z.indptr[full]) if len(full) else 0
    rows = np.repeat(np.arange(len(lengths)), lengths)
    weights, kept, columns = _project(Z.data - largest[rows], rows, Z.indices, len(lengths))
    return compressed(weights, columns, np.bincount(kept, minlength=len(lengths)), Z.shape[1])


def project_blocks(make: Callable[[int, int], FloatArray], n_samples: int, /, *, run: Run = in_order) -> FloatArray:
    """Project whole rows to an array (N, N); ``make(start, stop)`` gives Z[start:stop] (stop - start, N), used up."""
    W = np.empty((n_samples, n_samples))
    run(lambda block: _project_dense(make(*block), W[slice(*block)]), cache_blocks(n_samples))
    return W


def cache_blocks(n_samples: int, /) -> list[tuple[int, int]]:
    """(start, stop) of stretches of rows of an N x N matrix for work on dense blocks."""
    return row_blocks(n_samples, entries=ENTRIES_AT_ONCE)


def _project_dense(Z: FloatArray, W: FloatArray) -> None:
    """Project the rows of a dense block into W, of the same shape."""
    Z -= Z.max(axis=1, keepdims=True)
    # both are below the threshold: from there it only grows
    threshold = np.maximum((Z.sum(axis=1, keepdims=True) - 1) / Z.shape[1], -1)
    active: IntArray | None = None
    while True:
        previous, active = active, np.count_nonzero(threshold < Z, axis=1, keepdims=True)
        np.maximum(Z, threshold, out=W)
        W -= threshold
        if previous is not None and (active >= previous).all():
            return
        threshold += (W.sum(axis=1, keepdims=True) - 1) / active


def _project(z: FloatArray, rows: IntArray, columns: IntArray, n_rows: int) -> tuple[FloatArray, IntArray, IntArray]:
    """Weights, rows and columns of the positive entries, rows in order; the largest z of every row is 0.

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
    """||F_i - F_j||² for the stored pairs (i, j) of a pattern (N, N), in their order."""
    rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    d = np.empty(len(rows))
    for start in range(0, len(rows), PAIRS_AT_ONCE):
        pairs = slice(start, start + PAIRS_AT_ONCE)
        difference = F[rows[pairs]] - F[pattern.indices[pairs]]
        d[pairs] = np.einsum("pc,pc->p", difference, difference)
    return d


def with_data(pattern: sp.csr_array, data: FloatArray, /) -> sp.csr_array:
    """The same pattern with other entries."""
    return sp.csr_array((data, pattern.indices, pattern.indptr), shape=pattern.shape)
