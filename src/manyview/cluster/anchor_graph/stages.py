"""The stages that the estimators of this package share: from the input to the consensus labels of all rows, and from
there to the attributes of a fitted model.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from manyview.cluster.anchor_graph.candidates import (
    EmbeddedRows,
    beyond_chance,
    label_sizes,
    label_smoothness,
    mean_over_geometries,
)
from manyview.cluster.anchor_graph.consensus import consensus_labels, embed_consensus, find_consensus
from manyview.cluster.anchor_graph.context import (
    MIN_CLUSTERS,
    FitContext,
    check_graph_modes,
    chosen_engine,
    engine_for,
    resolve,
)
from manyview.cluster.anchor_graph.evidence import drop_noise_views
from manyview.cluster.anchor_graph.fusion import slice_degrees, weights_from_smoothness
from manyview.cluster.anchor_graph.graphs import Draw, build_graphs, of_sample, redraw
from manyview.cluster.anchor_graph.membership import (
    Read,
    fit_anchor_membership,
    measure_novelty,
    read_through_anchors,
    without_outliers,
)
from manyview.cluster.anchor_graph.memory import Factors, require_room
from manyview.cluster.anchor_graph.n_clusters import choose_on
from manyview.cluster.anchor_graph.reliability import embed, measure_reliability
from manyview.cluster.anchor_graph.selection import Selection
from manyview.cluster.checks import check_sizes
from manyview.cluster.progress import progress_of
from manyview.engine import Rows
from manyview.kernels.arrays import FloatArray, IntArray
from manyview.kernels.spectral import unit_rows
from manyview.views import Views, check_views


class ConsensusFit(NamedTuple):
    """The consensus labels of all rows, and the graph on which they were found."""

    embedded: EmbeddedRows
    labels: Rows[IntArray]
    scale: FloatArray  # (r,), of the diffusion embedding of the chosen candidate
    chance: FloatArray | None  # (L,), smoothness by chance; None without a joint table


@contextmanager
def running_fit(
    estimator: Any, X: Any, /, *, raw: bool = False, factors: Factors = "none"
) -> Iterator[tuple[Views, FitContext]]:
    """Check the input, resolve the parameters, and hold the engine for the time of the fit."""
    check_graph_modes(estimator)
    views = check_views(X, ranges=estimator.views, estimator=estimator, lazy=True, rows_may_miss=True)
    K = MIN_CLUSTERS if estimator.n_clusters == "auto" else int(estimator.n_clusters)
    check_sizes(len(views), K)
    seed = int(check_random_state(estimator.random_state).randint(np.iinfo(np.int32).max))
    settings = resolve(estimator, len(views), seed, n_clusters=K, raw=raw)
    engine_name = chosen_engine(estimator.engine, views)
    require_room(engine_name, settings, views, estimator, factors=factors)
    views, engine = engine_for(estimator, views)
    with engine.running(), progress_of(estimator, X) as progress:
        yield views, FitContext(engine, settings, progress)


def build_graphs_for_k(
    estimator: Any, views: Views, context: FitContext, /, *, factors: Factors = "none"
) -> tuple[Draw, FitContext, Selection | None]:
    """Build the anchor graphs, and choose K on them if ``n_clusters="auto"``."""
    draw = build_graphs(views, context)
    if estimator.n_clusters != "auto":
        return draw, context, None
    selection = choose_on(draw, context)
    settings = resolve(estimator, draw.n_samples, context.settings.seed, n_clusters=selection.n_clusters)
    more_anchors = settings.n_anchors != context.settings.n_anchors
    context = replace(context, settings=settings)
    require_room(chosen_engine(estimator.engine, views), settings, views, estimator, factors=factors)
    return redraw(draw, context) if more_anchors else draw, context, selection


def label_by_consensus(views: Views, draw: Draw, context: FitContext, /) -> ConsensusFit:
    """Leave noise views out, find the consensus of all candidates, and apply it to all rows."""
    draw = drop_noise_views(views, draw, context)
    consensus = find_consensus(draw, context)
    embedded = embed_consensus(consensus, context)
    labels = consensus_labels(consensus, embedded, context)
    return ConsensusFit(embedded, labels, consensus.candidate.scale, consensus.chance)


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
    novelty = measure_novelty(draw.graph, draw.sample, engine, context.recipe.outlier_fence)

    model.n_clusters_ = K
    labels_ = engine.collect(lambda block: block, known)
    model.novelty_ = novelty
    model.outlier_score_ = engine.collect(novelty.of_rows, embedded.graphs)
    model.labels_ = without_outliers(labels_, model.outlier_score_) if model.label_outliers else labels_
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
    model.cluster_sizes_ = np.bincount(labels_, minlength=len(found))
    model.reliability_, model.cluster_stability_ = reliability, reliability.cluster_stability


def _lead(membership: FloatArray) -> FloatArray:
    """Return the largest minus the second largest membership of every row."""
    if membership.shape[1] == 1:
        return np.ones(len(membership))
    top = np.partition(membership, -2, axis=1)
    return np.asarray(top[:, -1] - top[:, -2])
