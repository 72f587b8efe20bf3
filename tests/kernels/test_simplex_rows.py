import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal

from manyview.kernels import dense_graph
from manyview.kernels.sample_graph import in_order
from manyview.kernels.simplex import embedded_distances, project_blocks, project_rows, project_simplex, with_data

from oracles.simplex_oracle import project_by_bisection

MATRICES = hnp.arrays(
    np.float64, st.tuples(st.integers(1, 6), st.integers(1, 7)), elements=st.floats(-5, 5, allow_subnormal=False)
)


def stored(dense, mask):
    """CSR with the masked entries stored, zeros included."""
    rows, columns = np.nonzero(mask)
    indptr = np.concatenate([[0], np.cumsum(mask.sum(axis=1))])
    return sp.csr_array((dense[rows, columns], columns, indptr), shape=dense.shape)


def rows_of(Z):
    """How blocks of rows are asked for."""
    return lambda start, stop, out: np.copyto(out, Z[start:stop])


@settings(deadline=None, max_examples=80)
@given(MATRICES, st.integers(0, 2**32 - 1))
def test_every_row_is_projected_on_its_support(Z, seed):
    mask = np.random.default_rng(seed).random(Z.shape) < 0.6
    projected = project_rows(stored(Z, mask)).toarray()
    for row, z, support in zip(projected, Z, mask, strict=True):
        assert_array_equal(row[~support], 0)
        if support.any():
            assert_allclose(row[support], project_by_bisection(z[support]), atol=1e-12)


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 7).flatmap(lambda n: hnp.arrays(np.float64, (n, n), elements=st.floats(-5, 5))))
def test_whole_rows_are_projected_as_they_are_made(Z):
    n = len(Z)
    A = project_blocks(rows_of(Z), np.empty((n, n)))
    assert_allclose(A, [project_by_bisection(z) for z in Z], atol=1e-12)
    assert (A >= 0).all()


@settings(deadline=None, max_examples=40)
@given(
    st.integers(60, 90),
    st.sampled_from([1e-3, 0.1, 3, 1e3]),
    st.sampled_from([None, 0, 1]),
    st.integers(0, 2**32 - 1),
)
def test_long_rows_have_their_projection_and_exact_zeros(n, spread, digits, seed):
    """Wide and narrow rows, with many equal entries where they are rounded."""
    Z = spread * np.random.default_rng(seed).standard_normal((n, n))
    Z = Z if digits is None else np.round(Z, digits)
    A = project_blocks(rows_of(Z), np.empty((n, n)))
    exact = project_simplex(Z)  # by sorting
    assert_allclose(A, exact, atol=1e-15 * max(1, np.abs(Z).max()))  # entries are differences of numbers of that size
    assert_allclose(A.sum(axis=1), 1, rtol=1e-13)
    assert_array_equal(A[exact > 1e-12] > 0, True)
    assert_array_equal(A[threshold_of(Z, exact) - 1e-12 > Z], 0)


def threshold_of(Z, W):
    """The level that is taken from the largest entry of every row."""
    largest = Z.argmax(axis=1)[:, None]
    return np.take_along_axis(Z, largest, axis=1) - np.take_along_axis(W, largest, axis=1)


@pytest.mark.parametrize("n", [1023, 1024, 1025, 2100])
def test_rows_longer_than_a_run_of_counters(n):
    """Byte counters would run over where nearly all entries stay active."""
    Z = 1e-9 * np.random.default_rng(0).standard_normal((n, n))
    A = project_blocks(rows_of(Z), np.empty((n, n)))
    assert_allclose(A, project_simplex(Z), atol=1e-16)
    assert np.count_nonzero(A) == n * n


@pytest.mark.parametrize("run", [in_order, lambda function, items: [function(item) for item in items[::-1]][::-1]])
def test_blocks_are_put_together_whatever_their_order(run, monkeypatch):
    Z = np.random.default_rng(0).standard_normal((11, 11))
    monkeypatch.setattr(dense_graph, "ENTRIES_AT_ONCE", 22)
    monkeypatch.setattr(dense_graph, "STRETCH", 5)
    assert_allclose(
        project_blocks(rows_of(Z), np.empty((11, 11)), run=run), [project_by_bisection(z) for z in Z], atol=1e-12
    )


@pytest.mark.parametrize("level", [-1, -0.3, -1e-3])
@pytest.mark.parametrize("seed", range(5))
def test_entries_on_the_threshold_come_to_rest(level, seed):
    """Rounding makes them active in one pass and not in the next, in different rows at different times."""
    rng = np.random.default_rng(seed)
    n = 200
    W = np.where(rng.random((n, n)) < 0.3, rng.random((n, n)), 0)
    W /= W.sum(axis=1, keepdims=True)
    A = project_blocks(rows_of(W + level), np.empty((n, n)))
    assert_allclose(A, W, atol=1e-15)


def test_one_large_entry_leaves_no_rounding_in_the_sum():
    Z = np.random.default_rng(0).random((300, 300)) - 40
    Z[:, 7], Z[:, 9] = 0, -1 / 3
    A = project_blocks(rows_of(Z), np.empty((300, 300)))
    assert_allclose(A[:, [7, 9]], [[2 / 3, 1 / 3]] * 300, rtol=1e-15)
    assert np.count_nonzero(A) == 600


@pytest.mark.parametrize("offset", [-1e20, -1e8, 1e8])
def test_no_row_loses_its_weight_to_rounding(offset):
    Z = np.full((3, 3), offset)
    assert_allclose(project_rows(sp.csr_array(Z)).toarray(), 1 / 3)
    assert_allclose(project_blocks(rows_of(Z), np.empty((3, 3))), 1 / 3)


def test_an_empty_matrix_stays_empty():
    assert project_rows(sp.csr_array((4, 4))).nnz == 0


def test_embedded_distances_follow_the_stored_pairs():
    F = np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    pattern = sp.csr_array(np.array([[0, 1.0, 1], [1, 0, 0], [0, 1, 0]]))
    assert_array_equal(embedded_distances(F, pattern), [25, 1, 25, 18])
    assert_array_equal(with_data(pattern, np.array([1.0, 2, 3, 4])).toarray(), [[0, 1, 2], [3, 0, 0], [0, 4, 0]])
