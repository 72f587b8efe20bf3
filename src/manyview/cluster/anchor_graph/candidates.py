"""Candidate labelings of a fused graph: k-means in several diffusion embeddings.

    A = U diag(s) W'       T = A W       embedding (r, t):  E = unit rows of U[:, :rK+1] diag(lambda^t),  lambda = s²

t steps of the random walk damp what is not cluster structure; more vectors than clusters keep what K vectors lose. No
single (r, t) is right for all data, so all of them are clustered, and ``consensus.py`` chooses. Spectrum and centers
are found on the sampled rows and apply to all rows.

There are two fused graphs: of the joint tables alone (the initial candidates), and of all slices, weighted by the
smoothness of the best initial labels on them (the reweighted candidates).

    c_l    = (1 + (K - 1) t_l) / K,   t_l = sum_gj (sum_(i in g) W_ij)² / d_j / N              smoothness by chance
    beta_l = (b_l - c_l) / (1 - c_l)                                                           smoothness beyond chance

c_l is the smoothness of labels without meaning: drawn at random, the same for all rows g that share their nearest
anchor in the joint table. beta is 0 for a view that is unrelated to the labels, however few its columns are, and 1 for
a view that determines them.

All rows come into the spectrum of a fused graph by one linear map, T = A W, sampled or not: spectrum and normalization
come from the sampled rows. The membership map has its own column sums, over all rows.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import k_means
from sklearn.exceptions import ConvergenceWarning

from manyview.anchors import AnchorGraph, GraphBlock
from manyview.cluster.anchor_graph.context import FitContext
from manyview.cluster.anchor_graph.fusion import (
    Fusion,
    first_weights,
    fuse,
    separation,
    slice_degrees,
    smoothness_from_sums,
    weights_from_smoothness,
)
from manyview.cluster.anchor_graph.graphs import Draw
from manyview.engine import Engine, Rows, add
from manyview.kernels.agreement import mutual_agreement
from manyview.kernels.arrays import FloatArray, IntArray
from manyview.kernels.spectral import Basis, diffusion_scale, right_basis, right_basis_of, unit_rows


class Labeling(NamedTuple):
    """A diffusion embedding with cluster centers, which labels any row of T."""

    scale: FloatArray  # (r,)
    centers: FloatArray  # (K, r)

    def embedding(self, T: FloatArray, /) -> FloatArray:
        """Return E, unit rows of the scaled T."""
        return unit_rows(T[:, : len(self.scale)] * self.scale)

    def labels(self, T: FloatArray, /) -> IntArray:
        """Return the nearest center of every row."""
        E = self.embedding(T)
        return np.asarray((self.centers**2).sum(axis=1) - 2 * E @ self.centers.T).argmin(axis=1)


class Candidate(NamedTuple):
    """Slice weights, and one labeling of their fused graph."""

    weights: FloatArray  # (L,)
    scale: FloatArray  # (r,), of the embedding
    labels: IntArray  # (n,), of the sampled rows
    smoothness: FloatArray  # (L,), b
    basis: Basis  # of the sampled rows

    @property
    def separation(self) -> float:
        """Return how well the labels separate the rows on the slices."""
        return separation(self.smoothness)


class InitialCandidates(NamedTuple):
    """Labelings of the joint tables, and what the slices (L,) say about the best of them."""

    degrees: FloatArray  # (L, m), column sums
    candidates: list[Candidate]
    smoothness: FloatArray  # b
    chance: FloatArray  # c


def initial_candidates(draw: Draw, context: FitContext, /) -> InitialCandidates:
    """Label the rows by the joint tables, and measure how smooth the best labels are on every slice."""
    graph, sample, engine, K = draw.graph, draw.sample, context.engine, context.settings.n_clusters
    degrees = slice_degrees(graph, sample, engine)
    found = candidates(first_weights(graph), degrees, draw, context)
    separations = np.array([one.separation for one in found])
    best = found[best_labeling([one.labels for one in found], separations, K, context.recipe.separation_weight)]
    return InitialCandidates(degrees, found, best.smoothness, chance_smoothness(graph, sample, degrees, engine, K))


def all_candidates(draw: Draw, initial: InitialCandidates, context: FitContext, /) -> list[Candidate]:
    """Return the initial candidates, and those of all slices weighted by the smoothness of the best of them.

    Smooth vectors would be a cheaper consensus, but a noise view adds smooth vectors of its own; and a first consensus
    of all slices lets weak views that err alike outvote the one that is right. The reweighted candidates may also
    lose: almost any labels are smooth on a view of few columns, which can draw the labels toward itself.
    """
    recipe = context.recipe
    found = initial.candidates if "joint" in recipe.candidate_graphs else []
    if "weighted" in recipe.candidate_graphs:
        weights = weights_from_smoothness(initial.smoothness, recipe.smoothness_power)
        found = [*found, *candidates(weights, initial.degrees, draw, context)]
    return found


def candidates(weights: FloatArray, degrees: FloatArray, draw: Draw, context: FitContext, /) -> list[Candidate]:
    """Return the labelings of the graph that is fused with these weights."""
    K, sample, engine = context.settings.n_clusters, draw.sample, context.engine
    fusion = fuse(draw.graph, sample, engine, weights)
    basis = spectrum(fusion, sample, engine, n_vectors(K))
    T = engine.collect(partial(fusion.walk, right=basis.W), sample)
    stops = np.cumsum([block.n_rows for block in sample])[:-1]

    def candidate(labeling: Labeling) -> Candidate:
        labels = labeling.labels(T)
        b = label_smoothness(np.split(labels, stops), degrees, sample, engine, K)
        return Candidate(weights, labeling.scale, labels, b, basis)

    return [candidate(labeling) for labeling in spectral_labelings(basis.s, T, context, context.recipe.embeddings)]


def spectral_labelings(
    s: FloatArray, T: FloatArray, context: FitContext, embeddings: tuple[tuple[float, int], ...], /
) -> list[Labeling]:
    """Cluster every embedding of rows of T = U diag(s) (n, r) by k-means, once or several times."""
    settings, recipe, K = context.settings, context.recipe, context.settings.n_clusters
    n_rows = max(recipe.n_clustered_rows, recipe.clustered_rows_per_cluster * K)
    if len(T) > n_rows:
        T = T[np.sort(np.random.default_rng(settings.seed).choice(len(T), n_rows, replace=False))]

    if recipe.max_embedded_clusters < K:
        embeddings = embeddings[:1]

    def cluster(number: int) -> Labeling:
        r, t = embeddings[number % len(embeddings)]
        scale = diffusion_scale(s[: n_vectors(K, r)], t)
        E = unit_rows(T[:, : len(scale)] * scale)
        return Labeling(scale, k_means(E, K, n_init=recipe.n_init, random_state=settings.seed + number)[0])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fit warns at the end if rows are fewer than clusters
        return list(context.engine.map(cluster, list(range(settings.n_repeats * len(embeddings)))))


def n_vectors(n_clusters: int, factor: float = 3, *, most: int = 400) -> int:
    """Return the number of singular vectors of an embedding: K, or one more than a larger multiple of K.

    The default is the largest multiple. There are no more than ``most``: many clusters are far apart in fewer
    dimensions, too.
    """
    return min(int(factor * n_clusters) + (factor > 1), most)


def by_lanczos(width: int, rank: int, /) -> bool:
    """Return whether Lanczos iterations find the spectrum of A'A (width, width) sooner than a dense solver."""
    return width > 1_500 and rank < width // 10  # as measured with one thread


def spectrum(fusion: Fusion, sample: Rows[GraphBlock], engine: Engine, rank: int, /) -> Basis:
    """Return the leading right singular pairs of A, from A'A over the sample, or from A where that is quicker."""
    width = len(fusion.column_scale)
    if by_lanczos(width, rank):
        A = sp.vstack([fusion.mixed(block) for block in sample], format="csr").astype(np.float64)
        A.data *= fusion.column_scale[A.indices]
        return right_basis_of(A, rank)

    def gram(block: GraphBlock) -> FloatArray:
        A = fusion.mixed(block).toarray()
        return np.asarray((A.T @ A).astype(np.float64, copy=False))

    AtA = engine.reduce(gram, sample, add) * fusion.column_scale * fusion.column_scale[:, None]
    return right_basis(AtA, rank)


def best_labeling(labelings: list[IntArray], merits: FloatArray, n_clusters: int, weight: float, /) -> int:
    """Return the labeling with the largest sum of mean ARI and weighted merit, its separation or modularity.

    One that lost a cluster is passed over if another has more: fewer clusters are always smoother.
    """
    agreement = mutual_agreement(labelings, n_clusters).mean(axis=1)
    n_found = np.array([len(np.unique(labels)) for labels in labelings])
    return int(np.argmax(np.where(n_found == n_found.max(), agreement + weight * merits, -np.inf)))


def label_sizes(labels: Rows[IntArray], engine: Engine, K: int, /) -> FloatArray:
    """Count the rows of every cluster (K,)."""
    return engine.reduce(lambda block: np.bincount(block, minlength=K), labels, add).astype(float)


def label_indicator(labels: IntArray, sizes: FloatArray, /) -> FloatArray:
    """Return one-hot rows divided by the root of the cluster's size: orthonormal columns over all rows."""
    return np.eye(len(sizes))[labels] / np.sqrt(np.maximum(sizes, 1))


def label_smoothness(
    labels: Rows[IntArray], degrees: FloatArray, graphs: Rows[GraphBlock], engine: Engine, K: int, /
) -> FloatArray:
    """Return b (L,) of a labeling; products with its indicator are counts."""

    def of_block(pair: tuple[GraphBlock, IntArray]) -> tuple[FloatArray, FloatArray]:
        block, known = pair
        counts = block.present.T.astype(np.float64) @ np.eye(K)[known]
        return block.label_masses(known, K, degrees.shape[1]), counts

    masses, counts = engine.reduce(of_block, engine.zip(graphs, labels), add)  # (L, m, K), (L, K)
    sizes = np.maximum(label_sizes(labels, engine, K), 1)
    return smoothness_from_sums(masses / np.sqrt(sizes), (counts / sizes).sum(axis=1), degrees)


def chance_smoothness(
    graph: AnchorGraph, sample: Rows[GraphBlock], degrees: FloatArray, engine: Engine, K: int, /
) -> FloatArray:
    """Return c (L,), the smoothness of K labels without meaning on every slice."""
    joint = {name.geometry: index for index, name in enumerate(graph.slices) if name.view is None}
    m = graph.n_anchors

    def of_slice(index: int, geometry: int) -> float:
        def mass(block: GraphBlock) -> tuple[FloatArray, int]:
            nearest, n = block.columns[:, joint[geometry], 0], block.n_rows
            groups = sp.csr_array((np.ones(n), (nearest, np.arange(n))), shape=(m, n))
            return (groups @ block.slice(index, m)).toarray().astype(np.float64), int(block.present[:, index].sum())

        products, n_present = engine.reduce(mass, sample, add)  # (m, m)
        t = (products**2 / np.where(degrees[index] > 1e-12, degrees[index], np.inf)).sum() / max(n_present, 1)
        return float((1 + (K - 1) * t) / K)

    return np.array([of_slice(index, name.geometry) for index, name in enumerate(graph.slices)])


def beyond_chance(b: FloatArray, chance: FloatArray, /) -> FloatArray:
    """Return beta = (b - c) / (1 - c), and 0 where c = 1, as with a single cluster."""
    return np.where(chance < 1 - 1e-12, (b - chance) / np.where(chance < 1 - 1e-12, 1 - chance, 1), 0.0)


def mean_over_geometries(values: FloatArray, graph: AnchorGraph, /) -> FloatArray:
    """Average values of slices (L,) to values of views (V,); 0 for a view without slices."""
    views = [name.view for name in graph.slices if name.view is not None]
    at = [index for index, name in enumerate(graph.slices) if name.view is not None]
    n_views = len(graph.views[0])
    total, count = np.bincount(views, weights=values[at], minlength=n_views), np.bincount(views, minlength=n_views)
    return np.asarray(total / np.maximum(count, 1))


class EmbeddedRows(NamedTuple):
    """The graph of all rows, fused, and its spectrum."""

    draw: Draw
    graphs: Rows[GraphBlock]
    fusion: Fusion  # column sums over all rows
    sample_fusion: Fusion  # the same weights, column sums over the sampled rows
    basis: Basis
    T: Rows[FloatArray]  # (n, 3K + 1)

    def of_sample(self, engine: Engine, /) -> FloatArray:
        """Return T of the sampled rows."""
        T: FloatArray = engine.collect(partial(self.sample_fusion.walk, right=self.basis.W), self.draw.sample)
        return T


def embed_rows(draw: Draw, weights: FloatArray, basis: Basis | None, context: FitContext, /) -> EmbeddedRows:
    """Fuse the graph of all rows and embed them; the spectrum is found here unless it is known."""
    engine = context.engine
    context.progress("graph", 0, 1)
    graphs = draw.all_rows(engine)
    fusion = fuse(draw.graph, graphs, engine, weights)
    sample_fusion = fusion if draw.sample_rows is None else fuse(draw.graph, draw.sample, engine, weights)
    if basis is None:
        basis = spectrum(sample_fusion, draw.sample, engine, n_vectors(context.settings.n_clusters))
    T = engine.map(partial(sample_fusion.walk, right=basis.W), graphs)
    return EmbeddedRows(draw, graphs, fusion, sample_fusion, basis, T)
