"""Coclustering of a bipartite graph by its number of components.

Given weights A (n, m) >= 0 of n samples on m anchors, find weights P on the same edges, close to A, whose bipartite
graph has c connected components. A graph has c components when the c largest singular values of its normalized weights

    P1 = Dr^(-1/2) P Dc^(-1/2)          Dr, Dc: row and column sums of P on a diagonal

are all 1. With the singular vectors U (n, c), V (m, c) of P1 held fixed, every row of P is a projection on the simplex,

    p_i = simplex( a_i - lambda/2 (||D1 u_i - D2 v_j||²)_j )      on the anchors j with a_ij > 0

and lambda doubles while there are fewer than c components. Where there are more, lambda halves and the step is made
again from the vectors before: of more than c vectors with singular value 1 no c are better than others.
"""

from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg

from manyview.kernels.arrays import FloatArray, IntArray, Table
from manyview.kernels.laplacian import components
from manyview.kernels.simplex import project_rows, with_data

EDGES_AT_ONCE = 1 << 16
DENSE_SIZE = 500  # up to this many anchors all eigenvectors are as cheap as some


class CoClusters(NamedTuple):
    """A bipartite graph and its connected components."""

    P: sp.csr_array  # (n, m)
    row_labels: IntArray  # (n,) component of every sample, in the order of first rows
    column_labels: IntArray  # (m,) component of every anchor, -1 for anchors without an edge
    n_components: int
    n_iter: int


class _Vectors(NamedTuple):
    """Scaled singular vectors of the normalized weights, and its leading squared singular values."""

    U: FloatArray  # (n, c)
    V: FloatArray  # (m, c)
    row_scale: FloatArray  # (n,) the diagonal of Dr^(-1/2)
    column_scale: FloatArray  # (m,)
    fewer: float  # sum of the c largest
    more: float  # sum of the c + 1 largest


def cocluster(A: Table, n_clusters: int, /, *, max_iter: int = 50, columns_too: bool = True) -> CoClusters:
    """Find weights P near A (n, m) whose graph has ``n_clusters`` components, if ``max_iter`` steps suffice.

    ``columns_too`` projects every column as well, and takes the mean of both projections (the authors' program);
    without it the rows alone are projected (the paper).
    """
    A = sp.csr_array(A, dtype=np.float64, copy=True)
    A.sum_duplicates()
    A.eliminate_zeros()
    found = _vectors(A, n_clusters)
    if found.fewer > n_clusters * (1 - 1e-10):  # that many components, or more, to begin with
        return _components(A, 0)
    strength = 0.1  # lambda
    P, n_iter = A, 0
    U, V = found.U, 10 * found.V  # the released program starts from these scales; it decides what the first step cuts
    while n_iter < max_iter:
        n_iter += 1
        target = with_data(A, A.data - strength / 2 * _edge_distances(A, U, V))
        P = project_rows(target)
        if columns_too:
            P = sp.csr_array((P + project_rows(target.T.tocsr()).T) / 2)
        found = _vectors(P, n_clusters, found.V)
        if found.fewer < n_clusters - 1e-7:
            strength *= 2
            U, V = found.row_scale[:, None] * found.U, found.column_scale[:, None] * found.V
        elif found.more > n_clusters + 1 - 1e-7:
            strength /= 2
        else:
            break
    return _components(P, n_iter)


def _row_numbers(A: sp.csr_array) -> IntArray:
    """Return the row of every stored entry."""
    return np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))


def _edge_distances(A: sp.csr_array, U: FloatArray, V: FloatArray) -> FloatArray:
    """Compute ||u_i - v_j||² for every edge (i, j), in their order."""
    rows = _row_numbers(A)
    distances = np.empty(len(rows))
    for start in range(0, len(rows), EDGES_AT_ONCE):
        part = slice(start, start + EDGES_AT_ONCE)
        difference = U[rows[part]] - V[A.indices[part]]
        distances[part] = np.einsum("ec,ec->e", difference, difference)
    return distances


def _vectors(P: sp.csr_array, n_clusters: int, before: FloatArray | None = None) -> _Vectors:
    """Compute the c leading singular vectors of P1, over sqrt(2): [U; V] has orthonormal columns."""
    row_sums, column_sums = P.sum(axis=1), P.sum(axis=0)
    row_scale, column_scale = _inverse_root(row_sums), _inverse_root(column_sums)
    P1 = with_data(P, P.data * row_scale[_row_numbers(P)] * column_scale[P.indices])
    m, count = P.shape[1], min(n_clusters + 1, P.shape[1])
    if m <= DENSE_SIZE or 4 * count > m:
        squares, V = scipy.linalg.eigh((P1.T @ P1).toarray(), subset_by_index=(m - count, m - 1), driver="evr")
    else:
        squares, V = _leading_right(P1, _component_vectors(P1, np.sqrt(column_sums)), count, before)
    order = np.argsort(-squares, kind="stable")[:n_clusters]
    more = float(squares.sum())
    squares, V = squares[order], V[:, order]
    U = (P1 @ V) * _inverse_root(squares)
    half = np.sqrt(0.5)
    return _Vectors(U * half, V * half, row_scale, column_scale, float(squares.sum()), more)


def _inverse_root(x: FloatArray) -> FloatArray:
    """Compute 1 / sqrt(x), zero where x is not positive: an anchor without an edge takes no part."""
    return np.where(x > 0, 1 / np.sqrt(np.where(x > 0, x, 1)), 0)


def _leading_right(
    P1: sp.csr_array, known: FloatArray, count: int, before: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """Compute the largest eigenvalues of P1'P1 and their vectors (m, count).

    Every component has an eigenvalue 1 with a known vector. A Krylov space holds one vector of an eigenvalue, however
    often it occurs, so the known ones are taken out first.
    """
    known = known[:, :count]
    ones = np.ones(known.shape[1])
    wanted = count - len(ones)
    if wanted == 0:
        return ones, known
    m, P1t = P1.shape[1], P1.T.tocsr()
    start = np.random.default_rng(0).standard_normal(m)  # any vector will do, the same one every time
    if before is not None:
        start = 1e-3 * start / np.sqrt(m) + before.sum(axis=1)
    rest = scipy.sparse.linalg.LinearOperator(
        (m, m), matvec=lambda x: P1t @ (P1 @ x) - known @ (known.T @ x), dtype=np.float64
    )
    squares, V = scipy.sparse.linalg.eigsh(rest, wanted, which="LA", v0=start, ncv=min(m, 2 * count + 20))
    return np.concatenate([ones, squares]), np.hstack([known, V])


def _component_vectors(P1: sp.csr_array, root_degrees: FloatArray) -> FloatArray:
    """Return orthonormal eigenvectors (m, q) of the eigenvalue 1: the roots of the column sums, by component."""
    labels = _components(P1, 0).column_labels
    anchors = np.flatnonzero(labels >= 0)
    vectors = np.zeros((len(labels), labels.max() + 1))
    vectors[anchors, labels[anchors]] = root_degrees[anchors]
    return vectors / np.sqrt(np.einsum("mq,mq->q", vectors, vectors))


def _components(P: sp.csr_array, n_iter: int) -> CoClusters:
    """Find the connected components of samples and anchors; an anchor without an edge belongs to none."""
    n = P.shape[0]
    labels = components(sp.csr_array(sp.block_array([[None, P], [P.T, None]]))).labels  # samples come first
    number = int(labels[:n].max()) + 1
    anchors = labels[n:]
    return CoClusters(P, labels[:n], np.where(anchors < number, anchors, -1), number, n_iter)
