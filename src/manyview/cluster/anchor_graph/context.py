"""The context of a fit, which every stage reads: engine, settings with numbers for every "auto", and progress."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from os.path import isdir
from typing import Any

import numpy as np

from manyview.anchors import RULES, AnchorRule
from manyview.cluster.anchor_graph.recipe import DEFAULT, Recipe
from manyview.cluster.checks import N_JOBS, array, boolean, choice, integer, nothing
from manyview.cluster.progress import Progress, silent
from manyview.engine import ENGINES, Engine
from manyview.geometry import SCALES
from manyview.kernels.arrays import IntArray
from manyview.views import StoredTable, Views, in_memory
from manyview.views.container import is_elsewhere
from manyview.views.dask_tables import as_dask, is_dask

DRAWN_RULES = ("kmeans", "random")  # rules whose anchors depend on the seed
MIN_CLUSTERS = 2  # the smallest number that is chosen where there is structure

Anchors = AnchorRule | Sequence[int] | IntArray

# What the parameters of the graphs may be
GRAPH_CONSTRAINTS = {
    "n_clusters": (integer(1), choice("auto")),
    "scale": (choice(*SCALES),),
    "anchors": (choice(*RULES), array()),
    "n_anchors": (integer(2), choice("auto")),
    "n_neighbors": (integer(1), choice("auto")),
    "dtype": (choice("auto", "float32", "float64"),),
    "engine": (choice("auto", *ENGINES),),
    "block_rows": (integer(1),),
    "scratch": (
        nothing(),
        ("a directory that exists", lambda value: isinstance(value, str | PathLike) and isdir(value)),
    ),
    "n_jobs": N_JOBS,
    "label_outliers": (boolean(),),
    "recipe": (nothing(), ("a Recipe", lambda value: isinstance(value, Recipe))),
    "verbose": (boolean(), ("a function of stage, done, total", callable)),
}


@dataclass(frozen=True)
class Settings:
    """Parameters of the graphs and of the consensus, as numbers."""

    n_clusters: int
    scale: str
    anchors: Any  # a rule, or row numbers
    n_anchors: int
    neighbors: tuple[int, ...]
    n_draws: int  # of the anchors
    n_repeats: int  # of every embedding of a draw
    dtype: str
    seed: int
    recipe: Recipe = DEFAULT
    raw: bool = False  # graphs of the views as they are: no joint table, no common scale


@dataclass(frozen=True)
class FitContext:
    """The engine, settings and progress of a fit."""

    engine: Engine
    settings: Settings
    progress: Progress = silent

    @property
    def recipe(self) -> Recipe:
        """Return the constants of the fit."""
        return self.settings.recipe

    def with_settings(self, **changes: Any) -> FitContext:
        """Return the context with some settings changed."""
        return replace(self, settings=replace(self.settings, **changes))


def check_graph_modes(estimator: Any, /) -> None:
    """Raise an error for a parameter of the graphs that would have no effect."""
    name = type(estimator).__name__
    if not isinstance(estimator.anchors, str) and estimator.n_anchors != "auto":
        raise ValueError(
            f"{name}: n_anchors={estimator.n_anchors} has no effect where anchors is an array of rows: leave it at "
            "'auto'."
        )
    if estimator.scratch is not None and estimator.engine in ("memory", "dask"):
        raise ValueError(
            f"{name}: scratch has no effect with engine={estimator.engine!r}, which writes no blocks: leave it out, or "
            "choose engine='disk'."
        )


def resolve(
    estimator: Any, n_samples: int, seed: int, /, *, n_clusters: int | None = None, raw: bool = False
) -> Settings:
    """Check the parameters against the data and replace every "auto"; ``n_clusters`` stands in for the estimator's."""
    recipe = DEFAULT if estimator.recipe is None else estimator.recipe
    K = int(estimator.n_clusters if n_clusters is None else n_clusters)
    anchors = estimator.anchors
    if not isinstance(anchors, str):
        anchors = _row_numbers(anchors, n_samples)
        n_anchors = len(anchors)
    elif estimator.n_anchors == "auto":
        # the published algorithm has a few more than clusters
        n_anchors = min(n_samples, K + 20 if raw else wanted_anchors(n_samples, K, recipe))
    else:
        n_anchors = int(estimator.n_anchors)
        if n_anchors > n_samples:
            raise ValueError(
                f"n_anchors={n_anchors} is more than n_samples={n_samples}: anchors are taken from the rows."
            )
    draws = recipe.n_draws if n_samples <= recipe.max_drawn_rows else 1
    drawn = isinstance(anchors, str) and anchors in DRAWN_RULES and n_anchors < n_samples
    dtype = estimator.dtype
    if dtype == "auto":
        dtype = "float64" if raw or n_samples <= recipe.max_double_rows else "float32"
    return Settings(
        n_clusters=K,
        scale=estimator.scale,
        anchors=anchors,
        n_anchors=n_anchors,
        neighbors=_neighbors(estimator.n_neighbors, n_anchors, recipe.n_neighbors[:1] if raw else recipe.n_neighbors),
        n_draws=draws if drawn else 1,
        n_repeats=1 if drawn else draws,
        dtype=dtype,
        seed=seed,
        recipe=recipe,
        raw=raw,
    )


def wanted_anchors(n_samples: int, n_clusters: int, recipe: Recipe, /) -> int:
    """Return how many anchors the graph should have: more for more rows and for more clusters, as long as it pays."""
    K = n_clusters
    m = max(recipe.min_anchors, recipe.anchors_per_cluster * K)
    if n_samples > recipe.max_fine_rows:
        fine = max(recipe.fine_anchors, recipe.fine_anchors_per_cluster * K)
        m = max(m, min(fine, n_samples // recipe.rows_per_anchor))
    return max(min(m, recipe.max_anchors), recipe.min_anchors_per_cluster * K)


def _neighbors(n_neighbors: Any, n_anchors: int, automatic: tuple[int, ...]) -> tuple[int, ...]:
    if n_neighbors == "auto":
        most = max(n_anchors - 1, 1)
        # with few anchors the smaller numbers shrink in proportion to the largest
        return tuple(max(min(automatic[0], most) * k // automatic[0], 1) for k in automatic)
    if n_neighbors >= n_anchors:
        raise ValueError(
            f"n_neighbors={n_neighbors} needs at least {n_neighbors + 1} anchors, but there are {n_anchors}: "
            "lower n_neighbors or raise n_anchors."
        )
    return (int(n_neighbors),)


def _row_numbers(anchors: Any, n_samples: int) -> Any:
    numbers = np.asarray(anchors)
    if numbers.ndim != 1 or not np.issubdtype(numbers.dtype, np.integer) or len(numbers) < 2:
        raise ValueError("anchors given as an array must be a 1-D array of at least two row numbers.")
    if numbers.min() < 0 or numbers.max() >= n_samples:
        raise ValueError(f"anchors has row {numbers.max()} or a negative one; rows are 0 … {n_samples - 1}.")
    if len(np.unique(numbers)) != len(numbers):
        raise ValueError("anchors names a row more than once.")
    return numbers


def engine_for(estimator: Any, views: Views, /) -> tuple[Views, Engine]:
    """Return the views in the form that the engine reads, and the engine."""
    name = chosen_engine(estimator.engine, views)
    kind = ENGINES[name]
    if kind.takes == "arrays":
        views = in_memory(views)
    elif kind.takes == "collections":
        tables = [as_dask(table) if isinstance(table, StoredTable) else table for table in views.tables]
        views = views.with_(tables=tuple(tables))
    elif any(is_dask(table) for table in views.tables):
        raise ValueError(f"engine={name!r} reads files and arrays; for Dask collections use engine='dask'.")
    engine: Engine = kind.of(n_jobs=estimator.n_jobs, block_rows=estimator.block_rows, scratch=estimator.scratch)
    return views, engine


def chosen_engine(engine: str, views: Views, /) -> str:
    """Return the name of the engine; "auto" depends on where the tables are."""
    if engine != "auto":
        return engine
    elsewhere = [table for table in views.tables if is_elsewhere(table)]
    if not elsewhere:
        return "memory"
    on_disk = all(isinstance(table, StoredTable) for table in elsewhere)
    return "disk" if on_disk and not client_is_active() else "dask"


def client_is_active() -> bool:
    """Return whether this process has a Dask client, without importing the library."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return False
    try:
        return distributed.get_client() is not None
    except ValueError:
        return False
