"""Sparse matrices: the product with a dense one, A X, and the type of their indices.

SciPy adds every entry's row of X to a row of the product in memory; the compiled loop holds that row in registers.
"""

from typing import Any

import numpy as np

from manyview.kernels import compiled
from manyview.kernels.arrays import FloatArray, Table
from manyview.kernels.compiled import LANES

MIN_COLUMNS = 8  # with fewer, most lanes would be idle


def times(A: Table, X: FloatArray, /) -> FloatArray:
    """Multiply A (n, d) in CSR by X (d, k)."""
    library, width = compiled.library, X.shape[1]
    if library is None or not A.dtype == X.dtype == np.float32 or width < MIN_COLUMNS:
        return np.asarray(A @ X)
    padded = width + -width % LANES
    whole = np.zeros((len(X), padded), np.float32) if padded > width else X
    if padded > width:
        whole[:, :width] = X
    product = np.empty((A.shape[0], padded), np.float32)
    kinds = ((A.indptr, np.int64), (A.indices, np.int32), (A.data, np.float32), (whole, np.float32))
    arrays = [np.require(array, kind, ("C", "A")) for array, kind in kinds]  # SciPy lets them lie in any way
    library.sparse_times(A.shape[0], *(array.ctypes.data for array in arrays), padded, product.ctypes.data)
    return product if padded == width else np.ascontiguousarray(product[:, :width])


def index_type(largest: int, /) -> type[np.integer[Any]]:
    """Return the integer type of sparse indices up to ``largest``; products are faster with 32 bits."""
    return np.int32 if largest <= np.iinfo(np.int32).max else np.int64
