"""Reliability of the labels: confidence of a row, stability of a cluster, and views that contradict a label.

    confidence_i = (min over other clusters of ||e_i - c_k||² - ||e_i - c_label(i)||²) / 2, cut to [0, 1]

e_i: unit row of K vectors of the walk, c_k: mean of a cluster. Clusters that the walk never leaves are orthogonal
there, so a row at its center has (2 - 0) / 2 = 1. The margin in the embedding ranks rows better than the margin of
their memberships: it sees the neighbors' neighbors.

    vote of view v for row i:  sum over its slices of W_l C_l, C_l (m, K) = share of an anchor's mass in each cluster

without the row's own mass, so that a row does not vote for itself. The views disagree where more than half of the
weight of the views that have an opinion stands behind another cluster than the label.

    stability of a cluster: mean Jaccard index |C and C'| / |C or C'| with the closest cluster of every subsample

A subsample of the rows has its own spectrum, and labels all of them:

    T = A W  (n, R)    rows of a subsample:  T_p'T_p = V diag(s²) V'    E = unit rows of T V[:, :r] diag(lambda^t / s)

It has its own eigenvectors inside the span that T keeps, its own k-means centers, and so its own label for every row.
Nothing larger than R x R is decomposed; rows outside the subsample are labeled like those inside.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from sklearn.cluster import k_means
from sklearn.exceptions import ConvergenceWarning

from manyview.anchors import GraphBlock
from manyview.cluster.anchor_graph.candidates import EmbeddedRows, n_vectors
from manyview.cluster.anchor_graph.context import FitContext
from manyview.cluster.anchor_graph.fusion import Fusion
from manyview.cluster.anchor_graph.graphs import of_sample
from manyview.cluster.anchor_graph.membership import MembershipMap, Novelty, membership_of
from manyview.cluster.anchor_graph.recipe import DEFAULT, Recipe
from manyview.engine import Rows, add, edges
from manyview.kernels.agreement import joint_counts
from manyview.kernels.arrays import BoolArray, FloatArray, IntArray
from manyview.kernels.sparse import index_type, times
from manyview.kernels.spectral import Basis, diffusion_scale, right_basis, unit_rows
from manyview.views.blocks import RowBlock


class Assessment(NamedTuple):
    """Labels of new rows, and how reliable they are."""

    labels: IntArray  # (n,)
    confidence: FloatArray  # (n,), 0 to 1
    views_disagree: BoolArray  # (n,)
    view_labels: IntArray  # (n, V), the cluster that each view would choose; -1: the view does not know the row
    novelty: FloatArray  # (n,), distance to the anchors; beyond 1 the row is an outlier among the rows of the fit
    view_novelty: FloatArray  # (n, V), the same in each view; NaN: the view does not know the row


class Reliability(NamedTuple):
    """The small arrays from which the reliability of rows, old or new, is computed."""

    to_embedding: FloatArray  # (G m, r), from fused weights to the embedding
    centers: FloatArray  # (K, r)
    slice_mass: FloatArray  # (L, m, K), mass of every cluster that flows through an anchor of a slice
    view_of_slice: IntArray  # (L,), -1 for the joint tables
    slice_weights: FloatArray  # (L,)
    view_weights: FloatArray  # (V,)
    cluster_stability: FloatArray  # (K,)

    def embedding(self, fusion: Fusion, block: GraphBlock, /) -> FloatArray:
        """Return rows (n, r) of the embedding, not yet of unit length."""
        return np.asarray(times(fusion.mixed(block), self.to_embedding.astype(block.weights.dtype)))

    def confidence(self, fusion: Fusion, block: GraphBlock, labels: IntArray, /) -> FloatArray:
        """Return the margin (n,) in the embedding, 0 to 1."""
        return self.margin(self.embedding(fusion, block), labels)

    def margin(self, rows: FloatArray, labels: IntArray, /) -> FloatArray:
        """Return the same for rows (n, r) of the embedding."""
        if len(self.centers) == 1:
            return np.ones(len(rows))
        E = unit_rows(rows.astype(np.float64, copy=False))
        # ||e - c||² up to ||e||², which all clusters share
        distances = (self.centers**2).sum(axis=1) - 2 * E @ self.centers.T
        numbers = np.arange(len(rows))
        own = distances[numbers, labels]
        distances[numbers, labels] = np.inf
        return np.clip((distances.min(axis=1) - own) / 2, 0, 1)

    def votes(
        self, block: GraphBlock, /, *, own: IntArray | None = None, rows_at_once: int = 4_096
    ) -> tuple[IntArray, BoolArray]:
        """Return the cluster (n, V) that every view would choose, and whether it has an opinion.

        Only some rows vote at once, so that their votes stay in the cache.
        """
        slices = np.flatnonzero(self.view_of_slice >= 0)
        mass = self.slice_mass[slices].astype(block.weights.dtype, copy=False)
        choice = np.empty((block.n_rows, len(self.view_weights)), np.intp)
        opinion = np.empty(choice.shape, bool)
        for rows in (slice(*stretch) for stretch in edges(block.n_rows, rows_at_once)):
            of_slices = slice_votes(
                block.columns[rows, slices], block.weights[rows, slices], mass, own=None if own is None else own[rows]
            )
            votes = np.zeros((*choice[rows].shape, len(self.centers)), of_slices.dtype)
            for place, view in enumerate(self.view_of_slice[slices]):
                votes[:, view] += of_slices[:, place]
            choice[rows], opinion[rows] = votes.argmax(axis=2), votes.any(axis=2)
        return choice, opinion

    def contradicted(self, votes: IntArray, opinion: BoolArray, labels: IntArray, /) -> BoolArray:
        """Return whether the weighted majority of the views that have an opinion is for another cluster (n,)."""
        against = (opinion & (votes != labels[:, None])) @ self.view_weights
        return np.asarray(against > 0.5 * (opinion @ self.view_weights))

    def votes_of_rows(self, block: GraphBlock, labels: IntArray, /) -> IntArray:
        """Return every view's vote on rows of the fit (-1: none), and whether they contradict the label (n, V + 1)."""
        votes, opinion = self.votes(block, own=labels)
        contradicted = self.contradicted(votes, opinion, labels)
        return np.column_stack([np.where(opinion, votes, -1), contradicted]).astype(np.int32)


def slice_votes(columns: IntArray, w: FloatArray, mass: FloatArray, /, *, own: IntArray | None) -> FloatArray:
    """Compute W_l (mass / degree) of slices (n, l, K), rows summing to one.

    Anchors and weights are (n, l, k), the masses of clusters in all anchors (l, m, K).

    With ``own`` labels, as if the row itself had no mass.
    """
    (n, _, k), (n_slices, m, K) = w.shape, mass.shape
    columns = columns + (np.arange(n_slices, dtype=np.int32) * m)[:, None]
    rest = mass.sum(axis=2).ravel().take(columns)
    if own is not None:
        rest -= w
    rest[rest <= 1e-9] = np.inf
    share = w / rest
    starts = np.arange(0, n * n_slices * k + 1, k, dtype=index_type(n * n_slices * k))
    S = sp.csr_array((share.ravel(), columns.ravel(), starts), shape=(n * n_slices, n_slices * m))
    votes = times(S, mass.reshape(-1, K)).reshape(n, n_slices, K)
    if own is not None:
        votes[np.arange(n), :, own] -= np.einsum("nlk,nlk->nl", share, w)
    np.maximum(votes, 0, out=votes)
    total = votes.sum(axis=2, keepdims=True)
    votes /= np.where(total > 1e-12, total, np.inf)
    return votes


def embed(T: FloatArray, basis: Basis, n_clusters: int, /) -> FloatArray:
    """Scale rows of T = A W (n, R) to the embedding (n, r) that confidence is measured in: one step of the walk."""
    scale = diffusion_scale(basis.s[:n_clusters], 1)
    return T[:, : len(scale)].astype(np.float64, copy=False) * scale


def measure_reliability(
    embedded: EmbeddedRows,
    labels: Rows[IntArray],
    slice_weights: FloatArray,
    context: FitContext,
    /,
    *,
    n_clusters: int,
) -> Reliability:
    """Find centers and masses for labels 0 … K - 1 of all rows in one pass, and stability on the sampled rows."""
    engine, K = context.engine, n_clusters
    draw, basis, n_anchors = embedded.draw, embedded.basis, embedded.draw.graph.n_anchors
    scale = diffusion_scale(basis.s[:K], 1)
    T = embedded.of_sample(engine)
    sample_labels = np.concatenate(of_sample(labels, draw, engine))
    others = _subsample_labelings(T, context, K)
    counts = list(engine.map(lambda other: joint_counts(sample_labels, other.labels(T), K), others))

    def of_block(pair: tuple[GraphBlock, tuple[FloatArray, IntArray]]) -> tuple[FloatArray, ...]:
        block, (rows, known) = pair
        Z = np.eye(K)[known]
        E = unit_rows(embed(rows, basis, K))
        return Z.T @ E, block.label_masses(known, K, n_anchors), Z.sum(axis=0)

    sums, mass, sizes = engine.reduce(of_block, engine.zip(embedded.graphs, engine.zip(embedded.T, labels)), add)
    views = np.array([-1 if name.view is None else name.view for name in draw.graph.slices])
    weights = np.bincount(views[views >= 0], weights=slice_weights[views >= 0], minlength=len(draw.graph.views[0]))
    return Reliability(
        to_embedding=embedded.sample_fusion.column_scale[:, None] * basis.W[:, : len(scale)] * scale,
        centers=sums / np.maximum(sizes, 1)[:, None],
        slice_mass=mass,
        view_of_slice=views,
        slice_weights=slice_weights,
        view_weights=weights / weights.sum(),
        cluster_stability=np.mean([jaccard(table) for table in counts], axis=0),
    )


def _subsample_labelings(T: FloatArray, context: FitContext, K: int) -> list[SubsampleLabeling]:
    """Cluster random subsamples of at most a few thousand rows."""
    recipe, seed = context.recipe, context.settings.seed
    if len(T) > recipe.n_subsampled_rows:
        T = T[np.sort(np.random.default_rng(seed).choice(len(T), recipe.n_subsampled_rows, replace=False))]
    size = subsample_size(len(T), K, recipe.subsample_share)

    def labeling(number: int) -> SubsampleLabeling:
        own = seed + 1 + number
        return label_by(T, draw_subsample(T, size, seed=own), K, seed=own, recipe=recipe)

    with few_distinct_rows_allowed():
        return list(context.engine.map(labeling, list(range(recipe.n_subsamples))))


def assess_rows(members: MembershipMap, reliability: Reliability, novelty: Novelty, block: RowBlock, /) -> FloatArray:
    """Return label, confidence, disagreement, novelty, the views' labels and novelty, side by side (n, 4 + 2 V)."""
    graph = members.graph(block)
    labels = membership_of(members.fusion, members.anchor_membership, graph).argmax(axis=1)
    votes, opinion = reliability.votes(graph)
    contradicted = reliability.contradicted(votes, opinion, labels)
    confidence = reliability.confidence(members.fusion, graph, labels)
    of_views = np.where(opinion, votes, -1)
    far, far_in_views = novelty.of_rows(graph), novelty.of_views(graph)
    return np.column_stack([labels, confidence, contradicted, far, of_views, far_in_views])


def as_assessment(columns: FloatArray, /) -> Assessment:
    """Take apart what :func:`assess_rows` put side by side."""
    labels, confidence, contradicted, novelty = columns[:, :4].T
    of_views, far_in_views = np.split(columns[:, 4:], 2, axis=1)
    return Assessment(
        labels.astype(np.intp), confidence, contradicted > 0, of_views.astype(np.intp), novelty, far_in_views
    )


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
    """Silence warnings about fewer distinct rows than clusters. Enter it outside of threads, which share filters."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def draw_subsample(T: FloatArray, n_rows: int, /, *, seed: int) -> Subsample:
    """Draw some of the rows at random, with their spectrum."""
    rows = np.sort(np.random.default_rng(seed).choice(len(T), min(n_rows, len(T)), replace=False))
    part = T[rows].astype(np.float64, copy=False)
    return Subsample(rows, right_basis(part.T @ part, T.shape[1]))


def subsample_size(n_rows: int, n_clusters: int, share: float = DEFAULT.subsample_share, /) -> int:
    """Return the number of rows of a subsample; never fewer than clusters."""
    return min(max(int(share * n_rows), n_clusters), n_rows)


def label_by(
    T: FloatArray, subsample: Subsample, n_clusters: int, /, *, seed: int, recipe: Recipe = DEFAULT
) -> SubsampleLabeling:
    """Embed and cluster the rows of a subsample; call it inside `few_distinct_rows_allowed`."""
    factor, steps = recipe.subsample_embedding
    s = subsample.basis.s[: n_vectors(n_clusters, factor)]
    to_embedding = subsample.basis.W[:, : len(s)] * diffusion_scale(s, steps)
    return SubsampleLabeling(to_embedding, _centers(unit_rows(T[subsample.rows] @ to_embedding), n_clusters, seed))


def _centers(E: FloatArray, n_clusters: int, seed: int) -> FloatArray:
    """Run k-means from the K most different rows (pivots of a QR) and from k-means++, and keep the better result.

    A single random start merges two of many clusters often enough to pass for instability.
    """
    _, pivots = scipy.linalg.qr(E.T, mode="r", pivoting=True)
    starts = ["k-means++", *([E[pivots[:n_clusters]]] if n_clusters <= min(E.shape) else [])]
    runs = [k_means(E, n_clusters, init=start, n_init=1, random_state=seed) for start in starts]
    return np.asarray(min(runs, key=lambda run: float(run[2]))[0])


def jaccard(counts: FloatArray, /) -> FloatArray:
    """Compute the overlap (K,) of every cluster of the first labeling with the closest one of the second."""
    union = counts.sum(axis=1)[:, None] + counts.sum(axis=0) - counts
    return np.asarray((counts / np.maximum(union, 1)).max(axis=1))
