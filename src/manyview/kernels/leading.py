"""Leading eigenpairs of a large symmetric operator that is only known through products.

    V <- M V (V'M M V)^(-1/2), a few times;      V = qr(V);      V'MV = E diag(l) E';      vectors V E, values l

Block power iteration from a seeded start: M may be a sum over row blocks that nobody ever forms. Between the products
the small Gram matrix keeps the columns apart; a QR factorization of tall V costs more than the product itself.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from manyview.kernels.arrays import FloatArray
from manyview.kernels.polar import inverse_root


class Pairs(NamedTuple):
    """Eigenvalues, largest first, and their eigenvectors."""

    values: FloatArray  # (r,)
    vectors: FloatArray  # (d, r)


def leading_pairs(
    times: Callable[[FloatArray], FloatArray],
    width: int,
    rank: int,
    /,
    *,
    seed: int,
    n_steps: int = 5,
    oversampling: int = 10,
    exact: bool = True,
) -> Pairs:
    """Compute the ``rank`` leading eigenpairs of the (width, width) operator V -> M V.

    The small Gram matrices leave V orthonormal to half the digits; where that will do, ``exact=False`` saves the QR.
    """
    V: FloatArray = np.random.default_rng(seed).standard_normal((width, min(rank + oversampling, width)))
    for _ in range(n_steps):
        V = times(V)
        V = V @ inverse_root(V.T @ V).matrix
    if exact:
        V, _ = np.linalg.qr(V)
    small = V.T @ times(V)
    values, E = np.linalg.eigh((small + small.T) / 2)
    return Pairs(values[::-1][:rank], V @ E[:, ::-1][:, :rank])
