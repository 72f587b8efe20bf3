import numpy as np
import pytest
import scipy.sparse as sp

from manyview.views import check_views


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("value, dtype", [(1e160, np.float64), (-1e160, np.float64), (1e30, np.float32)])
def test_numbers_without_finite_squares_are_named(make, value, dtype):
    table = np.ones((5, 2), dtype)
    table[3, 1] = value
    with pytest.raises(
        ValueError, match=rf"View 'b' has numbers as large as 1e\+{len(str(int(abs(value)))) - 1}, whose"
    ):
        check_views({"a": np.ones((5, 2)), "b": make(table)})


def test_tables_on_disk_are_checked_when_they_are_read(tmp_path):
    np.save(tmp_path / "t.npy", np.full((3, 1), 1e200))
    views = check_views({"x": tmp_path / "t.npy"}, lazy=True)
    with pytest.raises(ValueError, match="View 'x' has numbers as large as"):
        views.tables[0][:2]


def test_limit_of_double_precision_is_not_that_of_single():
    assert check_views([np.full((3, 1), 1e30)]).widths == (1,)


def test_rows_of_nan_do_not_hide_large_numbers():
    table = np.array([[np.nan, np.nan], [1e200, 0]])
    with pytest.raises(ValueError, match=r"View 'view 0' has numbers as large as 1e\+200"):
        check_views([table, np.ones((2, 1))], rows_may_miss=True)
