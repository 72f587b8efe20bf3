import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from manyview import AMGL, CSMSC, FMCNOF, GMC, LMVSC, MVGL, SFMC, SMSC, AnchorGraphClustering, SemiNTF, Views
from manyview.cluster.published import (
    check_anchor_number,
    check_magnitude,
    float_tables,
    given_anchors,
    random_rows,
    refuse_second_table,
)

VIEWS = Views([np.ones((5, 2), dtype=np.float32), np.ones((5, 3))], names=["a", "b"])


def test_float_tables_copy_only_what_is_not_double():
    single, double = float_tables(VIEWS)
    assert single.dtype == double.dtype == np.float64
    assert double is VIEWS.tables[1]


@pytest.mark.parametrize("method", [AMGL, CSMSC, FMCNOF, GMC, LMVSC, MVGL, SFMC, SMSC, AnchorGraphClustering, SemiNTF])
@pytest.mark.parametrize("call", ["fit", "fit_predict", "fit_transform", "partial_fit"])
def test_a_view_in_place_of_y_is_refused(method, call):
    first, second = VIEWS.tables
    if hasattr(method, call):
        with pytest.raises(TypeError, match=r"table \(ndarray\), and y is ignored: .* fit\(\[X1, X2\]\)"):
            getattr(method(2), call)(first, second)


@pytest.mark.parametrize("table", [sp.eye_array(5), pd.DataFrame({"a": [1.0]}), pl.DataFrame({"a": [1.0]})])
def test_every_kind_of_table_is_refused_as_y(table):
    with pytest.raises(TypeError, match=type(table).__name__):
        refuse_second_table(table)


@pytest.mark.parametrize("y", [None, np.ones(5), np.ones((5, 1)), [0, 1], pd.Series([0, 1]), pl.Series([0, 1])])
def test_labels_are_allowed_as_y(y):
    assert refuse_second_table(y) is None


@pytest.mark.parametrize("value", [1e160, -1e160])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_numbers_whose_squares_overflow(value, kind):
    table = np.zeros((5, 3))
    table[2, 1] = value
    with pytest.raises(ValueError, match="View 'b' has a number as large as 1e\\+160"):
        check_magnitude(Views([np.ones((5, 2)), kind(table)], names=["a", "b"]))
    check_magnitude(Views([1e140 * np.ones((5, 2)), sp.csr_array((5, 3))], names=["a", "b"]))


@pytest.mark.parametrize("method", [AMGL, CSMSC, FMCNOF, GMC, LMVSC, MVGL, SFMC, SMSC])
def test_every_baseline_refuses_huge_numbers(method):
    with pytest.raises(ValueError, match="View 'view 1' has a number as large as"):
        method(2).fit([np.eye(20), 1e200 * np.eye(20)])


def test_starts_are_different_rows():
    starts = random_rows(np.random.RandomState(0), 6, 6, 20)
    assert_array_equal(np.sort(starts, axis=1), np.tile(np.arange(6), (20, 1)))
    assert len({tuple(start) for start in starts}) > 1


def test_anchors_must_fit_the_views():
    assert [a.shape for a in given_anchors([np.ones((4, 2)), [[1, 2, 3]] * 4], VIEWS)] == [(4, 2), (4, 3)]
    with pytest.raises(ValueError, match="anchors has 1 tables for 2 views"):
        given_anchors([np.ones((4, 2))], VIEWS)
    with pytest.raises(ValueError, match=r"anchors of view 'b' have shape \(3, 3\); expected \(4, 3\)"):
        given_anchors([np.ones((4, 2)), np.ones((3, 3))], VIEWS)


@pytest.mark.parametrize("number", [1, 6])
def test_the_number_of_anchors_has_limits(number):
    check_anchor_number(2, 2, 5)
    check_anchor_number(5, 2, 5)
    with pytest.raises(ValueError, match=f"n_anchors={number} must lie between 2 and n_samples=5"):
        check_anchor_number(number, 2, 5)
