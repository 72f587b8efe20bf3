"""Polar factor of a tall matrix, from its small Gram matrix (the Q-step of the paper).

argmax_{QᴴQ = I} Re tr(QᴴB)  =  B (BᴴB)^(-1/2)          B: (N, K), only BᴴB: (K, K) crosses rows
"""

from typing import NamedTuple

import numpy as np

from manyview.kernels.arrays import FloatArray


class InverseRoot(NamedTuple):
    """Inverse square root of a Gram matrix, and its condition."""

    matrix: FloatArray  # (..., K, K), (BᴴB)^(-1/2) on the range of B
    condition: float  # of B, the worst of a batch; above 1/sqrt(eps) the product needs a second step


def inverse_root(BhB: FloatArray, /, *, rcond: float = 1e-14) -> InverseRoot:
    """Compute the inverse square root of one or a batch of Gram matrices."""
    eigenvalues, E = np.linalg.eigh(BhB)
    floor = np.maximum(rcond * eigenvalues[..., -1:], np.finfo(float).tiny)
    # a direction B does not span stays at the floor: zero would drop a cluster, infinity would invent one
    lifted = np.maximum(eigenvalues, floor)
    matrix = (E / np.sqrt(lifted)[..., None, :]) @ np.conj(np.swapaxes(E, -1, -2))
    return InverseRoot(matrix, float(np.sqrt(lifted[..., -1] / lifted[..., 0]).max()))
