"""What there is to say about one clustering, as plain numbers: no arrays, no figures, ready for JSON.

confidence of a row  =  how much nearer its cluster is than the next, in the embedding      0: a tie, 1: no doubt
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from manyview.metrics import clustering_scores, contingency, match_labels

UNSURE = 0.5  # below it a row counts as unsure: its cluster leads by less than half of what it could
BINS = 20
SCORE_NAMES = {
    "acc": "ACC",
    "nmi": "NMI (max)",
    "nmi_arithmetic": "NMI (arithmetic)",
    "purity": "Purity",
    "precision": "Precision",
    "recall": "Recall",
    "f_score": "F-score",
    "ari": "ARI",
}


class ViewRow(TypedDict):
    """One view."""

    name: str
    width: int
    weight: float
    agreement: float
    left_out: bool


class ClusterRow(TypedDict):
    """One cluster."""

    label: int
    size: int
    share: float
    confidence: float  # mean over its rows
    unsure: int
    stability: float  # mean Jaccard index with the closest cluster that parts of the rows lead to
    contradicted: int  # rows where most of the views' weight is for another cluster
    main_class: int | str | None  # the most frequent known class; None without classes
    main_share: float | None
    image: list[list[float]] | None  # mean of its rows' images


class Chosen(TypedDict):
    """How K was chosen, where nobody gave it."""

    reason: str
    curve: list[dict[str, float]]


class Confidence(TypedDict):
    """How sure the rows are."""

    mean: float
    median: float
    threshold: float
    unsure: int
    edges: list[float]
    counts: list[int]
    right: list[int] | None  # of the counts, rows whose cluster is matched to their class


class ContingencyTable(TypedDict):
    """Known classes against clusters; a cluster stands below the class it is matched to."""

    classes: list[int | str]
    clusters: list[int]
    counts: list[list[int]]


class Convergence(TypedDict):
    """The course of the iteration."""

    n_iter: int
    converged: bool
    limit: float  # both residuals must fall below it
    coupled: bool  # False: one H for all slices, so there is no J and no second residual
    objective: list[float]
    residual_HQ: list[float]
    residual_QJ: list[float]


class Parameter(TypedDict):
    """One parameter of the estimator."""

    name: str
    value: str
    changed: bool  # differs from the default


class Summary(TypedDict):
    """All of it."""

    name: str
    method: str
    n_samples: int
    n_clusters: int
    seconds: float | None
    scores: dict[str, float] | None
    chosen: Chosen | None
    explanation: list[dict[str, Any]] | None  # per cluster, from `SemiNTF.explain`
    views: list[ViewRow]
    weighted: bool  # False: all views count alike, as in the paper
    clusters: list[ClusterRow]
    confidence: Confidence
    contingency: ContingencyTable | None
    convergence: Convergence
    parameters: list[Parameter]
    versions: dict[str, str]


def summarize(
    model: Any,
    /,
    *,
    name: str = "data",
    y_true: ArrayLike | None = None,
    images: ArrayLike | None = None,
    seconds: float | None = None,
    explanation: Any = None,
) -> Summary:
    """Gather what a report says about a fitted `SemiNTF`.

    Parameters
    ----------
    model : SemiNTF
        Fitted.
    name : str, default="data"
        What the report calls the data.
    y_true : array-like of shape (n_samples,), optional
        Known classes, integers or strings, in the order of the rows; for scores only.
    images : array-like of shape (n_samples, height, width), optional
        A picture of every row; the report shows the mean of each cluster.
    seconds : float, optional
        How long the fit took.
    explanation : Explanation, optional
        What ``model.explain(views)`` returns; the report then shows what holds every cluster together.

    Returns
    -------
    Summary
        A dict of plain numbers, strings, lists and dicts. What needs classes or images is None without them.

    Examples
    --------
    >>> from manyview import SemiNTF
    >>> from manyview.datasets import make_views
    >>> from manyview.report import summarize
    >>> data = make_views(n_samples=90, n_clusters=3, random_state=0)
    >>> summary = summarize(SemiNTF(n_clusters=3, random_state=0).fit(data.views), y_true=data.labels)
    >>> [cluster["size"] for cluster in summary["clusters"]], summary["scores"]["acc"]
    ([30, 30, 30], 1.0)
    """
    check_is_fitted(model)
    labels, n_samples = model.labels_, len(model.labels_)
    truth = None if y_true is None else _per_row(y_true, n_samples, "y_true")
    matched = None if truth is None else match_labels(truth, labels)
    pictures = None if images is None else _per_row(images, n_samples, "images")
    if pictures is not None and pictures.ndim != 3:
        raise ValueError(f"images must have shape (n_samples, height, width); got {pictures.shape}.")
    return Summary(
        name=name,
        method=type(model).__name__,
        n_samples=n_samples,
        n_clusters=len(np.unique(labels)),
        seconds=seconds,
        scores=None if truth is None else clustering_scores(truth, labels),
        chosen=None if model.selection_ is None else _chosen(model.selection_),
        explanation=None if explanation is None else explanation.to_dict()["clusters"],
        views=_views(model),
        weighted=model.variant != "paper",
        clusters=[_cluster(model, k, truth, pictures) for k in np.unique(labels).tolist()],
        confidence=_confidence(model.confidence_, None if truth is None else np.asarray(matched == truth)),
        contingency=None if truth is None or matched is None else _contingency(truth, labels, matched),
        convergence=_convergence(model),
        parameters=_parameters(model),
        versions=_versions(),
    )


def _chosen(selection: Any) -> Chosen:
    return Chosen(reason=selection.reason, curve=[candidate._asdict() for candidate in selection.curve])


def _per_row(values: ArrayLike, n_samples: int, name: str) -> NDArray[Any]:
    array = np.asarray(values)
    if array.ndim == 0 or len(array) != n_samples:
        raise ValueError(f"{name} has shape {array.shape}, but the model was fitted on {n_samples} rows.")
    return array


def _views(model: Any) -> list[ViewRow]:
    columns = (model.view_names_, model.view_widths_, model.view_weights_, model.view_agreement_)
    return [
        ViewRow(
            name=str(name),
            width=int(width),
            weight=float(weight),
            agreement=float(agreement),
            left_out=name in model.views_left_out_,
        )
        for name, width, weight, agreement in zip(*columns, strict=True)
    ]


def _cluster(model: Any, label: int, truth: NDArray[Any] | None, pictures: NDArray[Any] | None) -> ClusterRow:
    rows = model.labels_ == label
    confidence = model.confidence_[rows]
    main_class, main_share = None, None
    if truth is not None:
        classes, counts = np.unique(truth[rows], return_counts=True)
        main_class, main_share = classes[counts.argmax()].item(), float(counts.max() / counts.sum())
    return ClusterRow(
        label=label,
        size=int(rows.sum()),
        share=float(rows.mean()),
        confidence=float(confidence.mean()),
        unsure=int((confidence < UNSURE).sum()),
        stability=float(model.cluster_stability_[label]),
        contradicted=int(model.views_disagree_[rows].sum()),
        main_class=main_class,
        main_share=main_share,
        image=None if pictures is None else pictures[rows].mean(axis=0).tolist(),
    )


def _confidence(confidence: NDArray[np.float64], right: NDArray[np.bool_] | None) -> Confidence:
    inside = np.clip(confidence, 0, 1)  # rounding may leave 1 + 1e-16, which no bin would hold
    counts, edges = np.histogram(inside, bins=BINS, range=(0, 1))
    return Confidence(
        mean=float(confidence.mean()),
        median=float(np.median(confidence)),
        threshold=UNSURE,
        unsure=int((confidence < UNSURE).sum()),
        edges=edges.tolist(),
        counts=counts.tolist(),
        right=None if right is None else np.histogram(inside[right], bins=BINS, range=(0, 1))[0].tolist(),
    )


def _contingency(truth: NDArray[Any], labels: NDArray[Any], matched: NDArray[Any]) -> ContingencyTable:
    table = contingency(truth, labels)
    classes = table.classes.tolist()
    class_of = {int(label): matched[labels == label][0].item() for label in table.clusters}
    place = {name: row for row, name in enumerate(classes)}
    order = sorted(range(len(table.clusters)), key=lambda j: place.get(class_of[int(table.clusters[j])], len(classes)))
    counts = table.counts.toarray()[:, order]
    return ContingencyTable(classes=classes, clusters=table.clusters[order].tolist(), counts=counts.tolist())


def _convergence(model: Any) -> Convergence:
    history: Mapping[str, NDArray[np.float64]] = model.history_
    return Convergence(
        n_iter=int(model.n_iter_),
        converged=bool(model.converged_),
        limit=float(model.tol * np.sqrt(model.n_clusters_ / len(model.labels_))),
        coupled=model.coupling != "shared",
        objective=history["objective"].tolist(),
        residual_HQ=history["residual_HQ"].tolist(),
        residual_QJ=history["residual_QJ"].tolist(),
    )


def _parameters(model: Any) -> list[Parameter]:
    """Parameters as they were given; what "auto" came to, where the fit keeps it."""
    graph = model.anchor_graph_
    became = {"n_anchors": graph.n_anchors, "n_neighbors": " and ".join(map(str, graph.scales)), "dtype": graph.dtype}
    defaults = type(model)().get_params()
    parameters = []
    for name, value in model.get_params().items():
        if name == "verbose":  # says nothing about the result
            continue
        text = f"array of shape {np.shape(value)}" if isinstance(value, np.ndarray) else str(value)
        if text == "auto" and name in became:
            text = f"auto: {became[name]}"
        changed = isinstance(value, np.ndarray) or value != defaults[name]
        parameters.append(Parameter(name=name, value=text, changed=bool(changed)))
    return parameters


def _versions() -> dict[str, str]:
    libraries = ("manyview", "numpy", "scipy", "scikit-learn")
    return {"Python": platform.python_version(), **{library: version(library) for library in libraries}}
