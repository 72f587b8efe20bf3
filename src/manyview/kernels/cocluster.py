"""Coclustering of a bipartite graph by its number of components.

Given weights A (n, m) >= 0 of n samples on m anchors, find weights P on the same edges, close to A, whose bipartite
graph has c connected components. A graph has c components when the c largest singular values of its normalised weights

    P1 = Dr^(-1/2) P Dc^(-1/2)          Dr, Dc: row and column sums of P on a diagonal

are all 1. With the singular vectors U (n, c), V (m, c) of P1 held fixed, every row of P is a projection on the simplex,

    p_i = simplex( a_i - lambda/2 (||D1 u_i - D2 v_j||²)_j )      on the anchors j with a_ij > 0

and lambda doubles while there are fewer than c components and halves while there are more.
"""

from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.csgraph
import scipy.sparse.linalg

from manyview.kernels.arrays import FloatArray, IntArray, Table

EDGES_AT_ONCE = 1 << 16
DENSE_SIZE = 400  # up to this many anchors all eigenvectors are as cheap as some


class CoClusters(NamedTuple):
    """A bipartite graph and its connected components."""

    P: Table  # (n, m) CSR
    row_labels: IntArray  # (n,) component of every sample, in the order of first rows
    column_labels: IntArray  # (m,) component of every anchor, -1 for anchors without an edge
    n_components: int
    n_iter: int


class _Edges(NamedTuple):
    """The edges of A in row order, and how to read them in column order."""

    weights: FloatArray  # (E,)
    rows: IntArray  # (E,)
    columns: IntArray  # (E,)
    shape: tuple[int, int]
    by_column: IntArray  # (E,) edges sorted by column, rows ascending
    row_starts: IntArray  # first edge of every row that has one
    column_starts: IntArray  # the same in the order of by_column

    def matrix(self, weights: FloatArray) -> Table:
        return sp.csr_array((weights, (self.rows, self.columns)), shape=self.shape)


class _Vectors(NamedTuple):
    """Scaled singular vectors of the normalised weights, and its leading squared singular values."""

    U: FloatArray  # (n, c)
    V: FloatArray  # (m, c)
    row_scale: FloatArray  # (n,) the diagonal of Dr^(-1/2)
    column_scale: FloatArray  # (m,)
    fewer: float  # sum of the c largest
    more: float  # sum of the c + 1 largest


def cocluster(A: Table, n_clusters: int, /, *, max_iter: int = 50, columns_too: bool = True) -> CoClusters:
    """Weights P near A (n, m) whose graph has ``n_clusters`` components, if ``max_iter`` steps suffice.

    ``columns_too`` projects every column as well, and takes the mean of both projections (the authors' program);
    without it the rows alone are projected (the paper).
    """
    edges = _edges(A)
    found = _vectors(edges.matrix(edges.weights), n_clusters)
    if found.fewer > n_clusters * (1 - 1e-10):  # that many components, or more, to begin with
        return _components(edges.matrix(edges.weights), 0)
    strength = 0.1  # lambda
    p, n_iter = edges.weights, 0
    U, V = found.U, 10 * found.V  # the released program starts from these scales; it decides what the first step cuts
    while n_iter < max_iter:
        n_iter += 1
        target = edges.weights - strength / 2 * _edge_distances(edges, U, V)
        p = _project(target, edges.row_starts)
        if columns_too:
            columns = np.empty_like(p)
            columns[edges.by_column] = _project(target[edges.by_column], edges.column_starts)
            p = (p + columns) / 2
        found = _vectors(edges.matrix(p), n_clusters)
        U, V = found.row_scale[:, None] * found.U, found.column_scale[:, None] * found.V
        if found.fewer < n_clusters - 1e-7:
            strength *= 2
        elif found.more > n_clusters + 1 - 1e-7:
            strength /= 2
        else:
            break
    return _components(edges.matrix(p), n_iter)


def _edges(A: Table) -> _Edges:
    A = sp.csr_array(A, dtype=np.float64)
    A.sum_duplicates()
    A.eliminate_zeros()
    edges = A.tocoo()
    by_column = np.argsort(edges.col, kind="stable")
    return _Edges(
        edges.data,
        edges.row,
        edges.col,
        A.shape,
        by_column,
        np.flatnonzero(np.diff(edges.row, prepend=-1)),
        np.flatnonzero(np.diff(edges.col[by_column], prepend=-1)),
    )


def _edge_distances(edges: _Edges, U: FloatArray, V: FloatArray) -> FloatArray:
    """||u_i - v_j||² for every edge (i, j)."""
    distances = np.empty(len(edges.weights))
    for start in range(0, len(distances), EDGES_AT_ONCE):
        part = slice(start, start + EDGES_AT_ONCE)
        difference = U[edges.rows[part]] - V[edges.columns[part]]
        distances[part] = np.einsum("ec,ec->e", difference, difference)
    return distances


def _project(z: FloatArray, starts: IntArray) -> FloatArray:
    """Projection of every stretch z[start:next start] on the simplex, max(z - t, 0), all stretches at once.

    t is the mean excess of the entries above it; dropping what is below the mean only raises t, so the passes end.
    """
    sizes = np.diff(starts, append=len(z))
    z = z - np.repeat(np.maximum.reduceat(z, starts), sizes)  # the largest is zero: no digits lost beside the 1
    above = np.ones(len(z), dtype=bool)
    while True:
        count = np.add.reduceat(above, starts, dtype=np.int64)
        t = np.repeat((np.add.reduceat(np.where(above, z, 0), starts) - 1) / count, sizes)
        still = above & (z > t)
        if still.sum() == above.sum():
            return np.where(above, z - t, 0)
        above = still


def _vectors(P: Table, n_clusters: int) -> _Vectors:
    """The c leading singular vectors of P1, over sqrt(2): [U; V] has orthonormal columns."""
    row_scale, column_scale = (_inverse_root(P.sum(axis=axis)) for axis in (1, 0))
    P1 = sp.csr_array(P.multiply(row_scale[:, None]).multiply(column_scale))
    squares, V = _leading_right(P1, n_clusters + 1)  # descending
    squares, V, more = squares[:n_clusters], V[:, :n_clusters], float(squares.sum())
    U = (P1 @ V) * _inverse_root(squares)
    half = np.sqrt(0.5)
    return _Vectors(U * half, V * half, row_scale, column_scale, float(squares.sum()), more)


def _inverse_root(x: FloatArray) -> FloatArray:
    """1 / sqrt(x), zero where x is not positive: an anchor without an edge takes no part."""
    x = np.asarray(x).ravel()
    return np.where(x > 0, 1 / np.sqrt(np.where(x > 0, x, 1)), 0)


def _leading_right(P1: Table, count: int) -> tuple[FloatArray, FloatArray]:
    """Largest eigenvalues of P1'P1 and their vectors (m, count), descending; at most m."""
    m = P1.shape[1]
    count = min(count, m)
    if m <= DENSE_SIZE or 4 * count > m:
        gram = (P1.T @ P1).toarray()
        eigenvalues, V = scipy.linalg.eigh(gram, subset_by_index=(m - count, m - 1), driver="evr")
    else:
        start = np.random.default_rng(0).standard_normal(m)  # any vector will do, the same one every time
        gram = scipy.sparse.linalg.LinearOperator((m, m), matvec=lambda v: P1.T @ (P1 @ v), dtype=np.float64)
        eigenvalues, V = scipy.sparse.linalg.eigsh(gram, count, which="LA", v0=start, ncv=min(m, 4 * count + 20))
    order = np.argsort(-eigenvalues, kind="stable")
    return eigenvalues[order], V[:, order]


def _components(P: Table, n_iter: int) -> CoClusters:
    """Connected components of samples and anchors; an anchor without an edge belongs to none."""
    P.eliminate_zeros()
    n = P.shape[0]
    graph = sp.block_array([[None, P], [P.T, None]], format="csr")
    _, labels = scipy.sparse.csgraph.connected_components(graph, directed=False)
    names, first = np.unique(labels[:n], return_index=True)
    rank = np.full(labels.max() + 1, -1)
    rank[names[np.argsort(first)]] = np.arange(len(names))
    return CoClusters(P, rank[labels[:n]], rank[labels[n:]], len(names), n_iter)
