"""Seeds for k-means (k-means++ with a few candidates for every seed).

    first seed: a row at random;   then:  candidates with probability d_i / sum d,  d_i = min_s ||x_i - x_s||²,
    and of these the one that leaves the smallest sum of min(d_i, ||x_i - x_c||²)

scikit-learn draws the same random numbers and so, in double precision, picks the same seeds; its checks and copies take
longer than this work on a few thousand rows, and are in the way of other threads.
"""

import numpy as np

from manyview.kernels.arrays import FloatArray, IntArray


def kmeans_plusplus_rows(X: FloatArray, n_seeds: int, /, *, n_trials: int, seed: int) -> IntArray:
    """Choose rows of X (n, d) that are far from one another, in the order of selection."""
    random = np.random.RandomState(seed)
    n = len(X)
    ones = np.ones((n, 1), X.dtype)  # sums as products, like scikit-learn: equal rows are told apart by the last bit
    squares = np.einsum("nd,nd->n", X, X)

    def to_all(rows: IntArray) -> FloatArray:
        d = X[rows] @ X.T
        d *= -2
        d += squares[rows, None]
        d += squares
        return np.maximum(d, 0, out=d)

    seeds = np.empty(n_seeds, dtype=np.intp)
    seeds[0] = random.choice(n, p=np.full(n, 1 / n))
    nearest = to_all(seeds[:1])  # (1, n), squared distances to the seeds so far
    total = nearest @ ones
    for i in range(1, n_seeds):
        trials = np.searchsorted(
            np.cumsum(nearest, dtype=np.float64), random.uniform(size=n_trials) * float(total[0, 0])
        )
        np.minimum(trials, n - 1, out=trials)
        left = to_all(trials)
        np.minimum(left, nearest, out=left)
        totals = left @ ones
        best = [int(totals.argmin())]
        seeds[i], nearest, total = trials[best[0]], left[best], totals[best]
    return seeds
