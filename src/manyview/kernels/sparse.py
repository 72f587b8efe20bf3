"""A sparse matrix times a dense one, A X.

SciPy adds every entry's row of X to a row of the product in memory; the compiled loop holds that row in registers.
"""

import numpy as np

from manyview.kernels import compiled
from manyview.kernels.arrays import FloatArray, Table

LANES = 16  # numbers that _compiled.c works on at once
FEWEST_COLUMNS = 8  # with fewer, most lanes would be idle


def times(A: Table, X: FloatArray, /) -> FloatArray:
    """A (n, d) in CSR times X (d, k)."""
    library, width = compiled.library, X.shape[1]
    if library is None or not A.dtype == X.dtype == np.float32 or width < FEWEST_COLUMNS:
        return np.asarray(A @ X)
    stride = -(-width // LANES)
    whole = np.zeros((len(X), stride * LANES), np.float32) if width % LANES else np.ascontiguousarray(X)
    if width % LANES:
        whole[:, :width] = X
    product = np.empty((A.shape[0], stride * LANES), np.float32)
    arrays = (A.indptr.astype(np.int64, copy=False), A.indices.astype(np.int32, copy=False), A.data, whole)
    library.sparse_times(A.shape[0], *(array.ctypes.data for array in arrays), stride, product.ctypes.data)
    return product if width % LANES == 0 else np.ascontiguousarray(product[:, :width])
