"""The consensus of all candidates: one of them is chosen without labels, and the others vote on its labels.

A draw of the anchors is an accident: on prokaryotic (551 rows) the accuracy of single draws lies between .64 and .77.
The candidates of all draws are therefore rated together. The chosen one has the largest

    mean over all candidates of ARI  -  1.25 x mean over the slices of log(1 - b_l)  +  2 x share²

b_l is the smoothness of its labels on slice l: what most candidates find is seldom an accident, and where they differ
the slices decide. The share of the dependence between the views that the labels explain (evidence.py) is the part of
the evidence that does not come from the graph itself. All candidates then vote on the label of every row, each weighted
by the fourth power of its ARI with the chosen one: votes move rows between clusters, but not the clusters.

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
    best_candidate,
    candidates,
    embed_rows,
    initial_candidates,
    label_smoothness,
    mean_over_geometries,
    n_vectors,
    spectrum,
)
from manyview.cluster.anchor_graph.context import FitContext
from manyview.cluster.anchor_graph.evidence import Explained, explained_by
from manyview.cluster.anchor_graph.fusion import first_weights, fuse, roughness, slice_degrees
from manyview.cluster.anchor_graph.graphs import Draw, redraw, with_rule
from manyview.cluster.anchor_graph.membership import LinearRule
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
    """Rate the candidates of all draws together and let them vote."""
    settings, recipe = context.settings, context.recipe
    n_draws = settings.n_draws if draw.source is not None else 1
    found: list[Consensus] = []
    for number in range(n_draws):
        context.progress("candidates", number, n_draws)
        own = context.with_settings(seed=settings.seed + number * len(recipe.embeddings))
        drawn = redraw(draw, own) if number else draw
        found += _of_draw(drawn, own)
    explained = explained_by(draw, context)
    if explained is not None:
        found = [one._replace(candidate=_rated(one.candidate, explained)) for one in found]
    best = best_candidate(
        [one.candidate for one in found], settings.n_clusters, recipe.separation_weight, recipe.explained_weight
    )
    voted = _voted([one.candidate for one in found], best, settings.n_clusters, recipe.vote_power)
    chosen = found[best]._replace(candidate=voted)
    plain = better_plain(chosen.draw, voted.labels, explained, context)
    return chosen if plain is None else _by_rule(chosen, plain, context)


def _rated(candidate: Candidate, explained: Explained) -> Candidate:
    return candidate._replace(explained=explained(candidate.labels))


def _by_rule(chosen: Consensus, plain: Plain, context: FitContext) -> Consensus:
    """Let a rule label the rows, and the graph say how sure the labels are."""
    draw = with_rule(chosen.draw, plain.rule, context.engine)
    candidate = chosen.candidate
    fusion = fuse(draw.graph, draw.sample, context.engine, candidate.weights)
    basis = spectrum(fusion, draw.sample, context.engine, n_vectors(context.settings.n_clusters))
    scale = diffusion_scale(basis.s[: context.settings.n_clusters], 1)
    return chosen._replace(draw=draw, candidate=candidate._replace(labels=plain.labels, basis=basis, scale=scale))


def _of_draw(draw: Draw, context: FitContext) -> list[Consensus]:
    if draw.joint:
        initial = initial_candidates(draw, context)
        return [Consensus(draw, one, initial.chance) for one in all_candidates(draw, initial, context)]
    degrees = slice_degrees(draw.graph, draw.sample, context.engine)
    return [Consensus(draw, one, None) for one in candidates(first_weights(draw.graph), degrees, draw, context)]


def _voted(found: list[Candidate], best: int, K: int, power: float) -> Candidate:
    """Return the best candidate with the labels that all voted for, unless the vote loses a cluster."""
    labelings = [candidate.labels for candidate in found]
    agreement = np.array([adjusted_rand(joint_counts(labels, labelings[best], K)) for labels in labelings])
    labels = vote(labelings, best, np.maximum(agreement, 0) ** power, K)
    complete = len(np.unique(labels)) == len(np.unique(labelings[best]))
    return found[best]._replace(labels=labels) if complete else found[best]


def embed_consensus(consensus: Consensus, context: FitContext, /) -> EmbeddedRows:
    """Embed all rows in the spectrum of the chosen candidate."""
    return embed_rows(consensus.draw, consensus.candidate.weights, consensus.candidate.basis, context)


def consensus_labels(consensus: Consensus, embedded: EmbeddedRows, context: FitContext, /) -> Rows[IntArray]:
    """Label all rows: as voted where all rows were sampled, else by the nearest center of the voted clusters."""
    engine, candidate = context.engine, consensus.candidate
    if consensus.draw.graph.rule is not None:
        return engine.map(_ruled, embedded.graphs)
    if consensus.draw.sample_rows is None:
        labels = candidate.labels
        return engine.map(lambda block: labels[block.start : block.start + block.n_rows], embedded.graphs)
    return engine.map(candidate.labeling(embedded.of_sample(engine)).labels, embedded.T)


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
    stops = np.cumsum([block.n_rows for block in draw.sample])[:-1]
    b = label_smoothness(np.split(labels, stops), degrees, draw.sample, context.engine, context.settings.n_clusters)
    return mean_over_geometries(-np.log(roughness(b)), draw.graph)
