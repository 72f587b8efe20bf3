import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from manyview.kernels.nearest import expand, squared_distances

from oracles import distances_oracle

NUMBERS = st.integers(-(10**6), 10**6).map(lambda i: i / 977)


@st.composite
def rows_and_anchors(draw):
    n, m, d = draw(st.integers(1, 6)), draw(st.integers(1, 5)), draw(st.integers(1, 4))
    return draw(arrays(np.float64, (n, d), elements=NUMBERS)), draw(arrays(np.float64, (m, d), elements=NUMBERS))


def near_duplicates(dtype, offset, gap, seed=0):
    """Rows at a tiny distance from the anchors, far from the origin; what float32 can hold of them."""
    rng = np.random.default_rng(seed)
    anchors = (offset + rng.standard_normal((8, 5))).astype(dtype)
    x = (anchors[rng.integers(0, 8, 40)] + gap * rng.standard_normal((40, 5))).astype(dtype)
    return x, anchors


@settings(deadline=None, max_examples=60)
@given(rows_and_anchors())
def test_equals_the_exact_distance_of_every_pair(pair):
    assert_allclose(squared_distances(*pair), distances_oracle.squared_distances(*pair), rtol=1e-6)


@settings(deadline=None, max_examples=60)
@given(rows_and_anchors())
def test_sparse_rows_are_as_far_as_dense_rows(pair):
    x, anchors = pair
    x = np.where(np.abs(x) < 500, 0, x)
    sparse = squared_distances(sp.csr_array(x), anchors)
    assert_allclose(sparse, distances_oracle.squared_distances(x, anchors), rtol=1e-6)
    assert_allclose(sparse, squared_distances(x, anchors), rtol=1e-6)


@pytest.mark.parametrize("offset, gap", [(0.0, 1e-6), (0.0, 1e-3), (1e3, 1e-2), (1e5, 1.0)])
def test_near_duplicates_in_single_precision(offset, gap):
    x, anchors = near_duplicates(np.float32, offset, gap)
    exact = distances_oracle.squared_distances(x, anchors)
    d = squared_distances(x, anchors)
    assert d.dtype == np.float32
    assert_allclose(d, exact, rtol=2e-3)
    xx, aa = (x**2).sum(axis=1)[:, None], (anchors**2).sum(axis=1)
    expansion = xx + aa - 2 * x @ anchors.T
    close = exact > 0
    assert np.abs(expansion[close] / exact[close] - 1).max() > 0.1  # what the plain formula makes of them


@pytest.mark.parametrize("dtype, rtol", [(np.float32, 2e-3), (np.float64, 1e-6)])
def test_sparse_near_duplicates_keep_their_digits(dtype, rtol):
    x, anchors = near_duplicates(dtype, 1e2, 1e-3)
    d = squared_distances(sp.csr_array(x), anchors)
    assert_allclose(d, distances_oracle.squared_distances(x, anchors), rtol=rtol)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_row_that_is_an_anchor_is_at_distance_zero(make, dtype):
    anchors = (np.random.default_rng(0).standard_normal((30, 7)) * 1e3).astype(dtype)
    d = squared_distances(make(anchors), anchors)
    assert_array_equal(np.diagonal(d), 0)
    assert (d + np.eye(30) > 0).all()


@pytest.mark.parametrize("scale", [1e-100, 1e100])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_any_unit_of_measurement_will_do(make, scale):
    rng = np.random.default_rng(0)
    x, anchors = rng.standard_normal((20, 3)), rng.standard_normal((6, 3))
    expected = distances_oracle.squared_distances(x, anchors)
    assert_allclose(squared_distances(make(x * scale), anchors * scale) / scale / scale, expected, rtol=1e-9)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_pairs_are_done_again_in_portions_of_any_size(make):
    x, anchors = near_duplicates(np.float64, 1.0, 1e-9)
    expansion = expand(make(x), anchors)
    d = expansion.distances(slice(None))
    assert len(expansion.correct_close(d, slice(None), d.min(axis=1), numbers_at_once=3))
    assert_array_equal(d, squared_distances(make(x), anchors))


def test_the_tables_are_left_alone():
    x, anchors = near_duplicates(np.float64, 1.0, 1e-9)
    copies = x.copy(), anchors.copy()
    squared_distances(x, anchors)
    assert_array_equal(x, copies[0])
    assert_array_equal(anchors, copies[1])


@pytest.mark.shared
def test_reference_distances(reference_kernel):
    case = reference_kernel("pkn_sample_graph")
    d = squared_distances(case["X"], case["X"])
    assert_allclose(d, case["sqdist_zero_diag"], rtol=1e-12)
    assert_array_equal(np.diagonal(case["sqdist_zero_diag"]), 0)
