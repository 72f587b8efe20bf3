"""How the number of clusters was chosen, where nobody gave it."""

from __future__ import annotations

from typing import Any, TypedDict


class Chosen(TypedDict):
    """The choice with the curve behind it."""

    n_clusters: int
    reason: str
    curve: list[dict[str, float]]  # n_clusters, stability, modularity, gap, score, error


def chosen(model: Any, /) -> Chosen | None:
    """Return how K was chosen; None where it was given."""
    selection = getattr(model, "selection_", None)
    if selection is None:
        return None
    curve = [{name: float(value) for name, value in point._asdict().items()} for point in selection.curve]
    return Chosen(n_clusters=int(selection.n_clusters), reason=selection.reason, curve=curve)
