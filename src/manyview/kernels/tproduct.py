"""The t-product of third-order tensors and its relatives: matrix products in a transformed domain along the views.

A tensor is an array (V, rows, columns), one frontal slice per view. With a linear transform M along the views,

    A * B  =  M⁻¹[ (M A)_f (M B)_f ]_f            slice-wise product in the domain of M

M = DFT is the t-product of the paper; M = I multiplies view by view; M = DCT is its real, symmetric cousin.
Only the frequencies that a real tensor needs are kept, each with the share of the energy that it stands for.
"""

from typing import NamedTuple

import numpy as np
import scipy.fft

from manyview.kernels.arrays import FloatArray

TRANSFORMS = ("identity", "dft", "dct")


class Transform(NamedTuple):
    """A linear transform along the views; F frequencies stand for V views."""

    forward: FloatArray  # (F, V), complex for the DFT
    inverse: FloatArray  # (V, F); the real part of the product is the tensor
    energy: FloatArray  # (F,), ||A||² = sum_f energy_f ||(M A)_f||²
    trivial: bool = False  # the identity: nothing to do


def view_transform(kind: str, n_views: int, /) -> Transform:
    """Return the transform of that name for that many views."""
    if kind == "identity":
        return Transform(np.eye(n_views), np.eye(n_views), np.ones(n_views), trivial=True)
    if kind == "dct":
        M = scipy.fft.dct(np.eye(n_views), axis=0, norm="ortho")
        return Transform(M, M.T, np.ones(n_views))
    if kind == "dft":
        frequencies = np.arange(n_views // 2 + 1)
        M = np.exp(-2j * np.pi * np.outer(frequencies, np.arange(n_views)) / n_views)  # unnormalized, as in the paper
        share = np.full(len(frequencies), 2.0)  # a frequency and its conjugate
        share[0] = 1
        if n_views % 2 == 0:
            share[-1] = 1
        return Transform(M, M.conj().T * (share / n_views), share / n_views)
    raise ValueError(f"transform={kind!r} is unknown; choose one of {TRANSFORMS}.")


def to_frequencies(transform: Transform, A: FloatArray, /) -> FloatArray:
    """Transform a tensor (V, n, k) to its slices (F, n, k) in the transformed domain, in the precision of A."""
    return A if transform.trivial else _along_views(transform.forward, A)


def to_views(transform: Transform, A: FloatArray, /) -> FloatArray:
    """Transform slices (F, n, k) of a real tensor back to (V, n, k)."""
    return A if transform.trivial else np.ascontiguousarray(_along_views(transform.inverse, A).real)


def _along_views(M: FloatArray, A: FloatArray) -> FloatArray:
    """Apply a matrix (F, V) along the first axis of a tensor (V, …)."""
    kind = np.complex64 if np.iscomplexobj(M) else np.float32
    return np.tensordot(M.astype(np.result_type(A.dtype, kind)), A, axes=(1, 0))
