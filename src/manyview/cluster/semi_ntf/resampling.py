"""What other draws of the rows would have said: the spectrum read again on random parts of them.

    T = A W  (n, R)      rows of a part:  T_p'T_p = V diag(s²) V'      E = unit rows of T V[:, :r] diag(lambda^t / s)

A part has its own eigenvectors inside the span that T keeps, its own k-means centers, and so its own label for every
row. Nothing larger than R x R is decomposed, and rows that were not in the part are labeled like those that were.

    agreement of two labelings: adjusted Rand index, 1 for the same partition, 0 for what chance gives
    stability of a cluster: its mean Jaccard index |C and C'| / |C or C'| with the closest cluster of every part
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

from manyview.cluster.semi_ntf.start import n_vectors
from manyview.kernels.arrays import FloatArray, IntArray
from manyview.kernels.spectral import Basis, reading_scale, right_basis, unit_rows

FACTOR, STEPS = 2.0, 2  # the reading that is repeated: 2K + 1 vectors, two steps of the walk
PART = 0.8  # of the rows


class Witness(NamedTuple):
    """A reading of some rows: from any row of T to a label."""

    map: FloatArray  # (R, r)
    centers: FloatArray  # (K, r)

    def labels(self, T: FloatArray, /) -> IntArray:
        """The nearest center in the reading."""
        E = unit_rows(T @ self.map)
        return np.asarray((self.centers**2).sum(axis=1) - 2 * E @ self.centers.T).argmin(axis=1)


class Part(NamedTuple):
    """Some of the rows of T, and their spectrum."""

    rows: IntArray
    basis: Basis  # of T[rows], R x R at most


@contextmanager
def few_distinct_rows_allowed() -> Iterator[None]:
    """No warning about fewer distinct rows than clusters. Enter it outside of threads: filters are the process's."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def draw_part(T: FloatArray, n_rows: int, /, *, seed: int) -> Part:
    """A random part of the rows, with its spectrum; all rows if there are no more."""
    rows = np.sort(np.random.default_rng(seed).choice(len(T), min(n_rows, len(T)), replace=False))
    part = T[rows].astype(np.float64, copy=False)
    return Part(rows, right_basis(part.T @ part, T.shape[1]))


def part_size(n_rows: int, n_clusters: int, /) -> int:
    """Rows of a part; never fewer than clusters."""
    return min(max(int(PART * n_rows), n_clusters), n_rows)


def read(T: FloatArray, part: Part, n_clusters: int, /, *, seed: int) -> Witness:
    """The reading of a part's spectrum, with the k-means centers of its rows; in `few_distinct_rows_allowed`."""
    s = part.basis.s[: n_vectors(n_clusters, FACTOR)]
    to_reading = part.basis.W[:, : len(s)] * reading_scale(s, STEPS)
    return Witness(to_reading, _centers(unit_rows(T[part.rows] @ to_reading), n_clusters, seed))


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
