import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from manyview.views.align import match_rows, taken
from manyview.views.check import check_views


def matched(*ids, join=None):
    names = "abcdef"[: len(ids)]
    ids = [None if each is None else np.asarray(each) for each in ids]
    return match_rows(ids, names, join=join)


def test_rows_follow_the_first_view():
    match = matched(["b", "a", "c"], ["c", "b", "a"])
    assert_array_equal(match.ids, ["b", "a", "c"])
    assert match.rows[0] is None
    assert_array_equal(match.rows[1], [1, 2, 0])


def test_without_ids_rows_are_taken_by_position():
    match = matched(None, None)
    assert match.ids is None
    assert match.rows == [None, None]


def test_equal_ids_need_no_work():
    assert matched([3, 1], [3, 1]).rows == [None, None]


def test_mixing_ids_and_positions_is_an_error():
    message = "The rows of views 'a', 'c' carry ids, those of view 'b' do not"
    with pytest.raises(ValueError, match=message):
        matched([1, 2], None, [2, 1])


def test_inner_join_keeps_common_samples_in_the_order_of_the_first():
    match = matched(["x", "b", "a"], ["a", "y", "b"], join="inner")
    assert_array_equal(match.ids, ["b", "a"])
    assert_array_equal(match.rows[0], [1, 2])
    assert_array_equal(match.rows[1], [2, 0])


def test_outer_join_keeps_all_samples():
    match = matched(["x", "b"], ["y", "b"], ["z", "x"], join="outer")
    assert_array_equal(match.ids, ["x", "b", "y", "z"])
    assert_array_equal(match.rows[0], [0, 1, -1, -1])
    assert_array_equal(match.rows[1], [-1, 1, 0, -1])
    assert_array_equal(match.rows[2], [1, -1, -1, 0])


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("join", [None, "inner", "outer"])
def test_duplicate_id_is_named_with_its_view(order, join):
    both = [("good", np.array([1, 2, 3])), ("bad", np.array([1, 2, 2]))]
    names, ids = zip(*(both[i] for i in order), strict=True)
    with pytest.raises(ValueError, match="View 'bad' has the id 2 more than once"):
        match_rows(ids, names, join=join)


def test_duplicate_ids_that_are_equal_in_all_views_are_refused():
    with pytest.raises(ValueError, match="View 'a' has the id 1 more than once"):
        matched([1, 1], [1, 1])


def test_missing_ids_are_counted_and_named():
    with pytest.raises(ValueError, match=r"View 'b' lacks 2 of the 4 ids of view 'a' \(1, 4\).*join='inner'"):
        matched([1, 2, 3, 4], [3, 2])
    with pytest.raises(ValueError, match=r"View 'a' lacks 5 of the 6 ids of view 'b' \(2, 3, 4, …\)"):
        matched([1], [1, 2, 3, 4, 5, 6])


def test_disjoint_ids_have_no_inner_join():
    with pytest.raises(ValueError, match=r"No sample is in all of the views \['a', 'b'\]"):
        matched([1, 2], [3, 4], join="inner")


@pytest.mark.parametrize("join", [None, "inner", "outer"])
def test_numbers_and_text_do_not_match(join):
    with pytest.raises(ValueError, match=r"ids of view 'a' are numbers \(1\), those of view 'b' are text \('1'\)"):
        matched([1, 2], ["1", "2"], join=join)


def test_ids_of_two_types_in_one_view_are_refused():
    with pytest.raises(ValueError, match=r"View 'b' has ids of several types \(numbers such as 1, text such as '1'\)"):
        matched(["1", "2"], np.array([1, "1"], dtype=object))


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT])
def test_row_without_id_is_named(missing):
    with pytest.raises(ValueError, match="View 'b' has no id in row 1"):
        matched(["x", "y"], np.array(["x", missing], dtype=object))


def test_dates_are_ids():
    days = np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]")
    assert_array_equal(matched(days, days[::-1]).rows[1], [1, 0])
    with pytest.raises(ValueError, match=r"View 'b' lacks 1 of the 2 ids of view 'a' \(2020-01-02\)"):
        matched(days, days[:1])
    with pytest.raises(ValueError, match="View 'b' has no id in row 1"):
        matched(days, np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"))


def test_join_needs_ids():
    with pytest.raises(ValueError, match="join='outer' needs ids in every view"):
        matched(None, None, join="outer")
    with pytest.raises(ValueError, match="join='left': use None, 'inner' or 'outer'"):
        matched([1], [1], join="left")


def test_many_levels_of_index():
    index = pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)])
    first, second = (pd.DataFrame({"x": [1.0, 2.0, 3.0]}, index=index) for _ in range(2))
    views = check_views([first, second.iloc[[2, 0, 1]]])
    assert_array_equal(views.tables[1].ravel(), [1, 2, 3])
    assert len(views[[0, 2]].ids) == 2


@pytest.mark.parametrize("dtype, expected", [(np.float32, np.float32), (np.float64, np.float64), (int, np.float64)])
def test_absent_rows_of_arrays_are_nan(dtype, expected):
    part = taken(np.array([[1, 2], [3, 4]], dtype), np.array([1, -1, 0]), None)
    assert part.dtype == expected
    assert_array_equal(part, [[3, 4], [np.nan, np.nan], [1, 2]])


def test_rows_that_are_all_there_keep_the_type():
    assert taken(np.array([[1], [3]]), np.array([1, 0]), None).dtype == int


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_absent_rows_of_sparse_matrices_are_empty(dtype):
    table = sp.csr_array(np.array([[1, 0], [3, 4]], dtype))
    part = taken(table, np.array([1, -1, 0]), None)
    assert part.format == "csr"
    assert part.dtype == dtype
    assert_array_equal(part.toarray(), [[3, 4], [0, 0], [1, 0]])
    assert_array_equal(np.diff(part.indptr), [2, 0, 1])
