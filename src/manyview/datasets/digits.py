"""The embedded data set: scikit-learn's 8 x 8 digits, seen in four ways.

pixels     64   the image I as it is
gradients  72   3 x 3 cells of a histogram over 8 directions of (∂x I, ∂y I), weighted by its length
fourier    40   |FFT(I)|, the half that is not mirrored; blind to a cyclic shift
profiles   32   sums and centers of mass of every row and every column
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from manyview.io.data import MultiViewData

FloatArray: TypeAlias = NDArray[np.float64]


def load_digits_views() -> MultiViewData:
    """Load 1797 handwritten digits as four views that are computed from the images.

    Nothing is downloaded: the images come with scikit-learn.

    Returns
    -------
    MultiViewData
        Views ``pixels``, ``gradients``, ``fourier`` and ``profiles``; labels are the ten digits.

    Examples
    --------
    >>> from manyview.datasets import load_digits_views
    >>> load_digits_views()
    MultiViewData('digits', n_samples=1797,
        views={'pixels': 64, 'gradients': 72, 'fourier': 40, 'profiles': 32}, n_clusters=10)
    """
    digits = load_digits()
    images = digits.images.astype(np.float64)  # (N, 8, 8), gray levels 0..16
    views = {
        "pixels": images.reshape(len(images), -1),
        "gradients": orientation_histograms(images),
        "fourier": fourier_moduli(images),
        "profiles": profiles(images),
    }
    return MultiViewData(views, digits.target.astype(np.int64), "digits")


def orientation_histograms(images: FloatArray, /, *, n_directions: int = 8, cell: int = 4) -> FloatArray:
    """Count gradient directions in overlapping cells, each gradient split between its two nearest directions.

    h_c[o] = sum over pixels in cell c of |∇I| · max(0, 1 - |angle(∇I)·n/2π - o|)
    """
    dy, dx = np.gradient(images, axis=(1, 2))
    position = np.mod(np.arctan2(dy, dx) / (2 * np.pi) * n_directions, n_directions)  # (N, 8, 8) in [0, n)
    offset = np.abs(position[..., None] - np.arange(n_directions))
    share = np.maximum(0.0, 1.0 - np.minimum(offset, n_directions - offset))  # directions are a circle
    votes = np.hypot(dx, dy)[..., None] * share  # (N, 8, 8, n)
    starts = range(0, images.shape[1] - cell + 1, cell // 2)
    cells = [votes[:, r : r + cell, c : c + cell].sum(axis=(1, 2)) for r in starts for c in starts]
    return np.concatenate(cells, axis=1)


def fourier_moduli(images: FloatArray, /) -> FloatArray:
    """Compute |F_kl|, F = FFT(I), for the columns l = 0..4; the others are mirror images of these."""
    return np.abs(np.fft.rfft2(images)).reshape(len(images), -1)


def profiles(images: FloatArray, /) -> FloatArray:
    """Compute the ink m_r = Σ_c I_rc of each row and column, and its center Σ_c c I_rc / m_r.

    An empty line has its center in the middle.
    """
    place = np.arange(images.shape[1]) - (images.shape[1] - 1) / 2
    parts: list[FloatArray] = []
    for lines in (images, images.swapaxes(1, 2)):
        ink = lines.sum(axis=2)  # (N, 8)
        parts += [ink, (lines @ place) / np.maximum(ink, 1.0)]
    return np.concatenate(parts, axis=1)
