import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal

from manyview.kernels import sample_graph as module
from manyview.kernels.sample_graph import (
    distance_block,
    neighbor_matrix,
    raw_rows,
    row_blocks,
    sample_graph,
    sample_neighbors,
    sample_weights,
    standard_rows,
)

from oracles import graph_methods_oracle as oracle

TABLES = hnp.arrays(
    np.float64,
    st.tuples(st.integers(4, 14), st.integers(1, 5)),
    elements=st.integers(-3, 3).map(float),  # whole numbers: many ties and duplicates
)


@pytest.mark.shared
@pytest.mark.parametrize("k", [3, 5, 10])
def test_the_reference_graphs(reference_kernel, k):
    case = reference_kernel("pkn_sample_graph")
    W = sample_graph(raw_rows(case["X"]), k).toarray()
    assert_allclose(W, case[f"W_k{k}"], atol=1e-14)
    assert_allclose(W, case[f"W_gmc_k{k}"], atol=1e-14)
    assert_allclose((W + W.T) / 2, case[f"Wsym_k{k}"], atol=1e-14)


@pytest.mark.shared
def test_the_reference_distances(reference_kernel):
    case = reference_kernel("pkn_sample_graph")
    d = distance_block(raw_rows(case["X"]), 0, len(case["X"]))
    assert_allclose(d, case["sqdist_zero_diag"], atol=1e-13)


@settings(deadline=None, max_examples=60)
@given(TABLES, st.integers(1, 3))
def test_the_graph_of_tables_full_of_ties(x, k):
    k = min(k, len(x) - 2)
    expected = oracle.pkn(x, k)
    assert_allclose(sample_graph(raw_rows(x), k).toarray(), expected, atol=1e-12)
    assert_allclose(sample_graph(raw_rows(sp.csr_array(x)), k).toarray(), expected, atol=1e-12)


@settings(deadline=None, max_examples=60)
@given(TABLES, st.integers(1, 6))
def test_neighbors_follow_a_stable_sort(x, k):
    columns, distances = sample_neighbors(raw_rows(x), k)
    d = oracle.squared_distances(x)
    count = min(k + 1, len(x) - 1)
    assert columns.shape == (len(x), count)
    assert_array_equal(columns, [row[:count] for row in oracle.sorted_neighbors(d, len(x))])
    assert_array_equal(distances, np.take_along_axis(d, columns, axis=1))


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_weights_decrease_on_the_simplex(seed, k):
    d = np.sort(np.random.default_rng(seed).random((5, k + 1)), axis=1)
    w = sample_weights(d)
    assert_allclose(w.sum(axis=1), 1)
    assert (w >= 0).all()
    assert_array_equal(w[:, -1], 0)
    assert (np.diff(w, axis=1) <= 1e-15).all()


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_the_graph_does_not_depend_on_the_unit(scale):
    x = np.random.default_rng(0).standard_normal((20, 3))
    assert_allclose(sample_graph(raw_rows(scale * x), 4).toarray(), oracle.pkn(x, 4), atol=1e-9)


def test_a_row_with_equally_far_neighbors_has_no_weights():
    assert_array_equal(sample_weights(np.array([[2.0, 2.0, 2.0], [1.0, 2.0, 3.0]]))[0], 0)


def test_two_samples_are_each_others_neighbor():
    W = sample_graph(raw_rows(np.array([[0.0], [1.0]])), 15)
    assert_array_equal(W.toarray(), [[0, 1], [1, 0]])


def test_blocks_of_rows_give_the_same_neighbors(monkeypatch):
    x = np.random.default_rng(0).integers(0, 3, (23, 4)).astype(float)
    whole = sample_neighbors(raw_rows(x), 5)
    monkeypatch.setattr(module, "ENTRIES_AT_ONCE", 23 * 4)
    assert row_blocks(23) == [(0, 4), (4, 8), (8, 12), (12, 16), (16, 20), (20, 23)]
    blocks = sample_neighbors(raw_rows(x), 5)
    assert_array_equal(blocks.columns, whole.columns)
    assert_array_equal(blocks.distances, whole.distances)


def test_close_rows_far_from_the_origin():
    x = 1e8 + np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 3.0], [50.0, 60.0]])
    assert_array_equal(distance_block(raw_rows(x), 0, 4), oracle.squared_distances(x))


@settings(deadline=None, max_examples=40)
@given(hnp.arrays(np.float64, (6, 5), elements=st.integers(0, 4).map(float)))
def test_standard_rows_have_distances_of_z_scores(x):
    expected = oracle.squared_distances(oracle.z_scores(x))
    assert_allclose(distance_block(standard_rows(x), 0, 6), expected, atol=1e-10)
    sparse = standard_rows(sp.csr_array(x))
    assert sp.issparse(sparse.table)
    assert_allclose(distance_block(sparse, 0, 6), expected, atol=1e-10)


@pytest.mark.parametrize("width", [1, 2])
def test_a_narrow_table_is_not_standardized(width):
    x = np.random.default_rng(0).standard_normal((7, width))
    rows = standard_rows(x)
    assert_array_equal(rows.table, x)
    assert rows.offset is None


def test_a_constant_row_is_standardized_to_zero():
    x = np.array([[0.1, 0.1, 0.1], [1.0, 2.0, 4.0], [3.0, 1.0, 1.0]])
    assert_array_equal(standard_rows(x).table[0], 0)
    d = distance_block(standard_rows(sp.csr_array(x)), 0, 3)
    assert_allclose(d[0], [0, 2, 2], atol=1e-12)  # d - 1 = 2 for every z-scored row


def test_rows_come_out_in_double_precision():
    x = np.ones((3, 4), dtype=np.float32)
    assert raw_rows(x).table.dtype == np.float64
    assert raw_rows(sp.csr_array(x)).table.dtype == np.float64


def test_the_matrix_keeps_no_zeros():
    W = neighbor_matrix(np.array([[1, 2], [2, 0], [1, 0]]), np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 0.0]]))
    assert_array_equal(W.toarray(), [[0, 1, 0], [0.5, 0, 0.5], [0, 0, 0]])
    assert W.nnz == 3
