import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import k_means

from manyview.kernels.kmeans import best_of_starts, row_squares


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.booleans())
def test_one_run_is_that_of_scikit_learn(seed, m, sparse):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(40, 3)) + 3 * rng.integers(0, 3, size=(40, 1))
    start = rng.choice(40, m, replace=False)
    run = best_of_starts(sp.csr_array(x) if sparse else x, start[None], max_iter=100)
    centers, labels, inertia = k_means(x, m, init=x[start], n_init=1, max_iter=100, tol=0)
    assert_array_equal(run.labels, labels)
    assert_allclose(run.centers, centers, atol=1e-10)
    assert_allclose(run.inertia, inertia, rtol=1e-10)
    assert_allclose(run.spread, np.linalg.norm(x - centers[labels], axis=1).sum())


def test_the_best_start_is_kept_by_either_criterion():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2)) + 4 * rng.integers(0, 5, size=(60, 1))
    starts = np.array([rng.choice(60, 5, replace=False) for _ in range(12)])
    alone = [best_of_starts(x, start[None], max_iter=100) for start in starts]
    assert len({round(run.inertia, 6) for run in alone}) > 1
    assert best_of_starts(x, starts, max_iter=100).inertia == min(run.inertia for run in alone)
    assert best_of_starts(x, starts, max_iter=100, by="spread").spread == min(run.spread for run in alone)


def test_an_empty_group_takes_the_farthest_row():
    x = np.array([[0.0], [0.0], [0.0], [1.0], [10.0]])
    run = best_of_starts(x, np.array([[0, 1, 2]]), max_iter=100)  # three times the same center
    assert_array_equal(np.bincount(run.labels), [3, 1, 1])
    assert run.inertia == 0


def test_fewer_distinct_rows_than_groups():
    run = best_of_starts(np.ones((5, 2)), np.array([[0, 1, 2]]), max_iter=100)
    assert_array_equal(run.labels, 0)
    assert_array_equal(run.centers, np.ones((3, 2)))


def test_as_many_groups_as_rows():
    x = np.arange(8.0).reshape(4, 2)
    run = best_of_starts(x, np.array([[2, 0, 3, 1]]), max_iter=100)
    assert_array_equal(run.labels, [1, 3, 0, 2])


@pytest.mark.parametrize("m", [2, 4])
def test_rows_known_up_to_a_constant(m):
    rng = np.random.default_rng(0)
    x = sp.random_array((50, 30), density=0.2, random_state=rng, format="csr")
    centered = x.toarray() - x.toarray().mean(axis=1, keepdims=True)
    start = rng.choice(50, m, replace=False)[None]
    plain = best_of_starts(centered, start, max_iter=100)
    placed = best_of_starts(
        x, start, max_iter=100, place=lambda c: c - c.mean(axis=1, keepdims=True), squares=row_squares(centered)
    )
    assert_array_equal(placed.labels, plain.labels)
    assert_allclose(placed.centers, plain.centers, atol=1e-12)
    assert_allclose(placed.inertia, plain.inertia)
