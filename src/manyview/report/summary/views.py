"""The views: how much each counts, how far they agree with the result and each other, where they are missing."""

from __future__ import annotations

from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from manyview.metrics import adjusted_rand_index
from manyview.report.summary.inputs import Inputs
from manyview.report.summary.shown import Shown

LEFT_OUT = "unrelated to the clusters that the other views show"


class ViewRow(TypedDict):
    """One view; what the method does not measure is None."""

    name: str
    width: int
    weight: float | None  # share of the weight of all views
    agreement: float | None  # smoothness of the labels on the view's own graph, beyond chance
    dissent: float | None  # share of the samples for which the view alone would choose another cluster
    missing: int | None  # samples that lack the view
    left_out: bool
    reason: str | None  # why it was left out


class ViewAgreement(TypedDict):
    """Adjusted Rand index between the clusters that each pair of views would choose, and the result itself."""

    names: list[str]  # the views, then "result"
    ari: list[list[float | None]]  # None: the two know no sample in common
    n_samples: int


class ViewsByCluster(TypedDict):
    """Shares of the samples of every cluster, clusters against views."""

    clusters: list[int]
    names: list[str]
    shares: list[list[float | None]]  # None: the view knows none of them


def view_rows(inputs: Inputs, shown: Shown, /) -> list[ViewRow]:
    """Describe every view."""
    weights, agreement = _weights(inputs), getattr(inputs.model, "view_agreement_", None)
    left_out = getattr(inputs.model, "views_left_out_", [])
    dissent = None if shown.votes is None else _dissent(shown.votes, inputs.codes[shown.rows])
    return [
        ViewRow(
            name=name,
            width=int(inputs.model.view_widths_[v]),
            weight=None if weights is None else float(weights[v]),
            agreement=None if agreement is None else float(agreement[v]),
            dissent=None if dissent is None else dissent[v],
            missing=None if inputs.missing is None else int(inputs.missing[v].sum()),
            left_out=name in left_out,
            reason=LEFT_OUT if name in left_out else None,
        )
        for v, name in enumerate(inputs.view_names)
    ]


def _weights(inputs: Inputs) -> NDArray[np.float64] | None:
    weights = getattr(inputs.model, "view_weights_", None)
    if weights is None or np.shape(weights) != (len(inputs.view_names),) or not np.sum(weights) > 0:
        return None
    return np.asarray(weights) / np.sum(weights)


def _dissent(votes: NDArray[np.intp], codes: NDArray[np.intp]) -> list[float | None]:
    known = votes >= 0
    against, counts = ((votes != codes[:, None]) & known).sum(axis=0), known.sum(axis=0)
    return [float(a / n) if n else None for a, n in zip(against, counts, strict=True)]


def view_agreement(inputs: Inputs, shown: Shown, /) -> ViewAgreement | None:
    """Compare the views' own clusters pairwise, on the samples that both know."""
    if shown.votes is None:
        return None
    columns = [*shown.votes.T, inputs.codes[shown.rows]]
    ari: list[list[float | None]] = [
        [1.0 if i == j else _agreement(columns[i], columns[j]) for j in range(len(columns))]
        for i in range(len(columns))
    ]
    return ViewAgreement(names=[*inputs.view_names, "result"], ari=ari, n_samples=len(shown.rows))


def _agreement(first: NDArray[np.intp], second: NDArray[np.intp]) -> float | None:
    known = (first >= 0) & (second >= 0)
    return float(adjusted_rand_index(first[known], second[known])) if known.any() else None


def dissent_by_cluster(inputs: Inputs, shown: Shown, /) -> ViewsByCluster | None:
    """Return the share of every cluster's samples for which a view alone would choose another cluster."""
    if shown.votes is None:
        return None
    codes = inputs.codes[shown.rows]
    shares = [_dissent(shown.votes[codes == k], codes[codes == k]) for k in range(len(inputs.clusters))]
    return ViewsByCluster(clusters=inputs.clusters.tolist(), names=inputs.view_names, shares=shares)


def missing_by_cluster(inputs: Inputs, /) -> ViewsByCluster | None:
    """Return the share of every cluster's samples that lack a view; None where no sample lacks any."""
    if inputs.missing is None or not inputs.missing.any():
        return None
    shares = [inputs.missing[:, inputs.codes == k].mean(axis=1).tolist() for k in range(len(inputs.clusters))]
    return ViewsByCluster(clusters=inputs.clusters.tolist(), names=inputs.view_names, shares=shares)
