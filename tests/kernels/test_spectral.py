import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

from manyview.kernels.spectral import diffusion_scale, pivoted_labels, right_basis, unit_rows

from oracles import spectral_oracle

SEEDS = st.integers(0, 2**32 - 1)


def matrix(s, n_rows, n_columns, seed):
    """A (n_rows, n_columns) with these singular values."""
    rng = np.random.default_rng(seed)
    U, W = (np.linalg.qr(rng.standard_normal((n, len(s))))[0] for n in (n_rows, n_columns))
    return (U * np.asarray(s)) @ W.T


def orthogonal(K, seed):
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((K, K)))[0]


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


def test_a_reading_weighs_the_vectors_by_the_steps_of_a_random_walk():
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


def indicator(labels, noise, seed):
    """Orthonormal columns close to the indicators of the labels, turned by a random rotation."""
    F = np.eye(labels.max() + 1)[labels]
    F = F + noise * np.random.default_rng(seed).standard_normal(F.shape)
    return np.linalg.qr(F)[0] @ orthogonal(F.shape[1], seed)


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 5), SEEDS)
def test_pivoted_labels_find_planted_groups(K, seed):
    y = np.random.default_rng(seed).permutation(np.arange(12 * K) % K)
    labels, rotation = pivoted_labels(indicator(y, 0.02, seed))
    assert_allclose(rotation.T @ rotation, np.eye(K), atol=1e-10)
    assert adjusted_rand_score(y, labels) == 1
    assert set(labels) == set(range(K))


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 5), SEEDS)
def test_pivoted_labels_do_not_depend_on_the_rotation_of_the_vectors(K, seed):
    y = np.random.default_rng(seed).permutation(np.arange(12 * K) % K)
    U = indicator(y, 0.1, seed)
    turned = U @ orthogonal(K, seed + 1)
    labels, rotation = pivoted_labels(U)
    labels_of_turned, rotation_of_turned = pivoted_labels(turned)
    assert_array_equal(labels_of_turned, labels)
    assert_allclose(turned @ rotation_of_turned, U @ rotation, atol=1e-9)
