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
    """Return the floating-point type to compute in: float32 where it holds the numbers exactly, else float64."""
    return np.dtype(np.float32 if dtype in (np.float16, np.float32) else np.float64)
