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
DENSE_SIZE = 500  # up to this many anchors all eigenvectors are as cheap as some


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
    row_ends: IntArray  # (n + 1,) row i has the edges row_ends[i] … row_ends[i + 1]
    column_ends: IntArray  # (m + 1,) the same for columns, in the order of by_column

    def matrix(self, weights: FloatArray) -> Table:
        """CSR (n, m) with other weights on these edges."""
        return sp.csr_array((weights, self.columns, self.row_ends), shape=self.shape)

    def transposed(self, weights: FloatArray) -> Table:
        """Its transpose, CSR too: products with it are fast."""
        order = self.by_column
        return sp.csr_array((weights[order], self.rows[order], self.column_ends), shape=self.shape[::-1])


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
    found = _vectors(edges, edges.weights, n_clusters)
    if found.fewer > n_clusters * (1 - 1e-10):  # that many components, or more, to begin with
        return _components(edges.matrix(edges.weights), 0)
    strength = 0.1  # lambda
    p, n_iter = edges.weights, 0
    U, V = found.U, 10 * found.V  # the released program starts from these scales; it decides what the first step cuts
    while n_iter < max_iter:
        n_iter += 1
        target = edges.weights - strength / 2 * _edge_distances(edges, U, V)
        p = _project(target, edges.row_ends)
        if columns_too:
            columns = np.empty_like(p)
            columns[edges.by_column] = _project(target[edges.by_column], edges.column_ends)
            p = (p + columns) / 2
        found = _vectors(edges, p, n_clusters, found.V)
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
    rows = np.repeat(np.arange(A.shape[0], dtype=np.int32), np.diff(A.indptr))
    ends = np.concatenate([[0], np.cumsum(np.bincount(A.indices, minlength=A.shape[1]))])
    return _Edges(A.data, rows, A.indices, A.shape, np.argsort(A.indices, kind="stable"), A.indptr, ends)


def _edge_distances(edges: _Edges, U: FloatArray, V: FloatArray) -> FloatArray:
    """||u_i - v_j||² for every edge (i, j)."""
    distances = np.empty(len(edges.weights))
    for start in range(0, len(distances), EDGES_AT_ONCE):
        part = slice(start, start + EDGES_AT_ONCE)
        difference = U[edges.rows[part]] - V[edges.columns[part]]
        distances[part] = np.einsum("ec,ec->e", difference, difference)
    return distances


def _project(z: FloatArray, ends: IntArray) -> FloatArray:
    """Projection of every stretch z[end:next end] on the simplex, max(z - t, 0), all stretches at once.

    t is the mean excess of the entries above it; dropping what is below the mean only raises t, so the passes end.
    """
    filled = np.diff(ends) > 0
    starts, sizes = ends[:-1][filled], np.diff(ends)[filled]
    z = z - np.repeat(np.maximum.reduceat(z, starts), sizes)  # the largest is zero: no digits lost beside the 1
    above = np.ones(len(z), dtype=bool)
    while True:
        count = np.add.reduceat(above, starts, dtype=np.int64)
        t = np.repeat((np.add.reduceat(np.where(above, z, 0), starts) - 1) / count, sizes)
        still = above & (z > t)
        if still.sum() == above.sum():
            return np.where(above, z - t, 0)
        above = still


def _vectors(edges: _Edges, p: FloatArray, n_clusters: int, before: FloatArray | None = None) -> _Vectors:
    """The c leading singular vectors of P1, over sqrt(2): [U; V] has orthonormal columns."""
    row_sums: FloatArray = np.bincount(edges.rows, p, minlength=edges.shape[0]).astype(np.float64)
    column_sums: FloatArray = np.bincount(edges.columns, p, minlength=edges.shape[1]).astype(np.float64)
    row_scale, column_scale = _inverse_root(row_sums), _inverse_root(column_sums)
    p1 = p * row_scale[edges.rows] * column_scale[edges.columns]
    P1, P1t = edges.matrix(p1), edges.transposed(p1)
    m, count = edges.shape[1], min(n_clusters + 1, edges.shape[1])
    if m <= DENSE_SIZE or 4 * count > m:
        squares, V = scipy.linalg.eigh((P1t @ P1).toarray(), subset_by_index=(m - count, m - 1), driver="evr")
    else:
        squares, V = _leading_right(P1, P1t, _component_vectors(P1, np.sqrt(column_sums)), count, before)
    order = np.argsort(-squares, kind="stable")
    V, more = V[:, order[:n_clusters]], float(squares.sum())
    squares = squares[order[:n_clusters]]
    U = (P1 @ V) * _inverse_root(squares)
    half = np.sqrt(0.5)
    return _Vectors(U * half, V * half, row_scale, column_scale, float(squares.sum()), more)


def _inverse_root(x: FloatArray) -> FloatArray:
    """1 / sqrt(x), zero where x is not positive: an anchor without an edge takes no part."""
    return np.where(x > 0, 1 / np.sqrt(np.where(x > 0, x, 1)), 0)


def _leading_right(
    P1: Table, P1t: Table, known: FloatArray, count: int, before: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """Largest eigenvalues of P1'P1 and their vectors (m, count).

    Every component has an eigenvalue 1 with a known vector. A Krylov space holds one vector of an eigenvalue, however
    often it occurs, so the known ones are taken out first.
    """
    known = known[:, :count]
    ones = np.ones(known.shape[1])
    wanted = count - len(ones)
    if wanted == 0:
        return ones, known
    m = P1.shape[1]
    start = np.random.default_rng(0).standard_normal(m)  # any vector will do, the same one every time
    if before is not None:
        start = 1e-3 * start / np.sqrt(m) + before.sum(axis=1)
    rest = scipy.sparse.linalg.LinearOperator(
        (m, m), matvec=lambda x: P1t @ (P1 @ x) - known @ (known.T @ x), dtype=np.float64
    )
    squares, V = scipy.sparse.linalg.eigsh(rest, wanted, which="LA", v0=start, ncv=min(m, 2 * count + 20))
    return np.concatenate([ones, squares]), np.hstack([known, V])


def _component_vectors(P1: Table, root_degrees: FloatArray) -> FloatArray:
    """Orthonormal eigenvectors (m, q) of the eigenvalue 1: the roots of the column sums, component by component."""
    labels = _components(P1, 0).column_labels
    anchors = np.flatnonzero(labels >= 0)
    vectors = np.zeros((len(labels), labels.max() + 1))
    vectors[anchors, labels[anchors]] = root_degrees[anchors]
    return vectors / np.sqrt(np.einsum("mq,mq->q", vectors, vectors))


def _components(P: Table, n_iter: int) -> CoClusters:
    """Connected components of samples and anchors; an anchor without an edge belongs to none."""
    P = P.copy()
    P.eliminate_zeros()
    n = P.shape[0]
    graph = sp.block_array([[None, P], [P.T, None]], format="csr")
    _, labels = scipy.sparse.csgraph.connected_components(graph, directed=False)
    names, first = np.unique(labels[:n], return_index=True)
    rank = np.full(labels.max() + 1, -1)
    rank[names[np.argsort(first)]] = np.arange(len(names))
    return CoClusters(P, rank[labels[:n]], rank[labels[n:]], len(names), n_iter)
