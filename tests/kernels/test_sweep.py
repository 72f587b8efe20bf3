"""A pass over tiles, compiled and in NumPy, against the ADMM step written from its equations."""

import weakref

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from manyview.kernels.sweep import TILE, gram, joined, projected, sweep, tiled, untiled
from numpy.testing import assert_allclose, assert_array_equal

from manyview.engine.rows import fold
from manyview.kernels import sweep as module

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
    swept = sweep(tiled(S), tiled(H - Y / mu), A, mu * R, shrink=mu / ahead)
    U = untiled(swept.U, n)
    scale = np.abs(expected_H).max() + np.abs(expected_Y).max()
    assert_allclose(np.maximum(U, 0), expected_H, atol=2e-5 * scale)
    assert_allclose(ahead * np.maximum(-U, 0), expected_Y, atol=2e-5 * scale)
    assert_allclose(ahead * swept.sums[:r], StP, atol=1e-5 * np.abs(S).sum() * scale)
    assert_allclose(ahead**2 * swept.sums[r:], PtP, rtol=1e-4, atol=1e-4 * np.trace(PtP))
    assert_allclose(swept.residual, residual, rtol=1e-4, atol=2e-5 * scale)


@pytest.mark.parametrize("K", [1, 5, 6, 48, 100, 101])
def test_any_number_of_clusters(K):
    S, H, Y, A, R = problem(300, 2 * K + 1, K, 1)
    swept = sweep(tiled(S), tiled(H - Y), A, R, shrink=1.0)
    _, _, StP, PtP, residual = step(S, H, Y, A, R, 1.0, 1.0)
    sums = np.concatenate([StP, PtP])
    assert_allclose(swept.sums, sums, rtol=1e-3, atol=1e-4 * np.abs(sums).max())
    assert_array_equal(swept.sums[-K:], swept.sums[-K:].T)
    assert_allclose(swept.residual, residual, rtol=1e-4)


def test_double_precision_stays_so():
    S, H, Y, A, R = problem(200, 7, 3, 2, np.float64)
    swept = sweep(tiled(S), tiled(H - Y), A, R, shrink=1 / 1.1)
    H, Y, StP, PtP, residual = step(S, H, Y, A, R, 1.0, 1.1)
    assert swept.U.dtype == np.float64
    assert_allclose(untiled(swept.U, 200), H - Y / 1.1, atol=1e-12)
    assert_allclose(1.1 * swept.sums[:7], StP, atol=1e-10)
    assert_allclose(1.21 * swept.sums[7:], PtP, atol=1e-10)
    assert_allclose(swept.residual, residual, atol=1e-12)


def same(first, second):
    for a, b in zip(first, second, strict=True):
        assert_array_equal(a, b)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("n_parts", range(1, 12))
def test_joined_parts_give_the_bits_of_the_fold_over_them(n_parts, threads):
    _, _, _, A, R = problem(1, 9, 4, 6)
    blocks = [problem(n, 9, 4, n)[:3] for n in (1, 128, 300, 129, 40, 700, 5, 256, 90, 91, 92)[:n_parts]]
    states = [(tiled(S), tiled(H - Y)) for S, H, Y in blocks]
    alone = [sweep(*state, A, R, shrink=0.9) for state in states]
    together = [joined(list(part)) for part in zip(*states, strict=True)]
    swept = sweep(*together, A, R, shrink=0.9, parts=[len(S) for S, _, _ in blocks], threads=threads)
    assert_array_equal(swept.U, np.concatenate([part.U for part in alone]))
    assert_array_equal(swept.sums, fold((part.sums for part in alone), np.add))
    assert swept.residual == max(part.residual for part in alone)


def test_stretches_are_given_up_while_they_are_joined():
    stretches = [tiled(np.full((n, 3), float(n))) for n in (70, 1, 200)]
    expected = np.concatenate(stretches)
    known = [weakref.ref(stretch) for stretch in stretches]
    assert_array_equal(joined(stretches), expected)
    assert not stretches
    assert [ref() for ref in known] == [None] * 3


def test_what_comes_in_is_left_as_it_is_and_need_not_be_aligned():
    S, H, Y, A, R = problem(300, 9, 4, 3)
    tiles, U = tiled(S), tiled(H - Y)
    crooked = np.empty(U.size + 1, U.dtype)[1:].reshape(U.shape)
    crooked[...] = U
    same(*(sweep(tiles, u, A, R, shrink=0.9) for u in (U, crooked)))
    assert_array_equal(U, tiled(H - Y))
    assert_array_equal(tiles, tiled(S))


@pytest.mark.parametrize("K", [2, 7, 10, 11, 20])
def test_the_new_state_may_take_the_place_of_the_old_with_the_same_bits(K):
    S, H, Y, A, R = problem(700, 13, K, 5)
    tiles, U = tiled(S), tiled(H - Y)
    expected = sweep(tiles, U, A, R, shrink=0.9)
    fixed = U.copy()
    fixed.flags.writeable = False
    same(sweep(tiles, fixed, A, R, shrink=0.9, in_place=True), expected)
    assert_array_equal(fixed, tiled(H - Y))
    in_place = sweep(tiles, U, A, R, shrink=0.9, in_place=True)
    same(in_place, expected)
    assert in_place.U is U


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
