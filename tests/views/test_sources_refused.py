"""What cannot be a view is refused at once, and never read to its end."""

import itertools

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from manyview import LMVSC
from manyview.views import Views, check_views

FRAME = pd.DataFrame({"x": [1.0, 2.0], "g": [1, 1]})


class Endless:
    """Like a container whose items never end."""

    def __getitem__(self, item):
        return item

    def __len__(self):
        return 3


CASES = {
    "generator": (lambda: (row for row in [[1.0]]), "is a generator, which can be read only once: give list"),
    "endless iterator": (itertools.count, "is a count, which can be read only once"),
    "map": (lambda: map(float, [1]), "is a map, which can be read only once"),
    "set": (lambda: {1.0, 2.0}, "is a set, which has no order of rows"),
    "keys": (lambda: {"a": 1}.keys(), "is a dict_keys, which has no order of rows"),
    "groups": (lambda: FRAME.groupby("g"), "is a DataFrameGroupBy: aggregate it to one row per sample"),
    "masked": (lambda: np.ma.masked_equal(np.eye(3), 1), r"masked array with 3 masked cells: give array\.filled"),
    "endless": (Endless, "is an Endless, not a table"),
    "number": (lambda: 3, "is an int, not a table"),
    "nothing": (lambda: None, "is a NoneType, not a table"),
    "Series": (lambda: FRAME["x"], r"is a Series; a view is a table: give its to_frame\(\)"),
    "function": (lambda: print, "is a builtin_function_or_method, not a table"),
    "bytes": (lambda: b"abc", "is a bytes, not a table"),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("read", [check_views, Views.from_tables, LMVSC(2).fit], ids=["check", "Views", "fit"])
def test_one_sentence_says_what_to_give(case, read):
    make, message = CASES[case]
    with pytest.raises(TypeError, match=f"View 'view 0' .*{message}"):
        read(make())
    with pytest.raises(TypeError, match=f"View 'text' .*{message}"):
        read({"image": np.ones((3, 1)), "text": make()})


@pytest.mark.parametrize(
    "table, message",
    [
        ([[1.0, 2.0], [1.0]], "a list whose rows have different lengths"),
        (np.array([["2020-01-01"], ["NaT"]], dtype="datetime64[D]"), "holds dates, not numbers: turn them into"),
        (np.array([[1], [2]], dtype="timedelta64[s]"), "holds durations, not numbers"),
        (np.array([[pd.NaT], [pd.NaT]], dtype=object), "column 0 holds dates or times, not numbers"),
        (np.zeros((2, 1), dtype=[("a", float)]), "holds records, not numbers"),
        (FRAME.to_records(), "holds records, not numbers|has 1 dimensions"),
        (np.ones((2, 1)) * 1j, "holds complex numbers, not numbers"),
    ],
    ids=["ragged", "dates", "durations", "NaT", "records", "recarray", "complex"],
)
def test_values_that_are_no_numbers_are_told_by_view(table, message):
    with pytest.raises(ValueError, match=f"View 'b' .*{message}|View 'b': .*{message}"):
        check_views({"a": np.ones((2, 1)), "b": table})


def test_views_within_views_are_refused():
    for X in ([Views([np.eye(2)]), np.eye(2)], {"view 0": Views([np.eye(2)])}):
        with pytest.raises(TypeError, match="View 'view 0' is a Views, which holds several views: give it alone"):
            check_views(X)


def test_list_of_series_is_no_table_of_rows():
    with pytest.raises(TypeError, match="View 'view 0' is a Series"):
        check_views([FRAME["x"], FRAME["g"]])


def test_list_of_readers_is_refused():
    reader = pa.table({"a": [1.0, 2.0]}).to_reader()
    with pytest.raises(TypeError, match="View 'view 0' is a RecordBatchReader, which can be read only once"):
        check_views([reader])


def test_records_alone():
    with pytest.raises(ValueError, match="View 'view 0' holds records, not numbers"):
        check_views(FRAME.to_records())


def test_ragged_list_alone():
    with pytest.raises(ValueError, match="View 'view 0' is a list whose rows have different lengths"):
        check_views([[1.0, 2.0], [1.0]])


def test_dates_alone():
    with pytest.raises(ValueError, match="View 'view 0' holds dates, not numbers"):
        LMVSC(2).fit(np.array([["2020-01-01"], ["NaT"]], dtype="datetime64[D]"))


def test_masked_array_without_a_mask_is_an_array():
    assert check_views([np.ma.array(np.eye(3))]).widths == (3,)
