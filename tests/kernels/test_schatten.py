import re

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from manyview.kernels.gst import threshold
from manyview.kernels.schatten import (
    gram_is_enough,
    prox_over_samples,
    shrinkage_from_gram,
    shrinkage_from_triangle,
)
from manyview.kernels.tproduct import to_frequencies, to_views, view_transform

from oracles import schatten_oracle

POWERS = st.sampled_from([0.1, 0.5, 0.9, 1.0])
STEPS = st.sampled_from([None, 4])
SEEDS = st.integers(0, 2**32 - 1)


def with_singular_values(s, n_rows, seed, kind="real"):
    rng = np.random.default_rng(seed)

    def orthonormal(n, k):
        A = rng.standard_normal((n, k))
        return np.linalg.qr(A + 1j * rng.standard_normal((n, k)) if kind == "complex" else A)[0]

    return (orthonormal(n_rows, len(s)) * np.asarray(s)) @ orthonormal(len(s), len(s)).conj().T


def gram(Z):
    return np.conj(np.swapaxes(Z, -1, -2)) @ Z


def objective(J, Z, tau, p):
    s = np.linalg.svd(J, compute_uv=False)
    return (np.abs(J - Z) ** 2).sum() / 2 + tau * (s[s > 1e-12] ** p).sum()


@st.composite
def problems(draw):
    """A tall matrix, tau and p, no singular value at the threshold, where two answers are equally good."""
    r = draw(st.integers(1, 5))
    s = np.array(draw(st.lists(st.floats(0.05, 10), min_size=r, max_size=r)))
    tau, p = draw(st.floats(1e-3, 10)), draw(POWERS)
    assume((np.abs(s - threshold(tau, p)) > 1e-4 * s).all())
    return (
        with_singular_values(s, draw(st.integers(r, 15)), draw(SEEDS), draw(st.sampled_from(["real", "complex"]))),
        tau,
        p,
    )


@settings(deadline=None, max_examples=80)
@given(problems(), STEPS)
def test_both_routes_equal_the_direct_decomposition(problem, steps):
    Z, tau, p = problem
    expected, s = schatten_oracle.prox_matrix(Z, tau, p, steps)
    for shrinkage in (
        shrinkage_from_gram(gram(Z), tau=tau, p=p, steps=steps),
        shrinkage_from_triangle(np.linalg.qr(Z, mode="r"), tau=tau, p=p, steps=steps),
    ):
        assert_allclose(Z @ shrinkage.matrix, expected, atol=1e-8)
        assert_allclose(shrinkage.norms, (s[s > 0] ** p).sum(), rtol=1e-7, atol=1e-12)


@settings(deadline=None, max_examples=60)
@given(problems(), SEEDS)
def test_nothing_nearby_and_no_truncation_is_better(problem, seed):
    Z, tau, p = problem
    J = Z @ shrinkage_from_gram(gram(Z), tau=tau, p=p).matrix
    best = objective(J, Z, tau, p)
    rng = np.random.default_rng(seed)
    U, s, Wh = np.linalg.svd(Z, full_matrices=False)
    others = [(U[:, :rank] * s[:rank]) @ Wh[:rank] for rank in range(len(s) + 1)]
    others += [J + size * rng.standard_normal(J.shape) for size in (1e-4, 1e-2, 1)]
    others += [J * factor for factor in (0.9, 0.999, 1.001, 1.1)]
    assert all(objective(other, Z, tau, p) >= best - 1e-9 * (1 + best) for other in others)


@pytest.mark.parametrize("p", [0.1, 0.5, 1.0])
def test_triangle_keeps_small_singular_values(p):
    s = np.array([1.0, 1e-3, 4e-9])
    Z = with_singular_values(s, 50, 0)
    tau = {0.1: 1e-17, 0.5: 1e-13, 1.0: 1e-9}[p]  # a threshold below the smallest
    assert threshold(tau, p) < s[-1]
    assert not gram_is_enough(gram(Z), tau=tau, p=p)
    U, _, Wh = np.linalg.svd(Z, full_matrices=False)
    expected = np.array([schatten_oracle.gst(float(value), tau, p) for value in s])

    def kept(shrinkage):
        return np.einsum("nr,nm,rm->r", U, Z @ shrinkage.matrix, Wh)[-1]

    triangle = kept(shrinkage_from_triangle(np.linalg.qr(Z, mode="r"), tau=tau, p=p))
    assert_allclose(triangle, expected[-1], rtol=1e-5)
    blurred = kept(shrinkage_from_gram(gram(Z), tau=tau, p=p))
    assert abs(blurred - expected[-1]) > 1e-3 * expected[-1]


@settings(deadline=None, max_examples=80)
@given(st.lists(st.floats(-9, 0), min_size=1, max_size=5), st.floats(-12, 0), POWERS, SEEDS)
def test_where_the_gram_matrix_is_said_to_be_enough_it_is(exponents, strength, p, seed):
    s = 10.0 ** np.array(exponents)
    Z, tau = with_singular_values(s, 20, seed), 10.0**strength
    assume(gram_is_enough(gram(Z), tau=tau, p=p))
    assume((np.abs(s - threshold(tau, p)) > 1e-3 * s).all())
    J = Z @ shrinkage_from_gram(gram(Z), tau=tau, p=p).matrix
    assert_allclose(J, schatten_oracle.prox_matrix(Z, tau, p)[0], atol=1e-8 * s.max())


@pytest.mark.parametrize("tau", [1e-3, 1e3])
def test_batch_with_zero_matrices(tau):
    Z = np.random.default_rng(0).standard_normal((3, 12, 4))
    Z[1] = 0
    batch = shrinkage_from_gram(gram(Z), tau=tau, p=0.5)
    triangles = shrinkage_from_triangle(np.linalg.qr(Z, mode="r"), tau=tau, p=0.5)
    for f in range(3):
        single = shrinkage_from_gram(gram(Z[f]), tau=tau, p=0.5)
        assert_allclose(batch.matrix[f], single.matrix, atol=1e-10)
        assert_allclose(batch.norms[f], single.norms, atol=1e-10)
        assert_allclose(Z[f] @ triangles.matrix[f], Z[f] @ single.matrix, atol=1e-10)
    assert batch.norms[1] == 0
    assert (batch.norms[0] == 0) == (tau > 1)


@pytest.mark.parametrize("scale", [1e-100, 1e100])
@pytest.mark.parametrize("p", [0.5, 1.0])
def test_the_unit_of_measurement_moves_with_tau(p, scale):
    Z = np.random.default_rng(1).standard_normal((20, 3))
    expected = Z @ shrinkage_from_gram(gram(Z), tau=0.8, p=p).matrix
    scaled = shrinkage_from_gram(gram(Z * scale), tau=0.8 * scale ** (2 - p), p=p).matrix
    assert_allclose(Z @ scaled, expected, atol=1e-10)


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 4), st.integers(1, 9), st.integers(1, 4), POWERS, STEPS, st.floats(0.01, 3), SEEDS)
def test_prox_over_samples_equals_full_transform(V, N, K, p, steps, tau, seed):
    Z = np.random.default_rng(seed).standard_normal((V, N, K))
    expected, s = schatten_oracle.prox_tensor(Z, 1, tau, p, steps)
    assume((np.abs(np.linalg.svd(np.fft.fft(Z, axis=1).transpose(1, 2, 0))[1] - threshold(tau, p)) > 1e-6).all())
    J, norm = prox_over_samples(Z, tau=tau, p=p, steps=steps)
    assert_allclose(J, expected, atol=1e-10)
    assert_allclose(norm, (s[s > 0] ** p).sum(), rtol=1e-10, atol=1e-12)


def test_prox_over_samples_depends_on_row_order():
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((2, 12, 3))
    J, norm = prox_over_samples(Z, tau=2.0, p=0.5)
    shifted, _ = prox_over_samples(np.roll(Z, 5, axis=1), tau=2.0, p=0.5)
    assert_allclose(shifted, np.roll(J, 5, axis=1), atol=1e-10)
    order = rng.permutation(12)
    shuffled, other_norm = prox_over_samples(Z[:, order], tau=2.0, p=0.5)
    assert np.abs(shuffled - J[:, order]).max() > 0.1
    assert abs(other_norm - norm) > 0.1


# the released program: T is (N, K, V), its modes 3, 2, 1 transform along samples, views, clusters

AXES = {3: 0, 2: 2, 1: 1}
CASES = [(t, mode, p, tau) for t in (1, 2, 3) for mode in (1, 2, 3) for p in (10, 50, 90, 100) for tau in (5, 30)]
LENGTHS = {1: (6, 3, 4), 2: (8, 5, 3), 3: (7, 3, 4)}
EVEN = [case for case in CASES if LENGTHS[case[0]][AXES[case[1]]] % 2 == 0]
ODD = [case for case in CASES if LENGTHS[case[0]][AXES[case[1]]] % 2 == 1]


def ours(T, mode, tau, p):
    """The prox of a tensor (N, K, V) in one of the three modes with our kernels, four steps, and its norm."""
    if mode == 3:
        J, norm = prox_over_samples(T.transpose(2, 0, 1), tau=tau, p=p, steps=4)
        return J.transpose(1, 2, 0), norm
    if mode == 2:  # one (N, K) matrix per frequency along the views
        transform = view_transform("dft", T.shape[2])
        slices = to_frequencies(transform, T.transpose(2, 0, 1))
        shrinkage = shrinkage_from_gram(gram(slices), tau=tau, p=p, steps=4)
        J = to_views(transform, slices @ shrinkage.matrix)
        return J.transpose(1, 2, 0), float(transform.energy * T.shape[2] @ shrinkage.norms)
    transform = view_transform("dft", T.shape[1])  # one (N, V) matrix per frequency along the clusters
    slices = to_frequencies(transform, T.transpose(1, 0, 2))
    shrinkage = shrinkage_from_gram(gram(slices), tau=tau, p=p, steps=4)
    J = to_views(transform, slices @ shrinkage.matrix)
    return J.transpose(1, 0, 2), float(transform.energy * T.shape[1] @ shrinkage.norms)


def reference(reference_kernel, t, mode, p, tau):
    case = reference_kernel("schatten_prox")
    name = f"prox_T{t}_mode{mode}_p{p}_tau{tau}"
    return case[f"T{t}"], case[name], float(case[f"{name}_obj"])


@pytest.mark.shared
def test_every_reference_prox_is_among_the_cases(reference_kernel):
    names = {name for name in reference_kernel("schatten_prox") if re.fullmatch(r"prox_.*_tau\d+", name)}
    assert names == {f"prox_T{t}_mode{mode}_p{p}_tau{tau}" for t, mode, p, tau in CASES}
    assert {t: reference_kernel("schatten_prox")[f"T{t}"].shape for t in LENGTHS} == LENGTHS


@pytest.mark.shared
@pytest.mark.parametrize("t, mode, p, tau", EVEN)
def test_reference_prox_of_even_length(reference_kernel, t, mode, p, tau):
    """Its tensor is ours. Its number sums singular values without the power, and the middle slice twice."""
    T, expected, number = reference(reference_kernel, t, mode, p, tau)
    J, norm = ours(T, mode, tau / 100, p / 100)
    assert_allclose(J, expected, atol=1e-12)
    slices = np.moveaxis(np.fft.fft(J, axis=AXES[mode]), AXES[mode], 0)
    s = np.linalg.svd(slices, compute_uv=False)
    assert_allclose(s.sum() + s[len(s) // 2].sum(), number, rtol=1e-10)
    assert_allclose(norm, (s[s > 1e-9] ** (p / 100)).sum(), rtol=1e-10)


@pytest.mark.shared
@pytest.mark.parametrize("t, mode, p, tau", ODD)
def test_reference_prox_of_odd_length_is_wrong(reference_kernel, t, mode, p, tau):
    """It shrinks the two middle slices twice. We differ there, and equal the prox done directly."""
    T, wrong, number = reference(reference_kernel, t, mode, p, tau)
    J, norm = ours(T, mode, tau / 100, p / 100)
    right, s = schatten_oracle.prox_tensor(T, AXES[mode], tau / 100, p / 100, steps=4)
    assert_allclose(J, right, atol=1e-12)
    assert_allclose(norm, (s[s > 0] ** (p / 100)).sum(), rtol=1e-10)
    assert np.abs(J - wrong).max() > 1e-4
    twice, total = schatten_oracle.released_prox_tensor(T, AXES[mode], tau / 100, p / 100)
    assert_allclose(twice, wrong, atol=1e-12)  # and this is the whole difference
    assert_allclose(total, number, rtol=1e-10)
