"""Generalized soft threshold: the scalar problem behind every Schatten-p prox.

    gst(s; tau, p) = argmin_{t >= 0}  (t - s)² / 2 + tau t^p          0 < p <= 1

Below a threshold the answer is 0; above it, the larger root of  t - s + p tau t^(p-1) = 0.
"""

import numpy as np

from manyview.kernels.arrays import FloatArray


def threshold(tau: float, p: float, /) -> float:
    """Return the largest s that is shrunk to zero."""
    if p == 1 or tau == 0:
        return tau
    t = (2 * tau * (1 - p)) ** (1 / (2 - p))  # the smallest non-zero answer
    return float(t + p * tau * t ** (p - 1))


def tau_for_threshold(s: float, p: float, /) -> float:
    """Return the tau whose threshold is s: the inverse of :func:`threshold`."""
    if p == 1:
        return s
    unit = (2 * (1 - p)) ** (1 / (2 - p)) + p * (2 * (1 - p)) ** ((p - 1) / (2 - p))
    return float((s / unit) ** (2 - p))


def gst(s: FloatArray, /, *, tau: float, p: float, steps: int | None = None) -> FloatArray:
    """Shrink non-negative numbers s.

    Newton's method from t = s converges monotonically, because the equation is convex there. ``steps`` asks for that
    many plain fixed-point steps t <- s - p tau t^(p-1) instead: the literature stops after 4, not yet at the root.
    """
    if p == 1 or tau == 0:
        return np.maximum(s - tau, 0)
    limit = threshold(tau, p)
    kept = s > limit
    start = np.where(kept, s, limit + 1)  # any number above the threshold: below it the steps may leave t > 0
    t = start
    if steps is not None:
        for _ in range(steps):
            t = start - p * tau * t ** (p - 1)
        return np.where(kept, t, 0)
    for _ in range(12):  # to the last digit
        t = t - (t - start + p * tau * t ** (p - 1)) / (1 - p * (1 - p) * tau * t ** (p - 2))
    return np.where(kept, t, 0)
