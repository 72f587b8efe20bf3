"""How far the columns of two tables depend on each other, linearly or through their squares.

    q = mean over pairs of columns of n r²          1 for independent columns, up to the noise of n rows
    z = (q - 1) / sqrt(2 / pairs)                   about standard normal for independent columns

Squares show what correlations miss: a ring, or groups that differ in spread alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from manyview.kernels.arrays import FloatArray, IntArray


class Correlations(NamedTuple):
    """Squared correlations of pairs of columns."""

    total: float  # sum of r²
    n_pairs: int
    n_rows: int  # degrees of freedom behind every r

    @property
    def excess(self) -> float:
        """Return the sum of r² beyond what independent columns have."""
        return self.total - self.n_pairs / max(self.n_rows, 1)

    @property
    def significance(self) -> float:
        """Return the excess in standard deviations of what independent columns have."""
        return float(self.excess * self.n_rows / np.sqrt(2 * self.n_pairs)) if self.n_pairs else 0.0


def standardized(x: FloatArray, /) -> FloatArray:
    """Columns with mean zero and length one, without the constant ones."""
    x = np.asarray(x, dtype=np.float64)
    x = x - x.mean(axis=0)
    length = np.sqrt(np.einsum("nd,nd->d", x, x))
    varies = length > 1e-9 * max(float(length.max(initial=0)), np.finfo(float).tiny)
    return x[:, varies] / length[varies]


def between(x: FloatArray, y: FloatArray, /, *, n_free: int | None = None) -> Correlations:
    """Correlations of the columns of x (n, d) with those of y (n, e), both standardized."""
    r = x.T @ y
    return Correlations(float((r**2).sum()), r.size, len(x) - 1 if n_free is None else n_free)


def within(x: FloatArray, /) -> Correlations:
    """Correlations of different columns of a standardized x (n, d)."""
    r = x.T @ x
    d = len(r)
    return Correlations(float(((r**2).sum() - (np.diag(r) ** 2).sum()) / 2), d * (d - 1) // 2, len(x) - 1)


def explained(tables: list[FloatArray], labels: IntArray, /) -> float:
    """Share of the dependence between tables that is gone once the means of the clusters are taken off.

    1 where the tables are independent within the clusters, 0 for labels that have nothing to do with what they share.
    """
    groups, counts = np.unique(labels, return_inverse=True, return_counts=True)[1:]
    indicator = np.eye(len(counts))[groups]
    before = [standardized(x) for x in tables]
    after = [standardized(x - indicator @ ((indicator.T @ x) / counts[:, None])) for x in before]
    n_free = len(labels) - len(counts)

    def excess(parts: list[FloatArray], free: int) -> float:
        pairs = [between(x, y, n_free=free).excess for i, x in enumerate(parts) for y in parts[:i]]
        return float(sum(pairs))

    total = excess(before, len(labels) - 1)
    return 1 - excess(after, n_free) / total if total > 0 else 0.0
