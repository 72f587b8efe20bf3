"""Exact nearest neighbors among the samples of one view, and the probabilistic k-neighbor (PKN) graph on them.

    W_ij = (d_{k+1} - d_j) / (k d_{k+1} - sum_{l<=k} d_l)        d_1 <= d_2 <= … squared distances of row i, sorted

The minimizer of sum_j d_j w_j + gamma ||w||² on the simplex with gamma such that k weights are non-zero. Neighbors are
positions 2..k+2 of a stable sort of the row: the first of the sort is dropped, whoever it is. Among duplicates that is
the one with the lowest row number, so a later duplicate keeps itself as a neighbor (a loop in the graph).

N x N distances exist for one block of rows at a time. Products are not centered first: for whole numbers (word counts)
they are then exact, equal distances are equal floats, and ties fall in the order of the rows on every machine.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from manyview.kernels.arrays import FloatArray, IntArray, Table
from manyview.kernels.sparse import index_type

ENTRIES_AT_ONCE = 1 << 22  # of a block of distances, 32 MB
Run = Callable[[Callable[[Any], Any], Sequence[Any]], list[Any]]  # a function over blocks, in order or by threads


class SampleRows(NamedTuple):
    """Rows whose distances are wanted: row i is table_i minus offset_i in every column."""

    table: Table  # (N, d) float64, dense or CSR
    offset: FloatArray | None  # (N,) the mean of each row of the table, so that CSR stays sparse; None is zero


class Neighbors(NamedTuple):
    """The k + 1 nearest of every row, ascending, the first of the sort dropped."""

    columns: IntArray  # (N, k + 1)
    distances: FloatArray  # (N, k + 1), squared

    @property
    def k(self) -> int:
        """Return the number of neighbors that can receive weight."""
        return max(self.columns.shape[1] - 1, 1)


def raw_rows(x: Table, /) -> SampleRows:
    """Return the rows as they are, in double precision."""
    return SampleRows(sp.csr_array(x, dtype=np.float64) if sp.issparse(x) else np.asarray(x, dtype=np.float64), None)


def standard_rows(x: Table, /) -> SampleRows:
    """Standardize every row across its columns: mean 0, standard deviation 1 (with n - 1); a constant row becomes zero.

    A table of one or two columns is left as it is, because the z-scores of a row would keep at most a sign.
    """
    rows = raw_rows(x)
    d = rows.table.shape[1]
    if d < 3:  # a row's z-scores keep at most a sign
        return rows
    if not sp.issparse(rows.table):
        centered = rows.table - rows.table.mean(axis=1, keepdims=True)
        return SampleRows(
            centered * _inverse_spread(rows.table, np.einsum("nd,nd->n", centered, centered))[:, None], None
        )
    mean = np.asarray(rows.table.mean(axis=1)).ravel()
    squares = _squared_norms(rows.table) - d * mean**2
    scale = _inverse_spread(rows.table, squares)
    return SampleRows(sp.csr_array(sp.diags_array(scale) @ rows.table), mean * scale)


def _inverse_spread(table: Table, squares: FloatArray) -> FloatArray:
    """Compute 1 / standard deviation of every row; 0 where the row is constant up to rounding."""
    d = table.shape[1]
    constant = squares <= 8 * d * np.finfo(float).eps ** 2 * _squared_norms(table)
    return np.where(constant, 0, np.sqrt((d - 1) / np.where(constant, 1, squares)))


def _squared_norms(table: Table) -> FloatArray:
    if sp.issparse(table):
        return np.asarray(table.multiply(table).sum(axis=1)).ravel()
    return np.einsum("nd,nd->n", table, table)


def distance_block(rows: SampleRows, start: int, stop: int, /) -> FloatArray:
    """Compute squared distances (stop - start, N) of a range of rows to all rows; exactly 0 between duplicates."""
    x, offset = rows
    norms = _squared_norms(x)
    product = x[start:stop] @ x.T
    d = product.toarray() if sp.issparse(product) else product
    if offset is not None:
        d -= x.shape[1] * np.outer(offset[start:stop], offset)
        norms = norms - x.shape[1] * offset**2
    d *= -2
    d += norms[start:stop, None]
    d += norms
    # half the digits are gone below this share of the terms: subtract the rows themselves
    lost = np.nonzero(d < np.sqrt(np.finfo(float).eps) * (norms[start:stop, None] + norms))
    at_once = 1 << 14  # pairs
    for first in range(0, len(lost[0]), at_once):
        i, j = (side[first : first + at_once] for side in lost)
        d[i, j] = _direct(rows, i + start, j)
    return d


def _direct(rows: SampleRows, i: IntArray, j: IntArray) -> FloatArray:
    d = _squared_norms(rows.table[i] - rows.table[j])
    if rows.offset is not None:
        d = np.maximum(d - rows.table.shape[1] * (rows.offset[i] - rows.offset[j]) ** 2, 0)
    return d


def in_order(function: Callable[[Any], Any], items: Sequence[Any], /) -> list[Any]:
    """Apply a function to one block after another."""
    return [function(item) for item in items]


def row_blocks(n_samples: int, /, *, entries: int | None = None) -> list[tuple[int, int]]:
    """Split the rows into ranges (start, stop), such that a block of N x N numbers stays small."""
    height = max(1, (ENTRIES_AT_ONCE if entries is None else entries) // n_samples)
    return list(pairwise([*range(0, n_samples, height), n_samples]))


def sample_neighbors(rows: SampleRows, k: int, /, *, run: Run = in_order) -> Neighbors:
    """Find the exact neighbors of every row; k is cut to the N - 2 that the formula can serve (1 for two rows)."""
    n_samples = rows.table.shape[0]
    wanted = min(k + 2, n_samples)  # with the one to drop
    parts = run(lambda block: _stable_nearest(distance_block(rows, *block), wanted), row_blocks(n_samples))
    columns, distances = (np.concatenate(side)[:, 1:] for side in zip(*parts, strict=True))
    return Neighbors(columns, distances)


def _stable_nearest(d: FloatArray, count: int) -> tuple[IntArray, FloatArray]:
    """Find the first ``count`` columns of a stable sort of every row, without sorting the rows."""
    bound = np.partition(d, count - 1, axis=1)[:, count - 1 : count]
    candidates = d <= bound
    tied = np.flatnonzero(candidates.sum(axis=1) > count)  # more candidates than places: equals at the border
    if len(tied):
        keep = np.argsort(d[tied], axis=1, kind="stable")[:, :count]
        candidates[tied] = False
        candidates[tied[:, None], keep] = True
    columns = np.nonzero(candidates)[1].reshape(len(d), count)
    values = np.take_along_axis(d, columns, axis=1)
    order = np.argsort(values, axis=1, kind="stable")
    return np.take_along_axis(columns, order, axis=1), np.take_along_axis(values, order, axis=1)


def sample_weights(distances: FloatArray, /) -> FloatArray:
    """Compute PKN weights (N, k + 1) from sorted squared distances (N, k + 1); the last column is 0.

    Where the k + 1 nearest are equally far the formula is 0/0. Such a row has no nearest neighbors and gets none: any
    choice among its equals would follow the order of the rows in the file. Two samples are each other's neighbor.
    """
    if distances.shape[1] == 1:
        return np.ones_like(distances)
    last = distances[:, -1:]
    w = last - distances
    total = w.sum(axis=1, keepdims=True)
    flat = total <= np.finfo(float).eps * w.shape[1] * last
    return np.where(flat, 0, w / np.where(flat, 1, total))


def neighbor_matrix(columns: IntArray, weights: FloatArray, /) -> sp.csr_array:
    """Put weights (N, m) on columns (N, m) into a CSR matrix (N, N), zeros left out."""
    n_samples, m = columns.shape
    matrix = compressed(weights.ravel(), columns.ravel(), np.full(n_samples, m), n_samples)
    matrix.sort_indices()
    matrix.eliminate_zeros()
    return matrix


def compressed(data: FloatArray, columns: IntArray, lengths: IntArray, width: int, /) -> sp.csr_array:
    """Make a CSR matrix from entries in row order, with 32-bit indices where they fit, for speed."""
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(index_type(max(len(data), width)))
    return sp.csr_array((data, columns.astype(indptr.dtype), indptr), shape=(len(lengths), width))


def sample_graph(rows: SampleRows, k: int, /, *, run: Run = in_order) -> sp.csr_array:
    """Compute the PKN graph (N, N) of the rows, not symmetric: row i holds the weights of i's neighbors."""
    columns, distances = sample_neighbors(rows, k, run=run)
    return neighbor_matrix(columns, sample_weights(distances))
