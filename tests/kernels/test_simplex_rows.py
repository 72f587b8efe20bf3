import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal

from manyview.kernels import simplex_rows as module
from manyview.kernels.simplex_rows import cache_blocks, embedded_distances, project_blocks, project_rows, with_data

from oracles.simplex_oracle import project_by_bisection

MATRICES = hnp.arrays(
    np.float64, st.tuples(st.integers(1, 6), st.integers(1, 7)), elements=st.floats(-5, 5, allow_subnormal=False)
)


def stored(dense, mask):
    """CSR with the masked entries stored, zeros included."""
    rows, columns = np.nonzero(mask)
    indptr = np.concatenate([[0], np.cumsum(mask.sum(axis=1))])
    return sp.csr_array((dense[rows, columns], columns, indptr), shape=dense.shape)


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
    A = project_blocks(lambda start, stop: Z[start:stop].copy(), n)
    assert_allclose(A, [project_by_bisection(z) for z in Z], atol=1e-12)
    assert (A >= 0).all()


def test_blocks_are_put_together_in_order(monkeypatch):
    Z = np.random.default_rng(0).standard_normal((11, 11))
    monkeypatch.setattr(module, "ENTRIES_AT_ONCE", 22)
    assert cache_blocks(11) == [(0, 2), (2, 4), (4, 6), (6, 8), (8, 10), (10, 11)]
    A = project_blocks(lambda start, stop: Z[start:stop].copy(), 11)
    assert_allclose(A, [project_by_bisection(z) for z in Z], atol=1e-12)


@pytest.mark.parametrize("offset", [-1e20, -1e8, 1e8])
def test_no_row_loses_its_weight_to_rounding(offset):
    Z = np.full((3, 3), offset)
    assert_allclose(project_rows(sp.csr_array(Z)).toarray(), 1 / 3)
    assert_allclose(project_blocks(lambda start, stop: Z[start:stop].copy(), 3), 1 / 3)


def test_an_empty_matrix_stays_empty():
    assert project_rows(sp.csr_array((4, 4))).nnz == 0


def test_embedded_distances_follow_the_stored_pairs():
    F = np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    pattern = sp.csr_array(np.array([[0, 1.0, 1], [1, 0, 0], [0, 1, 0]]))
    assert_array_equal(embedded_distances(F, pattern), [25, 1, 25, 18])
    assert_array_equal(with_data(pattern, np.array([1.0, 2, 3, 4])).toarray(), [[0, 1, 2], [3, 0, 0], [0, 4, 0]])
