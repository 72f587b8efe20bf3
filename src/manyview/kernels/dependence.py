"""How far the columns of two tables depend on each other, linearly or through their squares.

    q = mean over pairs of columns of n r²          1 for independent columns, up to the noise of n rows
    z = (q - 1) / sqrt(2 / pairs)                   about standard normal for independent columns

Squares show what correlations miss: a ring, or groups that differ in spread alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

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


class SharedDependence:
    """What several tables share, and how much of it labels explain.

        share = 1 - sum of the excess within clusters / sum of the excess         both over all pairs of tables

    1 where the tables are independent within the clusters, 0 for labels that have nothing to do with what they share.
    """

    def __init__(self, tables: list[FloatArray], /) -> None:
        parts = [standardized(x) for x in tables]
        self._z = np.hstack(parts)  # (n, D)
        self._gram = self._z.T @ self._z
        table = np.repeat(np.arange(len(parts)), [part.shape[1] for part in parts])
        self._pairs = table[:, None] > table
        self._excess = self._of(self._gram, len(self._z) - 1)

    def _of(self, products: FloatArray, n_rows: int) -> float:
        length = np.sqrt(np.maximum(np.diag(products), 1e-12))
        r = (products / length / length[:, None])[self._pairs]
        return Correlations(float(r @ r), r.size, n_rows).excess

    @property
    def noise(self) -> float:
        """Return the standard deviation of the share that chance alone leaves, for tables independent in clusters."""
        n_pairs = int(self._pairs.sum())
        return float(np.sqrt(2 * n_pairs) / (len(self._z) - 1) / self._excess) if self._excess > 0 else np.inf

    def explained(self, labels: IntArray, /) -> float:
        """Return the share of the dependence that is gone once the means of the clusters are taken off."""
        n, groups = len(labels), np.unique(labels, return_inverse=True)[1]
        counts = np.bincount(groups)
        indicator = sp.csr_array((np.ones(n), (groups, np.arange(n))), shape=(len(counts), n))
        sums = np.asarray(indicator @ self._z)  # (K, D)
        within_clusters = self._gram - sums.T @ (sums / counts[:, None])
        return 1 - self._of(within_clusters, n - len(counts)) / self._excess if self._excess > 0 else 0.0
