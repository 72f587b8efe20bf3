import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from manyview.kernels import qp
from manyview.kernels.qp import simplex_qp, small_simplex_qp

from oracles.qp_oracle import best_on_simplex, violations

# what the reference solvers are away from the exact solution, as they were measured
REFERENCE_ERRORS = [8.3e-5, 2.1e-4, 1.2e-2, 1.5e-7, 1.8e-5]


@st.composite
def least_squares(draw, max_anchors=5):
    """Anchors, rows and a ridge: H is common, well or badly conditioned, of full rank or not without the ridge."""
    m, d = draw(st.integers(1, max_anchors)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    A = rng.normal(size=(m, d)) * draw(st.sampled_from([0.1, 1.0, 10.0]))
    X = rng.normal(size=(draw(st.integers(1, 6)), d)) * draw(st.sampled_from([0.0, 1.0, 30.0]))
    return A @ A.T + draw(st.sampled_from([1e-2, 1.0, 100.0])) * np.eye(m), X @ A.T


@settings(deadline=None, max_examples=150)
@given(least_squares())
def test_every_row_is_the_minimum_over_all_supports(problem):
    H, B = problem
    Z = simplex_qp(H, B)
    for z, b in zip(Z, B, strict=True):
        best, value = best_on_simplex(H, b)
        assert_allclose(z, best, atol=1e-7)
        assert 0.5 * z @ H @ z - b @ z <= value + 1e-10 * (1 + abs(value))


@settings(deadline=None, max_examples=60)
@given(least_squares(max_anchors=20), st.sampled_from([0, 3]))
def test_both_rules_satisfy_the_optimality_conditions(problem, patience):
    H, B = problem
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(qp, "PATIENCE", patience)  # 0: no row stays in exchange, all go to the active set
        Z = simplex_qp(H, B)
    for z, b in zip(Z, B, strict=True):
        outside, slack = violations(H, b, z)
        assert outside <= 1e-9
        assert slack <= 1e-11


def test_rows_that_cycle_in_exchange_are_solved(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5)) * [1, 10, 100, 1, 1]
    A = X[:40]
    H, B = A @ A.T + 1e-2 * np.eye(40), X @ A.T
    cycling = []
    active_set = qp._active_set
    monkeypatch.setattr(qp, "_active_set", lambda H, B: cycling.append(len(B)) or active_set(H, B))
    Z = simplex_qp(H, B)
    assert sum(cycling) > 20
    assert_allclose(Z.sum(axis=1), 1, atol=1e-9)
    assert Z.min() >= 0
    assert max(violations(H, b, z)[1] for b, z in zip(B, Z, strict=True)) < 1e-12


def test_small_batches_change_nothing(monkeypatch):
    rng = np.random.default_rng(1)
    A, X = rng.normal(size=(12, 30)), rng.normal(size=(50, 30))
    H, B = A @ A.T + np.eye(12), X @ A.T
    whole = simplex_qp(H, B)
    monkeypatch.setattr(qp, "NUMBERS_AT_ONCE", 100)
    assert_allclose(simplex_qp(H, B), whole, atol=1e-12)


def test_one_anchor_and_no_rows():
    assert_array_equal(simplex_qp(np.array([[2.0]]), np.array([[5.0], [-5.0]])), [[1], [1]])
    assert simplex_qp(np.eye(3), np.empty((0, 3))).shape == (0, 3)


@settings(deadline=None, max_examples=100)
@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_view_weights_reach_a_minimum(V, rank, seed):
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(V, rank))
    A, b = factors @ factors.T, rng.normal(size=V)
    x = small_simplex_qp(A, b)
    assert x.min() >= 0
    assert_allclose(x.sum(), 1, atol=1e-12)
    _, value = best_on_simplex(2 * A, b)
    assert x @ A @ x - b @ x <= value + 1e-9 * (1 + abs(value))


def test_equal_views_get_equal_weights():
    A = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1.0]])
    assert_allclose(small_simplex_qp(A, np.ones(3)), [0.25, 0.25, 0.5], atol=1e-9)
    assert_allclose(small_simplex_qp(np.zeros((3, 3)), np.array([1, 2, 2.0])), [0, 0.5, 0.5], atol=1e-12)


@pytest.mark.shared
def test_minimum_is_below_that_of_reference_solvers(reference_kernel):
    case = reference_kernel("simplex_qp")
    for A, b, x, alm, error in zip(
        case["A"], case["b"], case["x"], case["x_fmcnof_alm"], REFERENCE_ERRORS, strict=True
    ):
        ours = small_simplex_qp(A, b)
        exact, _ = best_on_simplex(2 * A, b)
        assert_allclose(ours, exact, atol=1e-10)
        assert_allclose(ours, x, atol=error)
        assert_allclose(ours, alm, atol=1.3e-5)
