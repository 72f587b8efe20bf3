import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from manyview.kernels.sparse import times

pytestmark = pytest.mark.usefixtures("way")


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_the_product_is_the_sum_over_entries(data):
    n, d, k = data.draw(st.integers(1, 20)), data.draw(st.integers(1, 30)), data.draw(st.integers(1, 300))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    index = data.draw(st.sampled_from([np.int32, np.int64]))
    A = sp.random_array((n, d), density=0.3, random_state=rng, format="csr", dtype=np.float32)
    A.indices, A.indptr = A.indices.astype(index), A.indptr.astype(index)
    X = rng.standard_normal((d, k)).astype(np.float32)
    expected = np.zeros((n, k))
    for i in range(n):
        for entry in range(A.indptr[i], A.indptr[i + 1]):
            expected[i] += np.float64(A.data[entry]) * X[A.indices[entry]]
    product = times(A, X)
    assert (product.dtype, product.shape, product.flags.c_contiguous) == (np.float32, (n, k), True)
    assert_allclose(product, expected, atol=1e-5)


def test_double_precision_stays_so_and_empty_rows_are_zero():
    A = sp.csr_array(np.array([[0.0, 0.0], [1.0, 2.0]]))
    assert times(A, np.eye(2)).dtype == np.float64
    assert_array_equal(times(A.astype(np.float32), np.ones((2, 20), np.float32)), np.repeat([[0], [3]], 20, axis=1))
    assert times(sp.csr_array((0, 3), dtype=np.float32), np.ones((3, 16), np.float32)).shape == (0, 16)


def test_columns_need_not_lie_side_by_side():
    A = sp.random_array((50, 40), density=0.2, random_state=np.random.default_rng(0), format="csr", dtype=np.float32)
    X = np.random.default_rng(1).standard_normal((32, 40)).astype(np.float32).T
    assert_allclose(times(A, X), A.toarray() @ X, atol=1e-5)


@pytest.mark.parametrize("name", ["data", "indices", "indptr"])
@pytest.mark.parametrize("way_to_lie", ["every second", "backwards", "odd bytes"])
def test_the_arrays_of_the_matrix_may_lie_in_any_way(name, way_to_lie):
    """As a column of a list of edges does, or what was read from the middle of a file."""
    A = sp.random_array((60, 50), density=0.2, random_state=np.random.default_rng(0), format="csr", dtype=np.float32)
    A.indptr = A.indptr.astype(np.int64)
    X = np.random.default_rng(1).standard_normal((50, 32)).astype(np.float32)
    expected, array = A.toarray() @ X, getattr(A, name)
    if way_to_lie == "every second":
        other = np.repeat(array, 2)[::2]
    elif way_to_lie == "backwards":
        other = array[::-1].copy()[::-1]
    else:
        other = np.frombuffer(b"x" + array.tobytes(), np.uint8)[1:].view(array.dtype)
    setattr(A, name, other)
    assert_allclose(times(A, X), expected, atol=1e-5)
