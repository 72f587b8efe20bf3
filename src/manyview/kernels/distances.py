"""Squared Euclidean distances of rows to anchors, safe against cancellation.

    d_ij = ||x_i - a_j||²  =  ||x_i||² + ||a_j||² - 2 x_i'a_j

The expansion is one matrix product, but where x_i is close to a_j it subtracts nearly equal numbers. Both sides are
therefore shifted to the centre of the anchors, and pairs whose result lost most of its digits are done again directly.
"""

import numpy as np
import scipy.sparse as sp

from manyview.kernels.arrays import FloatArray, IntArray, Table

NUMBERS_AT_ONCE = 1 << 22  # of the pairs that are done again, 32 MB


def squared_distances(x: Table, anchors: FloatArray, /) -> FloatArray:
    """Squared distances (n, m) of the rows of x (n, d), dense or CSR, to the anchors (m, d)."""
    if sp.issparse(x):
        d, xx, aa = _expand_sparse(x, anchors)
    else:
        centre = anchors.mean(axis=0)
        d, xx, aa = _expand_dense(x - centre, anchors - centre)
    rows, columns = _cancelled(d, xx, aa)
    pairs = max(NUMBERS_AT_ONCE // max(x.shape[1], 1), 1)
    for start in range(0, len(rows), pairs):
        i, j = rows[start : start + pairs], columns[start : start + pairs]
        # of the rows as they came: close numbers subtract exactly, and the shift has rounded them
        difference = (x[i].toarray() if sp.issparse(x) else x[i]) - anchors[j]
        d[i, j] = np.einsum("pd,pd->p", difference, difference)
    return d


def _expand_dense(x: FloatArray, anchors: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The expansion as one product  [x, ||x||², 1] [-2a, 1, ||a||²]', and the squared lengths."""
    xx = np.einsum("nd,nd->n", x, x)  # (n,)
    aa = np.einsum("md,md->m", anchors, anchors)  # (m,)
    left = np.column_stack([x, xx, np.ones_like(xx)])
    right = np.column_stack([-2 * anchors, np.ones_like(aa), aa])
    return left @ right.T, xx, aa


def _expand_sparse(x: Table, anchors: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    xx = np.asarray(x.multiply(x).sum(axis=1)).ravel()
    aa = np.einsum("md,md->m", anchors, anchors)
    d = np.asarray(x @ anchors.T)
    d *= -2
    d += xx[:, None]
    d += aa
    return d, xx, aa


def _cancelled(d: FloatArray, xx: FloatArray, aa: FloatArray) -> tuple[IntArray, IntArray]:
    """Pairs that lost half their digits; only rows whose smallest distance is suspicious are looked at closely."""
    share = np.sqrt(np.finfo(d.dtype).eps)
    rows = np.flatnonzero(d.min(axis=1, initial=np.inf) < share * (xx + aa.max(initial=0)))
    inside, columns = np.nonzero(d[rows] < share * (xx[rows, None] + aa))
    return rows[inside], columns
