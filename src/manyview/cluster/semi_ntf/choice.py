"""Which anchors, slice weights and labels a fit begins with: the best labeling of several draws of the anchors.

A draw is an accident: on prokaryotic (551 rows) the accuracy of single draws lies between .64 and .77. Labelings of
all draws are rated together (weights.py), so that what only one of them sees has to separate much better. The others
then vote on the labels of the best one, each with the fourth power of its ARI with it: they move the rows between the
clusters, but not the clusters.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from manyview.cluster.semi_ntf.fusion import first_weights, slice_degrees
from manyview.cluster.semi_ntf.graphs import Draw, Progress, redraw
from manyview.cluster.semi_ntf.settings import Settings
from manyview.cluster.semi_ntf.start import READINGS
from manyview.cluster.semi_ntf.weights import Candidate, best_of, candidates, look, second_look
from manyview.engine import Engine
from manyview.kernels.agreement import adjusted_rand, joint_counts, vote
from manyview.kernels.arrays import FloatArray

SHARPNESS = 4


def choose_start(
    draw: Draw, engine: Engine, settings: Settings, progress: Progress, weights: FloatArray | None, /
) -> tuple[Draw, Candidate | None]:
    """Anchors, slice weights and a reading of the spectrum; Algorithm 1 with its own start needs no choice."""
    spectral = isinstance(settings.init, str) and settings.init in ("spectral", "qr")
    if settings.paper and not settings.shared and not spectral:
        return draw, None
    n_draws = settings.n_draws if spectral and draw.source is not None else 1
    draws: list[Draw] = []
    found: list[Candidate] = []
    for number in range(n_draws):
        progress("weights", number, n_draws)
        own = replace(settings, seed=settings.seed + number * len(READINGS))
        drawn = redraw(draw, own, engine, seed=own.seed) if number else draw
        drawn, labelings = _labelings(drawn, engine, own, weights)
        draws += [drawn] * len(labelings)
        found += labelings
    best = best_of(found, settings.n_clusters)
    return draws[best], _voted(found, best, settings.n_clusters)


def _voted(found: list[Candidate], best: int, K: int) -> Candidate:
    """The best candidate with the labels that all vote for, unless that loses a cluster."""
    labelings = [candidate.labels for candidate in found]
    agreement = np.array([adjusted_rand(joint_counts(labels, labelings[best], K)) for labels in labelings])
    labels = vote(labelings, best, np.maximum(agreement, 0) ** SHARPNESS, K)
    complete = len(np.unique(labels)) == len(np.unique(labelings[best]))
    return found[best]._replace(labels=labels) if complete else found[best]


def _labelings(
    draw: Draw, engine: Engine, settings: Settings, weights: FloatArray | None
) -> tuple[Draw, list[Candidate]]:
    """Labelings of a draw, and the draw with what they showed."""
    graph, sample = draw.graph, draw.sample
    if draw.joint and weights is None:
        first = draw.first or look(graph, sample, engine, settings)
        return draw._replace(first=first), second_look(graph, sample, engine, settings, first)
    degrees = slice_degrees(graph, sample, engine)
    weights = first_weights(graph) if weights is None else weights
    return draw, candidates(weights, degrees, graph, sample, engine, settings)
