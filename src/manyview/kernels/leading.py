"""Leading eigenpairs of a large symmetric operator that is only known through products.

    V <- qr(M V), a few times;      V'MV = E diag(l) E';      eigenvectors V E, eigenvalues l

Block power iteration from a seeded start: M may be a sum over row blocks that nobody ever forms.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from manyview.kernels.arrays import FloatArray

OVERSAMPLING = 10
POWER_ITERATIONS = 5


class Pairs(NamedTuple):
    """Eigenvalues, largest first, and their eigenvectors."""

    values: FloatArray  # (r,)
    vectors: FloatArray  # (d, r)


def leading_pairs(times: Callable[[FloatArray], FloatArray], width: int, rank: int, /, *, seed: int) -> Pairs:
    """The ``rank`` leading eigenpairs of the (width, width) operator V -> M V."""
    V, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((width, min(rank + OVERSAMPLING, width))))
    for _ in range(POWER_ITERATIONS):
        V, _ = np.linalg.qr(times(V))
    small = V.T @ times(V)
    values, E = np.linalg.eigh((small + small.T) / 2)
    return Pairs(values[::-1][:rank], V @ E[:, ::-1][:, :rank])
