import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from manyview.kernels.polar import inverse_root

from oracles import polar_oracle

SEEDS = st.integers(0, 2**32 - 1)


def with_singular_values(s, n_rows, seed, kind="real"):
    """A tall matrix with these singular values and random singular vectors."""
    rng = np.random.default_rng(seed)

    def orthonormal(n, k):
        A = rng.standard_normal((n, k))
        return np.linalg.qr(A + 1j * rng.standard_normal((n, k)) if kind == "complex" else A)[0]

    s = np.asarray(s, dtype=np.float64)
    return (orthonormal(n_rows, len(s)) * s) @ orthonormal(len(s), len(s)).conj().T


def gram(B):
    return B.conj().T @ B


def reached(Q, B):
    return np.sum(Q.conj() * B).real


@st.composite
def tall_matrices(draw):
    K = draw(st.integers(1, 6))
    s = draw(st.lists(st.floats(0.01, 10), min_size=K, max_size=K))
    kind = draw(st.sampled_from(["real", "complex"]))
    return with_singular_values(s, draw(st.integers(K, 20)), draw(SEEDS), kind)


@settings(deadline=None, max_examples=80)
@given(tall_matrices())
def test_is_the_polar_factor_of_the_decomposition(B):
    Q = B @ inverse_root(gram(B)).matrix
    assert_allclose(gram(Q), np.eye(B.shape[1]), atol=1e-8)
    assert_allclose(Q, polar_oracle.polar(B), atol=1e-8)


@settings(deadline=None, max_examples=60)
@given(tall_matrices(), SEEDS)
def test_no_other_orthonormal_matrix_matches_better(B, seed):
    ours = reached(B @ inverse_root(gram(B)).matrix, B)
    assert_allclose(ours, polar_oracle.nuclear_norm(B), rtol=1e-8)
    rng = np.random.default_rng(seed)
    for _ in range(5):
        other = np.linalg.qr(rng.standard_normal(B.shape) + 1j * rng.standard_normal(B.shape))[0]
        assert reached(other, B) <= ours + 1e-9


@pytest.mark.parametrize("kind", ["real", "complex"])
@pytest.mark.parametrize("s", [(3.0, 1.0, 0.0), (2.0, 0.0, 0.0), (1.0, 1e-9, 0.0)])
def test_a_rank_deficient_matrix_still_reaches_the_maximum(s, kind):
    B = with_singular_values(s, 12, 0, kind)
    Q = B @ inverse_root(gram(B)).matrix
    assert np.isfinite(Q).all()
    assert_allclose(reached(Q, B), polar_oracle.nuclear_norm(B), rtol=1e-7)
    assert np.linalg.eigvalsh(gram(Q)).max() <= 1 + 1e-7  # nothing is invented in the missing directions


def test_a_zero_matrix_stays_zero():
    root = inverse_root(np.zeros((3, 3)))
    assert np.isfinite(root.matrix).all()
    assert_array_equal(np.zeros((5, 3)) @ root.matrix, 0)


@pytest.mark.parametrize("smallest", [1e-3, 1e-5, 1e-6])
def test_the_condition_tells_how_orthogonal_one_step_is(smallest):
    B = with_singular_values((1.0, 0.5, smallest), 40, 1)
    root = inverse_root(gram(B))
    assert_allclose(root.condition, 1 / smallest, rtol=1e-3)
    error = np.abs(gram(B @ root.matrix) - np.eye(3)).max()
    assert error <= 100 * np.finfo(float).eps * root.condition**2


@pytest.mark.parametrize("smallest", [1e-7, 1e-9, 1e-10])
def test_a_second_step_repairs_an_ill_conditioned_matrix(smallest):
    B = with_singular_values((1.0, 0.5, smallest), 40, 1)
    first = inverse_root(gram(B))
    assert first.condition > 1e6
    Q = B @ first.matrix
    assert np.abs(gram(Q) - np.eye(3)).max() > 1e-4  # one step is visibly not enough
    Q = Q @ inverse_root(gram(Q)).matrix
    assert_allclose(gram(Q), np.eye(3), atol=1e-8)
    assert_allclose(Q, polar_oracle.polar(B), atol=1e-15 / smallest)


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_any_unit_of_measurement_will_do(scale):
    B = with_singular_values((3.0, 1.0, 0.2), 15, 2)
    Q = (B * scale) @ inverse_root(gram(B * scale)).matrix
    assert_allclose(Q, polar_oracle.polar(B), atol=1e-10)


def test_a_batch_is_its_matrices_one_by_one():
    matrices = [with_singular_values(s, 10, 3, "complex") for s in ((3.0, 1.0), (5.0, 1e-4), (1.0, 1.0))]
    batch = inverse_root(np.array([gram(B) for B in matrices]))
    singles = [inverse_root(gram(B)) for B in matrices]
    assert_allclose(batch.matrix, [single.matrix for single in singles], rtol=1e-12, atol=1e-12)
    assert batch.condition == max(single.condition for single in singles)
