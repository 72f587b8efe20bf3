"""The embedding of all rows: spectrum and normalization come from the sampled rows, whatever the other rows are."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from manyview import AnchorGraphClustering
from manyview.cluster.anchor_graph.candidates import embed_rows
from manyview.cluster.anchor_graph.consensus import consensus_labels, embed_consensus, find_consensus
from manyview.cluster.anchor_graph.context import FitContext, resolve
from manyview.cluster.anchor_graph.fusion import first_weights
from manyview.cluster.anchor_graph.graphs import build_graphs
from manyview.datasets import make_views
from manyview.engine import MemoryEngine
from manyview.metrics import adjusted_rand_index
from manyview.views import check_views
from recipes import QUICK, SAMPLED

N, K = 500, 3
ENGINE = MemoryEngine(n_jobs=1, block_rows=120)


@pytest.fixture(scope="module")
def views():
    return check_views(list(make_views(N, K, widths=(5, 6), separation=3.0, random_state=0).views.values()))


def embedded(views, recipe):
    graph_alone = replace(recipe, min_half_explained=2.0)  # no linear rule
    model = AnchorGraphClustering(K, n_anchors=40, recipe=graph_alone)
    context = FitContext(ENGINE, resolve(model, N, 0))
    consensus = find_consensus(build_graphs(views, context), context)
    return consensus, embed_consensus(consensus, context), context


@pytest.fixture(scope="module", params=[QUICK, SAMPLED], ids=["all rows", "sampled"])
def parts(views, request):
    return embedded(views, request.param)


def together(rows):
    return np.concatenate(list(rows))


def test_embedding_is_walk_times_singular_vectors_of_the_sample(parts):
    consensus, found, _ = parts
    A = np.vstack([found.sample_fusion.mixed(block).toarray() for block in consensus.draw.sample])
    A *= found.sample_fusion.column_scale
    s = np.linalg.svd(A, compute_uv=False)
    assert_allclose(found.basis.s, s[: len(found.basis.s)], rtol=1e-5)
    assert_allclose(found.of_sample(ENGINE), A @ found.basis.W, atol=1e-6)
    assert_allclose(found.basis.s[0], 1, rtol=1e-6)  # the walk stays somewhere


def test_sampled_rows_are_embedded_like_all_rows(parts):
    consensus, found, _ = parts
    rows = consensus.draw.sample_rows
    T = together(found.T)
    assert T.shape == (N, 3 * K + 1)
    assert_allclose(T if rows is None else T[rows], found.of_sample(ENGINE), atol=1e-6)


def test_membership_sums_run_over_all_rows(parts):
    consensus, found, _ = parts
    assert (found.fusion is found.sample_fusion) == (consensus.draw.sample_rows is None)
    degree = sum(np.asarray(found.fusion.mixed(block).sum(axis=0)).ravel() for block in found.graphs)
    used = degree > 1e-9
    n_geometries = consensus.draw.graph.geometry.n_geometries
    assert_allclose(1 / found.fusion.column_scale[used] ** 2, n_geometries * degree[used], rtol=1e-5)


def test_labels_are_those_voted_for_or_read_through_anchors_of_the_sample(parts):
    consensus, found, context = parts
    labels = together(consensus_labels(consensus, found, context))
    rows = consensus.draw.sample_rows
    if rows is None:
        assert_array_equal(labels, consensus.candidate.labels)
    else:
        B = np.vstack([found.sample_fusion.mixed(block).toarray() for block in consensus.draw.sample])
        share = B.T @ np.eye(K)[consensus.candidate.labels] / np.maximum(B.sum(axis=0), 1e-12)[:, None]
        of_rows = np.vstack([found.sample_fusion.mixed(block).toarray() for block in found.graphs]) @ share
        assert_array_equal(labels, of_rows.argmax(axis=1))
        assert adjusted_rand_index(labels[rows], consensus.candidate.labels) > 0.9


def test_spectrum_is_found_where_it_is_not_given(parts):
    consensus, _, context = parts
    weights = first_weights(consensus.draw.graph)
    alone = embed_rows(consensus.draw, weights, None, context)
    assert alone.basis.W.shape == (80, 3 * K + 1)
    assert_array_equal(alone.fusion.weights, weights)
