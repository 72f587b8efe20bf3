"""A pass over tiles, compiled and in NumPy, against the ADMM step written from its equations."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from manyview.kernels import sweep as module
from manyview.kernels.sweep import TILE, gram, projected, sweep, tiled, untiled

pytestmark = pytest.mark.usefixtures("way")


both_ways = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def problem(n, r, K, seed, dtype=np.float32):
    rng = np.random.default_rng(seed)
    S, H, Y = rng.standard_normal((n, r)), rng.random((n, K)), rng.random((n, K))
    H[rng.random((n, K)) < 0.6] = 0
    Y[H > 0] = 0
    A, R = rng.standard_normal((r, K)), rng.standard_normal((K, K))
    return S.astype(dtype), H.astype(dtype), Y.astype(dtype), A, R


def step(S, H, Y, A, R, mu, ahead):
    """One step in double precision, H and Y apart, row by row of the equations."""
    S, H, Y = (part.astype(np.float64) for part in (S, H, Y))
    Q = S @ A + (mu * H + Y) @ R
    H = np.maximum(Q - Y / mu, 0)
    Y = Y + mu * (H - Q)
    P = ahead * H + Y
    return H, Y, S.T @ P, P.T @ P, np.abs(H - Q).max()


@both_ways
@given(st.integers(1, 400), st.integers(1, 30), st.integers(1, 14), st.integers(0, 2**32 - 1))
def test_a_pass_is_the_step_of_the_equations(n, r, K, seed):
    mu, ahead = 1.3, 1.5
    S, H, Y, A, R = problem(n, r, K, seed)
    expected_H, expected_Y, StP, PtP, residual = step(S, H, Y, A, R, mu, ahead)
    swept = sweep(tiled(S), tiled(mu * H - Y), A, R, mu=mu, ahead=ahead)
    Z = untiled(swept.Z, n)
    scale = np.abs(expected_H).max() + np.abs(expected_Y).max()
    assert_allclose(np.maximum(Z, 0) / ahead, expected_H, atol=2e-5 * scale)
    assert_allclose(np.maximum(-Z, 0), expected_Y, atol=2e-5 * scale)
    assert_allclose(swept.StP, StP, atol=1e-5 * np.abs(S).sum() * scale)
    assert_allclose(swept.PtP, PtP, rtol=1e-4, atol=1e-4 * np.trace(PtP))
    assert_allclose(swept.residual, residual, rtol=1e-4, atol=2e-5 * scale)


@pytest.mark.parametrize("K", [1, 5, 6, 48, 100, 101])
def test_any_number_of_clusters(K):
    S, H, Y, A, R = problem(300, 2 * K + 1, K, 1)
    swept = sweep(tiled(S), tiled(H - Y), A, R, mu=1.0, ahead=1.2)
    _, _, StP, PtP, residual = step(S, H, Y, A, R, 1.0, 1.2)
    assert_allclose(swept.StP, StP, rtol=1e-3, atol=1e-4 * np.abs(StP).max())
    assert_allclose(swept.PtP, PtP, rtol=1e-3, atol=1e-4 * np.abs(PtP).max())
    assert_array_equal(swept.PtP, swept.PtP.T)
    assert_allclose(swept.residual, residual, rtol=1e-4)


def test_double_precision_stays_so():
    S, H, Y, A, R = problem(200, 7, 3, 2, np.float64)
    swept = sweep(tiled(S), tiled(H - Y), A, R, mu=1.0, ahead=1.1)
    H, Y, StP, PtP, residual = step(S, H, Y, A, R, 1.0, 1.1)
    assert swept.Z.dtype == np.float64
    assert_allclose(untiled(swept.Z, 200), 1.1 * H - Y, atol=1e-12)
    assert_allclose(swept.StP, StP, atol=1e-10)
    assert_allclose(swept.PtP, PtP, atol=1e-10)
    assert_allclose(swept.residual, residual, atol=1e-12)


def test_what_comes_in_is_left_as_it_is_and_need_not_be_aligned():
    S, H, Y, A, R = problem(300, 9, 4, 3)
    tiles, Z = tiled(S), tiled(H - Y)
    crooked = np.empty(Z.size + 1, Z.dtype)[1:].reshape(Z.shape)
    crooked[...] = Z
    first, second = (sweep(tiles, z, A, R, mu=1.0, ahead=1.2) for z in (Z, crooked))
    assert_array_equal(Z, tiled(H - Y))
    assert_array_equal(tiles, tiled(S))
    for a, b in zip(first, second, strict=True):
        assert_array_equal(a, b)


def test_the_new_state_may_take_the_place_of_the_old_with_the_same_bits():
    S, H, Y, A, R = problem(700, 13, 7, 5)
    tiles, Z = tiled(S), tiled(H - Y)
    expected = sweep(tiles, Z, A, R, mu=1.0, ahead=1.2)
    fixed = Z.copy()
    fixed.flags.writeable = False
    for state in (fixed, Z):
        for a, b in zip(sweep(tiles, state, A, R, mu=1.0, ahead=1.2, in_place=True), expected, strict=True):
            assert_array_equal(a, b)


@both_ways
@given(st.integers(1, 3 * TILE), st.integers(1, 5))
def test_tiles_hold_the_rows_and_zeros(n, width):
    rows = np.arange(1.0, n * width + 1).reshape(n, width)
    tiles = tiled(rows)
    assert tiles.shape == (-(-n // TILE), width, TILE)
    assert tiles.flags.c_contiguous
    assert tiles.ctypes.data % module.LINE == 0
    assert_array_equal(untiled(tiles, n), rows)
    assert (tiles != 0).sum() == rows.size
    assert_allclose(gram(tiles, tiles), rows.T @ rows)


def test_what_is_projected_is_the_product():
    S, H, Y, A, R = problem(150, 5, 3, 4, np.float64)
    Q = projected(tiled(S), tiled(H - Y), A, R)
    assert_allclose(untiled(Q, 150), S @ A + (H + Y) @ R, atol=1e-12)
