"""Names for the arrays that kernels take and give."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.floating[Any]]
ComplexArray = NDArray[np.complexfloating[Any, Any]]
IntArray = NDArray[np.integer[Any]]
BoolArray = NDArray[np.bool_]
Graph = Any  # (N, N) SciPy CSR array, or ndarray where most pairs are joined
Table = Any  # (N, d) ndarray or SciPy CSR; SciPy ships no types


def float_type(dtype: Any, /) -> np.dtype[Any]:
    """The type in which numbers are worked on: float32 where it holds them exactly as floats, else float64."""
    return np.dtype(np.float32 if dtype in (np.float16, np.float32) else np.float64)


def index_type(largest: int, /) -> type[np.integer[Any]]:
    """Return the integer type of sparse indices up to ``largest``; products are faster with 32 bits."""
    return np.int32 if largest <= np.iinfo(np.int32).max else np.int64
