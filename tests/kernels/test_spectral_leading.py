import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from manyview.kernels.spectral import leading_pairs


def spiked(width, rank, seed):
    """A symmetric matrix with some clear leading eigenvalues, and those with their vectors."""
    V, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((width, width)))
    values = np.concatenate([np.arange(rank + 10, 10, -1.0), np.linspace(0.5, 0, width - rank)])
    return (V * values) @ V.T, values[:rank], V[:, :rank]


@settings(deadline=None, max_examples=30)
@given(st.integers(5, 80), st.integers(1, 5), st.integers(0, 1000))
def test_clear_leading_pairs_are_those_of_the_matrix(width, rank, seed):
    M, values, vectors = spiked(width, rank, seed)
    pairs = leading_pairs(lambda V: M @ V, width, rank, seed=seed)
    assert_allclose(pairs.values, values, rtol=1e-8)
    assert_allclose(np.abs(np.einsum("dr,dr->r", pairs.vectors, vectors)), 1, rtol=1e-6)
    assert_allclose(pairs.vectors.T @ pairs.vectors, np.eye(rank), atol=1e-10)


@pytest.mark.parametrize("rank", [1, 3, 9])
def test_no_more_pairs_than_there_are_columns(rank):
    pairs = leading_pairs(lambda V: 2 * V, 3, rank, seed=0)
    assert pairs.vectors.shape == (3, min(rank, 3))
    assert_allclose(pairs.values, 2)
