"""Squared Euclidean distances of rows to anchors, safe against cancellation.

    d_ij = ||x_i - a_j||²  =  ||x_i||² + ||a_j||² - 2 x_i'a_j

The expansion is one matrix product, but where x_i is close to a_j it subtracts nearly equal numbers. Both sides are
therefore shifted to the centre of the anchors, and pairs whose result lost most of its digits are done again directly.
"""

import numpy as np
import scipy.sparse as sp

from manyview.kernels.arrays import BoolArray, FloatArray, Table

NUMBERS_AT_ONCE = 1 << 22  # of the pairs that are done again, 32 MB


def squared_distances(x: Table, anchors: FloatArray, /) -> FloatArray:
    """Squared distances (n, m) of the rows of x (n, d), dense or CSR, to the anchors (m, d)."""
    if sp.issparse(x):
        d, lost = _expand(x, anchors)
    else:
        centre = anchors.mean(axis=0)
        d, lost = _expand(x - centre, anchors - centre)
    rows, columns = np.nonzero(lost)
    pairs = max(NUMBERS_AT_ONCE // max(x.shape[1], 1), 1)
    for start in range(0, len(rows), pairs):
        i, j = rows[start : start + pairs], columns[start : start + pairs]
        # of the rows as they came: close numbers subtract exactly, and the shift has rounded them
        difference = (x[i].toarray() if sp.issparse(x) else x[i]) - anchors[j]
        d[i, j] = np.einsum("pd,pd->p", difference, difference)
    return d


def _expand(x: Table, anchors: FloatArray) -> tuple[FloatArray, BoolArray]:
    """The expansion, and where it cancelled."""
    xx = np.asarray(x.multiply(x).sum(axis=1)).ravel() if sp.issparse(x) else np.einsum("nd,nd->n", x, x)  # (n,)
    aa = np.einsum("md,md->m", anchors, anchors)  # (m,)
    d = np.asarray(x @ anchors.T)
    d *= -2
    d += xx[:, None]
    d += aa
    # half the digits are gone below this share of the terms
    return d, d < np.sqrt(np.finfo(d.dtype).eps) * (xx[:, None] + aa)
