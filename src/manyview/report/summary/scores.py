"""Agreement with known classes, where the call gave them."""

from __future__ import annotations

from typing import Any, TypedDict

from numpy.typing import NDArray

from manyview.metrics import clustering_scores, contingency, match_labels
from manyview.report.summary.inputs import Inputs

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


class ContingencyTable(TypedDict):
    """Known classes against clusters; a cluster stands below the class it is matched to."""

    classes: list[int | str]
    clusters: list[int]
    counts: list[list[int]]


def scores(inputs: Inputs, /) -> dict[str, float] | None:
    """Return all scores; None without known classes."""
    return None if inputs.y_true is None else clustering_scores(inputs.y_true, inputs.labels)


def contingency_table(inputs: Inputs, /) -> ContingencyTable | None:
    """Return classes against clusters, with the matched ones on the diagonal; None without known classes."""
    return None if inputs.y_true is None else matched_contingency(inputs.y_true, inputs.labels)


def matched_contingency(y_true: NDArray[Any], labels: NDArray[Any], /) -> ContingencyTable:
    """Return classes against clusters, with the matched ones on the diagonal."""
    matched = match_labels(y_true, labels)
    table = contingency(y_true, labels)
    classes = table.classes.tolist()
    class_of = {label: matched[labels == label].tolist()[0] for label in table.clusters.tolist()}
    place = {name: row for row, name in enumerate(classes)}
    order = sorted(
        range(len(table.clusters)), key=lambda j: place.get(class_of[table.clusters[j].item()], len(classes))
    )
    counts = table.counts.toarray()[:, order]
    return ContingencyTable(classes=classes, clusters=table.clusters[order].tolist(), counts=counts.tolist())
