"""How far to trust the labels: row by row, cluster by cluster, and where the views contradict them.

    confidence_i = (min over other clusters of ||e_i - c_k||² - ||e_i - c_label(i)||²) / 2, cut to [0, 1]

e_i: unit row of K vectors of the walk, c_k: mean of a cluster. Clusters that the walk never leaves are orthogonal
there, so a row at its center has (2 - 0) / 2 = 1. The margin in the embedding ranks rows better than the margin of
their memberships: it sees the neighbors' neighbors.

    vote of view v for row i:  sum over its slices of W_l C_l, C_l (m, K) = share of an anchor's mass in each cluster

with the row's own mass taken out, lest it vote for itself. The views disagree where more than half of the weight of
the views that have an opinion stands behind another cluster than the label.

    stability of a cluster: mean Jaccard index with the closest cluster that parts of the rows find
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.sparse as sp

from manyview.anchors import GraphBlock
from manyview.cluster.semi_ntf.fusion import Fusion
from manyview.cluster.semi_ntf.resampling import (
    Witness,
    draw_part,
    few_distinct_rows_allowed,
    jaccard,
    part_size,
    read,
)
from manyview.engine import Engine, Rows, add, edges
from manyview.kernels.agreement import joint_counts
from manyview.kernels.arrays import BoolArray, FloatArray, IntArray
from manyview.kernels.sparse import times
from manyview.kernels.spectral import Basis, reading_scale, unit_rows

if TYPE_CHECKING:
    from manyview.cluster.semi_ntf.graphs import Draw

N_PARTS = 8
PART_ROWS = 5_000
VOTING_ROWS = 4_096  # at a time; 16,384 take four tenths longer, 1,024 twice as long with two threads
STEPS = 1


class Assessment(NamedTuple):
    """New rows, and how far to trust what is said about them."""

    labels: IntArray  # (n,)
    confidence: FloatArray  # (n,), 0 to 1
    views_disagree: BoolArray  # (n,)
    view_labels: IntArray  # (n, V), the cluster that each view would choose; -1: the view does not know the row


class Doubt(NamedTuple):
    """What a fit knows about its own reliability; maps new rows too."""

    reading: FloatArray  # (G m, r), from the fused graph to the embedding
    centers: FloatArray  # (K, r)
    slice_mass: FloatArray  # (L, m, K), mass of every cluster that flows through an anchor of a slice
    view_of_slice: IntArray  # (L,), -1 for the joint tables
    slice_weights: FloatArray  # (L,)
    view_weights: FloatArray  # (V,)
    cluster_stability: FloatArray  # (K,)

    def confidence(self, fusion: Fusion, block: GraphBlock, labels: IntArray, /) -> FloatArray:
        """Margin (n,) in the embedding, 0 to 1."""
        return self.margin(fusion.walk(block, right=self.reading), labels)

    def margin(self, rows: FloatArray, labels: IntArray, /) -> FloatArray:
        """The same, for rows (n, r) that the walk has been taken with."""
        if len(self.centers) == 1:
            return np.ones(len(rows))
        E = unit_rows(rows.astype(np.float64, copy=False))
        # ||e - c||² up to ||e||², which all clusters share
        distances = (self.centers**2).sum(axis=1) - 2 * E @ self.centers.T
        numbers = np.arange(len(rows))
        own = distances[numbers, labels]
        distances[numbers, labels] = np.inf
        return np.clip((distances.min(axis=1) - own) / 2, 0, 1)

    def votes(self, block: GraphBlock, /, *, own: IntArray | None = None) -> tuple[IntArray, BoolArray]:
        """The cluster (n, V) that every view would choose, and whether it has an opinion."""
        slices = np.flatnonzero(self.view_of_slice >= 0)
        mass = self.slice_mass[slices].astype(block.weights.dtype, copy=False)
        choice = np.empty((block.n_rows, len(self.view_weights)), np.intp)
        opinion = np.empty(choice.shape, bool)
        for rows in (slice(*stretch) for stretch in edges(block.n_rows, VOTING_ROWS)):
            of_slices = slice_votes(
                block.columns[rows, slices], block.weights[rows, slices], mass, own=None if own is None else own[rows]
            )
            votes = np.zeros((*choice[rows].shape, len(self.centers)), of_slices.dtype)
            for place, view in enumerate(self.view_of_slice[slices]):
                votes[:, view] += of_slices[:, place]
            choice[rows], opinion[rows] = votes.argmax(axis=2), votes.any(axis=2)
        return choice, opinion

    def contradicted(self, votes: IntArray, opinion: BoolArray, labels: IntArray, /) -> BoolArray:
        """Whether the weighted majority of the views that have an opinion is for another cluster (n,)."""
        against = (opinion & (votes != labels[:, None])) @ self.view_weights
        return np.asarray(against > 0.5 * (opinion @ self.view_weights))

    def views_disagree(self, block: GraphBlock, labels: IntArray, /) -> BoolArray:
        """Where the views contradict the labels of rows that the fit has seen (n,)."""
        return self.contradicted(*self.votes(block, own=labels), labels)


def slice_votes(columns: IntArray, w: FloatArray, mass: FloatArray, /, *, own: IntArray | None) -> FloatArray:
    """W_l (mass / degree) of slices (n, l, K), rows summing to one, from their anchors and weights (n, l, k), and from
    the masses (l, m, K) of clusters in all anchors.

    With ``own`` labels, as if the row itself had no mass.
    """
    (n, _, k), (n_slices, m, K) = w.shape, mass.shape
    columns = columns + (np.arange(n_slices, dtype=np.int32) * m)[:, None]
    rest = mass.sum(axis=2).ravel().take(columns)
    if own is not None:
        rest -= w
    rest[rest <= 1e-9] = np.inf
    share = w / rest
    starts = np.arange(0, n * n_slices * k + 1, k, dtype=np.int32)
    S = sp.csr_array((share.ravel(), columns.ravel(), starts), shape=(n * n_slices, n_slices * m))
    votes = times(S, mass.reshape(-1, K)).reshape(n, n_slices, K)
    if own is not None:
        votes[np.arange(n), :, own] -= np.einsum("nlk,nlk->nl", share, w)
    np.maximum(votes, 0, out=votes)
    total = votes.sum(axis=2, keepdims=True)
    votes /= np.where(total > 1e-12, total, np.inf)
    return votes


def reading_of(T: FloatArray, basis: Basis, n_clusters: int, /) -> FloatArray:
    """Rows of T = A W (n, R) as the confidence reads them (n, r)."""
    scale = reading_scale(basis.s[:n_clusters], STEPS)
    return T[:, : len(scale)].astype(np.float64, copy=False) * scale


def examine(
    draw: Draw,
    graphs: Rows[GraphBlock],
    T: Rows[FloatArray],
    fusion: Fusion,
    basis: Basis,
    labels: Rows[IntArray],
    sample_labels: IntArray,
    slice_weights: FloatArray,
    engine: Engine,
    /,
    *,
    n_clusters: int,
    seed: int,
) -> Doubt:
    """Centers and masses for labels 0 … K - 1 of all rows, in one pass; stability on the sampled rows."""
    K, n_anchors = n_clusters, draw.graph.n_anchors
    scale = reading_scale(basis.s[:K], STEPS)
    some = engine.collect(partial(fusion.walk, right=basis.W), draw.sample)
    witnesses = _witnesses(some, engine, K, seed)
    counts = list(engine.map(lambda witness: joint_counts(sample_labels, witness.labels(some), K), witnesses))

    def of_block(pair: tuple[GraphBlock, tuple[FloatArray, IntArray]]) -> tuple[FloatArray, ...]:
        block, (rows, known) = pair
        Z = np.eye(K)[known]
        E = unit_rows(reading_of(rows, basis, K))
        return Z.T @ E, block.label_masses(known, K, n_anchors), Z.sum(axis=0)

    sums, mass, sizes = engine.reduce(of_block, engine.zip(graphs, engine.zip(T, labels)), add)
    views = np.array([-1 if name.view is None else name.view for name in draw.graph.slices])
    weights = np.bincount(views[views >= 0], weights=slice_weights[views >= 0], minlength=len(draw.graph.views[0]))
    return Doubt(
        reading=basis.W[:, : len(scale)] * scale,
        centers=sums / np.maximum(sizes, 1)[:, None],
        slice_mass=mass,
        view_of_slice=views,
        slice_weights=slice_weights,
        view_weights=weights / weights.sum(),
        cluster_stability=np.mean([jaccard(table) for table in counts], axis=0),
    )


def _witnesses(T: FloatArray, engine: Engine, K: int, seed: int) -> list[Witness]:
    """Readings of random parts of at most a few thousand rows."""
    if len(T) > PART_ROWS:
        T = T[np.sort(np.random.default_rng(seed).choice(len(T), PART_ROWS, replace=False))]
    size = part_size(len(T), K)

    def witness(number: int) -> Witness:
        return read(T, draw_part(T, size, seed=seed + 1 + number), K, seed=seed + 1 + number)

    with few_distinct_rows_allowed():
        return list(engine.map(witness, list(range(N_PARTS))))
