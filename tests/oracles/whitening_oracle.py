"""PartiallyWhitened principal scores written from their equation, through the singular value decomposition."""

import numpy as np


def whitened_scores(y):
    """(y - mean) V diag(s_1/s)^(1/4)."""
    centered = y - y.mean(axis=0)
    _, s, Vt = np.linalg.svd(centered, full_matrices=False)
    kept = s > 1e-6 * s[0]
    return centered @ Vt[kept].T * (s[0] / s[kept]) ** 0.25


def distances(z):
    """Squared distances of all pairs of rows: the same for any rotation of the scores."""
    return ((z[:, None] - z[None]) ** 2).sum(axis=2)
