"""Where the factorization starts: several readings of the spectrum of the fused graph, and their medoid.

    A = U diag(s) W'         reading (r, t):  E = unit rows of U[:, :rK+1] diag(lambda^t),  lambda = s²

t steps of the random walk damp what is not cluster structure, more vectors than clusters keep what K vectors lose.
No single (r, t) is right for all data; every reading is clustered by k-means, and the labelling that agrees most with
the others is kept. A reading applies to any row, old or new.
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
from manyview.kernels.agreement import mutual_agreement
from manyview.kernels.arrays import FloatArray, IntArray
from manyview.kernels.spectral import Basis, pivoted_labels, reading_scale, right_basis, unit_rows

READINGS = ((1.0, 1), (1.5, 1), (1.5, 4), (2.0, 2), (2.0, 4), (3.0, 3), (3.0, 4))
WIDEST = 3  # the widest reading has 3K + 1 vectors
SPECTRUM_ROWS = 20_000  # rows on which the spectrum is measured
READING_ROWS, READING_ROWS_PER_CLUSTER = 5_000, 100  # rows on which the readings are clustered


class Labelling(NamedTuple):
    """A reading with cluster centres: a label for any row."""

    right: FloatArray  # (G m, r)
    centres: FloatArray  # (K, r)

    def __call__(self, fusion: Fusion, block: GraphBlock, /) -> IntArray:
        """Labels of the rows of a block: nearest centre in the reading."""
        E = unit_rows(fusion.walk(block, self.right))
        return np.asarray((self.centres**2).sum(axis=1) - 2 * E @ self.centres.T).argmin(axis=1)


def n_vectors(n_clusters: int, factor: float = WIDEST) -> int:
    """Singular vectors of a reading: one more than the multiple of K, but for K itself."""
    return int(factor * n_clusters) + (factor > 1)


def sampled(block: GraphBlock, n_rows: int, n_samples: int, /) -> GraphBlock:
    """The block's share of n_rows rows out of n_samples: all of them, or a seeded choice where there are more."""
    if n_samples <= n_rows:
        return block
    size = max(round(block.n_rows * n_rows / n_samples), 1)
    rows = np.sort(np.random.default_rng(block.start).choice(block.n_rows, size, replace=False))
    return GraphBlock(block.start, block.columns[rows], block.weights[rows], block.present[rows])


def spectrum(fusion: Fusion, rows: Rows[GraphBlock], engine: Engine, rank: int, n_samples: int, /) -> Basis:
    """Leading right singular pairs of A, from A'A over the sampled rows."""

    def gram(block: GraphBlock) -> FloatArray:
        A = fusion.mixed(sampled(block, SPECTRUM_ROWS, n_samples)).toarray()
        return np.asarray((A.T @ A).astype(np.float64, copy=False))

    AtA = engine.reduce(gram, rows, add) * fusion.column_scale * fusion.column_scale[:, None]
    basis = right_basis(AtA, rank)
    return Basis(basis.W, basis.s * np.sqrt(max(n_samples / SPECTRUM_ROWS, 1)))


def spectral_labelling(
    basis: Basis,
    fusion: Fusion,
    rows: Rows[GraphBlock],
    engine: Engine,
    n_clusters: int,
    n_samples: int,
    /,
    *,
    n_init: int,
    seed: int,
) -> Labelling:
    """The medoid of the readings."""
    n_rows = max(READING_ROWS, READING_ROWS_PER_CLUSTER * n_clusters)
    T = engine.collect(lambda block: fusion.walk(sampled(block, n_rows, n_samples), basis.W), rows)
    scales = [reading_scale(basis.s[: n_vectors(n_clusters, r)], t) for r, t in READINGS]

    def cluster(job: tuple[int, FloatArray]) -> tuple[IntArray, FloatArray]:
        number, scale = job
        E = unit_rows(T[:, : len(scale)] * scale)
        centres, labels, _ = k_means(E, n_clusters, n_init=n_init, random_state=seed + number)
        return labels, centres

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than clusters is told at the end
        results = list(engine.map(cluster, list(enumerate(scales))))
    agreement = mutual_agreement([labels for labels, _ in results], n_clusters)
    best = int(np.argmax(agreement.sum(axis=1)))
    scale = scales[best]
    return Labelling(basis.W[:, : len(scale)] * scale, results[best][1])


def pivoted_labelling(
    basis: Basis, fusion: Fusion, rows: Rows[GraphBlock], engine: Engine, n_clusters: int, n_samples: int, /
) -> Labelling:
    """Labels by QR with pivoting of K vectors: no randomness, the same for any order of the rows."""
    right = basis.W[:, :n_clusters] * reading_scale(basis.s[:n_clusters], 0)
    U = engine.collect(lambda block: fusion.walk(sampled(block, SPECTRUM_ROWS, n_samples), right), rows)
    labels, _ = pivoted_labels(U)
    E = unit_rows(U)
    return Labelling(right, np.stack([E[labels == k].mean(axis=0) for k in np.unique(labels)]))
