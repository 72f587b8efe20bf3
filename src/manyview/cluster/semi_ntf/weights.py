"""How much every slice deserves to count, and which of many labelings to begin with; both learned without labels.

Candidates: for every draw of the anchors the fused graphs of the joint tables alone and of all slices by their merit,
seven readings each. The one is chosen that is the largest in

    mean over all candidates of ARI  -  1.25 x mean over the slices of log(1 - b_l)

b_l is the share of the labels that slice l keeps smooth (fusion.py): what most readings find is seldom an accident, but
where they differ the slices themselves decide. The merit of a slice comes from the best labels of the joint tables.

    c_l    = (1 + (K - 1) t_l) / K,   t_l = sum_gj (sum_(i in g) W_ij)² / d_j / N                  what chance gives
    beta_l = (b_l - c_l) / (1 - c_l)

c_l is the share that labels without meaning would get: drawn at random, the same for all rows g whose nearest anchor
of the joint table is the same, because labels follow the anchors. beta is 0 for a view that knows nothing of the
labels, however few its columns are, and 1 for one that decides them.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from manyview.anchors import AnchorGraph, GraphBlock
from manyview.cluster.semi_ntf.fusion import (
    first_weights,
    fuse,
    separation,
    shares_of,
    slice_degrees,
    weights_from_shares,
)
from manyview.cluster.semi_ntf.settings import Settings
from manyview.cluster.semi_ntf.start import Labeling, n_vectors, pivoted_labeling, spectral_labelings, spectrum
from manyview.engine import Engine, Rows, add
from manyview.kernels.agreement import mutual_agreement
from manyview.kernels.arrays import FloatArray, IntArray
from manyview.kernels.spectral import Basis, unit_rows

SEPARATION = 1.25  # per unit of agreement; up to 2 the shared data sets score the same


class Candidate(NamedTuple):
    """Slice weights, and one labeling that their fused graph leads to."""

    weights: FloatArray  # (L,)
    scale: FloatArray  # (r,), the reading
    labels: IntArray  # (n,), of the sampled rows
    shares: FloatArray  # (L,), b
    basis: Basis  # of the sampled rows

    def rule(self, T: FloatArray, /) -> Labeling:
        """The labeling for all rows, from T (n, r') of the sampled ones."""
        E = unit_rows(T[:, : len(self.scale)] * self.scale)
        return Labeling(self.scale, np.stack([E[self.labels == k].mean(axis=0) for k in np.unique(self.labels)]))


class FirstLook(NamedTuple):
    """The labelings of the joint tables alone, and what the slices (L,) say about the best of them."""

    degrees: FloatArray  # (L, m), column sums
    candidates: list[Candidate]
    shares: FloatArray  # b
    chance: FloatArray  # c


def look(graph: AnchorGraph, sample: list[GraphBlock], engine: Engine, settings: Settings, /) -> FirstLook:
    """Label the rows by the joint tables, and ask every slice what it thinks of that."""
    degrees = slice_degrees(graph, sample, engine)
    found = candidates(first_weights(graph), degrees, graph, sample, engine, settings)
    chance = chance_shares(graph, sample, degrees, engine, settings.n_clusters)
    return FirstLook(degrees, found, found[best_of(found, settings.n_clusters)].shares, chance)


def second_look(
    graph: AnchorGraph, sample: list[GraphBlock], engine: Engine, settings: Settings, first: FirstLook, /
) -> list[Candidate]:
    """The candidates of a first look, and those of all slices, weighted by what they say about the best of them.

    Smooth vectors would be the cheaper consensus, but a noise view puts smooth vectors of its own among them; and a
    first consensus of all slices lets weak views that err alike outvote the one that can tell. The second look may
    also lose: a view of few columns keeps almost anything smooth, and can draw the labels toward itself.
    """
    weighted = candidates(weights_from_shares(first.shares), first.degrees, graph, sample, engine, settings)
    return [*first.candidates, *weighted] if settings.shared else weighted  # coupled slices need a graph each


def candidates(
    weights: FloatArray,
    degrees: FloatArray,
    graph: AnchorGraph,
    sample: list[GraphBlock],
    engine: Engine,
    settings: Settings,
    /,
) -> list[Candidate]:
    """The labelings that one fused graph leads to."""
    K = settings.n_clusters
    fusion = fuse(graph, sample, engine, weights)
    basis = spectrum(fusion, sample, engine, n_vectors(K))
    T = engine.collect(partial(fusion.walk, right=basis.W), sample)
    if isinstance(settings.init, str) and settings.init == "qr":
        rules = [pivoted_labeling(basis, T, K)]
    else:
        rules = spectral_labelings(
            basis, T, engine, K, n_init=settings.n_init, n_repeats=settings.n_repeats, seed=settings.seed
        )
    stops = np.cumsum([block.n_rows for block in sample])[:-1]

    def candidate(rule: Labeling) -> Candidate:
        labels = rule.labels(T)
        shares = label_shares(np.split(labels, stops), degrees, sample, engine, K)
        return Candidate(weights, rule.scale, labels, shares, basis)

    return [candidate(rule) for rule in rules]


def best_of(found: list[Candidate], n_clusters: int, /) -> int:
    """Which candidate has the largest agreement and separation."""
    agreement = mutual_agreement([candidate.labels for candidate in found], n_clusters).mean(axis=1)
    return int(np.argmax(agreement + SEPARATION * np.array([separation(candidate.shares) for candidate in found])))


def label_sizes(labels: Rows[IntArray], engine: Engine, K: int, /) -> FloatArray:
    """Rows of every cluster (K,)."""
    return engine.reduce(lambda block: np.bincount(block, minlength=K), labels, add).astype(float)


def label_indicator(labels: IntArray, sizes: FloatArray, /) -> FloatArray:
    """One-hot rows divided by the root of the cluster's size: orthonormal columns over all rows."""
    return np.eye(len(sizes))[labels] / np.sqrt(np.maximum(sizes, 1))


def label_shares(
    labels: Rows[IntArray], degrees: FloatArray, graphs: Rows[GraphBlock], engine: Engine, K: int, /
) -> FloatArray:
    """b (L,) of a labeling: the consensus is its indicator, and products with that are counted."""

    def of_block(pair: tuple[GraphBlock, IntArray]) -> tuple[FloatArray, FloatArray]:
        block, known = pair
        counts = block.present.T.astype(np.float64) @ np.eye(K)[known]
        return block.label_masses(known, K, degrees.shape[1]), counts

    masses, counts = engine.reduce(of_block, engine.zip(graphs, labels), add)  # (L, m, K), (L, K)
    sizes = np.maximum(label_sizes(labels, engine, K), 1)
    return shares_of(masses / np.sqrt(sizes), (counts / sizes).sum(axis=1), degrees)


def chance_shares(
    graph: AnchorGraph, sample: Rows[GraphBlock], degrees: FloatArray, engine: Engine, K: int, /
) -> FloatArray:
    """c (L,): the share of K labels without meaning that every slice keeps smooth."""
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


def beyond_chance(shares: FloatArray, chance: FloatArray, /) -> FloatArray:
    """beta = (b - c) / (1 - c); with one cluster there is nothing to know."""
    return np.where(chance < 1 - 1e-12, (shares - chance) / np.where(chance < 1 - 1e-12, 1 - chance, 1), 0.0)


def mean_over_geometries(values: FloatArray, graph: AnchorGraph, /) -> FloatArray:
    """Values of slices (L,) as values of views (V,); 0 for a view without slices."""
    views = [name.view for name in graph.slices if name.view is not None]
    at = [index for index, name in enumerate(graph.slices) if name.view is not None]
    n_views = len(graph.views[0])
    total, count = np.bincount(views, weights=values[at], minlength=n_views), np.bincount(views, minlength=n_views)
    return np.asarray(total / np.maximum(count, 1))
