import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from manyview.kernels.spectral import diffusion_scale, right_basis, unit_rows

from oracles import spectral_oracle

SEEDS = st.integers(0, 2**32 - 1)


def matrix(s, n_rows, n_columns, seed):
    """A (n_rows, n_columns) with these singular values."""
    rng = np.random.default_rng(seed)
    U, W = (np.linalg.qr(rng.standard_normal((n, len(s))))[0] for n in (n_rows, n_columns))
    return (U * np.asarray(s)) @ W.T


@st.composite
def separated_spectra(draw):
    """Singular values with gaps, so that every singular vector is determined up to its sign."""
    ratios = draw(st.lists(st.floats(0.2, 0.8), min_size=1, max_size=5))
    return draw(st.floats(0.1, 10)) * np.cumprod([1.0, *ratios])


@settings(deadline=None, max_examples=60)
@given(separated_spectra(), SEEDS, st.integers(1, 8))
def test_the_gram_matrix_gives_the_singular_vectors_of_the_tall_matrix(s, seed, rank):
    A = matrix(s, 30, 8, seed)
    basis = right_basis(A.T @ A, rank)
    U, values, W = spectral_oracle.singular_triplets(A, min(rank, len(s)))
    assert_allclose(basis.s, values, rtol=1e-6)
    signs = np.sign(np.einsum("mr,mr->r", W, basis.W))  # two largest entries of equal size: either sign is right
    assert_allclose(basis.W, W * signs, atol=1e-6)
    assert_allclose(A @ basis.W / basis.s, U * signs, atol=1e-5)


def test_directions_that_the_rows_do_not_span_are_left_out():
    A = matrix([3.0, 2.0, 1.0], 20, 6, 0)
    basis = right_basis(A.T @ A, 6)
    assert basis.W.shape == (6, 3)
    assert_allclose(basis.s, [3, 2, 1], rtol=1e-10)
    assert_allclose((A @ basis.W) @ basis.W.T, A, atol=1e-10)


def test_no_more_vectors_than_asked_for_or_than_there_are():
    AtA = np.diag([1.0, 4.0, 9.0])
    assert_allclose(right_basis(AtA, 2).s, [3, 2])
    assert_allclose(right_basis(AtA, 99).s, [3, 2, 1])


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_any_unit_of_measurement_will_do(scale):
    A = matrix([3.0, 2.0, 1.0], 20, 6, 0)
    basis, scaled = right_basis(A.T @ A, 3), right_basis((A * scale).T @ (A * scale), 3)
    assert_allclose(scaled.s / scale, basis.s, rtol=1e-10)
    assert_allclose(scaled.W, basis.W, atol=1e-10)


def test_signs_do_not_depend_on_the_solver():
    A = matrix([5.0, 3.0, 1.0], 40, 7, 3)
    W = right_basis(A.T @ A, 3).W
    assert (W[np.abs(W).argmax(axis=0), range(3)] > 0).all()
    turned = right_basis((-A).T @ -A, 3).W  # another product for BLAS: the last bits may differ
    assert_allclose(turned, W, atol=1e-12)


def test_diffusion_scale_weighs_vectors_by_steps_of_the_walk():
    A = matrix([4.0, 2.0, 1.0], 25, 5, 1)
    W, s = right_basis(A.T @ A, 3)
    U = A @ W / s
    assert_allclose(A @ W * diffusion_scale(s, 0), U, atol=1e-10)
    assert_allclose(A @ W * diffusion_scale(s, 2.0), U * np.array([1, 1 / 4, 1 / 16]) ** 2, atol=1e-10)
    assert_allclose(A @ W * diffusion_scale(s, 0.5), U * np.array([1, 1 / 2, 1 / 4]), atol=1e-10)


def test_unit_rows_keep_their_direction_and_zero_rows_stay_zero():
    x = np.array([[3.0, 4.0], [0.0, 0.0], [-1e-100, 0.0], [1e100, 1e100]])
    half = np.sqrt(0.5)
    assert_allclose(unit_rows(x), [[0.6, 0.8], [0, 0], [-1, 0], [half, half]], rtol=1e-12)
    assert unit_rows(x[:2].astype(np.float32)).dtype == np.float32
