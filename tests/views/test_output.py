import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from manyview.views.output import as_given

LABELS, TABLE, IDS = np.array([1, 0, 1]), np.arange(6.0).reshape(3, 2), np.array(["c", "a", "b"])


def test_without_frames_the_array_comes_back():
    assert as_given(LABELS, IDS, None) is LABELS


@pytest.mark.parametrize("ids", [IDS, np.array([7, 3, 5]), None])
def test_pandas_has_the_ids_as_its_index(ids):
    index = pd.RangeIndex(3) if ids is None else pd.Index(ids)
    series = as_given(LABELS, ids, "pandas")
    pd.testing.assert_series_equal(series, pd.Series(LABELS, index=index, name="cluster"))
    frame = as_given(TABLE, ids, "pandas", name="membership")
    pd.testing.assert_frame_equal(frame, pd.DataFrame(TABLE, index=index, columns=["membership 0", "membership 1"]))


def test_pandas_has_all_levels_of_the_ids():
    ids = np.empty(3, dtype=object)
    ids[:] = [("x", 1), ("x", 2), ("y", 1)]
    assert as_given(LABELS, ids, "pandas").loc[("x", 2)] == 0


def test_polars_and_arrow_have_a_column_of_ids():
    columns = {"id": ["c", "a", "b"], "cluster": [1, 0, 1]}
    assert as_given(LABELS, IDS, "polars").to_dict(as_series=False) == columns
    assert as_given(LABELS, IDS, "pyarrow").to_pydict() == columns
    assert as_given(LABELS, IDS, "polars", id_name="sample").columns == ["sample", "cluster"]


def test_polars_and_arrow_without_ids():
    series = as_given(LABELS, None, "polars")
    assert isinstance(series, pl.Series)
    assert_array_equal(series.to_numpy(), LABELS)
    assert as_given(TABLE, None, "polars", columns=["x", "y"]).columns == ["x", "y"]
    assert as_given(LABELS, None, "pyarrow") == pa.table({"cluster": LABELS})


def test_unknown_library_is_refused():
    with pytest.raises(ValueError, match="kind='R'"):
        as_given(LABELS, None, "R")
