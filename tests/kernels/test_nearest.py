import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

from manyview.kernels.nearest import nearest

pytestmark = pytest.mark.usefixtures("way")


@settings(deadline=None, max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_nearest_equals_a_stable_sort(data):
    n, m = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 40))
    k = data.draw(st.integers(1, m))
    d = data.draw(arrays(np.float64, (n, m), elements=st.sampled_from([0.0, 0.5, 1.0, 2.0, np.inf])))
    columns, values = nearest(d, k)
    expected = [sorted(range(m), key=lambda j, row=row: (row[j], j))[:k] for row in d]
    assert_array_equal(columns, expected)
    assert_array_equal(values, np.take_along_axis(d, columns, axis=1))


def test_nearest_of_a_wide_table_with_many_equals():
    d = np.random.default_rng(0).integers(0, 4, (50, 300)).astype(np.float32)
    columns, values = nearest(d, 7)
    assert_array_equal(columns, np.argsort(d, axis=1, kind="stable")[:, :7])
    assert_array_equal(values, np.sort(d, axis=1)[:, :7])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nearest_of_infinite_and_negative_distances(dtype):
    rng = np.random.default_rng(1)
    d = rng.standard_normal((700, 513)).astype(dtype)
    d[::50, 5:] = np.inf
    d[7, ::2] = d[7, 1]
    columns, values = nearest(d, 11)
    assert_array_equal(columns, np.argsort(d, axis=1, kind="stable")[:, :11])
    assert_array_equal(values, np.take_along_axis(d, columns, axis=1))


def test_nearest_is_the_same_for_any_length_of_a_stretch():
    d = np.random.default_rng(2).standard_normal((100, 300)).astype(np.float32)
    for part, whole in zip(nearest(d, 9, numbers_at_once=7 * 300), nearest(d, 9), strict=True):
        assert_array_equal(part, whole)


@pytest.mark.parametrize("m", [66, 67, 500, 509])
def test_values_that_differ_in_the_last_bit(m):
    rng = np.random.default_rng(3)
    d = (1 + rng.integers(0, 40, (60, m)) * np.finfo(np.float32).eps).astype(np.float32)
    d[::3] *= rng.random((20, 1), dtype=np.float32)
    columns, values = nearest(d, 11)
    assert_array_equal(columns, np.argsort(d, axis=1, kind="stable")[:, :11])
    assert_array_equal(values, np.sort(d, axis=1)[:, :11])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sign", [1, -1])
def test_what_is_no_number_is_never_near(dtype, sign):
    d = np.random.default_rng(4).random((30, 200)).astype(dtype)
    d[::2, ::3] = np.copysign(np.nan, sign)
    d[5] = np.copysign(0.0, -1)
    columns, _ = nearest(d, 9)
    assert_array_equal(columns, np.argsort(d, axis=1, kind="stable")[:, :9])


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(64, 300), st.integers(1, 20), st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_single_precision_with_ties(m, k, n_values, seed):
    rng = np.random.default_rng(seed)
    d = rng.choice(rng.standard_normal(n_values).astype(np.float32), (5, m))
    d[0] = rng.standard_normal(m)
    columns, values = nearest(d, k)
    assert_array_equal(columns, np.argsort(d, axis=1, kind="stable")[:, :k])
    assert_array_equal(values, np.take_along_axis(d, columns, axis=1))
