import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from manyview import LMVSC, Views
from manyview.views import check_views

TABLE = np.array([[1.0, 10.0], [np.nan, 20.0], [2.0, np.nan], [6.0, 60.0]])


class Keeper:
    pass


@pytest.mark.parametrize("make", [np.asarray, pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("impute, fill", [("mean", (3, 30)), ("median", (2, 20))])
def test_missing_cells_get_what_the_fit_says(make, impute, fill):
    keeper = Keeper()
    views = Views.from_tables([make(TABLE), np.arange(4.0)[:, None]], impute=impute)
    checked = check_views(views, estimator=keeper)
    assert_array_equal(checked.tables[0], [[1, 10], [fill[0], 20], [2, fill[1]], [6, 60]])
    assert checked.notes == (f"View 'view 0': 2 missing cells got the {impute} of their column.",)
    assert keeper.view_preparations_[0]["fill"] == list(fill)
    new = check_views([make(np.array([[np.nan, 5.0]])), np.ones((1, 1))], estimator=keeper, reset=False)
    assert_array_equal(new.tables[0], [[fill[0], 5]])


def test_without_impute_the_error_names_column_id_and_count():
    frame = pd.DataFrame(TABLE, columns=["g1", "g2"], index=["p0", "p1", "p2", "p3"])
    message = (
        r"View 'rna' contains NaN .* row 1\..*impute='mean'.*column 'g1' of sample 'p1'; 2 such cells in 2 columns"
    )
    with pytest.raises(ValueError, match=message):
        check_views({"rna": frame})


def test_categories_are_imputed_by_their_shares():
    frame = pd.DataFrame({"sex": pd.Categorical(["f", "f", "m", None]), "age": 1.0})
    table = check_views([frame, np.ones((4, 1))], impute="mean").tables[0]
    assert_allclose(table[3], [2 / 3, 1 / 3, 1])


def test_rows_that_lack_the_view_are_not_imputed():
    table = TABLE.copy()
    table[0] = np.nan
    X = [table, np.ones((4, 1))]
    checked = check_views(X, impute="mean", rows_may_miss=True)
    assert np.isnan(checked.tables[0][0]).all()
    assert not np.isnan(checked.tables[0][1:]).any()
    with pytest.raises(ValueError, match=r"row 0.* 1 sample lacks this view altogether"):
        check_views(X, impute="mean")


def test_unknown_choice_is_refused():
    with pytest.raises(ValueError, match="impute='zero': use None, 'mean' or 'median'"):
        Views.from_tables([TABLE], impute="zero")


def test_impute_is_chosen_in_the_fit():
    keeper = Keeper()
    check_views([np.ones((4, 2))], estimator=keeper)
    with pytest.raises(ValueError, match="impute='mean' was not chosen in the fit"):
        check_views(Views.from_tables([TABLE], impute="mean"), estimator=keeper, reset=False)


@pytest.mark.parametrize("make", [np.asarray, lambda t: pd.DataFrame(t, columns=["a", "b", "c"])])
def test_columns_without_any_number_are_dropped_with_a_note(make):
    keeper = Keeper()
    table = np.array([[1.0, np.nan, 2.0], [3.0, np.nan, 4.0]])
    views = check_views([make(table)], estimator=keeper)
    assert_array_equal(views.tables[0], table[:, [0, 2]])
    assert "1 column (" in views.notes[0]
    assert views.notes[0].endswith(") without any number, dropped.")
    assert (keeper.view_widths_, keeper.n_features_in_) == ((2,), 3)
    new = check_views([make(np.array([[5.0, 7.0, 6.0]]))], estimator=keeper, reset=False)
    assert_array_equal(new.tables[0], [[5, 6]])
    assert_array_equal(check_views(views, estimator=keeper, reset=False).tables[0], views.tables[0])


def test_constant_columns_stay():
    views = check_views([np.ones((4, 2))])
    assert views.widths == (2,)
    assert views.notes == ("View 'view 0': 2 columns (0, 1) with one value in all rows, which says nothing.",)


@pytest.mark.parametrize("missing", [False, True], ids=["complete", "with a missing view"])
def test_constant_columns_are_noted(missing):
    table = np.random.default_rng(0).random((200, 4))
    table[:, 1], table[:, 3], table[:150, 2] = 0, 1e3, 5  # the last one varies late
    if missing:
        table[[0, 70]] = np.nan
    views = check_views({"a": pd.DataFrame(table, columns=[*"wxyz"])}, rows_may_miss=True)
    assert views.notes == ("View 'a': 2 columns ('x', 'z') with one value in all rows, which says nothing.",)


def test_impute_serves_an_estimator():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 15)
    table = rng.normal(size=(30, 3)) + 9 * labels[:, None]
    holes = table.copy()
    holes[[3, 20], [0, 1]] = np.nan
    model = LMVSC(2, n_anchors=4, random_state=0).fit(Views.from_tables([holes, table], impute="median"))
    assert_array_equal(model.predict([holes, table]), model.labels_)
    assert len({*zip(labels.tolist(), model.labels_.tolist(), strict=True)}) == 2


def test_tables_on_disk_are_not_imputed(tmp_path):
    np.save(tmp_path / "t.npy", np.ones((3, 2)))
    with pytest.raises(ValueError, match="View 'view 0' is not in memory: impute='mean'"):
        check_views([tmp_path / "t.npy"], impute="mean", lazy=True)
