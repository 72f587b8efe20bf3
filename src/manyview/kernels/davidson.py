"""Smallest eigenpairs of  L = diag(d) - A  for a full matrix A, by block Davidson steps.

    T = (diag(d) - theta I)^(-1) R        R = L X - X diag(theta), the residual of the present Ritz pairs

Where A joins most pairs it is close to a matrix of low rank, and diag(d) - theta I is nearly all of L - theta I: about
ten products with a few columns give twelve digits, and a product with five columns of a matrix in memory costs little
more than with one. A block with spare random columns sees repeated eigenvalues and tells about the next one.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.linalg

from manyview.kernels.arrays import FloatArray

SPARE = 2  # columns beyond the wanted ones
BLOCKS = 6  # the basis is cut back to its Ritz vectors beyond that many blocks
PRODUCTS = 40
NEAREST = 0.02  # of the largest eigenvalue: a divisor of the correction is kept away from 0 by that
DEPENDENT = 1e-10
ROUGH = 1e-3  # residual of the next eigenvector, of which only the value is asked, and not exactly
APART = 0.1  # … or that share of its distance to the wanted ones
LEAST = 5  # products before anything is believed: a good guess could hide what the random columns have yet to find
Product = Callable[[FloatArray], FloatArray]


class Davidson(NamedTuple):
    """Ritz pairs, ascending."""

    values: FloatArray  # (m,)
    vectors: FloatArray  # (n, m)
    beyond: float  # the next one, to a tenth of its distance to these
    converged: bool


def davidson(
    product: Product,
    diagonal: FloatArray,
    wanted: int,
    /,
    *,
    beside: Product,
    top: float,
    accuracy: float,
    start: FloatArray | None = None,
) -> Davidson:
    """The ``wanted`` smallest eigenpairs of x -> product(x) on the range of the orthogonal projection ``beside``.

    ``diagonal`` (n,) is that of the operator, ``top`` a bound of its eigenvalues, ``accuracy`` that of the residuals
    relative to it. ``start`` (n, any) may hold guesses; they are joined by fixed random columns, so that a guess that
    misses an eigenvector cannot hide it.
    """
    n, m = len(diagonal), wanted + SPARE
    fresh = np.random.default_rng(0).standard_normal((n, m)) / np.sqrt(n)
    T = fresh if start is None else np.hstack([start, fresh])
    V, LV = np.empty((n, 0)), np.empty((n, 0))
    for product_number in range(1, PRODUCTS + 1):
        T = _new_directions(T, V, beside)
        V, LV = np.hstack([V, T]), np.hstack([LV, beside(product(T))])
        small = V.T @ LV
        values, turn = scipy.linalg.eigh((small + small.T) / 2)
        values, turn = values[:m], turn[:, :m]
        X, LX = V @ turn, LV @ turn
        R = LX - X * values
        size = np.linalg.norm(R, axis=0) / top
        open_ = size > _allowed(values / top, wanted, accuracy)
        if product_number >= LEAST and len(values) > wanted and not open_[: wanted + 1].any():
            return Davidson(values[:wanted], X[:, :wanted], float(values[wanted]), True)
        if T.shape[1] == 0:  # nothing new to try
            break
        if V.shape[1] + m > BLOCKS * m:
            V, LV = X, LX
        open_[wanted:] |= product_number < LEAST
        T = R[:, open_] / _away_from_zero(diagonal[:, None] - values[open_], NEAREST * top)
    return Davidson(values[:wanted], X[:, :wanted], np.inf, False)


def _allowed(values: FloatArray, wanted: int, accuracy: float) -> FloatArray:
    """Residuals that will do: the accuracy for the wanted pairs; the next ones need only be told apart from them."""
    apart = APART * (values - values[min(wanted, len(values)) - 1])
    return np.where(np.arange(len(values)) < wanted, accuracy, np.maximum(ROUGH, apart))


def _new_directions(T: FloatArray, V: FloatArray, beside: Product) -> FloatArray:
    """Orthonormal columns that span T beside V; what V holds already is left out."""
    for _ in range(2):  # the second time for the digits that the first one lost
        lengths = np.linalg.norm(T, axis=0)
        T = T[:, lengths > 0] / lengths[lengths > 0]
        T = beside(T)
        T = T - V @ (V.T @ T)
        Q, R, _ = scipy.linalg.qr(T, mode="economic", pivoting=True)
        T = Q[:, np.abs(np.diag(R)) > DEPENDENT]
    return T


def _away_from_zero(x: FloatArray, least: float) -> FloatArray:
    return np.where(np.abs(x) < least, np.where(x < 0, -least, least), x)
