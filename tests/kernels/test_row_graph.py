"""Graphs of nearest rows, against distances of all pairs."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from manyview.kernels.row_graph import (
    NearRows,
    fuzzy_weights,
    leading_vectors,
    modularity,
    nearest_rows,
    normalized,
    union_graph,
)

N, WIDTHS = 61, (3, 5, 2)


def tables_of(seed, n=N):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal((n, d)) for d in WIDTHS]


def all_pairs(tables, present):
    """The mean squared distance of every pair over the tables that know both, one pair at a time."""
    n = len(tables[0])
    d = np.full((n, n), np.inf)
    for i in range(n):
        for j in range(n):
            known = [v for v in range(len(tables)) if present[v, i] and present[v, j]]
            if i != j and known:
                d[i, j] = np.mean([((tables[v][i] - tables[v][j]) ** 2).sum() for v in known])
    return np.sqrt(d)


@given(seed=st.integers(0, 10_000), share=st.sampled_from([0.0, 0.3]), k=st.integers(1, 8), at_once=st.integers(1, 70))
def test_nearest_rows_are_those_of_all_pairs(seed, share, k, at_once):
    tables = tables_of(seed, n=23)
    present = np.random.default_rng(seed).random((3, 23)) >= share
    present[0] |= ~present.any(axis=0)
    found = nearest_rows(tables, present, k, alone=[0, 2], together=[0, 1, 2], rows_at_once=at_once)
    for near, members in zip(found, ([0], [2], [0, 1, 2]), strict=True):
        expected = np.sort(all_pairs([tables[v] for v in members], present[members]), axis=1)[:, :k]
        assert_allclose(near.distances, expected, rtol=1e-4, atol=1e-3)
        known = np.isfinite(near.distances)
        of_pairs = all_pairs([tables[v] for v in members], present[members])
        at = np.take_along_axis(of_pairs, near.columns.astype(int), axis=1)
        assert_allclose(at[known], near.distances[known], rtol=1e-4, atol=1e-3)


def test_number_of_rows_at_once_changes_nothing():
    tables, present = tables_of(1), np.ones((3, N), dtype=bool)
    few, many = (nearest_rows(tables, present, 4, alone=[1], together=[0, 1, 2], rows_at_once=r) for r in (7, 200))
    for a, b in zip(few, many, strict=True):
        assert_array_equal(a.columns, b.columns)


@given(st.integers(0, 10_000), st.integers(2, 12))
def test_weights_of_a_row_sum_to_the_logarithm_of_its_neighbors(seed, k):
    d = np.sort(np.random.default_rng(seed).gamma(2.0, size=(9, k)), axis=1)
    weights = fuzzy_weights(d)
    assert_allclose(weights[:, 0], 1)
    assert (np.diff(weights, axis=1) <= 0).all()
    if k > 2:  # the sum is at least one, which is more than log2(2) leaves to choose
        assert_allclose(weights.sum(axis=1), np.log2(k), rtol=1e-6)


def test_weights_of_equal_rows_and_of_absent_ones():
    weights = fuzzy_weights(np.array([[0.0, 0.0, 0.0, 0.0], [np.inf] * 4, [1.0, 2.0, np.inf, np.inf]]))
    assert_array_equal(weights[0], 1)
    assert_array_equal(weights[1], 0)
    assert_array_equal(weights[2, 2:], 0)
    assert np.isfinite(weights).all()


def test_union_is_the_fuzzy_one():
    near = nearest_rows(tables_of(2), np.ones((3, N), dtype=bool), 5, alone=[], together=[0, 1, 2])[0]
    P = np.zeros((N, N))
    np.put_along_axis(P, near.columns.astype(int), fuzzy_weights(near.distances), axis=1)
    assert_allclose(union_graph(near).toarray(), 1 - (1 - P) * (1 - P.T), atol=1e-12)


def test_normalized_graph_has_its_degrees_as_first_vector():
    rng = np.random.default_rng(3)
    W = np.triu(rng.random((40, 40)) * (rng.random((40, 40)) < 0.2), 1)
    W[7] = W[:, 7] = 0  # a row without neighbors
    W = sp.csr_array(W + W.T)
    degree = np.asarray(W.sum(axis=1)).ravel()
    S = normalized(W)
    assert_allclose(S.toarray() @ np.sqrt(degree), np.sqrt(degree), atol=1e-12)
    values, vectors = leading_vectors(S, 3)
    assert_allclose(values, np.linalg.eigvalsh(S.toarray())[::-1][:3], atol=1e-3)
    assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-8)


@pytest.mark.parametrize("known", [True, False])
def test_modularity_counts_pairs(known):
    rng = np.random.default_rng(4)
    labels, columns = rng.integers(0, 3, N), rng.integers(0, N, (N, 4))
    distances = np.ones((N, 4)) if known else np.where(rng.random((N, 4)) < 0.3, np.inf, 1.0)
    alike = [labels[i] == labels[j] for i in range(N) for j, d in zip(columns[i], distances[i], strict=True) if d < 2]
    chance = sum((labels == k).mean() ** 2 for k in range(3))
    assert_allclose(modularity(NearRows(columns, distances), labels, 3), np.mean(alike) - chance)


def test_modularity_is_zero_for_one_cluster_and_where_nothing_is_known():
    near = NearRows(np.zeros((5, 2), dtype=int), np.full((5, 2), np.inf))
    assert modularity(near, np.arange(5), 5) == 0
    assert_allclose(modularity(near._replace(distances=np.ones((5, 2))), np.zeros(5, dtype=int), 1), 0)
