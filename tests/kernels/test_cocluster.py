import re

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from manyview.kernels import cocluster as module
from manyview.kernels.cocluster import cocluster
from manyview.metrics import adjusted_rand_index

from oracles import anchor_methods_oracle as oracle


def bipartite(seed, n=20, m=8, groups=2, leak=0.15):
    """Rows on the simplex that lean to the anchors of their group, with some weight on all others."""
    rng = np.random.default_rng(seed)
    A = rng.random((n, m)) * (leak + (np.arange(n)[:, None] % groups == np.arange(m) % groups))
    A[rng.random((n, m)) < 0.3] = 0
    A[np.arange(n), np.arange(n) % m] = 1  # every row and every column has an edge
    return A / A.sum(axis=1, keepdims=True)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(2, 3), st.integers(1, 6), st.booleans())
def test_every_step_is_that_of_the_literal_loop(seed, n_clusters, max_iter, columns_too):
    A = bipartite(seed, groups=n_clusters)
    found = cocluster(A, n_clusters, max_iter=max_iter, columns_too=columns_too)
    if found.n_iter == 0:  # as many components from the start
        assert_allclose(found.P.toarray(), A)
        return
    P = oracle.cocluster(A, n_clusters, max_iter, columns_too)
    assert_allclose(found.P.toarray(), P, atol=1e-9)
    rows, columns = oracle.bipartite_components(P)
    assert_array_equal(np.unique(rows, return_inverse=True)[1], found.row_labels)
    tied = P.sum(axis=0) > 0
    assert_array_equal(found.column_labels >= 0, tied)
    ours = np.concatenate([found.row_labels, found.column_labels[tied]])
    assert adjusted_rand_index(np.concatenate([rows, columns[tied]]), ours) == 1


def test_graph_gets_the_requested_components():
    found = cocluster(bipartite(0, n=60, m=12, groups=3, leak=0.05), 3)
    assert found.n_components == 3
    assert_array_equal(found.row_labels, np.arange(60) % 3)
    assert_array_equal(found.column_labels, np.arange(12) % 3)
    assert_allclose(found.P.sum(), 60 / 2 + 12 / 2)  # mean of rows and of columns that sum to one


def test_rows_alone_stay_on_the_simplex():
    found = cocluster(bipartite(0, n=60, m=12, groups=3, leak=0.05), 3, columns_too=False)
    assert_allclose(found.P.sum(axis=1), 1)


def test_components_that_are_there_from_the_start_are_kept():
    A = np.kron(np.eye(4), np.full((3, 2), 0.5))
    for n_clusters in (3, 4):
        found = cocluster(A, n_clusters)
        assert (found.n_components, found.n_iter) == (4, 0)
        assert_array_equal(found.row_labels, np.repeat(np.arange(4), 3))
        assert_allclose(found.P.toarray(), A)


def test_an_anchor_without_an_edge_belongs_to_no_cluster():
    A = np.insert(bipartite(1, groups=2), 3, 0, axis=1)
    found = cocluster(sp.csr_array(A), 2)
    assert found.column_labels[3] == -1
    assert (np.delete(found.column_labels, 3) >= 0).all()
    assert np.isfinite(found.P.data).all()
    assert_allclose(np.delete(found.P.toarray(), 3, axis=1), cocluster(np.delete(A, 3, axis=1), 2).P.toarray())


@pytest.mark.parametrize("groups", [2, 3])
def test_partial_eigenvectors_lead_to_the_same_graph(monkeypatch, groups):
    A = bipartite(2, n=80, m=40, groups=groups, leak=0.1)
    dense = cocluster(A, groups)
    monkeypatch.setattr(module, "DENSE_SIZE", 0)
    partial = cocluster(A, groups)
    assert dense.n_iter == partial.n_iter
    assert_allclose(partial.P.toarray(), dense.P.toarray(), atol=1e-8)


def test_repeated_eigenvalues_are_all_found(monkeypatch):
    """Four equal components: the eigenvalue 1 four times, and a repeated one below it."""
    A = np.kron(np.eye(4), bipartite(3, n=12, m=10, groups=1))
    monkeypatch.setattr(module, "DENSE_SIZE", 0)
    assert_allclose(module._vectors(sp.csr_array(A), 4).fewer, 4, atol=1e-10)
    assert module._vectors(sp.csr_array(A), 3).more == pytest.approx(4, abs=1e-10)


def test_more_clusters_than_anchors_gives_what_there_is():
    found = cocluster(bipartite(4, m=3), 5, max_iter=5)
    assert 1 <= found.n_components <= 3


@pytest.mark.shared
def test_reference(reference_kernel):
    case = reference_kernel("coclus")
    names = [re.fullmatch(r"((cc_B\d)_c(\d)_T(\d+)_)P", name) for name in case]
    cases = [match.groups() for match in names if match]
    assert len(cases) == 36
    for prefix, graph, n_clusters, max_iter in cases:
        found = cocluster(case[graph], int(n_clusters), max_iter=int(max_iter))
        assert_allclose(found.P.toarray(), case[prefix + "P"], atol=1e-11)
        theirs = np.concatenate([case[prefix + "y1"], case[prefix + "y2"]])
        assert adjusted_rand_index(theirs, [*found.row_labels, *found.column_labels]) == 1
