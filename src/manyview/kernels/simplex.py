"""Weights on the probability simplex {w >= 0, sum w = 1}."""

import numpy as np

from manyview.kernels.arrays import FloatArray


def project_simplex(z: FloatArray, /) -> FloatArray:
    """Project every row on the simplex, by Euclidean distance.

        argmin_w ||w - z||²,  w >= 0,  sum w = 1   =   max(z - t, 0)   with t such that the sum is 1

    Rows (n, m) are sorted once; entries of minus infinity never receive weight.
    """
    largest = z.max(axis=1, keepdims=True)
    z = z - np.where(np.isfinite(largest), largest, 0)  # a shift changes nothing; beside large z the 1 is lost
    descending = -np.sort(-z, axis=1)
    finite = np.isfinite(descending)
    sums = np.cumsum(np.where(finite, descending, 0), axis=1) - 1
    counts = np.arange(1, z.shape[1] + 1)
    kept = np.maximum((finite & (descending * counts > sums)).sum(axis=1), 1)
    t = sums[np.arange(len(z)), kept - 1] / kept
    return np.maximum(z - t[:, None], 0)


def pkn_weights(d: FloatArray, k: int, /) -> FloatArray:
    """Compute probabilistic k-neighbor weights from sorted squared distances d_1 <= d_2 <= … (n, at least k + 1).

        w_j = (d_{k+1} - d_j) / (k d_{k+1} - sum_{l<=k} d_l)      j = 1..k

    the minimizer of sum_j d_j w_j + gamma ||w||² on the simplex, gamma such that k weights are non-zero. Where the
    k + 1 nearest are equally far the formula is 0/0; the weights are then 1/k, its limit for a vanishing spread.
    """
    last = d[:, k : k + 1]
    w = last - d[:, :k]
    total = w.sum(axis=1, keepdims=True)
    flat = total <= 8 * np.finfo(d.dtype).eps * k * last
    return np.where(flat, 1 / k, w / np.where(flat, 1, total))
