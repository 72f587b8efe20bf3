"""Quadratic programs on the probability simplex, exact, for all samples at once.

    min_z  ½ z'Hz - b'z,   z >= 0,  sum z = 1            H: (m, m) positive definite, common to all rows b of B: (n, m)

On its support a solution satisfies Hz - b = t 1, off its support (Hz - b - t)_j >= 0. Two rules look for that support:
exchange every coordinate that breaks a sign at once (few passes, but rows may cycle), then, for the rows that are left,
the primal active-set rule (one coordinate at a time, never uphill, hence finite). No row waits for another: a pass
solves the small systems of all unfinished rows together.
"""

import numpy as np

from manyview.kernels.arrays import BoolArray, FloatArray, IntArray

NUMBERS_AT_ONCE = 1 << 22  # of the small systems in one call
TOLERANCE = 1e-13  # of a multiplier, relative to the numbers it is made of
EXCHANGE_PASSES = 20


def simplex_qp(H: FloatArray, B: FloatArray, /) -> FloatArray:
    """Minimisers (n, m) of ½ z'Hz - b'z over the simplex for every row b of B."""
    n, m = B.shape
    Z = np.zeros((n, m))
    left = np.arange(n)  # rows without a solution yet
    support = np.ones((n, m), dtype=bool)
    for _ in range(EXCHANGE_PASSES):
        z, t = _on_support(H, B[left], support)
        wrong = np.where(support, z < 0, _below_zero(H, B[left], z, t))
        done = ~wrong.any(axis=1)
        Z[left[done]] = z[done]
        left, support = left[~done], (support ^ wrong)[~done]
        if not len(left):
            return Z
    Z[left] = _active_set(H, B[left])
    return Z


def small_simplex_qp(A: FloatArray, b: FloatArray, /) -> FloatArray:
    """A minimiser (V,) of x'Ax - b'x over the simplex, A positive semi-definite.

    Proximal point steps  x <- argmin x'Ax - b'x + delta/2 ||x - x_old||²  from the centre: each is strictly convex, and
    where A is singular (two equal views) the limit is a minimiser that treats equals alike.
    """
    V = len(b)
    delta = 1e-6 * np.trace(A) / V or 1.0
    H = 2 * A + delta * np.eye(V)
    x = np.full(V, 1 / V)
    for _ in range(100):
        x, old = simplex_qp(H, (b + delta * x)[None])[0], x
        if np.abs(x - old).max() <= 1e-15:
            break
    return x


def _active_set(H: FloatArray, B: FloatArray) -> FloatArray:
    """Primal active-set rule from the best vertex: add the worst coordinate, or stop at the first that turns negative."""
    n, m = B.shape
    Z = np.zeros((n, m))
    first = (np.diagonal(H) / 2 - B).argmin(axis=1)
    Z[np.arange(n), first] = 1
    support = Z > 0
    added = first
    left = np.arange(n)
    while len(left):
        z, t = _on_support(H, B[left], support[left])
        blocked = (support[left] & (z < 0)).any(axis=1)
        newest = added[left]
        rows = left[blocked]
        if len(rows):
            stop = _step(Z, support, rows, z[blocked])
            added[rows] = np.where(stop == newest[blocked], -2, added[rows])  # no way down from here but rounding
        rows, z, t = left[~blocked], z[~blocked], t[~blocked]
        Z[rows] = z
        gain = np.where(_below_zero(H, B[rows], z, t) & ~support[rows], z @ H - B[rows] - t[:, None], 0)
        added[rows] = np.where(gain.min(axis=1) < 0, gain.argmin(axis=1), -2)
        left = left[added[left] != -2]
        grow = np.intersect1d(rows, left, assume_unique=True)
        support[grow, added[grow]] = True
    return Z


def _step(Z: FloatArray, support: BoolArray, rows: IntArray, z: FloatArray) -> IntArray:
    """Move the rows of Z towards z as far as they stay non-negative; the coordinate that stops them leaves, in place."""
    falling = support[rows] & (z < 0)
    old = Z[rows]
    share = np.where(falling, old / np.where(falling, old - z, 1), np.inf)  # (r, m)
    stop = share.argmin(axis=1)
    every = np.arange(len(rows))
    old += share[every, stop][:, None] * (z - old)
    old[every, stop] = 0
    Z[rows] = np.maximum(old, 0)
    support[rows, stop] = False
    return stop


def _below_zero(H: FloatArray, B: FloatArray, z: FloatArray, t: FloatArray) -> BoolArray:
    """Coordinates whose multiplier Hz - b - t is negative beyond rounding."""
    scale = np.abs(H).max() + np.abs(B).max(axis=1, initial=0, keepdims=True)
    return z @ H - B - t[:, None] < -TOLERANCE * scale


def _on_support(H: FloatArray, B: FloatArray, support: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Solutions of  Hz - b = t 1, sum z = 1  with z = 0 off the support, and t; rows of equal size go together."""
    z = np.zeros(B.shape)
    t = np.empty(len(B))
    sizes = support.sum(axis=1)
    order = np.argsort(sizes, kind="stable")
    start = 0
    while start < len(order):
        ahead = np.arange(1, len(order) - start + 1) * sizes[order[start:]].astype(np.int64) ** 2
        rows = order[start : start + max(int(np.searchsorted(ahead, NUMBERS_AT_ONCE, side="right")), 1)]
        z[rows], t[rows] = _solve(H, B[rows], support[rows], int(sizes[rows[-1]]))
        start += len(rows)
    return z, t


def _solve(H: FloatArray, B: FloatArray, support: BoolArray, size: int) -> tuple[FloatArray, FloatArray]:
    """The systems of rows with at most ``size`` supported coordinates; smaller ones are filled with the identity."""
    columns = np.argsort(~support, axis=1, kind="stable")[:, :size]  # (r, size)
    real = np.take_along_axis(support, columns, axis=1)
    small = H[columns[:, :, None], columns[:, None, :]] * (real[:, :, None] & real[:, None, :])  # (r, size, size)
    diagonal = np.arange(size)
    small[:, diagonal, diagonal] += ~real
    right = np.stack([np.take_along_axis(B, columns, axis=1) * real, real.astype(np.float64)], axis=2)
    p, q = np.moveaxis(np.linalg.solve(small, right), 2, 0)  # z = p + t q
    t = (1 - p.sum(axis=1)) / q.sum(axis=1)
    z = np.zeros(B.shape)
    np.put_along_axis(z, columns, (p + t[:, None] * q) * real, axis=1)
    return z, t
