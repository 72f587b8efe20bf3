"""The blend of several graphs, column by column, that is nearest to a given one.

    min_alpha  sum_j ||A_.j - sum_v alpha_vj S^v_.j||²,  sum_v alpha_vj = 1        alpha_.j = C⁻¹1 / (1'C⁻¹1)

C = Z'Z (V, V) with the columns A_.j - S^v_.j in Z. Weights may be negative. Graphs are all CSR or all N x N arrays.
"""

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from manyview.kernels.arrays import FloatArray, Graph
from manyview.kernels.sample_graph import Run, in_order
from manyview.kernels.simplex_rows import cache_blocks, with_data


def column_weights(A: Graph, graphs: Sequence[Graph], /, *, run: Run = in_order) -> FloatArray:
    """alpha (V, N). A column where all graphs equal A has equal weights."""

    def products(block: tuple[int, int]) -> FloatArray:
        """One block's share of C, lower triangles (V, V, N)."""
        Z = [_rows(A, block) - _rows(S, block) for S in graphs]
        share = np.zeros((len(Z), len(Z), A.shape[0]))
        for v in range(len(Z)):
            for w in range(v + 1):
                share[v, w] = np.einsum("bn,bn->n", Z[v], Z[w])
        return share

    C = np.moveaxis(np.sum(run(products, cache_blocks(A.shape[0])), axis=0), 2, 0)  # (N, V, V)
    eigenvalues, E = np.linalg.eigh(C)
    ridge = np.finfo(float).eps * np.trace(C, axis1=1, axis2=2)[:, None]
    lifted = np.maximum(eigenvalues, 0) + np.where(ridge > 0, ridge, 1)
    raw = np.einsum("nvk,nk->nv", E, E.sum(axis=1) / lifted)  # C⁻¹1
    return (raw / raw.sum(axis=1, keepdims=True)).T


def blended(graphs: Sequence[Graph], alpha: FloatArray, /, *, run: Run = in_order) -> Graph:
    """Columns  sum_v alpha_vj S^v_.j."""
    if sp.issparse(graphs[0]):
        scaled = [with_data(S, S.data * weights[S.indices]) for S, weights in zip(graphs, alpha, strict=True)]
        return sp.csr_array(sum(scaled[1:], start=scaled[0]))
    B = np.empty(graphs[0].shape)

    def fill(block: tuple[int, int]) -> None:
        rows = slice(*block)
        np.multiply(graphs[0][rows], alpha[0], out=B[rows])
        for S, weights in zip(graphs[1:], alpha[1:], strict=True):
            B[rows] += S[rows] * weights

    run(fill, cache_blocks(len(B)))
    return B


def squared_distance(A: Graph, B: Graph, /, *, run: Run = in_order) -> float:
    """||A - B||²."""

    def share(block: tuple[int, int]) -> float:
        difference = (_rows(A, block) - _rows(B, block)).ravel()
        return float(difference @ difference)

    return float(sum(run(share, cache_blocks(A.shape[0]))))


def squared_norm(A: Graph, /) -> float:
    """||A||²."""
    entries = A.data if sp.issparse(A) else A.ravel()
    return float(entries @ entries)


def without_loops(A: Graph, /) -> Graph:
    """The same graph with an empty diagonal."""
    if sp.issparse(A):
        rest = sp.csr_array(A - sp.diags_array(A.diagonal()))
        rest.eliminate_zeros()
        return rest
    rest = A.copy()
    np.fill_diagonal(rest, 0)
    return rest


def _rows(A: Graph, block: tuple[int, int]) -> FloatArray:
    """A stretch of rows, full."""
    rows = A[slice(*block)]
    return rows.toarray() if sp.issparse(rows) else rows
