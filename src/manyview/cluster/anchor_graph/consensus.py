"""The consensus of all candidates: one of them is chosen without labels, and the others vote on its labels.

A draw of the anchors is an accident: on prokaryotic (551 rows) the accuracy of single draws lies between .64 and .77.
The candidates of all draws are therefore rated together. The one is chosen that has the largest

    mean over all candidates of ARI  -  1.25 x mean over the slices of log(1 - b_l)  +  2 x share²

b_l is the smoothness of its labels on slice l: what most candidates find is seldom an accident, and where they differ
the slices decide. The share of the dependence between the views that the labels explain (evidence.py) is the part of
the evidence that does not come from the graph itself. All candidates then vote on the label of every row, each weighted
by the fourth power of its ARI with the chosen one: votes move rows between clusters, but not the clusters. At last the
plain candidates (plain.py) may take the place of the result.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from manyview.cluster.anchor_graph.candidates import (
    Candidate,
    all_candidates,
    best_candidate,
    candidates,
    initial_candidates,
    n_vectors,
    spectrum,
)
from manyview.cluster.anchor_graph.context import FitContext
from manyview.cluster.anchor_graph.evidence import Explained, explained_by
from manyview.cluster.anchor_graph.fusion import first_weights, fuse, slice_degrees
from manyview.cluster.anchor_graph.graphs import Draw, redraw, with_rule
from manyview.cluster.anchor_graph.plain import Plain, better_plain
from manyview.kernels.agreement import adjusted_rand, joint_counts, vote
from manyview.kernels.arrays import FloatArray
from manyview.kernels.spectral import diffusion_scale


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
