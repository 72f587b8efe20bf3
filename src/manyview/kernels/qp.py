"""Quadratic programs on the probability simplex, exact, for all samples at once.

    min_z  ½ z'Hz - b'z,   z >= 0,  sum z = 1            H: (m, m) positive definite, common to all rows b of B: (n, m)

On its support a solution satisfies Hz - b = t 1, off its support (Hz - b - t)_j >= 0. Two rules look for that support:
exchange every coordinate that breaks a sign at once (a handful of passes, but where H is nearly singular rows cycle),
and for rows that cycle the primal active-set rule (one coordinate at a time, never uphill, hence finite). A pass solves
the small systems of all unfinished rows together.
"""

import numpy as np

from manyview.kernels.arrays import BoolArray, FloatArray, IntArray

NUMBERS_AT_ONCE = 1 << 22  # of the small systems in one call
PATIENCE = 3  # passes of exchange without fewer wrong signs


def simplex_qp(H: FloatArray, B: FloatArray, /) -> FloatArray:
    """Find the minimizers (n, m) of ½ z'Hz - b'z over the simplex for every row b of B."""
    n, m = B.shape
    Z = np.zeros((n, m))
    left = np.arange(n)  # rows in exchange
    support = np.ones((n, m), dtype=bool)
    best_count = np.full(n, m + 1)  # wrong signs of a row in its best pass
    n_stalled = np.zeros(n, dtype=int)  # passes since
    cycling = np.zeros(n, dtype=bool)
    z, t = _on_all(H, B)
    while len(left):
        wrong = np.where(support, z < 0, _multipliers(H, B[left], z, t) < 0)
        count = wrong.sum(axis=1)
        n_stalled = np.where(count < best_count, 0, n_stalled + 1)
        best_count = np.minimum(count, best_count)
        done = count == 0
        Z[left[done]] = z[done]
        cycling[left] = ~done & (n_stalled >= PATIENCE)
        stays = ~done & ~cycling[left]
        left, support, best_count, n_stalled = (
            left[stays],
            (support ^ wrong)[stays],
            best_count[stays],
            n_stalled[stays],
        )
        z, t = _on_support(H, B[left], support)
    Z[cycling] = _active_set(H, B[cycling])
    return Z


def small_simplex_qp(A: FloatArray, b: FloatArray, /) -> FloatArray:
    """Find a minimizer (V,) of x'Ax - b'x over the simplex, A positive semi-definite.

    Proximal point steps  x <- argmin x'Ax - b'x + delta/2 ||x - x_old||²  from the center: each is strictly convex, and
    where A is singular (two equal views) the limit is a minimizer that treats equals alike.
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
    """Apply the primal active-set rule from the best vertex: drop a coordinate that turns negative, or add one."""
    n, m = B.shape
    added = (np.diagonal(H) / 2 - B).argmin(axis=1)  # (n,) the newest coordinate of each support
    Z = np.zeros((n, m))
    Z[np.arange(n), added] = 1
    support = Z > 0
    left = np.arange(n)
    for _ in range(20 * m):  # some two per coordinate are needed, and every pass leaves a feasible point
        z, t = _on_support(H, B[left], support[left])
        inside = (z >= 0).all(axis=1)
        back, forth = left[~inside], left[inside]
        stuck = _step(Z, support, back, z[~inside], added[back])
        Z[forth] = z[inside]
        slope = _multipliers(H, B[forth], z[inside], t[inside])
        slope[support[forth]] = 0
        worst = slope.argmin(axis=1)
        falls = slope.min(axis=1) < 0
        added[forth] = worst
        support[forth[falls], worst[falls]] = True
        left = np.concatenate([back[~stuck], forth[falls]])
        if not len(left):
            break
    return Z


def _step(Z: FloatArray, support: BoolArray, rows: IntArray, z: FloatArray, newest: IntArray) -> BoolArray:
    """Move rows of Z toward z until a coordinate reaches zero and leaves, in place.

    True where the newest coordinate leaves before any move: what promised a descent was rounding.
    """
    old = Z[rows]
    falling = z < 0
    share = np.where(falling, old / np.where(falling, old - z, 1), np.inf)  # (r, m)
    stop = share.argmin(axis=1)
    every = np.arange(len(rows))
    move = share[every, stop]
    old += move[:, None] * (z - old)
    old[every, stop] = 0
    Z[rows] = np.maximum(old, 0)
    support[rows, stop] = False
    return (stop == newest) & (move == 0)


def _multipliers(H: FloatArray, B: FloatArray, z: FloatArray, t: FloatArray) -> FloatArray:
    """Compute Hz - b - t for every row, zero where it is only rounding."""
    multipliers = z @ H - B - t[:, None]
    scale = np.abs(H).max() + np.abs(B).max(axis=1, initial=0, keepdims=True)
    return np.where(np.abs(multipliers) <= 1e-13 * scale, 0, multipliers)


def _on_all(H: FloatArray, B: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Solve  Hz - b = t 1, sum z = 1  where every coordinate is supported: one system for all rows."""
    solved = np.linalg.solve(H, np.vstack([B, np.ones(len(H))]).T).T
    p, q = solved[:-1], solved[-1]
    t = (1 - p.sum(axis=1)) / q.sum()
    return p + t[:, None] * q, t


def _on_support(H: FloatArray, B: FloatArray, support: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Solve  Hz - b = t 1, sum z = 1  with z = 0 off the support, for z and t; rows of equal size go together."""
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
    """Solve the systems of rows with at most ``size`` supported coordinates, padded with the identity."""
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
