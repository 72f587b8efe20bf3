"""One card per cluster: its size, how far to trust it, who stands for it, and what sets it apart."""

from __future__ import annotations

from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from manyview.report.summary.features import Effects, FeatureShift, top_features
from manyview.report.summary.inputs import Inputs
from manyview.report.summary.shown import Shown

PROTOTYPES = 5


class Holding(TypedDict):
    """The effect of one view on a cluster."""

    view: str
    effect: float  # cohesion lost without the view
    alone: float  # cohesion in this view only


class ClusterRow(TypedDict):
    """One cluster; what the method does not measure, or the call did not give, is None or empty."""

    label: int
    size: int
    share: float
    stability: float | None  # mean Jaccard index with the closest cluster that subsamples lead to
    confidence: float | None  # mean over its samples
    least_certain: float | None  # share of its samples among the least certain tenth of all samples
    contradicted: int | None  # samples where most of the views' weight is for another cluster
    typical: list[str]  # ids
    holding: list[Holding]
    features: list[FeatureShift]
    main_class: int | str | None
    main_share: float | None
    image: list[list[float]] | None  # mean of its samples' images


def cluster_rows(
    inputs: Inputs, shown: Shown, features: NDArray[np.float64] | None, effects: list[Effects] | None, /
) -> list[ClusterRow]:
    """Describe every cluster."""
    typical, holding = _typical(inputs, shown, features)
    return [_row(inputs, k, typical[k], holding[k], effects) for k in range(len(inputs.clusters))]


def _row(
    inputs: Inputs, k: int, typical: list[str], holding: list[Holding], effects: list[Effects] | None
) -> ClusterRow:
    rows, model = inputs.codes == k, inputs.model
    confidence, low = inputs.confidence, inputs.low_confidence
    main_class, main_share = None, None
    if inputs.y_true is not None:
        classes, counts = np.unique(inputs.y_true[rows], return_counts=True)
        main_class, main_share = classes.tolist()[counts.argmax()], float(counts.max() / counts.sum())
    against = getattr(model, "views_disagree_", None)
    stability = getattr(model, "cluster_stability_", None)
    return ClusterRow(
        label=int(inputs.clusters[k]),
        size=int(inputs.sizes[k]),
        share=float(inputs.sizes[k] / inputs.n_samples),
        stability=None if stability is None else float(stability[inputs.clusters[k]]),
        confidence=None if confidence is None else float(confidence[rows].mean()),
        least_certain=None if confidence is None or low is None else float((confidence[rows] <= low).mean()),
        contradicted=None if against is None else int(np.asarray(against)[rows].sum()),
        typical=typical,
        holding=holding,
        features=[] if effects is None else top_features(inputs, effects, k),
        main_class=main_class,
        main_share=main_share,
        image=None if inputs.images is None else inputs.images[rows].mean(axis=0).tolist(),
    )


def _typical(
    inputs: Inputs, shown: Shown, features: NDArray[np.float64] | None
) -> tuple[list[list[str]], list[list[Holding]]]:
    """Return ids of typical samples and the effects of the views, per cluster."""
    K = len(inputs.clusters)
    if inputs.rated and inputs.views is not None:
        explained = inputs.model.explain(inputs.views, n_prototypes=PROTOTYPES, n_features=1).clusters
        return (
            [[inputs.id_of(row.row) for row in cluster.rows] for cluster in explained],
            [[_holding(view) for view in cluster.views] for cluster in explained],
        )
    if features is None:
        return [[] for _ in range(K)], [[] for _ in range(K)]
    codes = inputs.codes[shown.rows]
    typical: list[list[str]] = []
    for k in range(K):
        inside = np.flatnonzero(codes == k)
        if not len(inside):
            typical.append([])
            continue
        distance = np.linalg.norm(features[inside] - features[inside].mean(axis=0), axis=1)
        nearest = inside[np.argsort(distance, kind="stable")[:PROTOTYPES]]
        typical.append([inputs.id_of(int(shown.rows[i])) for i in nearest])
    return typical, [[] for _ in range(K)]


def _holding(view: Any) -> Holding:
    return Holding(view=view.view, effect=view.effect, alone=view.alone)
