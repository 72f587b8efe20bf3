"""The stages that the estimators of this package share: from the input to the consensus labels of all rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from manyview.cluster.anchor_graph.consensus import find_consensus
from manyview.cluster.anchor_graph.context import MIN_CLUSTERS, FitContext, reporter, resolve
from manyview.cluster.anchor_graph.embedding import EmbeddedRows, consensus_labels, embed_consensus
from manyview.cluster.anchor_graph.graphs import Draw, build_graphs, redraw
from manyview.cluster.anchor_graph.memory import Factors, require_room
from manyview.cluster.anchor_graph.n_clusters import choose_on
from manyview.cluster.anchor_graph.noise_views import drop_noise_views
from manyview.cluster.anchor_graph.selection import Selection
from manyview.cluster.engines import chosen_engine, engine_for
from manyview.cluster.parameters import check_sizes
from manyview.engine import Rows
from manyview.kernels.arrays import FloatArray, IntArray
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
    views = check_views(X, ranges=estimator.views, estimator=estimator, lazy=True, rows_may_miss=True)
    K = MIN_CLUSTERS if estimator.n_clusters == "auto" else int(estimator.n_clusters)
    check_sizes(len(views), K)
    seed = int(check_random_state(estimator.random_state).randint(np.iinfo(np.int32).max))
    settings = resolve(estimator, len(views), seed, n_clusters=K, raw=raw)
    engine_name = chosen_engine(estimator.engine, views)
    require_room(engine_name, settings, views, estimator, factors=factors)
    views, engine = engine_for(estimator, views)
    with engine.running():
        yield views, FitContext(engine, settings, reporter(estimator))


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
