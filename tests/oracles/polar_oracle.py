"""Polar factor by the singular value decomposition of the tall matrix itself."""

import numpy as np


def polar(B):
    """U Wᴴ of B = U S Wᴴ."""
    U, _, Wh = np.linalg.svd(B, full_matrices=False)
    return U @ Wh


def nuclear_norm(B):
    """The largest Re tr(QᴴB) that any Q with orthonormal columns reaches."""
    return np.linalg.svd(B, compute_uv=False).sum()
