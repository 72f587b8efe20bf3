import numpy as np
import pytest

from manyview.kernels.arrays import float_type
from manyview.kernels.sparse import index_type


@pytest.mark.parametrize("dtype, expected", [("float16", "float32"), ("float32", "float32"), ("int64", "float64")])
def test_float_type(dtype, expected):
    assert float_type(np.dtype(dtype)) == expected


def test_index_type_has_64_bits_where_32_are_not_enough():
    assert index_type(2**31 - 1) == np.int32
    assert index_type(2**31) == np.int64
