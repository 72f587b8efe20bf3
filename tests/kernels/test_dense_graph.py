import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse.csgraph import connected_components

from manyview.kernels import dense_graph
from manyview.kernels import laplacian as module
from manyview.kernels.dense_graph import (
    absolute_degrees,
    array_components,
    block_height,
    cache_blocks,
    stretches,
    symmetric_array,
)
from manyview.kernels.laplacian import components, degrees, null_space, smallest_eigenpairs
from manyview.kernels.rank_constraint import bottom_eigenpairs


def random_graph(n, share, seed):
    rng = np.random.default_rng(seed)
    A = np.where(rng.random((n, n)) < share, rng.random((n, n)), 0)
    return np.triu(A, 1) + np.triu(A, 1).T


@pytest.mark.parametrize("n", [1, 5, 128, 301])
def test_both_halves_are_averaged(n):
    A = np.random.default_rng(0).standard_normal((n, n))
    assert_array_equal(symmetric_array(A), (A + A.T) / 2)
    assert_allclose(absolute_degrees(A), np.abs(A).sum(axis=1))


@pytest.mark.parametrize("n, height", [(1, 1), (7, 3), (11, 2), (40, 1)])
def test_stretches_and_their_blocks_go_over_every_row_once(n, height, monkeypatch):
    monkeypatch.setattr(dense_graph, "STRETCH", 5)
    monkeypatch.setattr(dense_graph, "ENTRIES_AT_ONCE", height * n)
    blocks = [block for stretch in stretches(n) for block in cache_blocks(stretch, n)]
    assert_array_equal(np.concatenate([np.arange(n)[block] for block in blocks]), np.arange(n))
    assert max(block.stop - block.start for block in blocks) <= block_height(n) == height


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 150), st.floats(0, 0.05), st.integers(0, 100))
def test_components_of_an_array(n, share, seed):
    A = random_graph(n, share, seed)
    number, expected = connected_components(sp.csr_array(A))
    labels = array_components(A)
    assert labels.max() + 1 == number
    assert len(np.unique(np.stack([labels, expected]), axis=1).T) == number
    assert_array_equal(np.unique(labels, return_index=True)[1], np.sort(np.unique(labels, return_index=True)[1]))


def test_weak_edges_can_be_left_out_and_negative_ones_join():
    A = np.array([[0, 0.5, 0, 0], [0.5, 0, 1e-9, 0], [0, 1e-9, 0, -1.0], [0, 0, -1.0, 0]])
    assert_array_equal(array_components(A), [0, 0, 0, 0])
    assert_array_equal(array_components(A, above=1e-6), [0, 0, 1, 2])
    assert_array_equal(components(sp.csr_array(A), above=1e-6).labels, [0, 0, 1, 2])


@pytest.mark.parametrize("pieces", [1, 3])
@pytest.mark.parametrize("signs, restarts", [("positive", 60), ("mixed", 60), ("positive", 1)])
def test_array_and_sparse_graph_have_the_same_eigenpairs(signs, restarts, pieces, monkeypatch):
    monkeypatch.setattr(module, "DENSE_BELOW", 20)
    monkeypatch.setattr(module, "RESTARTS", restarts)  # with one, the inverse has to do it
    A = np.kron(np.eye(pieces), np.ones((60, 60))) * random_graph(60 * pieces, 0.6, 1)
    A[1, 0] = A[0, 1] = -0.3 if signs == "mixed" else 0.3
    options = {
        "diagonal": degrees(A),
        "null": null_space(components(A).labels, np.ones(len(A))),
        "positive": signs == "positive",
    }
    full, edges = smallest_eigenpairs(A, 5, **options), smallest_eigenpairs(sp.csr_array(A), 5, **options)
    assert_allclose(full.values, edges.values, atol=1e-9)
    assert_allclose(full.vectors @ (full.vectors.T @ edges.vectors), edges.vectors, atol=1e-7)
    assert full.beyond == pytest.approx(edges.beyond, rel=0.15)


def test_as_many_pieces_as_asked_for_need_no_solver():
    A = np.kron(np.eye(3), np.ones((120, 120)) / 120)
    known = bottom_eigenpairs(A, 3, tol=1e-10)
    assert known.beyond == np.inf
    assert_array_equal(known.values, 0)
    assert bottom_eigenpairs(A, 4).values[3] == pytest.approx(1)
