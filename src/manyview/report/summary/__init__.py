"""Summary of one clustering as plain numbers: no arrays, no figures, ready for JSON."""

from __future__ import annotations

from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from manyview.report.palette import cluster_colors
from manyview.report.summary.answer import Answer, answer
from manyview.report.summary.clusters import ClusterRow, cluster_rows
from manyview.report.summary.convergence import Convergence, convergence
from manyview.report.summary.enrichment import Enrichment, enrichment
from manyview.report.summary.features import Effects, Heatmap, feature_effects, heatmap
from manyview.report.summary.inputs import Inputs, gather
from manyview.report.summary.map import Map, place, sample_map
from manyview.report.summary.run_facts import RunFacts, run_facts
from manyview.report.summary.scores import ContingencyTable, contingency_table, scores
from manyview.report.summary.selection import Chosen, chosen
from manyview.report.summary.shown import choose_rows
from manyview.report.summary.views import (
    ViewAgreement,
    ViewRow,
    ViewsByCluster,
    dissent_by_cluster,
    missing_by_cluster,
    view_agreement,
    view_rows,
)


class Confidence(TypedDict):
    """Distribution of the confidence of the samples."""

    mean: float
    median: float
    low: float  # the least certain tenth lies below
    edges: list[float]
    counts: list[int]


class Summary(TypedDict):
    """Everything that a report says; what the method does not have, or the call did not give, is None.

    Examples
    --------
    >>> from manyview.report import Summary
    >>> sorted(Summary.__annotations__)[:4]
    ['answer', 'clusters', 'colors', 'confidence']
    """

    name: str
    n_samples: int
    n_clusters: int
    n_requested: int | None  # None: it was to be chosen
    colors: list[str]  # of the clusters, in their order
    answer: Answer
    map: Map
    mapped: bool  # False: there is nothing to place samples by, and the map's coordinates mean nothing
    clusters: list[ClusterRow]
    heatmap: Heatmap | None
    enrichment: Enrichment | None
    views: list[ViewRow]
    view_agreement: ViewAgreement | None
    dissent_by_cluster: ViewsByCluster | None
    missing_by_cluster: ViewsByCluster | None
    confidence: Confidence | None
    selection: Chosen | None
    convergence: Convergence | None
    scores: dict[str, float] | None
    contingency: ContingencyTable | None
    run: RunFacts


def summarize(
    model: Any,
    /,
    views: Any = None,
    *,
    name: str = "data",
    y_true: ArrayLike | None = None,
    metadata: Any = None,
    ids: ArrayLike | None = None,
    images: ArrayLike | None = None,
    seconds: float | None = None,
) -> Summary:
    """Gather what a report says about a fitted model.

    Parameters
    ----------
    model : estimator
        Any fitted estimator of this package.
    views : as for ``fit``, optional
        The rows of the fit. Without them the summary has no features, no typical samples, no votes of the views and
        no checksum.
    name : str, default="data"
        What the report calls the data.
    y_true : array-like of shape (n_samples,), optional
        Known classes, integers or strings, for scores. A pandas Series is matched by its index if the samples have ids.
    metadata : DataFrame or mapping of name to column, optional
        What is known about the samples beside the views: the map can be colored by it, and clusters are tested for
        enrichment. A pandas DataFrame is matched by its index if the samples have ids.
    ids : array-like of shape (n_samples,), optional
        What the samples are called; the index of the views, or row numbers, by default.
    images : array-like of shape (n_samples, height, width), optional
        A picture of every sample; the report shows the mean of each cluster.
    seconds : float, optional
        How long the fit took.

    Returns
    -------
    Summary
        A dict of plain numbers, strings, lists and dicts.

    Examples
    --------
    >>> from manyview import AnchorGraphClustering
    >>> from manyview.datasets import make_views
    >>> from manyview.report import summarize
    >>> data = make_views(n_samples=90, n_clusters=3, random_state=0)
    >>> model = AnchorGraphClustering(n_clusters=3, random_state=0).fit(data.views)
    >>> summary = summarize(model, data.views, y_true=data.labels)
    >>> summary["answer"]["headline"], summary["scores"]["acc"]
    ('3 clusters in 90 samples', 1.0)
    """
    inputs = gather(model, views, name=name, y_true=y_true, metadata=metadata, ids=ids, images=images, seconds=seconds)
    shown = choose_rows(inputs)
    placed = place(inputs, shown)
    features, points, how = (None, None, "") if placed is None else placed
    effects = None if inputs.views is None else feature_effects(inputs)
    K = len(inputs.clusters)
    summary = Summary(
        name=name,
        n_samples=inputs.n_samples,
        n_clusters=K,
        n_requested=None if isinstance(wanted := getattr(model, "n_clusters", None), str) else wanted,
        colors=cluster_colors(K),
        answer=Answer(headline="", sentences=[], doubts=[]),
        map=sample_map(inputs, shown, points, how),
        mapped=points is not None,
        clusters=cluster_rows(inputs, shown, features, effects),
        heatmap=None if effects is None else _heatmap(inputs, effects),
        enrichment=enrichment(inputs),
        views=view_rows(inputs, shown),
        view_agreement=view_agreement(inputs, shown),
        dissent_by_cluster=dissent_by_cluster(inputs, shown),
        missing_by_cluster=missing_by_cluster(inputs),
        confidence=_confidence(inputs),
        selection=chosen(model),
        convergence=convergence(model),
        scores=scores(inputs),
        contingency=contingency_table(inputs),
        run=run_facts(inputs),
    )
    summary["answer"] = answer(summary)  # from all other sections
    return summary


def _heatmap(inputs: Inputs, effects: list[Effects]) -> Heatmap | None:
    names = [inputs.feature_names(v) for v in range(len(inputs.view_names))]
    return heatmap(inputs.clusters.tolist(), inputs.view_names, names, effects, 40)


def _confidence(inputs: Inputs) -> Confidence | None:
    confidence, low = inputs.confidence, inputs.low_confidence
    if confidence is None or low is None:
        return None
    inside = np.clip(confidence, 0, 1)  # rounding may leave 1 + 1e-16, which no bin would hold
    counts, edges = np.histogram(inside, bins=20, range=(0, 1))
    return Confidence(
        mean=float(confidence.mean()),
        median=float(np.median(confidence)),
        low=low,
        edges=edges.tolist(),
        counts=counts.tolist(),
    )


__all__ = ["Summary", "summarize"]
