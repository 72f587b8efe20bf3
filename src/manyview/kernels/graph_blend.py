"""The blend of several graphs, column by column, that is nearest to a given one.

    min_alpha  sum_j ||A_.j - sum_v alpha_vj S^v_.j||²,  sum_v alpha_vj = 1        alpha_.j = C⁻¹1 / (1'C⁻¹1)

C = Z'Z (V, V) with the columns A_.j - S^v_.j in Z. Weights may be negative. Graphs are all CSR or all N x N arrays.
"""

from collections.abc import Sequence
from itertools import combinations_with_replacement

import numpy as np
import scipy.sparse as sp

from manyview.kernels.arrays import FloatArray, Graph
from manyview.kernels.dense_graph import Stretch, block_height, cache_blocks, stretches
from manyview.kernels.sample_graph import Run, in_order
from manyview.kernels.simplex import with_data


def column_weights(A: Graph, graphs: Sequence[Graph], /, *, run: Run = in_order) -> FloatArray:
    """Compute alpha (V, N). A column where all graphs equal A has equal weights."""
    n, V = A.shape[0], len(graphs)

    def products(stretch: Stretch) -> FloatArray:
        """Compute one stretch's share of C, lower triangles (V, V, N)."""
        share = np.zeros((V, V, n))
        scratch = np.empty((V, block_height(n), n))
        for rows in cache_blocks(stretch, n):
            Z = scratch[:, : rows.stop - rows.start]
            for v, S in enumerate(graphs):
                np.subtract(_rows(A, rows), _rows(S, rows), out=Z[v])
            for v, w in combinations_with_replacement(range(V), 2):
                share[w, v] += np.einsum("bn,bn->n", Z[v], Z[w])
        return share

    C = np.moveaxis(np.sum(run(products, stretches(n)), axis=0), 2, 0)  # (N, V, V)
    eigenvalues, E = np.linalg.eigh(C)
    ridge = np.finfo(float).eps * np.trace(C, axis1=1, axis2=2)[:, None]
    lifted = np.maximum(eigenvalues, 0) + np.where(ridge > 0, ridge, 1)
    raw = np.einsum("nvk,nk->nv", E, E.sum(axis=1) / lifted)  # C⁻¹1
    return (raw / raw.sum(axis=1, keepdims=True)).T


def blended(
    graphs: Sequence[Graph], alpha: FloatArray, /, *, run: Run = in_order, out: FloatArray | None = None
) -> Graph:
    """Compute columns  sum_v alpha_vj S^v_.j; for arrays in ``out`` if given."""
    if sp.issparse(graphs[0]):
        scaled = [with_data(S, S.data * weights[S.indices]) for S, weights in zip(graphs, alpha, strict=True)]
        return sp.csr_array(sum(scaled[1:], start=scaled[0]))
    B = np.empty(graphs[0].shape) if out is None else out

    def fill(stretch: Stretch) -> None:
        scratch = np.empty((block_height(len(B)), len(B)))
        for rows in cache_blocks(stretch, len(B)):
            np.multiply(graphs[0][rows], alpha[0], out=B[rows])
            for S, weights in zip(graphs[1:], alpha[1:], strict=True):
                B[rows] += np.multiply(S[rows], weights, out=scratch[: rows.stop - rows.start])

    run(fill, stretches(len(B)))
    return B


def squared_distance(A: Graph, B: Graph, /, *, run: Run = in_order) -> float:
    """Compute ||A - B||²."""
    n = A.shape[0]

    def share(stretch: Stretch) -> float:
        scratch, total = np.empty((block_height(n), n)), 0.0
        for rows in cache_blocks(stretch, n):
            difference = np.subtract(_rows(A, rows), _rows(B, rows), out=scratch[: rows.stop - rows.start]).ravel()
            total += float(difference @ difference)
        return total

    return float(sum(run(share, stretches(n))))


def squared_norm(A: Graph, /) -> float:
    """Compute ||A||²."""
    entries = A.data if sp.issparse(A) else A.ravel()
    return float(entries @ entries)


def without_loops(A: Graph, /, *, overwrite: bool = False) -> Graph:
    """Remove the diagonal of a graph; ``overwrite`` lets an array be changed in place."""
    if sp.issparse(A):
        rest = sp.csr_array(A - sp.diags_array(A.diagonal()))
        rest.eliminate_zeros()
        return rest
    rest = A if overwrite else A.copy()
    np.fill_diagonal(rest, 0)
    return rest


def _rows(A: Graph, rows: slice) -> FloatArray:
    """Return a block of rows, dense."""
    block = A[rows]
    return block.toarray() if sp.issparse(block) else block
