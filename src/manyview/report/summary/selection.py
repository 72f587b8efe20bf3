"""How the number of clusters was chosen, where nobody gave it."""

from __future__ import annotations

from typing import Any, TypedDict


class Chosen(TypedDict):
    """The choice with the curve behind it."""

    n_clusters: int
    reason: str
    shortlist: list[int]  # other numbers that are plausible: the best of coarser and finer resolutions
    curve: list[dict[str, float]]  # n_clusters, stability, modularity, gap, score, error


def chosen(model: Any, /) -> Chosen | None:
    """Return how K was chosen; None where it was given."""
    selection = getattr(model, "selection_", None)
    if selection is None:
        return None
    curve = [{name: float(value) for name, value in point._asdict().items()} for point in selection.curve]
    K = int(selection.n_clusters)
    others = [int(other) for other in selection.shortlist if other != K]
    return Chosen(n_clusters=K, reason=selection.reason, shortlist=others, curve=curve)
