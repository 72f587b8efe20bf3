"""Agreement of labelings with each other, and dependence between the columns of tables.

Agreement of labelings comes from their joint counts. Columns depend linearly, or through their squares:

    q = mean over pairs of columns of n r²          1 for independent columns, up to the noise of n rows
    z = (q - 1) / sqrt(2 / pairs)                   about standard normal for independent columns

Squares show what correlations miss: a ring, or groups that differ in spread alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment

from manyview.kernels.arrays import FloatArray, IntArray


def joint_counts(first: IntArray, second: IntArray, n_clusters: int, /) -> FloatArray:
    """Count the rows (K, K) with label i in the first labeling and j in the second."""
    counts = np.bincount(first.astype(np.intp) * n_clusters + second, minlength=n_clusters**2)
    return counts.reshape(n_clusters, n_clusters).astype(np.float64)


def adjusted_rand(counts: FloatArray, /) -> float:
    """Compute the adjusted Rand index from a table of joint counts."""
    n = counts.sum()
    together = (counts * (counts - 1)).sum()
    first, second = ((sizes * (sizes - 1)).sum() for sizes in (counts.sum(axis=1), counts.sum(axis=0)))
    expected = first * second / max(n * (n - 1), 1)
    largest = (first + second) / 2
    return float((together - expected) / (largest - expected)) if largest > expected else 1.0


def mutual_agreement(labelings: list[IntArray], n_clusters: int, /) -> FloatArray:
    """Compute the adjusted Rand index of every pair, as a symmetric matrix with ones on its diagonal."""
    n = len(labelings)
    agreement = np.eye(n)
    for i in range(n):
        for j in range(i):
            counts = joint_counts(labelings[i], labelings[j], n_clusters)
            agreement[i, j] = agreement[j, i] = adjusted_rand(counts)
    return agreement


def vote(labelings: list[IntArray], reference: int, weights: FloatArray, n_clusters: int, /) -> IntArray:
    """Find the label that most labelings give every row, with clusters named like those of the reference."""
    rows = np.arange(len(labelings[reference]))
    votes = np.zeros((len(rows), n_clusters))
    for labels, weight in zip(labelings, weights, strict=True):
        shared = joint_counts(labels, labelings[reference], n_clusters)
        votes[rows, linear_sum_assignment(-shared)[1][labels]] += weight
    return votes.argmax(axis=1)


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
    """Scale columns to mean zero and length one, and leave out the constant ones."""
    x = np.asarray(x, dtype=np.float64)
    x = x - x.mean(axis=0)
    length = np.sqrt(np.einsum("nd,nd->d", x, x))
    varies = length > 1e-9 * max(float(length.max(initial=0)), np.finfo(float).tiny)
    return x[:, varies] / length[varies]


def between(x: FloatArray, y: FloatArray, /, *, n_free: int | None = None) -> Correlations:
    """Correlate the columns of x (n, d) with those of y (n, e), both standardized."""
    r = x.T @ y
    return Correlations(float((r**2).sum()), r.size, len(x) - 1 if n_free is None else n_free)


def within(x: FloatArray, /) -> Correlations:
    """Correlate different columns of a standardized x (n, d) with one another."""
    r = x.T @ x
    d = len(r)
    return Correlations(float(((r**2).sum() - (np.diag(r) ** 2).sum()) / 2), d * (d - 1) // 2, len(x) - 1)


class SharedDependence:
    """The dependence between several tables, and the share of it that labels explain.

        share = 1 - sum of the excess within clusters / sum of the excess         both over all pairs of tables

    1 where the tables are independent within the clusters, 0 for labels that are unrelated to the dependence.
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
