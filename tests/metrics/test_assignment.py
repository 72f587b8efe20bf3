import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.testing import assert_array_equal
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array

from manyview.metrics.assignment import _dominant_cells, best_matching


@st.composite
def tables(draw):
    """Tables of counts with many zeros and many ties, without empty rows or columns."""
    shape = draw(array_shapes(min_dims=2, max_dims=2, max_side=7))
    table = draw(arrays(np.int64, shape, elements=st.sampled_from([0, 0, 0, 1, 1, 2, 3, 10])))
    return table[table.any(axis=1)][:, table.any(axis=0)]


@settings(deadline=None, max_examples=300)
@given(tables().filter(lambda table: table.size > 0))
def test_matching_equals_dense_hungarian(table):
    rows, columns = best_matching(csr_array(table))
    dense = linear_sum_assignment(table, maximize=True)
    assert table[rows, columns].sum() == table[dense].sum()
    assert (table[rows, columns] > 0).all()
    assert len(set(rows.tolist())) == len(rows)
    assert len(set(columns.tolist())) == len(columns)


@pytest.mark.parametrize("shape", [(60, 60), (90, 40), (40, 90)])
def test_larger_tables_without_dominant_cells(shape):
    table = np.random.default_rng(1).integers(1, 1000, size=shape)
    rows, columns = best_matching(csr_array(table))
    assert table[rows, columns].sum() == table[linear_sum_assignment(table, maximize=True)].sum()
    assert len(rows) == min(shape)


def test_many_small_matches_against_few_large_ones():
    rng = np.random.default_rng(2)
    for _ in range(300):
        table = rng.integers(1, 5, size=(9, 7)) * (rng.random((9, 7)) < 0.25)
        table = table[table.any(axis=1)][:, table.any(axis=0)]
        rows, columns = best_matching(csr_array(table))
        assert table[rows, columns].sum() == table[linear_sum_assignment(table, maximize=True)].sum()


@pytest.mark.parametrize(
    "table",
    [np.eye(6, dtype=int), np.ones((1, 6), dtype=int), np.kron(np.eye(3, dtype=int), [[1], [1]]), 9 * np.eye(4) + 1],
    ids=["singletons", "one class", "pairs", "clear clusters"],
)
def test_clear_tables_need_no_hungarian_step(table):
    assert len(_dominant_cells(csr_array(table))) == min(table.shape)


def test_the_greedy_choice_is_not_taken_where_it_costs():
    rows, columns = best_matching(csr_array(np.array([[10, 9], [9, 0]])))
    assert_array_equal(columns[np.argsort(rows)], [1, 0])


def test_counts_that_differ_in_the_last_unit_only():
    n = 10**12
    table = np.array([[n, n + 1], [n, n + 2]])
    rows, columns = best_matching(csr_array(table))
    assert table[rows, columns].sum() == 2 * n + 2
