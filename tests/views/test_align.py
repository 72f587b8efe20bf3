import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from manyview.views.align import aligned_rows
from manyview.views.check import check_views


def frame(ids, columns=("x",)):
    """Every cell says its id and column."""
    return pd.DataFrame({c: [f"{i}{c}" for i in ids] for c in columns}, index=ids)


def test_rows_follow_the_first_index():
    tables, ids = aligned_rows([frame(["b", "a", "c"]), frame(["c", "b", "a"], ("y", "z"))], ["v", "w"])
    assert tables[1]["y"].tolist() == ["by", "ay", "cy"]
    assert tables[1]["z"].tolist() == ["bz", "az", "cz"]
    assert_array_equal(ids, ["b", "a", "c"])


def test_tables_without_an_index_are_taken_by_position():
    array = np.arange(3)[:, None]
    tables, ids = aligned_rows([array, frame([2, 0, 1]), frame([0, 1, 2])], ["v", "w", "u"])
    assert tables[0] is array
    assert tables[2]["x"].tolist() == ["2x", "0x", "1x"]
    assert_array_equal(ids, [2, 0, 1])


def test_without_any_index_there_are_no_ids():
    arrays = [np.ones((2, 1)), np.ones((2, 2))]
    tables, ids = aligned_rows(arrays, ["v", "w"])
    assert ids is None
    assert all(a is b for a, b in zip(tables, arrays, strict=True))


def test_equal_indices_need_no_work_and_the_frames_stay_as_they_are():
    first, second = frame([3, 1]), frame([1, 3], ("y",))
    copies = first.copy(), second.copy()
    tables, _ = aligned_rows([first, second], ["v", "w"])
    assert tables[0] is first
    pd.testing.assert_frame_equal(first, copies[0])
    pd.testing.assert_frame_equal(second, copies[1])


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_an_id_that_occurs_twice_is_named_with_its_view(order):
    both = [("good", frame([1, 2, 3])), ("bad", frame([1, 2, 2]))]
    names, tables = zip(*(both[i] for i in order), strict=True)
    with pytest.raises(ValueError, match="View 'bad' has the id 2 more than once"):
        aligned_rows(tables, names)


def test_missing_ids_are_counted_and_named():
    with pytest.raises(ValueError, match=r"View 'w' lacks 2 of the 4 ids of view 'v' \(1, 4\).*Keep the common rows"):
        aligned_rows([frame([1, 2, 3, 4]), frame([3, 2])], ["v", "w"])
    with pytest.raises(ValueError, match=r"View 'v' lacks 5 of the 6 ids of view 'w' \(2, 3, 4, …\)"):
        aligned_rows([frame([1]), frame([1, 2, 3, 4, 5, 6])], ["v", "w"])


def test_ids_of_different_kinds_do_not_match_by_chance():
    with pytest.raises(ValueError, match="View 'w' lacks 2 of the 2 ids of view 'v'"):
        aligned_rows([frame([1, "b"]), frame(["1", 2])], ["v", "w"])


def test_many_levels_of_index():
    index = pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)])
    first, second = (pd.DataFrame({"x": [1.0, 2.0, 3.0]}, index=index) for _ in range(2))
    views = check_views([first, second.iloc[[2, 0, 1]]])
    assert_array_equal(views.tables[1].ravel(), [1, 2, 3])
    assert len(views[[0, 2]].ids) == 2
