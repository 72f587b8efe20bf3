"""Labelings of random subsamples: the spectrum of some of the rows, which labels all of them.

    T = A W  (n, R)    rows of a subsample:  T_p'T_p = V diag(s²) V'    E = unit rows of T V[:, :r] diag(lambda^t / s)

A subsample has its own eigenvectors inside the span that T keeps, its own k-means centers, and so its own label for
every row. Nothing larger than R x R is decomposed; rows outside the subsample are labeled like those inside.

    agreement of two labelings: adjusted Rand index, 1 for the same partition, 0 for what chance gives
    stability of a cluster: its mean Jaccard index |C and C'| / |C or C'| with the closest cluster of every subsample
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import scipy.linalg
from sklearn.cluster import k_means
from sklearn.exceptions import ConvergenceWarning

from manyview.cluster.anchor_graph.candidates import n_vectors
from manyview.kernels.arrays import FloatArray, IntArray
from manyview.kernels.spectral import Basis, diffusion_scale, right_basis, unit_rows

FACTOR, STEPS = 2.0, 2  # the embedding that is repeated: 2K + 1 vectors, two steps of the walk
SHARE = 0.8  # of the rows that a subsample has


class SubsampleLabeling(NamedTuple):
    """An embedding and centers found on some rows, which label any row of T."""

    map: FloatArray  # (R, r)
    centers: FloatArray  # (K, r)

    def labels(self, T: FloatArray, /) -> IntArray:
        """Return the nearest center of every row."""
        E = unit_rows(T @ self.map)
        return np.asarray((self.centers**2).sum(axis=1) - 2 * E @ self.centers.T).argmin(axis=1)


class Subsample(NamedTuple):
    """Some of the rows of T, and their spectrum."""

    rows: IntArray
    basis: Basis  # of T[rows], R x R at most


@contextmanager
def few_distinct_rows_allowed() -> Iterator[None]:
    """No warning about fewer distinct rows than clusters. Enter it outside of threads: filters are the process's."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def draw_subsample(T: FloatArray, n_rows: int, /, *, seed: int) -> Subsample:
    """Draw some of the rows at random, with their spectrum."""
    rows = np.sort(np.random.default_rng(seed).choice(len(T), min(n_rows, len(T)), replace=False))
    part = T[rows].astype(np.float64, copy=False)
    return Subsample(rows, right_basis(part.T @ part, T.shape[1]))


def subsample_size(n_rows: int, n_clusters: int, /) -> int:
    """Number of rows of a subsample; never fewer than clusters."""
    return min(max(int(SHARE * n_rows), n_clusters), n_rows)


def label_by(T: FloatArray, subsample: Subsample, n_clusters: int, /, *, seed: int) -> SubsampleLabeling:
    """Embed and cluster the rows of a subsample; call it inside `few_distinct_rows_allowed`."""
    s = subsample.basis.s[: n_vectors(n_clusters, FACTOR)]
    to_embedding = subsample.basis.W[:, : len(s)] * diffusion_scale(s, STEPS)
    return SubsampleLabeling(to_embedding, _centers(unit_rows(T[subsample.rows] @ to_embedding), n_clusters, seed))


def _centers(E: FloatArray, n_clusters: int, seed: int) -> FloatArray:
    """k-means from the K most different rows (pivots of a QR) and from k-means++, whichever ends lower.

    A single random start merges two of many clusters often enough to pass for instability.
    """
    _, pivots = scipy.linalg.qr(E.T, mode="r", pivoting=True)
    starts = ["k-means++", *([E[pivots[:n_clusters]]] if n_clusters <= min(E.shape) else [])]
    runs = [k_means(E, n_clusters, init=start, n_init=1, random_state=seed) for start in starts]
    return np.asarray(min(runs, key=lambda run: float(run[2]))[0])


def jaccard(counts: FloatArray, /) -> FloatArray:
    """For every cluster of the first labeling, its overlap (K,) with the closest one of the second."""
    union = counts.sum(axis=1)[:, None] + counts.sum(axis=0) - counts
    return np.asarray((counts / np.maximum(union, 1)).max(axis=1))
