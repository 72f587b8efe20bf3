"""The spectrum of a sparse matrix by Lanczos iterations, against the dense product."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from manyview.kernels.spectral import right_basis, right_basis_of


@pytest.mark.parametrize("seed", [0, 1])
def test_lanczos_iterations_find_the_vectors_of_the_dense_product(seed):
    A = sp.random(300, 60, density=0.1, random_state=seed, format="csr")
    found, expected = right_basis_of(A, 5), right_basis((A.T @ A).toarray(), 5)
    assert_allclose(found.s, expected.s, rtol=1e-6)
    assert_allclose(np.abs(np.sum(found.W * expected.W, axis=0)), 1, atol=1e-4)
    assert_array_equal(right_basis_of(A, 5).W, found.W)
