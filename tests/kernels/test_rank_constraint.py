import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from manyview.kernels.laplacian import symmetric
from manyview.kernels.rank_constraint import bottom_eigenpairs, constrain_components
from manyview.kernels.sample_graph import raw_rows, sample_graph
from manyview.kernels.simplex import embedded_distances, project_rows, with_data

from oracles import graph_methods_oracle as oracle


def three_groups(seed=0):
    """A neighbor graph (60, 60) of three groups that touch."""
    rng = np.random.default_rng(seed)
    x = np.repeat([[0.0, 0.0], [2.2, 0.0], [0.0, 2.2]], 20, axis=0) + 0.7 * rng.standard_normal((60, 2))
    return sample_graph(raw_rows(x), 8)


def nearest_to(graph):
    """The update of the constrained Laplacian rank method: rows near those of a given graph, on its support."""

    def update(F, strength):
        return project_rows(with_data(graph, graph.data - strength / 2 * embedded_distances(F, graph)))

    return update


def test_loop_agrees_with_dense_matrices():
    graph = three_groups()
    assert bottom_eigenpairs(symmetric(graph), 3).values[2] > 1e-6  # not in three pieces at first
    result = constrain_components(graph, 3, nearest_to(graph), max_iter=30, tol=1e-10)
    assert result.n_components == 3
    assert len(set(result.labels)) == 3

    dense = graph.toarray()

    def update(F, strength):
        D, A = oracle.squared_distances(F), np.zeros_like(dense)
        for i in range(len(dense)):
            support = np.flatnonzero(dense[i])
            A[i, support] = oracle.simplex(dense[i, support] - strength / 2 * D[i, support])
        return A

    expected, sums = oracle.rank_constrained(dense, 3, update, 1.0, 30, 1e-10)
    assert_allclose(result.graph.toarray(), expected, atol=1e-7)
    assert_allclose(result.connectivity, sums, atol=1e-8)
    assert_array_equal(result.labels, oracle.component_labels(expected))
    assert result.strengths == [2.0**step for step in range(result.n_iter)]


def test_too_many_components_halve_the_strength():
    graph = three_groups()
    seen = []

    def update(F, strength):
        seen.append(F)
        return sp.csr_array(sp.block_diag([np.ones((15, 15))] * 4)) if len(seen) < 3 else graph

    result = constrain_components(graph, 3, update, max_iter=3, tol=1e-10, strength=8.0)
    assert result.strengths == [8.0, 4.0, 2.0]
    assert_array_equal(seen[1], seen[0])
    assert_array_equal(seen[2], seen[0])
    assert result.n_components == 1


def test_start_with_enough_components_can_be_kept():
    graph = sp.csr_array(sp.block_diag([np.ones((5, 5))] * 3))

    def never(F, strength):
        raise AssertionError("no update is needed")

    result = constrain_components(graph, 3, never, max_iter=5, tol=1e-10, skip_if_done=True)
    assert result.n_iter == 0
    assert result.n_components == 3
    with pytest.raises(AssertionError):
        constrain_components(graph, 3, never, max_iter=5, tol=1e-10)


def test_as_many_clusters_as_rows():
    graph = three_groups()[:4, :4]
    result = constrain_components(graph, 4, lambda F, strength: sp.csr_array((4, 4)), max_iter=5, tol=1e-10)
    assert result.n_components == 4
    assert result.n_iter == 1


@pytest.mark.parametrize("link", [1.0, 1e-4, 1e-9, 1e-14])
def test_the_bound_only_speaks_where_it_is_sure(link):
    graph = sp.csr_array(sp.block_diag([np.ones((6, 6)), np.ones((5, 5)), np.ones((4, 4))])).tolil()
    graph[0, 6] = graph[6, 0] = link  # two components, one of them nearly two
    graph = sp.csr_array(graph)
    known = bottom_eigenpairs(graph, 2)
    quick = bottom_eigenpairs(graph, 2, tol=1e-10)
    expected = np.linalg.eigvalsh(oracle.laplacian(graph.toarray()))
    assert_allclose(known.beyond, expected[2], atol=1e-12)
    assert_array_equal(quick.values, [0, 0])
    assert_allclose(quick.vectors @ quick.vectors.T, known.vectors @ known.vectors.T, atol=1e-12)
    if quick.beyond == np.inf:
        assert expected[2] > 1e-10
    assert (quick.beyond == np.inf) == (link > 1e-6)
