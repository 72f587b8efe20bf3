"""Prox of the Schatten p-norm of a tall matrix, from its small Gram matrix (the J-step of the paper).

    argmin_J ||J - Z||² / 2 + tau ||J||_Sp^p  =  Z E diag(gst(s)/s) Eᴴ      with  ZᴴZ = E diag(s²) Eᴴ

Z is (N, r) and only r x r crosses rows. Squaring loses the singular values below sqrt(eps) of the largest; where the
threshold is that small, take the triangular factor R of a QR of Z instead of ZᴴZ: same small problem, all digits.
"""

from typing import NamedTuple

import numpy as np

from manyview.kernels.arrays import ComplexArray, FloatArray
from manyview.kernels.gst import gst, threshold


class Shrinkage(NamedTuple):
    """Right factor that turns Z into its prox, and the norm that is left."""

    matrix: FloatArray  # (..., r, r)
    norms: FloatArray  # (...), ||J||_Sp^p of every matrix


def gram_is_enough(ZhZ: FloatArray, /, *, tau: float, p: float) -> bool:
    """Return whether the threshold is above the singular values that squaring has blurred."""
    largest = np.sqrt(np.abs(np.diagonal(ZhZ, axis1=-2, axis2=-1)).sum(axis=-1).max())
    return threshold(tau, p) > 100 * np.sqrt(np.finfo(float).eps) * float(largest)


def shrinkage_from_gram(ZhZ: FloatArray, /, *, tau: float, p: float, steps: int | None = None) -> Shrinkage:
    """Compute the shrinkage of one or a batch of matrices Z, from ZᴴZ (..., r, r)."""
    eigenvalues, E = np.linalg.eigh(ZhZ)
    return _shrinkage(np.sqrt(np.maximum(eigenvalues, 0)), E, tau, p, steps)


def shrinkage_from_triangle(R: FloatArray, /, *, tau: float, p: float, steps: int | None = None) -> Shrinkage:
    """Compute the shrinkage of one or a batch of matrices Z = Q R, from R (..., r, r)."""
    _, s, Eh = np.linalg.svd(R, full_matrices=False)
    return _shrinkage(s, np.conj(np.swapaxes(Eh, -1, -2)), tau, p, steps)


def _shrinkage(s: FloatArray, E: FloatArray, tau: float, p: float, steps: int | None) -> Shrinkage:
    shrunk = gst(s, tau=tau, p=p, steps=steps)
    ratio = shrunk / np.where(s > 0, s, 1)
    matrix = (E * ratio[..., None, :]) @ np.conj(np.swapaxes(E, -1, -2))
    return Shrinkage(matrix, _powers(shrunk, p))


def _powers(s: FloatArray, p: float) -> FloatArray:
    """Sum of s^p over the last axis, where 0^p = 0 also for tiny p."""
    return np.asarray((np.where(s > 0, s, 1) ** p * (s > 0)).sum(axis=-1))


def prox_over_samples(Z: FloatArray, /, *, tau: float, p: float, steps: int | None = None) -> tuple[FloatArray, float]:
    """Compute the prox of a tensor (V, N, K) whose transform runs over the samples: FFT along N, a K x V slice each.

    This is the step of the group's released programs. It is not equivariant to the order of the rows.
    """
    n_samples = Z.shape[1]
    spectrum: ComplexArray = np.fft.rfft(Z, axis=1).transpose(1, 2, 0)  # (N//2 + 1, K, V)
    U, s, Wh = np.linalg.svd(spectrum, full_matrices=False)
    shrunk = gst(s, tau=tau, p=p, steps=steps)
    J = np.fft.irfft(((U * shrunk[:, None, :]) @ Wh).transpose(2, 0, 1), n=n_samples, axis=1)
    twice = np.full(len(shrunk), 2.0)  # the other half of the spectrum is the conjugate
    twice[0] = 1
    if n_samples % 2 == 0:
        twice[-1] = 1
    return J, float(twice @ _powers(shrunk, p))
