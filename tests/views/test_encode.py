import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from manyview.views import Views, check_views

SEX = ["f", "m", "f", "x"]


class Keeper:
    pass


def pandas_frame(sex=SEX, smokes=(True, False, True, False)):
    frame = pd.DataFrame({"age": [30.0, 40.0, 50.0, 60.0][: len(sex)], "smokes": list(smokes)[: len(sex)]})
    return frame.assign(sex=pd.Categorical(sex))


FRAMES = {
    "pandas": pandas_frame,
    "polars": lambda *args: pl.from_pandas(pandas_frame(*args)),
    "enum": lambda *args: pl.from_pandas(pandas_frame(*args)).with_columns(
        pl.col("sex").cast(pl.String).cast(pl.Enum(["f", "m", "x", "new"]))
    ),
    "arrow": lambda *args: pa.Table.from_pandas(pandas_frame(*args), preserve_index=False),
    "batch": lambda *args: pa.RecordBatch.from_pandas(pandas_frame(*args), preserve_index=False),
}
LIBRARY = pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)


@LIBRARY
def test_categories_and_booleans_become_columns_of_0_and_1(make):
    views = check_views({"clinical": make()})
    assert views.columns == (("age", "smokes", "sex=f", "sex=m", "sex=x"),)
    expected = [[30, 1, 1, 0, 0], [40, 0, 0, 1, 0], [50, 1, 1, 0, 0], [60, 0, 0, 0, 1]]
    assert_array_equal(views.tables[0], expected)
    assert any("categories of column 'sex' became 3 columns" in note for note in views.notes)
    assert any("truth values of column 'smokes'" in note for note in views.notes)


@LIBRARY
def test_predict_encodes_the_categories_of_the_fit(make):
    keeper = Keeper()
    check_views([make()], estimator=keeper)
    new = check_views([make(["x", "new"])], estimator=keeper, reset=False)
    assert_array_equal(new.tables[0][:, 2:], [[0, 0, 1], [0, 0, 0]])
    assert new.columns == keeper.view_columns_


def test_preparation_is_plain_data():
    keeper = Keeper()
    check_views([pandas_frame()], estimator=keeper)
    expected = {
        "width": 3,
        "n_columns": 5,
        "categories": [None, None, ["f", "m", "x"]],
        "dropped": [],
        "fill": None,
    }
    assert keeper.view_preparations_ == (expected,)


def test_predict_takes_text_where_the_fit_had_categories():
    keeper = Keeper()
    check_views([pandas_frame()], estimator=keeper)
    texts = pandas_frame(["m", "f"]).astype({"sex": object})
    assert_array_equal(check_views([texts], estimator=keeper, reset=False).tables[0][:, 2:], [[0, 1, 0], [1, 0, 0]])


def test_categories_where_the_fit_had_numbers_are_refused():
    keeper = Keeper()
    frame = pandas_frame()
    check_views([frame.assign(sex=1.0)], estimator=keeper)
    with pytest.raises(ValueError, match=r"column 'sex' holds categories.*in the fit it held numbers"):
        check_views([frame], estimator=keeper, reset=False)


def test_arrays_that_are_encoded_already_will_do_for_predict():
    keeper = Keeper()
    views = check_views([pandas_frame()], estimator=keeper)
    assert_array_equal(check_views(views, estimator=keeper, reset=False).tables[0], views.tables[0])
    assert_array_equal(check_views([views.tables[0]], estimator=keeper, reset=False).tables[0], views.tables[0])
    with pytest.raises(ValueError, match="has 3 columns; the model was fitted on 3 of a frame, some of them categ"):
        check_views([np.ones((4, 3))], estimator=keeper, reset=False)


@LIBRARY
def test_missing_category_is_a_missing_cell(make):
    with pytest.raises(ValueError, match=r"View 'x' contains NaN .* row 1.*column 'sex=f'"):
        check_views({"x": make(["f", None, "m", "m"])})


def test_single_precision_of_frames_is_kept():
    table = np.ones((3, 2), np.float32)
    for frame in (pd.DataFrame(table), pl.DataFrame(table), pa.Table.from_arrays(list(table.T), ["a", "b"])):
        assert check_views([frame]).tables[0].dtype == np.float32


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize(
    "values, message",
    [
        (["a", "b"], r"View 'x': column 'bad' holds text, not numbers: .*astype\('category'\).*id_column"),
        ([datetime.datetime(2020, 1, 1), None], "View 'x': column 'bad' holds dates or times, .*days since"),
        ([datetime.timedelta(1), None], "View 'x': column 'bad' holds dates or times"),
        ([[1.0], [2.0]], "View 'x': column 'bad' holds .*(?i:list)"),
    ],
    ids=["text", "dates", "durations", "lists"],
)
def test_columns_without_numbers_are_named(library, values, message):
    columns = {"good": [1.0, 2.0], "bad": values}
    frame = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[library](columns)
    with pytest.raises(ValueError, match=message):
        check_views({"x": frame})


@pytest.mark.parametrize(
    "column, kind",
    [
        (pd.Series([1 + 1j, 2]), "complex numbers"),
        (pd.Series([pd.NaT, pd.NaT]), "dates or times"),
        (pd.Series([datetime.date(2020, 1, 1), None], dtype=object), "dates or times"),
        (pd.Series(pd.period_range("2020", periods=2, freq="D")), "Period"),
        (pd.Series([{}, {}]), "dict"),
    ],
)
def test_other_pandas_columns_are_named(column, kind):
    with pytest.raises(ValueError, match=f"View 'x': column 'bad' holds {kind}"):
        check_views({"x": pd.DataFrame({"bad": column})})


def test_objects_that_are_numbers_are_numbers():
    frame = pd.DataFrame({"x": np.array([1, 2.5, True], dtype=object), "y": pd.array([1, 2, 3], dtype="Int64")})
    assert_array_equal(check_views([frame]).tables[0], [[1, 1], [2.5, 2], [1, 3]])


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("name", ["id", "Sample_ID", "patient", "PID", "barcode", "index", "Unnamed: 0"])
@pytest.mark.parametrize("values", [[3, 1, 2], ["a", "b", "c"]], ids=["numbers", "text"])
def test_column_of_ids_among_the_features_is_told_what_to_do(library, name, values):
    frame = library({name: values, "g": [1.0, 2.0, 3.0]})
    with pytest.raises(ValueError, match=f"column '{name}' looks like ids.*id_column='{name}'"):
        check_views([frame])
    assert check_views([frame], id_column=name).ids.tolist() == values
    assert Views.from_tables([frame], id_column=name).widths == (1,)


@pytest.mark.parametrize("values", [[1, 1, 2], [0.5, 1.5, 2.5]], ids=["repeated", "fractions"])
def test_features_with_the_name_of_ids_may_stay(values):
    assert check_views([pd.DataFrame({"index": values})]).widths == (1,)


def test_other_columns_than_in_the_fit_are_told():
    keeper = Keeper()
    check_views({"x": pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, 2.0]})}, estimator=keeper)
    with pytest.raises(ValueError, match=r"View 'x' has 3 columns; the model was fitted on 2\. Is 'id' an id\?"):
        check_views({"x": pd.DataFrame({"id": [1], "a": [1.0], "b": [1.0]})}, estimator=keeper, reset=False)
