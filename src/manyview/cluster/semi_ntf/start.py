"""Where the factorization starts: several readings of the spectrum of a fused graph.

    A = U diag(s) W'         T = A W         reading (r, t):  E = unit rows of U[:, :rK+1] diag(lambda^t),  lambda = s²

t steps of the random walk damp what is not cluster structure, more vectors than clusters keep what K vectors lose.
No single (r, t) is right for all data; every reading is clustered by k-means, and ``weights.py`` chooses among them.
Spectrum and readings are measured on a sample of the rows and apply to all.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.cluster import k_means
from sklearn.exceptions import ConvergenceWarning

from manyview.anchors import GraphBlock
from manyview.cluster.semi_ntf.fusion import Fusion
from manyview.engine import Engine, Rows, add
from manyview.kernels.arrays import FloatArray, IntArray
from manyview.kernels.spectral import Basis, pivoted_labels, reading_scale, right_basis, unit_rows

READINGS = ((1.0, 1), (1.5, 1), (1.5, 4), (2.0, 2), (2.0, 4), (3.0, 3), (3.0, 4))
WIDEST = 3  # the widest reading has 3K + 1 vectors
READING_ROWS, READING_ROWS_PER_CLUSTER = 5_000, 100  # rows on which the readings are clustered


class Labeling(NamedTuple):
    """A reading with cluster centers: a label for any row of T."""

    scale: FloatArray  # (r,)
    centers: FloatArray  # (K, r)

    def embedding(self, T: FloatArray, /) -> FloatArray:
        """E, the rows as the reading sees them."""
        return unit_rows(T[:, : len(self.scale)] * self.scale)

    def labels(self, T: FloatArray, /) -> IntArray:
        """Labels of rows: the nearest center in the reading."""
        E = self.embedding(T)
        return np.asarray((self.centers**2).sum(axis=1) - 2 * E @ self.centers.T).argmin(axis=1)


def n_vectors(n_clusters: int, factor: float = WIDEST) -> int:
    """Singular vectors of a reading: one more than the multiple of K, but for K itself."""
    return int(factor * n_clusters) + (factor > 1)


def spectrum(fusion: Fusion, sample: Rows[GraphBlock], engine: Engine, rank: int, /) -> Basis:
    """Leading right singular pairs of A, from A'A over the sample."""

    def gram(block: GraphBlock) -> FloatArray:
        A = fusion.mixed(block).toarray()
        return np.asarray((A.T @ A).astype(np.float64, copy=False))

    AtA = engine.reduce(gram, sample, add) * fusion.column_scale * fusion.column_scale[:, None]
    return right_basis(AtA, rank)


def spectral_labelings(
    basis: Basis, T: FloatArray, engine: Engine, n_clusters: int, /, *, n_init: int, n_repeats: int, seed: int
) -> list[Labeling]:
    """Every reading with the centers that k-means finds on rows of T (n, 3K + 1), from one or several starts."""
    n_rows = max(READING_ROWS, READING_ROWS_PER_CLUSTER * n_clusters)
    if len(T) > n_rows:
        T = T[np.sort(np.random.default_rng(seed).choice(len(T), n_rows, replace=False))]

    def cluster(number: int) -> Labeling:
        r, t = READINGS[number % len(READINGS)]
        scale = reading_scale(basis.s[: n_vectors(n_clusters, r)], t)
        E = unit_rows(T[:, : len(scale)] * scale)
        return Labeling(scale, k_means(E, n_clusters, n_init=n_init, random_state=seed + number)[0])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than clusters is told at the end
        return list(engine.map(cluster, list(range(n_repeats * len(READINGS)))))


def pivoted_labeling(basis: Basis, T: FloatArray, n_clusters: int, /) -> Labeling:
    """Labels by QR with pivoting of K vectors: no randomness, the same for any order of the rows."""
    scale = reading_scale(basis.s[:n_clusters], 0)
    U = T[:, : len(scale)] * scale
    labels, _ = pivoted_labels(U)
    E = unit_rows(U)
    return Labeling(scale, np.stack([E[labels == k].mean(axis=0) for k in np.unique(labels)]))
