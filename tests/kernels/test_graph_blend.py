import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from manyview.kernels.graph_blend import blended, column_weights, squared_distance, squared_norm, without_loops


def graphs(n=30, seed=0):
    rng = np.random.default_rng(seed)
    return [np.where(rng.random((n, n)) < 0.5, rng.random((n, n)), 0) for _ in range(4)]


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_no_weights_that_sum_to_one_fit_a_column_better(kind):
    A, *S = graphs()
    alpha = column_weights(kind(A), [kind(s) for s in S])
    assert_allclose(alpha.sum(axis=0), 1)
    best = squared_distance(kind(A), blended([kind(s) for s in S], alpha))
    for seed in range(20):
        step = np.random.default_rng(seed).standard_normal(alpha.shape)
        other = alpha + 0.01 * (step - step.mean(axis=0))
        assert squared_distance(A, blended(S, other)) > best


def test_an_array_and_a_list_of_edges_give_the_same():
    A, *S = graphs()
    sparse = [sp.csr_array(s) for s in S]
    alpha = column_weights(A, S)
    assert_allclose(column_weights(sp.csr_array(A), sparse), alpha, atol=1e-12)
    assert_allclose(blended(sparse, alpha).toarray(), sum(s * a for s, a in zip(S, alpha, strict=True)))
    assert_allclose(blended(S, alpha), blended(sparse, alpha).toarray())
    assert squared_distance(A, S[0]) == pytest.approx(((A - S[0]) ** 2).sum())
    assert squared_norm(sparse[0]) == pytest.approx(squared_norm(S[0])) == pytest.approx((S[0] ** 2).sum())


def test_a_column_that_all_graphs_share_has_equal_weights():
    A = graphs()[0]
    assert_allclose(column_weights(A, [A, A, A]), 1 / 3)


def test_loops_are_left_out_and_the_graph_is_left_alone():
    A = graphs()[0]
    np.fill_diagonal(A, 2.0)
    expected = A - 2 * np.eye(30)
    assert_array_equal(without_loops(A), expected)
    assert_array_equal(without_loops(sp.csr_array(A)).toarray(), expected)
    assert without_loops(sp.csr_array(A)).nnz == np.count_nonzero(expected)
    assert A[0, 0] == 2
