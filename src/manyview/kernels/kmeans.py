"""k-means: seeds (k-means++ with a few candidates for every seed), and Lloyd's iterations until no label changes.

    first seed: a row at random;   then:  candidates with probability d_i / sum d,  d_i = min_s ||x_i - x_s||²,
    and of these the one that leaves the smallest sum of min(d_i, ||x_i - x_c||²)

scikit-learn draws the same random numbers and so, in double precision, picks the same seeds; its checks and copies take
longer than this work on a few thousand rows, and are in the way of other threads.

    labels_i = argmin_j ||x_i - c_j||²  =  argmin_j ||c_j||² - 2 x_i'c_j          c_j = mean of the rows with label j

Rows are dense or CSR. Only centers whose rows changed are compared again, so the last passes are cheap.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
import scipy.sparse as sp

from manyview.kernels.arrays import FloatArray, IntArray, Table

Criterion = Literal["inertia", "spread"]


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


class Partition(NamedTuple):
    """Partition of rows into groups."""

    centers: FloatArray  # (m, d)
    labels: IntArray  # (n,)
    inertia: float  # sum of squared distances to the centers
    spread: float  # sum of distances to the centers
    n_iter: int  # passes


def best_of_starts(
    x: Table,
    starts: IntArray,
    /,
    *,
    max_iter: int,
    by: Criterion = "inertia",
    place: Callable[[FloatArray], FloatArray] | None = None,
    squares: FloatArray | None = None,
) -> Partition:
    """Return the best of several runs; every row of ``starts`` (r, m) names m rows of x (n, d) to begin with.

    Every run descends in its inertia; ``by`` says what the runs are compared by. Some programs sum distances there.

    ``place`` maps means of rows to centers, for rows that are known up to a part that ``place`` removes: centers are
    orthogonal to that part, so products with the rows do not see it. ``squares`` are the rows' squared lengths without
    that part.
    """
    squares = row_squares(x) if squares is None else squares
    runs = (_lloyd(x, squares, rows, max_iter, place or np.asarray) for rows in starts)
    return min(runs, key=lambda run: float(getattr(run, by)))


def row_squares(x: Table, /) -> FloatArray:
    """Compute the squared lengths (n,) of the rows."""
    return np.asarray(x.multiply(x).sum(axis=1)).ravel() if sp.issparse(x) else np.einsum("nd,nd->n", x, x)


def _lloyd(
    x: Table, squares: FloatArray, rows: IntArray, max_iter: int, place: Callable[[FloatArray], FloatArray]
) -> Partition:
    n = len(squares)
    start = x[rows]
    centers = place(start.toarray() if sp.issparse(start) else np.asarray(start))
    products = np.asarray(x @ centers.T)  # (n, m)
    labels = np.full(n, -1)
    n_iter = 0
    while n_iter < max_iter:
        n_iter += 1
        gaps = np.einsum("md,md->m", centers, centers) - 2 * products  # squared distances less squares
        new = _fill_empty(gaps.argmin(axis=1), gaps, squares)
        changed = new != labels
        if not changed.any():
            break
        moved = np.unique(np.concatenate([new[changed], labels[changed & (labels >= 0)]]))
        labels = new
        centers[moved] = place(_means(x, labels, moved, centers))
        products[:, moved] = x @ centers[moved].T
    gaps = np.einsum("md,md->m", centers, centers) - 2 * products
    labels = gaps.argmin(axis=1)
    distances = np.maximum(squares + gaps[np.arange(n), labels], 0)
    return Partition(centers, labels, float(distances.sum()), float(np.sqrt(distances).sum()), n_iter)


def _means(x: Table, labels: IntArray, wanted: IntArray, centers: FloatArray) -> FloatArray:
    """Compute the means of the wanted groups; a group without rows keeps its center."""
    position = np.full(len(centers), -1)
    position[wanted] = np.arange(len(wanted))
    rows = np.flatnonzero(position[labels] >= 0)
    groups = position[labels[rows]]
    membership = sp.csr_array((np.ones(len(rows)), (groups, rows)), shape=(len(wanted), len(labels)))
    sums = membership @ x
    sums = sums.toarray() if sp.issparse(sums) else np.asarray(sums)
    counts = np.bincount(groups, minlength=len(wanted))[:, None]
    return np.where(counts > 0, sums / np.maximum(counts, 1), centers[wanted])


def _fill_empty(labels: IntArray, gaps: FloatArray, squares: FloatArray) -> IntArray:
    """Give groups without rows the rows farthest from their own centers, if those are away from them at all."""
    n, m = gaps.shape
    empty = np.flatnonzero(np.bincount(labels, minlength=m) == 0)
    if len(empty):
        distances = squares + gaps[np.arange(n), labels]
        far = np.argsort(-distances, kind="stable")[: len(empty)]
        far = far[distances[far] > 1e-12 * (squares[far] + np.abs(gaps[far, labels[far]]))]
        labels[far] = empty[: len(far)]
    return labels
