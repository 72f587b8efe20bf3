"""Judge views by themselves and by one another, before anything is clustered.

    dependence(u, v):  how far the columns of u, or their squares, correlate with those of v beyond chance
    structured(v):     the columns of v correlate with one another beyond chance

Both are symmetric: no view, and no labeling of some views, judges the others. A few thousand rows decide.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from manyview.anchors import pick
from manyview.anchors.selection import leading_scores
from manyview.cluster.anchor_graph.context import FitContext
from manyview.cluster.anchor_graph.graphs import Draw
from manyview.geometry.scaling import dense
from manyview.kernels.arrays import BoolArray, FloatArray, IntArray, Table
from manyview.kernels.dependence import Correlations, SharedDependence, between, standardized, within
from manyview.views.blocks import RowBlock, some_rows

N_ROWS = 5_000  # that are looked at
MIN_SHARED_ROWS = 100  # with fewer rows that both views know, nothing is said about them
COPIED = 0.9  # mean squared canonical correlation of a view and its copy; principal scores are uncorrelated
CLIP = 3.0  # standard deviations, before columns are squared
MAX_SCORES, MAX_COLUMNS = 60, 400  # of a view, in its scaled table and as it came


class Tables(NamedTuple):
    """Some rows of every view."""

    rows: IntArray  # their numbers among the sampled rows
    scaled: list[FloatArray]  # per view (n, d), in the first geometry
    columns: list[FloatArray]  # per view (n, d'), as they came
    present: BoolArray  # (V, n)


def tables_of(draw: Draw, context: FitContext, /) -> Tables:
    """Read the rows that are looked at."""
    assert draw.source is not None
    geometry, seed = draw.graph.geometry, context.settings.seed
    n_sampled = draw.n_samples if draw.sample_rows is None else len(draw.sample_rows)
    chosen = some_rows(n_sampled, N_ROWS, seed=seed)
    blocks = [geometry.scored(block) for block in pick(chosen, draw.source.sample, context.engine)]

    def scaled(v: int) -> FloatArray:
        table = _stacked([geometry.table(block, 0, v) for block in blocks])
        return table if table.shape[1] <= MAX_SCORES else leading_scores(table, MAX_SCORES, seed=seed)

    views = range(len(geometry.kinds))
    present = np.hstack([geometry.present(block) for block in blocks])
    return Tables(chosen, [scaled(v) for v in views], [_columns(blocks, v) for v in views], present)


def _stacked(parts: list[Table]) -> FloatArray:
    return np.vstack([dense(part) for part in parts])


def _columns(blocks: list[RowBlock], v: int) -> FloatArray:
    """A view as it came; of a wide one the columns with most entries, or evenly spaced ones."""
    parts = [block.table(v) for block in blocks]
    width = parts[0].shape[1]
    if width > MAX_COLUMNS:
        chosen = np.linspace(0, width - 1, MAX_COLUMNS).astype(int)
        if sp.issparse(parts[0]):
            filled = sum(np.asarray((part != 0).sum(axis=0)).ravel() for part in parts)
            chosen = np.sort(np.argsort(-np.asarray(filled), kind="stable")[:MAX_COLUMNS])
        parts = [part[:, chosen] for part in parts]
    return _stacked(parts)


class Explained(NamedTuple):
    """How much of what the views share labels explain."""

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
    views = without_copies([tables.scaled[v][known] for v in used])
    shared = SharedDependence(views) if len(views) > 1 else None
    return None if shared is None else Explained(tables.rows[known], shared, float(known.mean()))


def without_copies(tables: list[FloatArray], /) -> list[FloatArray]:
    """Leave out tables that repeat an earlier one: what copies share is their noise, which no clusters explain."""
    kept: list[FloatArray] = []
    for table in tables:
        z = standardized(table)
        others = [standardized(other) for other in kept]
        if not any(between(z, x).total > COPIED * min(z.shape[1], x.shape[1]) for x in others):
            kept.append(table)
    return kept


def dependence(tables: Tables, /) -> FloatArray:
    """Return how far pairs of views (V, V) depend on each other, in standard deviations beyond chance.

    Infinite on the diagonal, and where two views share too few rows to tell.
    """
    V = len(tables.scaled)
    found = np.full((V, V), np.inf)
    for u in range(V):
        for v in range(u):
            shared = tables.present[u] & tables.present[v]
            if shared.sum() >= MIN_SHARED_ROWS:
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
    """Standardized columns, and their standardized squares, outliers held back."""
    z = standardized(x)
    return [z, standardized(np.clip(z * np.sqrt(len(z)), -CLIP, CLIP) ** 2)]


def _beyond(found: Correlations, significance: float) -> bool:
    """Return whether columns are more correlated than independent ones; or, for principal scores, less."""
    return abs(found.significance) > significance
