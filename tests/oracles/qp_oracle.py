"""Quadratic programs on the simplex by trying every support."""

from itertools import chain, combinations

import numpy as np


def best_on_simplex(H, b):
    """argmin ½ z'Hz - b'z over the simplex: the best of the feasible stationary points on all supports."""
    m = len(b)
    best, value = None, np.inf
    for support in chain.from_iterable(combinations(range(m), size) for size in range(1, m + 1)):
        s = list(support)
        system = np.block([[H[np.ix_(s, s)], -np.ones((len(s), 1))], [np.ones((1, len(s))), np.zeros((1, 1))]])
        solution = np.linalg.lstsq(system, np.append(b[s], 1), rcond=None)[0]
        z = np.zeros(m)
        z[s] = solution[:-1]
        if z.min() >= -1e-12 and abs(z.sum() - 1) < 1e-9:
            f = 0.5 * z @ H @ z - b @ z
            if f < value:
                best, value = z, f
    return best, value


def violations(H, b, z):
    """How far z is from the simplex, and from the conditions of a minimum there (relative to H and b)."""
    outside = max(0, -z.min()) + abs(z.sum() - 1)
    slope = H @ z - b
    scale = np.abs(H).max() + np.abs(b).max()
    level = slope[z > 1e-9].mean()
    return outside, max((level - slope).max(), np.abs(slope[z > 1e-9] - level).max()) / scale
