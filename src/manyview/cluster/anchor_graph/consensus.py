"""The consensus of all candidates: one of them is chosen without labels, and the others vote on its labels.

A draw of the anchors is an accident: on prokaryotic (551 rows) the accuracy of single draws lies between .64 and .77.
The candidates of all draws are therefore rated together. The chosen one has the largest

    mean over all candidates of ARI  -  1.25 x mean over the slices of log(1 - b_l)

b_l is the smoothness of its labels on slice l: what most candidates find is seldom an accident, and where they differ
the slices decide. All candidates then vote on the label of every row, each weighted by the fourth power of its ARI with
the chosen one: votes move rows between clusters, but not the clusters.

Beyond `Recipe.max_drawn_rows` rows, candidates come from graphs of the rows themselves (neighbors.py), and modularity
on the nearest rows of the views takes the place of the smoothness on the slices. The labels then give the slices their
weights.

At last a plain candidate may take the place of the result: k-means in the joint tables, as a rule that labels any row.

    label_i = argmax_k  x_i'd_k + o_k          x_i: row of a joint table

with d_k = 2 c_k, o_k = -||c_k||² for k-means, and the same in the metric of W, the pooled covariance within the
clusters, for its discriminant version, which no scaling of views and columns can mislead; it descends in log det W.
Anchors blur what such a rule knows about round clusters that overlap: distances to a few of them say less than the row
itself. A plain candidate is taken in two cases:

* the views are all but independent within its clusters, so that it leaves nothing to be found, and its log det W is
  smaller than that of the labels of the graph; the discriminant version starts from k-means in the joint table and
  in every view alone, because none of these is to be trusted by itself;
* its labels are clearly smoother on the views' own slices in the mean, and also in the view that they suit least.

A linear rule takes a missing row for a mean one: with many of them the first case does not arise.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from sklearn.cluster import k_means
from sklearn.exceptions import ConvergenceWarning

from manyview.anchors import GraphBlock
from manyview.cluster.anchor_graph.candidates import (
    Candidate,
    EmbeddedRows,
    all_candidates,
    best_labeling,
    candidates,
    chance_smoothness,
    embed_rows,
    initial_candidates,
    label_smoothness,
    mean_over_geometries,
    n_vectors,
    spectrum,
)
from manyview.cluster.anchor_graph.context import FitContext
from manyview.cluster.anchor_graph.evidence import Explained, explained_by
from manyview.cluster.anchor_graph.fusion import (
    first_weights,
    fuse,
    roughness,
    slice_degrees,
    weights_from_smoothness,
)
from manyview.cluster.anchor_graph.graphs import Draw, redraw, with_rule
from manyview.cluster.anchor_graph.membership import LinearRule, fit_anchor_membership, membership_of
from manyview.cluster.anchor_graph.neighbors import find_neighbors, row_labelings
from manyview.engine import Rows
from manyview.geometry.fit import Geometry
from manyview.geometry.scaling import dense
from manyview.kernels.agreement import adjusted_rand, joint_counts, vote
from manyview.kernels.arrays import FloatArray, IntArray
from manyview.kernels.spectral import diffusion_scale
from manyview.views.blocks import RowBlock


class Consensus(NamedTuple):
    """The chosen anchors, and the chosen candidate with the labels that all candidates voted for."""

    draw: Draw
    candidate: Candidate
    chance: FloatArray | None  # (L,), smoothness by chance; None without a joint table


def find_consensus(draw: Draw, context: FitContext, /) -> Consensus:
    """Choose among the candidates, let them vote, and take a plain rule instead if it is better."""
    recipe = context.recipe
    of_rows = draw.joint and draw.source is not None and draw.n_samples > recipe.max_drawn_rows
    chosen = _of_neighbors(draw, context) if of_rows else _of_anchors(draw, context)
    plain = better_plain(chosen.draw, chosen.candidate.labels, explained_by(draw, context), context)
    return chosen if plain is None else _by_rule(chosen, plain, context)


def _of_anchors(draw: Draw, context: FitContext) -> Consensus:
    """Choose among the candidates of several draws of the anchors."""
    settings, recipe, K = context.settings, context.recipe, context.settings.n_clusters
    n_draws = settings.n_draws if draw.source is not None else 1
    found: list[Consensus] = []
    for number in range(n_draws):
        context.progress("candidates", number, n_draws)
        own = context.with_settings(seed=settings.seed + number * len(recipe.embeddings))
        drawn = redraw(draw, own) if number else draw
        found += _of_draw(drawn, own)
    labelings = [one.candidate.labels for one in found]
    separations = np.array([one.candidate.separation for one in found])
    best = best_labeling(labelings, separations, K, recipe.separation_weight)
    labels = voted_labels(labelings, best, K, recipe.vote_power)
    return found[best]._replace(candidate=found[best].candidate._replace(labels=labels))


def _of_neighbors(draw: Draw, context: FitContext) -> Consensus:
    """Choose among the labelings of the graphs of the sampled rows; the labels give the slices their weights."""
    recipe, engine, K, sample = context.recipe, context.engine, context.settings.n_clusters, draw.sample
    context.progress("candidates", 0, 1)
    neighbors = find_neighbors(draw, context)
    labelings = row_labelings(neighbors, context)
    modularities = np.array([neighbors.modularity(labels, K) for labels in labelings])
    best = best_labeling(labelings, modularities, K, recipe.modularity_weight)
    labels = voted_labels(labelings, best, K, recipe.vote_power)
    degrees = slice_degrees(draw.graph, sample, engine)
    b = label_smoothness(_like(sample, labels), degrees, sample, engine, K)
    weights = weights_from_smoothness(b, recipe.smoothness_power)
    candidate = _with_spectrum(weights, labels, b, draw, context)
    return Consensus(draw, candidate, chance_smoothness(draw.graph, sample, degrees, engine, K))


def _like(sample: list[GraphBlock], labels: IntArray) -> list[IntArray]:
    """Divide labels of the sampled rows into the blocks of the sample."""
    return np.split(labels, np.cumsum([block.n_rows for block in sample])[:-1])


def _with_spectrum(
    weights: FloatArray, labels: IntArray, smoothness: FloatArray, draw: Draw, context: FitContext
) -> Candidate:
    """Return labels with the spectrum of the anchor graph that is fused with these weights."""
    K = context.settings.n_clusters
    fusion = fuse(draw.graph, draw.sample, context.engine, weights)
    basis = spectrum(fusion, draw.sample, context.engine, n_vectors(K))
    return Candidate(weights, diffusion_scale(basis.s[:K], 1), labels, smoothness, basis)


def _by_rule(chosen: Consensus, plain: Plain, context: FitContext) -> Consensus:
    """Let a rule label the rows, and the graph say how sure the labels are."""
    draw, candidate = with_rule(chosen.draw, plain.rule, context.engine), chosen.candidate
    ruled = _with_spectrum(candidate.weights, plain.labels, candidate.smoothness, draw, context)
    return chosen._replace(draw=draw, candidate=ruled)


def _of_draw(draw: Draw, context: FitContext) -> list[Consensus]:
    if draw.joint:
        initial = initial_candidates(draw, context)
        return [Consensus(draw, one, initial.chance) for one in all_candidates(draw, initial, context)]
    degrees = slice_degrees(draw.graph, draw.sample, context.engine)
    return [Consensus(draw, one, None) for one in candidates(first_weights(draw.graph), degrees, draw, context)]


def voted_labels(labelings: list[IntArray], best: int, K: int, power: float, /) -> IntArray:
    """Return the best labels as all labelings vote on them, unless the vote loses a cluster."""
    agreement = np.array([adjusted_rand(joint_counts(labels, labelings[best], K)) for labels in labelings])
    labels = vote(labelings, best, np.maximum(agreement, 0) ** power, K)
    return labels if len(np.unique(labels)) == len(np.unique(labelings[best])) else labelings[best]


def embed_consensus(consensus: Consensus, context: FitContext, /) -> EmbeddedRows:
    """Embed all rows in the spectrum of the chosen candidate."""
    return embed_rows(consensus.draw, consensus.candidate.weights, consensus.candidate.basis, context)


def consensus_labels(consensus: Consensus, embedded: EmbeddedRows, context: FitContext, /) -> Rows[IntArray]:
    """Label all rows: as voted where all rows were sampled, else by the anchors that they share with sampled ones."""
    engine, labels, draw = context.engine, consensus.candidate.labels, consensus.draw
    if draw.graph.rule is not None:
        return engine.map(_ruled, embedded.graphs)
    if draw.sample_rows is None:
        return engine.map(lambda block: labels[block.start : block.start + block.n_rows], embedded.graphs)
    fusion, K = embedded.sample_fusion, context.settings.n_clusters
    shares = fit_anchor_membership(draw.sample, _like(draw.sample, labels), fusion, engine, K)
    return engine.map(lambda block: membership_of(fusion, shares, block).argmax(axis=1), embedded.graphs)


def _ruled(block: GraphBlock) -> IntArray:
    assert block.ruled is not None
    return block.ruled


class Plain(NamedTuple):
    """A plain candidate."""

    rule: LinearRule
    labels: IntArray  # (n,), of the sampled rows


def better_plain(draw: Draw, labels: IntArray, explained: Explained | None, context: FitContext, /) -> Plain | None:
    """Return the plain candidate that is better than these labels of the graph, if there is one."""
    if explained is None:
        return None
    geometry = draw.graph.geometry
    joint = [_joint_rows(draw, number, context) for number in range(geometry.n_geometries)]
    if min(x.shape[1] for x in joint) == 0:  # every column is constant
        return None
    found = [_plain(centers_rule(_centers(x, context), geometry, g), x) for g, x in enumerate(joint)]
    found = _complete(found, context)
    if not found:
        return None
    complete = _explaining(draw, joint[0], found[0].labels, labels, explained, context)
    return complete or _smoother(draw, found, labels, context)


def _explaining(
    draw: Draw, x: FloatArray, plain: IntArray, labels: IntArray, explained: Explained, context: FitContext
) -> Plain | None:
    """Return the discriminant version, if the views are all but independent within its clusters."""
    recipe, K, geometry = context.recipe, context.settings.n_clusters, draw.graph.geometry
    if explained.known < recipe.min_known or max(explained(plain), explained(labels)) < recipe.min_half_explained:
        return None
    starts = [plain, labels, *(_view_start(draw, v, context) for v in geometry.used)]
    rows = explained.rows
    rules = [discriminant_rule(x[rows], start[rows], K, geometry) for start in starts]
    found = _complete([_plain(rule, x) for rule in rules], context)
    if not found:
        return None

    def spread(of_rows: IntArray) -> float:
        return log_within(x[rows], of_rows[rows], K)

    best = min(found, key=lambda one: spread(one.labels))
    share, noise = explained(best.labels), explained.shared.noise
    complete = share > max(recipe.min_explained - 2 * noise, explained(labels) - noise)
    return best if complete and spread(best.labels) < spread(labels) else None


def _smoother(draw: Draw, found: list[Plain], labels: IntArray, context: FitContext) -> Plain | None:
    """Return the candidate that is smoother on the views, in the mean and where it is least so."""
    used = draw.graph.geometry.used
    own = _view_separation(draw, labels, context)[used]
    for one in found:
        other = _view_separation(draw, one.labels, context)[used]
        if other.mean() > own.mean() + context.recipe.min_smoother and other.min() > own.min():
            return one
    return None


def _complete(found: list[Plain], context: FitContext) -> list[Plain]:
    return [one for one in found if len(np.unique(one.labels)) == context.settings.n_clusters]


def _plain(rule: LinearRule, x: FloatArray) -> Plain:
    return Plain(rule, rule.labels(x))


def _joint_rows(draw: Draw, number: int, context: FitContext) -> FloatArray:
    assert draw.source is not None
    geometry = draw.graph.geometry

    def table(block: RowBlock) -> FloatArray:
        return dense(geometry.joint_table(geometry.scored(block), number))

    x: FloatArray = context.engine.collect(table, draw.source.sample).astype(np.float64, copy=False)
    return x


def _view_start(draw: Draw, v: int, context: FitContext) -> IntArray:
    """Label the sampled rows by k-means in one view."""
    assert draw.source is not None
    geometry = draw.graph.geometry
    x = context.engine.collect(lambda b: dense(geometry.table(geometry.scored(b), 0, v)), draw.source.sample)
    x = x.astype(np.float64, copy=False)
    return centers_rule(_centers(x, context), geometry, 0).labels(x)


def _centers(x: FloatArray, context: FitContext) -> FloatArray:
    settings, recipe = context.settings, context.recipe
    n_rows = max(recipe.n_clustered_rows, recipe.clustered_rows_per_cluster * settings.n_clusters)
    if len(x) > n_rows:
        x = x[np.sort(np.random.default_rng(settings.seed).choice(len(x), n_rows, replace=False))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        n_init = recipe.n_plain_init if settings.n_clusters <= recipe.max_embedded_clusters else 1
        centers = k_means(x, settings.n_clusters, n_init=n_init, random_state=settings.seed)[0]
    return np.asarray(centers)


def centers_rule(centers: FloatArray, geometry: Geometry, number: int, /) -> LinearRule:
    """Return the rule of the nearest center."""
    return LinearRule(geometry, number, 2 * centers.T, -(centers**2).sum(axis=1))


def discriminant_rule(
    x: FloatArray, labels: IntArray, n_clusters: int, geometry: Geometry, /, *, max_iter: int = 30
) -> LinearRule:
    """Repeat: nearest mean in the metric of the covariance within the clusters; stop when no label changes."""
    for _ in range(max_iter):
        means, pooled = _moments(x, labels, n_clusters)
        directions = scipy.linalg.solve(pooled, means.T, assume_a="pos")
        rule = LinearRule(geometry, 0, 2 * directions, -np.einsum("kd,dk->k", means, directions))
        before, labels = labels, rule.labels(x)
        if np.array_equal(before, labels) or np.bincount(labels, minlength=n_clusters).min() == 0:
            break
    return rule


def log_within(x: FloatArray, labels: IntArray, n_clusters: int, /) -> float:
    """Return log det W, W: pooled covariance within the clusters (d, d)."""
    return float(np.linalg.slogdet(_moments(x, labels, n_clusters)[1])[1])


def _moments(x: FloatArray, labels: IntArray, n_clusters: int) -> tuple[FloatArray, FloatArray]:
    """Compute the means (K, d) and the pooled covariance (d, d)."""
    n, counts = len(x), np.bincount(labels, minlength=n_clusters)
    indicator = sp.csr_array((np.ones(n), (labels, np.arange(n))), shape=(n_clusters, n))
    means = np.asarray(indicator @ x) / np.maximum(counts, 1)[:, None]
    pooled = (x.T @ x - (means.T * counts) @ means) / n
    ridge = 1e-3 * np.trace(pooled) / len(pooled)  # so that it has an inverse
    return means, pooled + ridge * np.eye(len(pooled))


def _view_separation(draw: Draw, labels: IntArray, context: FitContext) -> FloatArray:
    """Return -log(1 - b) of labels on every view's own slices (V,)."""
    degrees = slice_degrees(draw.graph, draw.sample, context.engine)
    K = context.settings.n_clusters
    b = label_smoothness(_like(draw.sample, labels), degrees, draw.sample, context.engine, K)
    return mean_over_geometries(-np.log(roughness(b)), draw.graph)
