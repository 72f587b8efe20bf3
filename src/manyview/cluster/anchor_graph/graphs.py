"""Anchor graphs of the views: one geometry, and one or several draws of the anchors.

Everything that a fit decides (weights, start, views to leave out) it decides on a sample of the rows; the graph of all
rows is built once, at the end. Up to ``Recipe.n_sampled_rows`` rows the sample is all of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from manyview.anchors import AnchorGraph, GraphBlock, choose_groups, fit_anchor_graph
from manyview.anchors.graph import Rule
from manyview.anchors.selection import Groups
from manyview.cluster.anchor_graph.context import DRAWN_RULES, FitContext
from manyview.engine import Engine, Rows
from manyview.geometry.fit import Geometry, fit_geometry
from manyview.kernels.arrays import IntArray
from manyview.views import Views
from manyview.views.blocks import RowBlock, picked_rows, row_blocks, some_rows


class Source(NamedTuple):
    """Raw rows, and those of them that are sampled."""

    rows: Rows[RowBlock]
    n_samples: int
    sample: Rows[RowBlock]  # in the process of the caller, unless they are all rows
    sample_rows: IntArray | None  # their numbers; None: all


class Draw(NamedTuple):
    """One choice of anchors, and the graph of the sampled rows."""

    graph: AnchorGraph
    sample: list[GraphBlock]  # in the process of the caller
    joint: bool
    n_samples: int
    sample_rows: IntArray | None = None  # which rows the sample has; None: all
    source: Source | None = None  # None: there are no raw rows to draw other anchors from
    rows: Rows[GraphBlock] | None = None  # of all rows, where these are the sample
    anchor_rows: IntArray | None = None  # (m,) ascending; None: anchors are means of groups

    def all_rows(self, engine: Engine, /) -> Rows[GraphBlock]:
        """Return the graph of all rows."""
        if self.rows is not None:
            return self.rows
        assert self.source is not None, "without raw rows the sample is all there is"
        return engine.map(self.graph, self.source.rows)


def build_graphs(views: Views, context: FitContext, /, *, left_out: tuple[int, ...] = ()) -> Draw:
    """Fit the geometry, choose anchors and build the graph, of all views but those left out."""
    settings, engine, n_samples = context.settings, context.engine, len(views)
    rows = engine.partition(row_blocks(views), n_samples)
    context.progress("geometry", 0, 1)
    geometry = geometry_of(rows, context, left_out=left_out, names=views.names)
    context.progress("anchors", 0, 1)
    return _draw(
        _source(rows, n_samples, geometry, context), geometry, len(views.tables) > 1 and not settings.raw, context
    )


def geometry_of(
    rows: Rows[RowBlock], context: FitContext, /, *, left_out: tuple[int, ...] = (), names: tuple[str, ...] = ()
) -> Geometry:
    """Fit the geometry of rows with the settings of the fit."""
    settings, recipe = context.settings, context.recipe
    return fit_geometry(
        rows,
        context.engine,
        scale=settings.scale,
        equalize=not settings.raw,
        whiten=recipe.partial_whitening,
        seed=settings.seed,
        dtype=settings.dtype,
        left_out=left_out,
        names=names,
        options=recipe.geometry,
    )


def place_anchors(
    rule: Any,
    n_anchors: int,
    geometry: Geometry,
    rows: Rows[RowBlock],
    n_rows: int,
    joint: bool,
    context: FitContext,
    /,
) -> tuple[list[Groups], AnchorGraph]:
    """Choose anchors among rows with the settings of the fit, and place them in every slice."""
    settings, recipe, engine = context.settings, context.recipe, context.engine
    groups = choose_groups(
        rule,
        n_anchors,
        geometry,
        rows,
        engine,
        n_rows,
        seed=settings.seed,
        n_sampled_rows=recipe.n_anchor_rows,
        n_scores=recipe.n_joint_scores,
        n_seeding_rows=recipe.n_seeding_rows,
    )
    graph = fit_anchor_graph(
        geometry, groups, rows, engine, scales=settings.neighbors, joint=joint, dtype=settings.dtype
    )
    return groups, graph


def redraw(draw: Draw, context: FitContext, /) -> Draw:
    """Draw other anchors for the same rows, with the seed of the context."""
    assert draw.source is not None
    return _draw(draw.source, draw.graph.geometry, draw.joint, context)


def leave_out(draw: Draw, left_out: tuple[int, ...], views: Views, context: FitContext, /) -> Draw:
    """Build the graph without some views. The scalings of the others stay, unless words were scored together."""
    geometry = draw.graph.geometry
    scored_together = geometry.words[0].words.views if geometry.words else ()
    if draw.source is None or set(left_out) & set(scored_together):
        return build_graphs(views, context, left_out=left_out)
    context.progress("anchors", 0, 1)
    return _draw(draw.source, replace(geometry, left_out=left_out), draw.joint, context)


def _source(rows: Rows[RowBlock], n_samples: int, geometry: Geometry, context: FitContext) -> Source:
    """Sample the rows; the sample is read several times, so its words are scored here, once."""
    engine, n_sampled = context.engine, context.recipe.n_sampled_rows
    if n_samples <= n_sampled:
        scored = engine.map(geometry.scored, rows) if geometry.has_words else rows
        return Source(scored, n_samples, scored, None)
    chosen = some_rows(n_samples, n_sampled, seed=context.settings.seed)
    return Source(rows, n_samples, list(engine.map(geometry.scored, picked_rows(chosen, rows, engine))), chosen)


def _draw(source: Source, geometry: Geometry, joint: bool, context: FitContext) -> Draw:
    """Choose anchors among the sampled rows if the rule is random, and among all rows if it is not."""
    settings, engine = context.settings, context.engine
    few = source.sample_rows
    random = isinstance(settings.anchors, str) and settings.anchors in DRAWN_RULES
    among, n_rows = (source.sample, len(few)) if random and few is not None else (source.rows, source.n_samples)
    groups, graph = place_anchors(settings.anchors, settings.n_anchors, geometry, among, n_rows, joint, context)
    anchor_rows = _anchor_rows(groups[0], few if among is source.sample else None)
    if few is not None:
        sample = list(engine.map(graph, source.sample))
        return Draw(graph, sample, joint, source.n_samples, few, source, anchor_rows=anchor_rows)
    rows = engine.map(graph, source.rows)
    sample = list(engine.map(lambda block: block, rows))
    return Draw(graph, sample, joint, source.n_samples, None, source, rows, anchor_rows)


def _anchor_rows(groups: Groups, among: IntArray | None) -> IntArray | None:
    """Return the rows that are anchors, numbered as in the input; None if an anchor stands for several rows."""
    if groups.n_anchors < len(groups.rows):
        return None
    return groups.rows if among is None else among[groups.rows]


def with_rule(draw: Draw, rule: Rule, engine: Engine, /) -> Draw:
    """Let a rule label the rows of the graph, sampled ones and all others."""
    assert draw.source is not None

    def ruled(pair: tuple[GraphBlock, RowBlock]) -> GraphBlock:
        return pair[0]._replace(ruled=rule(pair[1]))

    graph = replace(draw.graph, rule=rule)
    if draw.rows is None:
        sample = [ruled(pair) for pair in zip(draw.sample, draw.source.sample, strict=True)]
        return draw._replace(graph=graph, sample=sample)
    rows = engine.map(ruled, engine.zip(draw.rows, draw.source.sample))
    return draw._replace(graph=graph, sample=list(engine.map(lambda block: block, rows)), rows=rows)


def of_sample(values: Rows[IntArray], draw: Draw, engine: Engine, /) -> list[IntArray]:
    """Return the values of the sampled rows, in blocks like theirs."""
    known = engine.collect(lambda block: block, values)
    if draw.sample_rows is not None:
        known = known[draw.sample_rows]
    return np.split(known, np.cumsum([block.n_rows for block in draw.sample])[:-1])
