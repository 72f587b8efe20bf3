"""From views to anchor graphs: the geometry once, and as many draws of the anchors as one wants.

Everything that a fit decides (weights, start, views to leave out) it decides on a sample of the rows; the graph of all
rows is built once, at the end. Up to ``SAMPLED_ROWS`` rows the sample is all of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from manyview.anchors import AnchorGraph, GraphBlock, choose_groups, fit_anchor_graph, pick
from manyview.cluster.semi_ntf.settings import DRAWN_RULES, Settings
from manyview.cluster.semi_ntf.weights import FirstLook
from manyview.engine import Engine, Rows
from manyview.geometry.fit import Geometry, fit_geometry
from manyview.kernels.arrays import IntArray
from manyview.views import Views
from manyview.views.blocks import RowBlock, row_blocks, some_rows

SAMPLED_ROWS = 20_000  # rows on which everything is decided

Progress = Callable[[str, int, int], None]  # stage, steps done, steps in all


def reporter(verbose: Any, /) -> Progress:
    """What ``verbose`` asks for: a callable itself, lines on the standard error stream, or nothing."""
    if callable(verbose):
        return verbose
    if verbose:
        return lambda stage, done, total: print(f"SemiNTF: {stage} {done}/{total}", file=sys.stderr)
    return lambda stage, done, total: None


class Source(NamedTuple):
    """Raw rows, and those of them that are sampled."""

    rows: Rows[RowBlock]
    n_samples: int
    sample: Rows[RowBlock]  # beside the caller, if they are not all rows
    sample_rows: IntArray | None  # their numbers; None: all


class Draw(NamedTuple):
    """One choice of anchors, and the graph of the sampled rows."""

    graph: AnchorGraph
    sample: list[GraphBlock]  # beside the caller
    joint: bool
    n_samples: int
    sample_rows: IntArray | None = None  # which rows the sample has; None: all
    source: Source | None = None  # None: there are no raw rows to draw other anchors from
    rows: Rows[GraphBlock] | None = None  # of all rows, where these are the sample
    first: FirstLook | None = None  # what the slices say about the labels of the joint tables

    def all_rows(self, engine: Engine, /) -> Rows[GraphBlock]:
        """The graph of all rows."""
        if self.rows is not None:
            return self.rows
        assert self.source is not None, "without raw rows the sample is all there is"
        return engine.map(self.graph, self.source.rows)


def build_graphs(
    views: Views,
    settings: Settings,
    engine: Engine,
    progress: Progress,
    /,
    *,
    left_out: tuple[int, ...] = (),
) -> Draw:
    """Geometry, anchors, graph, of all views but those left out; see :func:`leave_out`."""
    n_samples = len(views)
    rows = engine.partition(row_blocks(views), n_samples)
    progress("geometry", 0, 1)
    geometry = fit_geometry(
        rows,
        engine,
        scale=settings.scale,
        equalize=not settings.paper,
        seed=settings.seed,
        dtype=settings.dtype,
        left_out=left_out,
        names=views.names,
    )
    progress("anchors", 0, 1)
    joint = len(views.tables) > 1 and not settings.paper
    source = _source(rows, n_samples, geometry, engine, settings.seed)
    return _draw(source, geometry, joint, settings, engine, seed=settings.seed)


def redraw(draw: Draw, settings: Settings, engine: Engine, /, *, seed: int) -> Draw:
    """Other anchors for the same rows."""
    assert draw.source is not None
    return _draw(draw.source, draw.graph.geometry, draw.joint, settings, engine, seed=seed)


def leave_out(
    draw: Draw, left_out: tuple[int, ...], views: Views, settings: Settings, engine: Engine, progress: Progress, /
) -> Draw:
    """Anchors and graph without some views. Scalings of the others stay, unless words were looked at together."""
    geometry = draw.graph.geometry
    read_together = geometry.words[0].words.views if geometry.words else ()
    if draw.source is None or set(left_out) & set(read_together):
        return build_graphs(views, settings, engine, progress, left_out=left_out)
    progress("anchors", 0, 1)
    geometry = replace(geometry, left_out=left_out)
    return _draw(draw.source, geometry, draw.joint, settings, engine, seed=settings.seed)


def _source(rows: Rows[RowBlock], n_samples: int, geometry: Geometry, engine: Engine, seed: int) -> Source:
    """Rows and sample; the sample is looked at several times, so that its words are scored here, once."""
    if n_samples <= SAMPLED_ROWS:
        known = engine.map(geometry.scored, rows) if geometry.has_words else rows
        return Source(known, n_samples, known, None)
    chosen = some_rows(n_samples, SAMPLED_ROWS, seed=seed)
    return Source(rows, n_samples, list(engine.map(geometry.scored, pick(chosen, rows, engine))), chosen)


def _draw(source: Source, geometry: Geometry, joint: bool, settings: Settings, engine: Engine, *, seed: int) -> Draw:
    """Anchors that are drawn come from the sample, for the others all rows are looked at."""
    few = source.sample_rows
    among, n_rows = (
        (source.sample, len(few))
        if isinstance(settings.anchors, str) and settings.anchors in DRAWN_RULES and few is not None
        else (source.rows, source.n_samples)
    )
    groups = choose_groups(settings.anchors, settings.n_anchors, geometry, among, engine, n_rows, seed=seed)
    graph = fit_anchor_graph(
        geometry, groups, among, engine, scales=settings.neighbors, joint=joint, dtype=settings.dtype
    )
    if few is not None:
        return Draw(graph, list(engine.map(graph, source.sample)), joint, source.n_samples, few, source)
    rows = engine.map(graph, source.rows)
    return Draw(graph, list(engine.map(lambda block: block, rows)), joint, source.n_samples, None, source, rows)


def of_sample(values: Rows[IntArray], draw: Draw, engine: Engine, /) -> list[IntArray]:
    """What is known of all rows, for those of the sample, in its blocks."""
    known = engine.collect(lambda block: block, values)
    if draw.sample_rows is not None:
        known = known[draw.sample_rows]
    return np.split(known, np.cumsum([block.n_rows for block in draw.sample])[:-1])
