"""Graphs of the sampled rows and the labelings found in them."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

from manyview import AnchorGraphClustering, Recipe
from manyview.cluster.anchor_graph.context import FitContext, resolve
from manyview.cluster.anchor_graph.graphs import build_graphs
from manyview.cluster.anchor_graph.neighbors import find_neighbors, row_labelings
from manyview.datasets import make_views
from manyview.engine import MemoryEngine
from manyview.views import check_views

N, K = 400, 4
RECIPE = Recipe(n_row_neighbors=6)


def drawn(views, **parameters):
    context = FitContext(
        MemoryEngine(n_jobs=1, block_rows=150),
        resolve(AnchorGraphClustering(K, n_anchors=60, recipe=RECIPE, **parameters), N, 0),
    )
    return build_graphs(check_views(views, rows_may_miss=True), context), context


@pytest.fixture(scope="module")
def data():
    return make_views(N, K, widths=(5, 8), separation=3.0, random_state=0)


def test_nearest_rows_of_every_view_geometry_and_joint_table(data):
    draw, context = drawn(list(data.views.values()))
    neighbors = find_neighbors(draw, context)
    n_geometries = draw.graph.geometry.n_geometries
    assert len(neighbors.views) == 2 * n_geometries
    assert len(neighbors.joint) == n_geometries
    assert all(near.columns.shape == (N, 6) for near in (*neighbors.views, *neighbors.joint))
    for S in neighbors.graphs():
        assert S.shape == (N, N)
        assert abs(S - S.T).max() < 1e-12
    assert len(neighbors.graphs()) == n_geometries + 2


def test_every_graph_and_embedding_gives_a_labeling(data):
    draw, context = drawn(list(data.views.values()))
    neighbors = find_neighbors(draw, context)
    labelings = row_labelings(neighbors, context)
    assert len(labelings) == len(neighbors.graphs()) * len(RECIPE.row_embeddings)
    assert max(adjusted_rand_score(data.labels, labels) for labels in labelings) > 0.9
    shuffled = np.random.default_rng(0).permutation(data.labels)
    assert neighbors.modularity(data.labels, K) > 0.4
    assert abs(neighbors.modularity(shuffled, K)) < 0.05


def test_row_that_lacks_a_view_has_neighbors_in_the_others_alone(data):
    first, second = (view.copy() for view in data.views.values())
    first[:40] = np.nan
    draw, context = drawn([first, second])
    neighbors = find_neighbors(draw, context)
    of_first = neighbors.views[0]
    assert np.isinf(of_first.distances[:40]).all()
    assert not np.isin(of_first.columns[40:], np.arange(40)).any()
    assert np.isfinite(neighbors.joint[0].distances).all()


def test_sparse_views_join_as_one_document():
    rng = np.random.default_rng(1)
    views = [sp.csr_array(rng.poisson(0.05, (N, width)).astype(float)) for width in (120, 90)]
    draw, context = drawn([*views, rng.standard_normal((N, 3))])
    assert draw.graph.geometry.words
    neighbors = find_neighbors(draw, context)
    assert len(neighbors.views) == 3 * draw.graph.geometry.n_geometries
    assert_allclose(neighbors.joint[0].distances, np.sort(neighbors.joint[0].distances, axis=1))
    assert_array_equal(neighbors.joint[0].columns == np.arange(N)[:, None], False)
