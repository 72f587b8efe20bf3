import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from manyview.geometry.scaling import Centered, DividedByMaximum, Hellinger, Standardized, Unchanged, UnitRows, dense


@pytest.fixture
def table():
    table = np.random.default_rng(0).poisson(1.0, (15, 5)).astype(float)
    table[3] = 0
    return table


@pytest.mark.parametrize(
    "scaling",
    [
        Unchanged(),
        DividedByMaximum(4.0),
        UnitRows(),
        Standardized(np.ones(5), np.full(5, 2.0), np.array([1, 1, 0, 1, 1], bool), clip=0.6),
        Centered(np.ones(5), np.array([1, 1, 0, 1, 1], bool)),
        Centered(np.ones(5), np.ones(5, bool), unit=True),
        Hellinger(),
    ],
    ids=lambda scaling: type(scaling).__name__,
)
def test_sparse_block_is_scaled_like_a_dense_one(table, scaling):
    sparse = sp.csr_array(table)
    before = sparse.data.copy()
    assert_allclose(dense(scaling(sparse)), dense(scaling(table)), rtol=1e-12, atol=1e-15)
    assert_array_equal(sparse.data, before)
    assert_array_equal(table, sparse.toarray())


def test_scalings_of_a_row_do_not_depend_on_the_other_rows(table):
    for scaling in (UnitRows(), Hellinger(), Standardized(table.mean(0), table.std(0), np.ones(5, bool), 3.0)):
        for row in (3, 7):
            assert_allclose(scaling(table[row : row + 1])[0], scaling(table)[row], rtol=1e-14)


def test_standardized_columns(table):
    z = Standardized(table.mean(axis=0), table.std(axis=0), np.ones(5, bool))(table)
    assert_allclose(z.mean(axis=0), 0, atol=1e-14)
    assert_allclose(z.std(axis=0), 1, rtol=1e-12)


def test_outliers_are_clipped():
    scaling = Standardized(np.zeros(1), np.ones(1), np.ones(1, bool), clip=3.0)
    assert_array_equal(scaling(np.array([[-9.0], [2.0], [1e300]])).ravel(), [-3, 2, 3])


def test_constant_columns_are_left_out_not_divided_by_zero(table):
    varies = np.array([True, False, True, True, True])
    deviation = table.std(axis=0) * varies
    for kind in (table, sp.csr_array(table)):
        assert Standardized(table.mean(axis=0), deviation, varies)(kind).shape == (15, 4)
        assert Centered(table.mean(axis=0), varies)(kind).shape == (15, 4)
        nothing = Standardized(table.mean(axis=0), np.zeros(5), np.zeros(5, bool))(kind)
        assert nothing.shape == (15, 0)


def test_unclipped_standardization_keeps_sparsity(table):
    scaling = Standardized(table.mean(axis=0), table.std(axis=0), np.ones(5, bool))
    sparse, full = scaling(sp.csr_array(table)), scaling(table)
    assert sp.issparse(sparse)
    shift = sparse.toarray() - full
    assert_allclose(shift, np.broadcast_to(shift[0], shift.shape), atol=1e-12)


def test_unit_rows_have_length_one_and_zero_rows_stay_zero(table):
    for kind in (table, sp.csr_array(table)):
        length = np.linalg.norm(dense(UnitRows()(kind)), axis=1)
        assert_allclose(length, np.arange(15) != 3, atol=1e-12)
    empty = UnitRows()(sp.csr_array((0, 5)))
    assert empty.shape == (0, 5)


def test_hellinger_rows_are_roots_of_shares(table):
    shares = table[[0, 1, 2]] / table[[0, 1, 2]].sum(axis=1, keepdims=True)
    assert_allclose(Hellinger()(table)[:3] ** 2, shares, rtol=1e-12)
    assert_array_equal(Hellinger()(table)[3], 0)
    assert_array_equal(Hellinger()(np.array([[-1e-9, 4.0]])), [[0, 1]])  # a new row may be slightly negative


@pytest.mark.parametrize("maximum, expected", [(4.0, 0.5), (0.0, 2.0), (-3.0, 2.0)])
def test_division_by_a_maximum_of_zero(maximum, expected):
    assert_array_equal(DividedByMaximum(maximum)(np.full((2, 1), 2.0)), [[expected], [expected]])
