import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from manyview.kernels.tproduct import TRANSFORMS, to_frequencies, to_views, view_transform

from oracles import tproduct_oracle

VIEWS = st.integers(1, 8)
SIZES = st.integers(1, 4)
SEEDS = st.integers(0, 2**32 - 1)
KINDS = st.sampled_from(TRANSFORMS)


def t_product(A, B, *, transform):
    """A * B, slice by slice in the domain of the transform."""
    return to_views(transform, to_frequencies(transform, A) @ to_frequencies(transform, B))


def tensor(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


@settings(deadline=None, max_examples=80)
@given(VIEWS, SIZES, SIZES, SIZES, SEEDS)
def test_dft_is_the_block_circulant_product(V, n, k, m, seed):
    A, B = tensor(seed, V, n, k), tensor(seed + 1, V, k, m)
    ours = t_product(A, B, transform=view_transform("dft", V))
    assert_allclose(ours, tproduct_oracle.t_product(A, B), atol=1e-10)


@settings(deadline=None, max_examples=60)
@given(VIEWS, SIZES, SIZES, SIZES, SEEDS)
def test_other_transforms_are_sums_over_views(V, n, k, m, seed):
    A, B = tensor(seed, V, n, k), tensor(seed + 1, V, k, m)
    by_view = t_product(A, B, transform=view_transform("identity", V))
    assert_allclose(by_view, [a @ b for a, b in zip(A, B, strict=True)], atol=1e-12)
    cosine = t_product(A, B, transform=view_transform("dct", V))
    assert_allclose(cosine, tproduct_oracle.product_in_domain(A, B, tproduct_oracle.cosine_matrix(V)), atol=1e-10)


@settings(deadline=None, max_examples=80)
@given(KINDS, VIEWS, SIZES, SIZES, SEEDS)
def test_round_trip_keeps_the_energy(kind, V, n, k, seed):
    A, transform = tensor(seed, V, n, k), view_transform(kind, V)
    slices = to_frequencies(transform, A)
    assert len(slices) == len(transform.energy) == (V // 2 + 1 if kind == "dft" else V)
    back = to_views(transform, slices)
    assert_allclose(back, A, atol=1e-12)
    assert back.dtype == np.float64
    assert_allclose(transform.energy @ (np.abs(slices) ** 2).sum(axis=(1, 2)), (A**2).sum(), rtol=1e-12)


@settings(deadline=None, max_examples=60)
@given(KINDS, VIEWS, SIZES, SIZES, SIZES, SEEDS)
def test_products_associate(kind, V, n, k, m, seed):
    transform = view_transform(kind, V)
    A, B, C = tensor(seed, V, n, k), tensor(seed + 1, V, k, m), tensor(seed + 2, V, m, 2)

    def times(first, second):
        return t_product(first, second, transform=transform)

    assert_allclose(times(times(A, B), C), times(A, times(B, C)), atol=1e-9)


def test_an_unknown_transform_is_refused():
    with pytest.raises(ValueError, match=r"transform='wavelet' is unknown; choose one of .*dft"):
        view_transform("wavelet", 3)
