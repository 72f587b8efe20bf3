import numpy as np
import pytest
import scipy.sparse as sp

from manyview.geometry.fit import MEASURED_ROWS, fit_geometry
from manyview.geometry.statistics import (
    DOUBLE,
    magnitude_range,
    require_magnitude,
    require_reach,
    require_rows,
    require_scaled_columns,
)
from manyview.views.blocks import RowBlock, some_rows

NAMES = ("a", "b")


def two_views(kind=np.float64, scale=1.0, n=40):
    rng = np.random.default_rng(0)
    return {"a": rng.standard_normal((n, 3)), "b": (scale * rng.standard_normal((n, 4))).astype(kind)}


@pytest.mark.parametrize("table, work, high", [("f8", "f8", 1e150), ("f8", "f4", 1e30), ("f4", "f4", 1e15)])
def test_squares_of_the_range_are_finite(table, work, high):
    assert magnitude_range(np.dtype(table), work).high == high
    kind = np.float32 if table == "f4" else np.float64
    assert np.isfinite(kind(1e7) * np.square(kind(high)))


@pytest.mark.parametrize("kind, scale", [("f8", 1e151), ("f4", 1e18)])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_too_large_numbers_name_the_view_and_the_column(cut, kind, scale, make):
    views = two_views(kind, scale)
    views["b"][:, 2] *= 100
    views["b"] = make(views["b"])
    with pytest.raises(ValueError, match=r"View 'b' has a number as large as .* in column 2; .* Divide the view"):
        fit_geometry(*cut(views), names=NAMES)


def test_too_small_numbers_name_the_view(cut):
    with pytest.raises(ValueError, match=r"View 'b' has no number larger than .* Multiply the view"):
        fit_geometry(*cut(two_views(scale=1e-160)), names=NAMES)


@pytest.mark.parametrize("scale", [1e-140, 1e140])
def test_geometry_does_not_depend_on_the_unit(cut, scale):
    def table(views):
        rows, engine = cut(views)
        return fit_geometry(rows, engine, names=NAMES).table(rows[0], 1, 1)

    np.testing.assert_allclose(table(two_views(scale=scale)), table(two_views()), rtol=1e-6, atol=1e-9)


def test_sums_may_overflow_before_the_view_is_refused(cut):
    with pytest.raises(ValueError, match="View 'b' has a number as large as 2e\\+308"):
        fit_geometry(*cut({"a": np.eye(40, 3), "b": np.full((40, 2), 1.7e308)}), names=NAMES)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_a_row_to_predict_is_named(make):
    table = np.ones((5, 3))
    table[3, 1] = -1e200
    block = RowBlock(100, (np.ones((5, 2)), make(table)))
    with pytest.raises(ValueError, match="View 'b' has a number as large as 1e\\+200 in row 103, column 1"):
        require_rows(block, NAMES, "float64")


def test_rows_to_predict_may_be_zero_missing_or_none():
    missing = np.full((5, 2), np.nan)
    require_rows(RowBlock(0, (missing, sp.csr_array((5, 3)))), NAMES, "float32")
    require_rows(RowBlock(0, (np.zeros((0, 2)), np.zeros((0, 3)))), NAMES, "float64")


@pytest.mark.parametrize("bad", [np.inf, np.nan, 1e38])
def test_squares_without_room_name_the_row(bad):
    squares = np.ones(6, np.float32)
    require_reach(squares, "b", first=10)
    squares[4] = bad
    with pytest.raises(ValueError, match="View 'b': row 14 is so far"):
        require_reach(squares, "b", first=10)


def test_a_number_far_beyond_its_view_names_the_column(cut):
    extremes = np.array([[-1.0, -1.0], [1.0, 1e25]])
    with pytest.raises(ValueError, match="View 'b': a number in column 1 is 1e\\+25 times as large"):
        require_scaled_columns(extremes, "b", "float32")
    require_scaled_columns(extremes, "b", "float64")
    views = two_views(n=6000)
    unmeasured = np.setdiff1d(np.arange(6000), some_rows(6000, MEASURED_ROWS, seed=0))
    views["b"][unmeasured[0], 3] = 1e25
    with pytest.raises(ValueError, match="View 'b': a number in column 3"):
        fit_geometry(*cut(views, 1000), names=NAMES, dtype="float32", scale="none")


def test_zero_is_no_magnitude():
    require_magnitude(0.0, "b", DOUBLE)
