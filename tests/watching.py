"""What tests look at from outside: where an array lives, and how many threads BLAS has."""

import mmap

import numpy as np
from threadpoolctl import threadpool_info


def is_mapped(array):
    """Whether the numbers are in a file that is mapped into memory."""
    while isinstance(array, np.ndarray | memoryview):
        array = array.base if isinstance(array, np.ndarray) else array.obj
    return isinstance(array, mmap.mmap)


def blas_threads():
    """Numbers of threads of the libraries that are loaded."""
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}
