"""Squared Euclidean distances of rows to anchors, safe against cancellation.

    d_ij = ||x_i - a_j||²  =  ||x_i||² + ||a_j||² - 2 x_i'a_j

The expansion is one matrix product, but where x_i is close to a_j it subtracts nearly equal numbers. Both sides are
therefore shifted to the center of the anchors, and pairs whose result lost most of its digits are recomputed directly.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike

from manyview.kernels.arrays import FloatArray, IntArray, Table

NUMBERS_AT_ONCE = 1 << 22  # of the pairs that are recomputed, 32 MB


class Expansion(NamedTuple):
    """Rows and anchors prepared so that the distances of a range of rows are one product."""

    x: Table  # (n, d), as it came
    anchors: FloatArray  # (m, d)
    left: Table  # (n, d + 2), [x, ||x||², 1] about the center of the anchors; x itself where it is sparse
    right: FloatArray  # (m, d + 2), [-2a, 1, ||a||²]
    xx: FloatArray  # (n,)
    aa: FloatArray  # (m,)

    def take(self, rows: IntArray, /) -> "Expansion":
        """Select some of the rows."""
        return self._replace(x=self.x[rows], left=self.left[rows], xx=self.xx[rows])

    def distances(self, rows: slice, /, *, out: FloatArray | None = None) -> FloatArray:
        """Compute distances of some rows to all anchors; close pairs may need `correct_close`."""
        if not sp.issparse(self.x):
            return np.matmul(self.left[rows], self.right.T, out=out)
        d = np.asarray(self.x[rows] @ self.anchors.T)
        d *= -2
        d += self.xx[rows, None]
        d += self.aa
        return d

    def correct_close(self, d: FloatArray, rows: slice, smallest: FloatArray, /) -> IntArray:
        """Do the pairs again that lost half their digits, in place; the rows of d that have changed.

        Only rows whose smallest distance is suspicious are checked.
        """
        share, first, xx = lost_share(d.dtype), rows.start or 0, self.xx[rows]
        near = np.flatnonzero(smallest < share * (xx + self.aa.max(initial=0)))
        if not len(near):
            return near
        inside, columns = np.nonzero(d[near] < share * (xx[near, None] + self.aa))
        pairs = max(NUMBERS_AT_ONCE // max(self.x.shape[1], 1), 1)
        for start in range(0, len(columns), pairs):
            i, j = near[inside[start : start + pairs]], columns[start : start + pairs]
            # of the rows as they came: close numbers subtract exactly, and the shift has rounded them
            x = self.x[first + i]
            difference = (x.toarray() if sp.issparse(x) else x) - self.anchors[j]
            d[i, j] = np.einsum("pd,pd->p", difference, difference)
        return near


def lost_share(dtype: DTypeLike, /) -> float:
    """Return the share of a pair's squared lengths below which their distance has lost half its digits."""
    return float(np.sqrt(np.finfo(np.dtype(dtype)).eps))


def squared_distances(x: Table, anchors: FloatArray, /) -> FloatArray:
    """Compute squared distances (n, m) of the rows of x (n, d), dense or CSR, to the anchors (m, d)."""
    expansion = expand(x, anchors)
    d = expansion.distances(slice(None))
    expansion.correct_close(d, slice(None), d.min(axis=1, initial=np.inf))
    return d


def expand(x: Table, anchors: FloatArray, /) -> Expansion:
    """Prepare the distances as one product  [x, ||x||², 1] [-2a, 1, ||a||²]'."""
    if sp.issparse(x):
        aa = np.einsum("md,md->m", anchors, anchors)
        return Expansion(x, anchors, x, anchors, np.asarray(x.multiply(x).sum(axis=1)).ravel(), aa)
    center = anchors.mean(axis=0)
    n, width = x.shape
    left = np.empty((n, width + 2), dtype=np.result_type(x, center))
    shifted = np.subtract(x, center, out=left[:, :width])
    xx = left[:, width] = np.einsum("nd,nd->n", shifted, shifted)
    left[:, width + 1] = 1
    around = anchors - center
    aa = np.einsum("md,md->m", around, around)
    return Expansion(x, anchors, left, np.column_stack([-2 * around, np.ones_like(aa), aa]), xx, aa)
