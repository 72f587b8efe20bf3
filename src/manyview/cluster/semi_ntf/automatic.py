"""A fit that is asked for ``n_clusters="auto"``: one graph, the choice of K on it, and the fit on the same graph."""

from __future__ import annotations

from typing import Any

from manyview.cluster.semi_ntf.graphs import Draw, Progress, redraw
from manyview.cluster.semi_ntf.n_clusters import Selection, choose, embed, largest_number
from manyview.cluster.semi_ntf.settings import Settings, resolve
from manyview.engine import Engine
from manyview.views import Views

FEWEST = 2  # clusters; one is no choice


def first_settings(estimator: Any, n_samples: int, seed: int, /) -> Settings:
    """Return the settings of the graph; with ``n_clusters="auto"`` those for two clusters, until K is known."""
    if estimator.n_clusters != "auto":
        return resolve(estimator, n_samples, seed)
    if estimator.variant == "paper":
        raise ValueError(
            "n_clusters='auto' reads the fused graph, which variant='paper' has not: give n_clusters, for example "
            "manyview.model_selection.select(views).n_clusters."
        )
    if not isinstance(estimator.init, str):
        raise ValueError("n_clusters='auto' cannot go with labels or a matrix as init: give n_clusters.")
    return resolve(estimator, n_samples, seed, n_clusters=FEWEST)


def settle(
    estimator: Any, views: Views, built: Draw, settings: Settings, engine: Engine, progress: Progress, /
) -> tuple[Draw, Settings, Selection]:
    """The K that the graph suggests; other anchors only if that K asks for more of them."""
    selection = choose_on(built, engine, progress, seed=settings.seed)
    chosen = resolve(estimator, len(views), settings.seed, n_clusters=selection.n_clusters)
    if chosen.n_anchors != settings.n_anchors:
        built = redraw(built, chosen, engine, seed=chosen.seed)
    return built, chosen, selection


def choose_on(
    built: Draw, engine: Engine, progress: Progress, /, *, seed: int, candidates: list[int] | None = None
) -> Selection:
    """Choose K on a graph, among the candidates or among all that rows and anchors can show."""
    largest = max(candidates) if candidates else largest_number(built.n_samples, built.graph.n_anchors)
    progress("n_clusters", 0, 1)
    embedded = embed(built.graph, built.sample, engine, largest, seed=seed)
    return choose(
        embedded,
        engine,
        candidates=candidates,
        largest=largest,
        seed=seed,
        progress=lambda done, total: progress("n_clusters", done, total),
    )
