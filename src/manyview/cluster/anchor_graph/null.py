"""Test for structure: compare the clusters of the rows with those of rows whose columns are shuffled.

    structure = max over K of (Q(K) - Q_0(K)) sqrt(S(K)),      Q_0(K): the largest modularity of several nulls

A null has every column of every view shuffled on its own, among the rows that the view has. It keeps the values of
each column, and so the scales, the tails, the sparsity and the missing views of the data; every dependence
between columns and between views is gone. It passes through the same geometry, anchors and
spectrum with the same slice weights. k-means finds clusters in a null, too: on noise Q and Q_0 are the same to within
.04, and S is small. A null has a few thousand rows at most. With more rows noise has smaller Q, so the test errs on
the side of no structure.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from manyview.anchors import GraphBlock
from manyview.cluster.anchor_graph.context import DRAWN_RULES, FitContext
from manyview.cluster.anchor_graph.graphs import Draw, Source, geometry_of, place_anchors
from manyview.engine import concatenate
from manyview.kernels.arrays import Table
from manyview.views.blocks import RowBlock, missing_rows, some_rows


def null_draws(draw: Draw, context: FitContext, /) -> list[Draw]:
    """Build the anchor graphs of several nulls; none where the rows are not known."""
    if draw.source is None:
        return []
    rows, seed = _some_raw_rows(draw.source, context), context.settings.seed
    if rows.missing.all(axis=1).any():  # too few rows know a view to say anything about it
        return []
    nulls = (shuffled_rows(rows, seed=seed + number) for number in range(context.recipe.n_nulls))
    return [_graph_of(null, draw, context) for null in nulls]


def _some_raw_rows(source: Source, context: FitContext) -> RowBlock:
    """Return at most a few thousand of the sampled rows as one block, words not yet scored."""
    engine, sample = context.engine, source.sample
    n = engine.reduce(lambda block: block.n_rows, sample, int.__add__)
    chosen = some_rows(n, context.recipe.n_null_rows, seed=context.settings.seed)
    first = 0
    parts = []
    for block in engine.map(_unscored, sample):  # the blocks of a sample may not be numbered from 0
        parts.append(block._replace(start=first).take(chosen).tables)
        first += block.n_rows
    return RowBlock(0, tuple(concatenate(tables) for tables in zip(*parts, strict=True)))


def _unscored(block: RowBlock) -> RowBlock:
    return block._replace(scores=None)


def shuffled_rows(rows: RowBlock, /, *, seed: int) -> RowBlock:
    """Shuffle every column of every view on its own."""
    rng = np.random.default_rng(seed)
    return RowBlock(0, tuple(shuffled(table, rng) for table in rows.tables))


def shuffled(table: Table, rng: np.random.Generator, /) -> Table:
    """Shuffle every column on its own, among the rows that are not missing."""
    if not sp.issparse(table):
        known = ~missing_rows(table)
        result = np.array(table, order="C")
        result[known] = rng.permuted(result[known], axis=0)
        return result
    columns = sp.csc_array(table)
    n, counts = columns.shape[0], np.diff(columns.indptr)
    rows = [rng.choice(n, count, replace=False) for count in counts]
    return sp.csc_array((columns.data, np.concatenate(rows), columns.indptr), shape=columns.shape).tocsr()


def _graph_of(rows: RowBlock, draw: Draw, context: FitContext) -> Draw:
    """Fit a geometry, anchors and a graph to these rows as to those of the draw."""
    settings = context.settings
    geometry = geometry_of([rows], context)
    scored = [geometry.scored(rows)]
    rule = settings.anchors if isinstance(settings.anchors, str) else DRAWN_RULES[0]
    n_anchors = min(settings.n_anchors, rows.n_rows)
    _, graph = place_anchors(rule, n_anchors, geometry, scored, rows.n_rows, draw.joint, context)
    sample: list[GraphBlock] = [graph(block) for block in scored]
    return Draw(graph, sample, draw.joint, rows.n_rows)
