"""How views depend on one another, measured before anything is clustered, and which views are left out.

    dependence(u, v):  how far the columns of u, or their squares, correlate with those of v beyond chance
    structured(v):     the columns of v correlate with one another beyond chance

Both are symmetric: no view, and no labeling of some views, judges the others. A few thousand rows decide.

    alone:     no other view depends on it, not even possibly
    left out:  alone, and     other views are related for certain, or its own columns are independent
                      and     its mean beta over the geometries < threshold x that of the best view      (candidates.py)

Both must say so: views are never left out only because they disagree with the labels of the others, for with two views
nobody could tell which of them is right; nor only because a test on few rows cannot see how they depend on each other.
Small weights are not enough for such a view: its distances have already moved the anchors of the joint table.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from manyview.anchors.selection import leading_scores
from manyview.cluster.anchor_graph.candidates import beyond_chance, initial_candidates, mean_over_geometries
from manyview.cluster.anchor_graph.context import FitContext
from manyview.cluster.anchor_graph.graphs import Draw, leave_out
from manyview.cluster.anchor_graph.recipe import DEFAULT, Recipe
from manyview.cluster.checks import warn_caller
from manyview.geometry.scaling import dense
from manyview.kernels.agreement import Correlations, SharedDependence, between, standardized, within
from manyview.kernels.arrays import BoolArray, FloatArray, IntArray, Table
from manyview.views import Views
from manyview.views.blocks import RowBlock, picked_rows, some_rows


class Tables(NamedTuple):
    """A sample of the rows of every view."""

    rows: IntArray  # their numbers among the sampled rows
    scaled: list[FloatArray]  # per view (n, d), in the first geometry
    columns: list[FloatArray]  # per view (n, d'), as they came
    present: BoolArray  # (V, n)


def tables_of(draw: Draw, context: FitContext, /) -> Tables:
    """Read the rows that are looked at."""
    assert draw.source is not None
    geometry, seed, recipe = draw.graph.geometry, context.settings.seed, context.recipe
    n_sampled = draw.n_samples if draw.sample_rows is None else len(draw.sample_rows)
    chosen = some_rows(n_sampled, recipe.n_evidence_rows, seed=seed)
    blocks = [geometry.scored(block) for block in picked_rows(chosen, draw.source.sample, context.engine)]

    def scaled(v: int) -> FloatArray:
        table = _stacked([geometry.table(block, 0, v) for block in blocks])
        most = recipe.n_evidence_scores
        return table if table.shape[1] <= most else leading_scores(table, most, seed=seed)

    views = range(len(geometry.kinds))
    present = np.hstack([geometry.present(block) for block in blocks])
    return Tables(
        chosen, [scaled(v) for v in views], [_columns(blocks, v, recipe.n_evidence_columns) for v in views], present
    )


def _stacked(parts: list[Table]) -> FloatArray:
    return np.vstack([dense(part) for part in parts])


def _columns(blocks: list[RowBlock], v: int, most: int) -> FloatArray:
    """Return the raw columns of a view; of a wide view those with the most entries, or evenly spaced ones."""
    parts = [block.table(v) for block in blocks]
    width = parts[0].shape[1]
    if width > most:
        chosen = np.linspace(0, width - 1, most).astype(int)
        if sp.issparse(parts[0]):
            filled = sum(np.asarray((part != 0).sum(axis=0)).ravel() for part in parts)
            chosen = np.sort(np.argsort(-np.asarray(filled), kind="stable")[:most])
        parts = [part[:, chosen] for part in parts]
    return _stacked(parts)


class Explained(NamedTuple):
    """The share of the dependence between the views that labels explain."""

    rows: IntArray  # among the sampled ones, known in all views
    shared: SharedDependence
    known: float  # share of the rows that were looked at that are

    def __call__(self, labels: IntArray, /) -> float:
        """Return the share that labels (n,) of the sampled rows explain."""
        return self.shared.explained(labels[self.rows])


def explained_by(draw: Draw, context: FitContext, /) -> Explained | None:
    """Return what measures labels, or None where too few rows are known in all views."""
    if not draw.joint or draw.source is None:
        return None
    tables, used = tables_of(draw, context), draw.graph.geometry.used
    known = tables.present[used].all(axis=0)
    if known.sum() < context.recipe.min_judged_rows:
        return None
    views = without_copies([tables.scaled[v][known] for v in used], context.recipe.max_squared_correlation)
    shared = SharedDependence(views) if len(views) > 1 else None
    return None if shared is None else Explained(tables.rows[known], shared, float(known.mean()))


def without_copies(tables: list[FloatArray], most: float = DEFAULT.max_squared_correlation, /) -> list[FloatArray]:
    """Leave out tables that repeat an earlier one: what copies share is their noise, which no clusters explain.

    Columns of a table are uncorrelated principal scores, so that the total of squared correlations of a table and its
    copy is the number of columns.
    """
    kept: list[FloatArray] = []
    for table in tables:
        z = standardized(table)
        others = [standardized(other) for other in kept]
        if not any(between(z, x).total > most * min(z.shape[1], x.shape[1]) for x in others):
            kept.append(table)
    return kept


def dependence(tables: Tables, min_shared_rows: int = DEFAULT.min_shared_rows, /) -> FloatArray:
    """Return how far pairs of views (V, V) depend on each other, in standard deviations beyond chance.

    Infinite on the diagonal, and where two views share too few rows to tell.
    """
    V = len(tables.scaled)
    found = np.full((V, V), np.inf)
    for u in range(V):
        for v in range(u):
            shared = tables.present[u] & tables.present[v]
            if shared.sum() >= min_shared_rows:
                pairs = zip(_both(tables.scaled[u][shared]), _both(tables.scaled[v][shared]), strict=True)
                found[u, v] = found[v, u] = max(between(a, b).significance for a, b in pairs)
    return found


def structured_views(tables: Tables, significance: float, /) -> BoolArray:
    """Return which views (V,) have columns that depend on one another, or a single one, which cannot tell."""

    def structured(v: int) -> bool:
        parts = _both(tables.columns[v][tables.present[v]])
        return parts[0].shape[1] == 1 or any(_beyond(within(part), significance) for part in parts)

    return np.array([structured(v) for v in range(len(tables.columns))])


def _both(x: FloatArray) -> list[FloatArray]:
    """Return standardized columns, and their standardized squares with outliers clipped."""
    z = standardized(x)
    return [z, standardized(np.clip(z * np.sqrt(len(z)), -3, 3) ** 2)]  # standard deviations


def _beyond(found: Correlations, significance: float) -> bool:
    """Return whether columns are more correlated than independent ones; or, for principal scores, less."""
    return abs(found.significance) > significance


class NoiseViewWarning(UserWarning):
    """A view is unrelated to the clusters and was left out.

    Examples
    --------
    >>> import warnings
    >>> from manyview import AnchorGraphClustering, NoiseViewWarning
    >>> from manyview.datasets import make_views
    >>> data = make_views(n_samples=300, n_clusters=3, noise_views=1, random_state=0)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", NoiseViewWarning)
    ...     model = AnchorGraphClustering(n_clusters=3, random_state=0).fit(data.views)
    >>> model.views_left_out_
    ['noise_0']
    """


def drop_noise_views(views: Views, draw: Draw, context: FitContext, /) -> Draw:
    """Return the graph without noise views."""
    if not draw.joint or draw.source is None or draw.n_samples < context.recipe.min_judged_rows:
        return draw
    recipe, tables = context.recipe, tables_of(draw, context)
    suspects = unrelated_views(
        dependence(tables, recipe.min_shared_rows), structured_views(tables, recipe.significance), recipe
    )
    if not suspects.any():
        return draw
    initial = initial_candidates(draw, context)
    agreement = mean_over_geometries(beyond_chance(initial.smoothness, initial.chance), draw.graph)
    left_out = suspects & silent_views(agreement, draw.graph.geometry.kinds, draw.n_samples, recipe)
    if not left_out.any():
        return draw
    _warn(left_out, agreement, views.names)
    return leave_out(draw, tuple(map(int, np.flatnonzero(left_out))), views, context)


def unrelated_views(z: FloatArray, structured: BoolArray, recipe: Recipe, /) -> BoolArray:
    """Find views (V,) on which no other depends, from dependence (V, V) and from who has structure of its own (V,)."""
    others = z.copy()
    np.fill_diagonal(others, -np.inf)
    alone = others.max(axis=1) < recipe.doubt
    if others.max() > recipe.significance:
        return np.asarray(alone)
    return np.asarray(alone & alone.all() & ~structured & structured.any())


def silent_views(agreement: FloatArray, kinds: tuple[str, ...], n_samples: int, recipe: Recipe, /) -> BoolArray:
    """Find views (V,) that agree with the labels of the joint table much less than the best view does."""
    if agreement.max() < recipe.min_best_agreement:
        return np.zeros(len(kinds), dtype=bool)
    few = n_samples <= recipe.max_drawn_rows
    of_dense = recipe.min_agreement if few else recipe.min_agreement_of_many_rows
    threshold = np.array([recipe.min_agreement_of_counts if kind == "sparse counts" else of_dense for kind in kinds])
    return np.asarray(agreement < threshold * agreement.max())


def _warn(left_out: BoolArray, agreement: FloatArray, names: tuple[str, ...]) -> None:
    best = int(agreement.argmax())
    lost = ", ".join(f"view {names[v]!r} with {agreement[v]:.2f}" for v in np.flatnonzero(left_out))
    warn_caller(
        f"Left out, because it is unrelated to the clusters that the other views show: {lost} (agreement beyond "
        f"chance; the best view, {names[best]!r}, has {agreement[best]:.2f}). If the view should be informative, check "
        "that its rows are in the order of the others.",
        NoiseViewWarning,
    )
