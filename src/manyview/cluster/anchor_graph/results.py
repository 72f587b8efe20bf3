"""The attributes of a fitted model: labels, memberships, embedding, confidence, and the weights of the views."""

from __future__ import annotations

from typing import Any

import numpy as np

from manyview.cluster.anchor_graph.candidates import beyond_chance, label_sizes, label_smoothness, mean_over_geometries
from manyview.cluster.anchor_graph.context import FitContext
from manyview.cluster.anchor_graph.embedding import EmbeddedRows
from manyview.cluster.anchor_graph.fusion import slice_degrees, weights_from_smoothness
from manyview.cluster.anchor_graph.graphs import of_sample
from manyview.cluster.anchor_graph.membership import Read, fit_anchor_membership, read_through_anchors
from manyview.cluster.anchor_graph.reliability import embed, measure_reliability
from manyview.engine import Rows
from manyview.kernels.arrays import FloatArray, IntArray
from manyview.kernels.spectral import unit_rows


def keep_results(
    model: Any,
    embedded: EmbeddedRows,
    labels: Rows[IntArray],
    context: FitContext,
    /,
    *,
    chance: FloatArray | None = None,
    memberships: Rows[FloatArray] | None = None,
) -> None:
    """Set the fitted attributes of a model.

    The labels are read through the anchors, so that the same map labels new rows. With ``memberships`` (n, K) of their
    own, as in the paper, labels and memberships stay as they are, and new rows alone are labeled through the anchors.
    """
    context.progress("labels", 0, 1)
    engine, settings = context.engine, context.settings
    K, power = settings.n_clusters, context.recipe.smoothness_power
    draw, fusion, basis = embedded.draw, embedded.fusion, embedded.basis
    # measured on the given labels, before the anchors smooth them
    degrees = slice_degrees(draw.graph, draw.sample, engine)
    b = label_smoothness(of_sample(labels, draw, engine), degrees, draw.sample, engine, K)
    if memberships is None:
        read = read_through_anchors(embedded.graphs, labels, fusion, engine, K)
    else:
        read = Read(fit_anchor_membership(embedded.graphs, labels, fusion, engine, K), memberships, labels)
    found = np.flatnonzero(label_sizes(read.labels, engine, K))
    known = engine.map(lambda block: np.searchsorted(found, block), read.labels)
    weights = weights_from_smoothness(b, power)  # the fused graph itself may rest on the joint tables alone
    reliability = measure_reliability(embedded, known, weights, context, n_clusters=len(found))
    embeddings = engine.map(lambda T: embed(T, basis, len(found)), embedded.T)

    model.n_clusters_ = K
    model.labels_ = engine.collect(lambda block: block, known)
    model.membership_ = engine.persist(lambda block: block[:, found].astype(np.float64, copy=False), read.memberships)
    model.embedding_ = engine.persist(lambda block: unit_rows(block).astype(settings.dtype, copy=False), embeddings)
    if memberships is None:
        pairs = engine.zip(embeddings, known)
        model.confidence_ = engine.persist(lambda pair: reliability.margin(*pair), pairs)
    else:
        model.confidence_ = engine.persist(lambda block: _lead(block[:, found]), memberships)
    votes = engine.collect(lambda pair: reliability.votes_of_rows(*pair), engine.zip(embedded.graphs, known))
    model.view_labels_, model.views_disagree_ = votes[:, :-1], votes[:, -1] > 0
    view_weights = mean_over_geometries(weights, draw.graph)
    model.view_weights_ = view_weights / view_weights.sum()
    agreement = b if chance is None else np.clip(beyond_chance(b, chance), 0, 1)
    model.view_agreement_ = mean_over_geometries(agreement, draw.graph)
    model.views_left_out_ = [model.view_names_[v] for v in draw.graph.geometry.left_out]
    model.anchor_graph_, model.fusion_ = draw.graph, fusion
    model.anchor_membership_ = read.anchor_membership[:, found]
    model.cluster_sizes_ = np.bincount(model.labels_, minlength=len(found))
    model.reliability_, model.cluster_stability_ = reliability, reliability.cluster_stability


def _lead(membership: FloatArray) -> FloatArray:
    """Return the largest minus the second largest membership of every row."""
    if membership.shape[1] == 1:
        return np.ones(len(membership))
    top = np.partition(membership, -2, axis=1)
    return np.asarray(top[:, -1] - top[:, -2])
