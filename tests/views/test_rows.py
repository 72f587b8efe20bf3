import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from manyview.views.rows import taken


@pytest.mark.parametrize("dtype, expected", [(np.float32, np.float32), (np.float64, np.float64), (int, np.float64)])
def test_absent_rows_of_arrays_are_nan(dtype, expected):
    part = taken(np.array([[1, 2], [3, 4]], dtype), np.array([1, -1, 0]), None)
    assert part.dtype == expected
    assert_array_equal(part, [[3, 4], [np.nan, np.nan], [1, 2]])


def test_rows_that_are_all_there_keep_the_type():
    assert taken(np.array([[1], [3]]), np.array([1, 0]), None).dtype == int


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_absent_rows_of_sparse_matrices_are_empty(dtype):
    table = sp.csr_array(np.array([[1, 0], [3, 4]], dtype))
    part = taken(table, np.array([1, -1, 0]), None)
    assert part.format == "csr"
    assert part.dtype == dtype
    assert_array_equal(part.toarray(), [[3, 4], [0, 0], [1, 0]])
    assert_array_equal(np.diff(part.indptr), [2, 0, 1])
