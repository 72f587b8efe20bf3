import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from manyview.views.frames import as_ids, empty_rows, frame_of, shown


def library_frame(library, columns):
    return frame_of({"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[library](columns))


LIBRARY = pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])


@pytest.mark.parametrize("other", [np.eye(2), [[1.0]], {"a": 1}, None, pd.Series([1.0]), pl.Series([1.0])])
def test_other_things_are_no_frames(other):
    assert frame_of(other) is None


def test_subclass_is_a_frame():
    class Special(pd.DataFrame):
        pass

    assert frame_of(Special({"a": [1.0]})).library == "pandas"


@LIBRARY
def test_rows_and_columns_are_taken(library):
    frame = library_frame(library, {"a": [1.0, 2.0, 3.0], "b": [4, 5, 6], "c": ["x", "y", "z"]})
    part = frame_of(frame_of(frame.take(np.array([2, -1, 0]))).select([1, 0]))
    assert part.labels == ["b", "a"]
    assert_array_equal(part.column(0).values, [6, np.nan, 4])
    assert_array_equal(part.column(1).values, [3, np.nan, 1])


@pytest.mark.parametrize("chunks", [1, 3])
def test_arrow_tables_of_numbers_are_row_major(chunks):
    numbers = np.arange(5000 * 3.0).reshape(5000, 3)
    parts = [
        pa.table(
            {"a": rows[:, 0], "b": pa.array(rows[:, 1].astype(int)), "c": pa.array(rows[:, 2], mask=rows[:, 2] == 5)}
        )
        for rows in np.array_split(numbers, chunks)
    ]
    matrix = frame_of(pa.concat_tables(parts)).matrix()
    numbers[1, 2] = np.nan
    assert_array_equal(matrix, numbers)
    assert matrix.flags.c_contiguous
    halves = pa.table({"a": pa.array([1.0, None], pa.float32()), "b": pa.array([1.5, 2], pa.float32())})
    assert frame_of(halves).matrix().dtype == np.float32
    assert frame_of(pa.table({"a": [1.0], "b": [True]})).matrix() is None


@LIBRARY
def test_rows_without_any_value(library):
    frame = library_frame(library, {"a": [1.0, None, None], "b": ["x", None, "y"], "c": [None, None, True]})
    assert_array_equal(empty_rows(frame), [False, True, False])
    assert not empty_rows(library_frame(library, {"a": [1.0, 2.0]})).any()


@LIBRARY
def test_values_for_ids_are_exact(library):
    frame = library_frame(library, {"a": [2**62 + 1, 2**62 + 3]})
    assert frame.listed(0) == [2**62 + 1, 2**62 + 3]


@pytest.mark.parametrize(
    "values, dtype", [(["a", "bb"], "U"), ([1, 2], "i"), ([1, "1"], "O"), ([("a", 1), ("b", 2)], "O"), ([], "f")]
)
def test_ids_keep_their_values(values, dtype):
    ids = as_ids(values)
    assert ids.shape == (len(values),)
    assert ids.dtype.kind == dtype
    assert ids.tolist() == values
    assert as_ids(ids).tolist() == values


def test_ids_in_messages_have_no_numpy_types():
    assert shown(np.str_("p")) == "'p'"
    assert shown(np.int64(3)) == "3"
    assert shown(np.datetime64("2020-01-01")) == "2020-01-01"
    assert shown(("a", 1)) == "('a', 1)"
