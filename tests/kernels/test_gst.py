import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from manyview.kernels.gst import gst, tau_for_threshold, threshold

from oracles import schatten_oracle

POWERS = st.sampled_from([0.01, 0.1, 0.25, 0.5, 0.7, 0.9, 0.99, 1.0])
STRENGTHS = st.floats(1e-4, 1e4)
SIZES = st.floats(0, 1e4, allow_subnormal=False)


def one(s, tau, p, steps=None):
    return float(gst(np.array([float(s)]), tau=tau, p=p, steps=steps)[0])


@settings(deadline=None, max_examples=100)
@given(SIZES, STRENGTHS, POWERS)
def test_no_point_of_a_dense_grid_is_better(s, tau, p):
    t = one(s, tau, p)
    assert 0 <= t <= s
    grid = np.concatenate([np.linspace(0, max(s, 1), 500), np.linspace(0.99 * t, 1.01 * t, 101)])
    best = min(schatten_oracle.objective(float(point), s, tau, p) for point in grid)
    ours = schatten_oracle.objective(t, s, tau, p)
    assert ours <= best + 1e-9 * (1 + s**2)


@settings(deadline=None, max_examples=100)
@given(SIZES, STRENGTHS, POWERS)
def test_equals_the_root_by_bisection(s, tau, p):
    assume(abs(s - threshold(tau, p)) > 1e-9 * (1 + s))
    assert_allclose(one(s, tau, p), schatten_oracle.gst(s, tau, p), rtol=1e-9, atol=1e-12)


@settings(deadline=None, max_examples=60)
@given(STRENGTHS, POWERS)
def test_larger_numbers_stay_larger(tau, p):
    limit = threshold(tau, p)
    s = np.sort(np.concatenate([np.linspace(0, 5 * limit, 300), limit * (1 + np.logspace(-9, -1, 30))]))
    assert (np.diff(gst(s, tau=tau, p=p)) >= -1e-12 * limit).all()
    shrinks = s - gst(s, tau=tau, p=p)
    assert (np.diff(shrinks[s > limit]) <= 1e-9 * limit).all()  # and are shrunk less


@settings(deadline=None, max_examples=60)
@given(STRENGTHS, POWERS)
def test_the_threshold_is_where_zero_stops_being_best(tau, p):
    limit = threshold(tau, p)
    below, above = one(limit * (1 - 1e-9), tau, p), one(limit * (1 + 1e-9), tau, p)
    assert below == 0
    jump = (2 * tau * (1 - p)) ** (1 / (2 - p)) if p < 1 else 0.0
    assert above >= jump
    if p < 1:
        at_zero, at_jump = (schatten_oracle.objective(t, limit, tau, p) for t in (0.0, jump))
        assert_allclose(at_jump, at_zero, rtol=1e-9)


@settings(deadline=None, max_examples=100)
@given(st.floats(1e-100, 1e100), POWERS)
def test_tau_for_threshold_inverts_threshold(s, p):
    assert_allclose(threshold(tau_for_threshold(s, p), p), s, rtol=1e-10)
    assert_allclose(tau_for_threshold(threshold(s, p), p), s, rtol=1e-10)


@pytest.mark.parametrize("p", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("steps", [None, 4])
def test_without_strength_nothing_is_shrunk(p, steps):
    s = np.array([0.0, 1e-8, 1.0, 1e8])
    assert threshold(0.0, p) == 0
    assert_array_equal(gst(s, tau=0.0, p=p, steps=steps), s)


@pytest.mark.parametrize("scale", [1e-100, 1e100])
@pytest.mark.parametrize("p", [0.1, 0.5, 0.9, 1.0])
def test_the_unit_of_measurement_moves_with_tau(p, scale):
    s = np.linspace(0, 5, 40)
    expected = gst(s, tau=0.7, p=p)
    assert_allclose(gst(s * scale, tau=0.7 * scale ** (2 - p), p=p) / scale, expected, rtol=1e-10)


@pytest.mark.parametrize("steps", [None, 4])
@pytest.mark.parametrize("tau", [1e-8, 10.0, 1e8, 1e30])
@pytest.mark.parametrize("p", [0.01, 0.5, 0.99])
def test_numbers_below_the_threshold_disturb_nothing(tau, p, steps):
    s = np.array([0.0, 1.0, 3.0]) * threshold(tau, p)  # a warning would be an error here
    shrunk = gst(s, tau=tau, p=p, steps=steps)
    assert_array_equal(shrunk[:2], 0)
    assert 0.5 * s[2] < shrunk[2] < s[2]


@settings(deadline=None, max_examples=60)
@given(SIZES, STRENGTHS, POWERS, st.integers(1, 6))
def test_few_steps_are_the_literal_recursion(s, tau, p, steps):
    assume(abs(s - threshold(tau, p)) > 1e-9 * (1 + s))
    few = one(s, tau, p, steps)
    assert_allclose(few, schatten_oracle.gst(s, tau, p, steps), rtol=1e-12)
    assert few >= one(s, tau, p) - 1e-12 * (1 + s)


def test_single_precision_stays_single():
    assert gst(np.array([0.1, 2.0], dtype=np.float32), tau=0.3, p=0.5).dtype == np.float32


@pytest.mark.shared
def test_reference_scalars(reference_kernel):
    case = reference_kernel("gst_scalar")
    for i, tau in enumerate(case["tau"]):
        for j, p in enumerate(case["p"]):
            four = gst(case["y"], tau=float(tau), p=float(p), steps=4)
            assert_allclose(four, case["x"][:, i, j], rtol=0, atol=1e-13)
