"""Projection on the simplex by trying every support, and by bisection where there are too many."""

from itertools import combinations

import numpy as np


def project_by_enumeration(z):
    """The nearest of all points max(z - t, 0) that lie on the simplex, t from each possible support."""
    z = [float(value) for value in z]
    best, smallest = None, np.inf
    for size in range(1, len(z) + 1):
        for support in combinations(range(len(z)), size):
            t = (sum(z[i] for i in support) - 1) / size
            w = [z[i] - t if i in support else 0.0 for i in range(len(z))]
            distance = sum((a - b) ** 2 for a, b in zip(w, z, strict=True))
            if min(w) >= -1e-12 and distance < smallest:
                best, smallest = w, distance
    return np.array(best)


def project_by_bisection(z, total=1.0):
    """max(z - t, 0) with t found by halving an interval."""
    z = np.asarray(z, dtype=np.float64)
    low, high = z.max() - total, z.max()
    for _ in range(200):
        t = (low + high) / 2
        if sum(max(value - t, 0.0) for value in z) > total:
            low = t
        else:
            high = t
    return np.array([max(value - (low + high) / 2, 0.0) for value in z])
