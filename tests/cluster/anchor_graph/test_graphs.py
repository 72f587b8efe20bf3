"""Draws of the anchors for the same rows, and the sample on which a fit decides."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from manyview import AnchorGraphClustering, Recipe
from manyview.cluster.anchor_graph.context import FitContext, resolve
from manyview.cluster.anchor_graph.graphs import build_graphs, leave_out, of_sample, redraw
from manyview.datasets import make_views
from manyview.engine import MemoryEngine
from manyview.views import check_views

K, N = 3, 240


@pytest.fixture(scope="module")
def views():
    data = make_views(N, K, widths=(5, 8), separation=1.2, random_state=3)
    return check_views(list(data.views.values()))


def context_of(n_sampled_rows=20_000, **parameters):
    recipe = Recipe(n_sampled_rows=n_sampled_rows)
    settings = resolve(AnchorGraphClustering(K, n_anchors=40, recipe=recipe, **parameters), N, 0)
    return FitContext(MemoryEngine(n_jobs=1, block_rows=60), settings)


def test_draws_differ_in_their_anchors_only(views):
    context = context_of()
    draw = build_graphs(views, context)
    again, other = (redraw(draw, context.with_settings(seed=seed)) for seed in (0, 7))
    assert_array_equal(again.graph.views[0][0].centers, draw.graph.views[0][0].centers)
    assert not np.array_equal(other.graph.views[0][0].centers, draw.graph.views[0][0].centers)
    assert other.graph.geometry is draw.graph.geometry


def test_few_rows_are_all_sampled(views):
    context = context_of()
    draw = build_graphs(views, context)
    assert draw.sample_rows is None
    assert sum(block.n_rows for block in draw.sample) == N
    assert draw.all_rows(context.engine) is draw.rows


def test_redraw_reads_sampled_rows_only(views):
    context = context_of(n_sampled_rows=100)
    draw = build_graphs(views, context)
    assert sum(block.n_rows for block in draw.sample) == len(draw.sample_rows) == 100
    source = draw.source._replace(rows=None)  # whoever asks for all rows fails
    other = redraw(draw._replace(source=source), context.with_settings(seed=5))
    assert sum(block.n_rows for block in other.sample) == 100
    assert other.rows is None


def test_sample_has_the_rows_it_names(views):
    context = context_of(n_sampled_rows=100)
    draw = build_graphs(views, context)
    rows = draw.all_rows(context.engine)
    whole, part = (np.concatenate([block.columns for block in blocks]) for blocks in (rows, draw.sample))
    assert_array_equal(whole[draw.sample_rows], part)
    numbers = [np.arange(block.start, block.start + block.n_rows) for block in rows]
    assert_array_equal(np.concatenate(of_sample(numbers, draw, context.engine)), draw.sample_rows)


def test_leaving_out_a_view_keeps_the_scalings_of_the_others(views):
    context = context_of()
    draw = build_graphs(views, context)
    fewer = leave_out(draw, (1,), views, context)
    assert fewer.graph.geometry.left_out == (1,)
    assert fewer.graph.geometry == replace(draw.graph.geometry, left_out=(1,))
    assert {name.view for name in fewer.graph.slices} == {0, None}


def test_raw_graphs_have_one_slice_per_view(views):
    context = context_of()
    context = context.with_settings(raw=True, scale="max")
    draw = build_graphs(views, context)
    assert [name.view for name in draw.graph.slices] == [0, 1]
    assert not draw.joint
