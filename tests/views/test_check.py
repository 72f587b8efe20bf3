import copy

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from manyview import LMVSC
from manyview.views import Views, check_views

N = 12


@pytest.fixture
def tables():
    rng = np.random.default_rng(0)
    return [rng.standard_normal((N, 3)), rng.standard_normal((N, 2))]


def frames(tables, kind=pd.DataFrame):
    if kind is pl.DataFrame:
        return [pl.DataFrame(table, schema=[f"c{j}" for j in range(table.shape[1])]) for table in tables]
    return [kind(table) for table in tables]


def with_value(value, row=7, column=1, shape=(N, 3), dtype=np.float64):
    table = np.ones(shape, dtype=dtype)
    table[row, column] = value
    return table


# forms


@pytest.mark.parametrize(
    "form",
    [
        lambda t: list(t),
        lambda t: tuple(t),
        lambda t: {"a": t[0], "b": t[1]},
        lambda t: Views(t),
        lambda t: frames(t),
        lambda t: frames(t, pl.DataFrame),
        lambda t: dict(zip("ab", frames(t, pl.DataFrame), strict=True)),
        lambda t: [sp.csr_array(t[0]), t[1]],
        lambda t: [t[0], t[1].tolist()],
        lambda t: [np.asfortranarray(t[0]), t[1][::1]],
    ],
    ids=["list", "tuple", "dict", "Views", "pandas", "polars", "polars dict", "sparse", "nested list", "fortran"],
)
def test_every_form_of_several_tables_gives_the_same_views(tables, form):
    views = check_views(form(tables))
    assert len(views) == N
    for given, checked in zip(tables, views.tables, strict=True):
        assert_array_equal(checked.toarray() if sp.issparse(checked) else checked, given)


@pytest.mark.parametrize(
    "ranges",
    [[3, 2], (3, 2), np.array([3, 2]), [(0, 3), (3, 5)], np.array([[0, 3], [3, 5]])],
    ids=["widths", "tuple", "array of widths", "pairs", "array of pairs"],
)
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, pd.DataFrame, np.ndarray.tolist])
def test_one_table_is_cut_into_the_same_views(tables, ranges, make):
    views = check_views(make(np.hstack(tables)), ranges=ranges)
    for given, checked in zip(tables, views.tables, strict=True):
        assert_array_equal(checked.toarray() if sp.issparse(checked) else checked, given)


@pytest.mark.parametrize("n_views, widths", [(1, (5,)), (2, (2, 3)), (3, (2, 1, 2)), (5, (1,) * 5), (None, (5,))])
def test_one_table_in_about_equal_parts(tables, n_views, widths):
    views = check_views(np.hstack(tables), ranges=n_views)
    assert views.widths == widths
    assert_array_equal(np.hstack(views.tables), np.hstack(tables))


def test_pairs_may_overlap_and_leave_columns_out(tables):
    table = np.hstack(tables)
    views = check_views(table, ranges=[(1, 3), (2, 4)])
    assert_array_equal(views.tables[0], table[:, 1:3])
    assert_array_equal(views.tables[1], table[:, 2:4])


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_sparse_formats_become_csr(tables, format, kind):
    table = np.where(tables[0] > 0.5, tables[0], 0)
    given = getattr(sp, f"csr_{kind}")(table).asformat(format)
    for views in (check_views([given, tables[1]]), check_views(given)):
        assert views.tables[0].format == "csr"
        assert_array_equal(views.tables[0].toarray(), table)


def test_entries_that_are_stored_twice_are_added_without_touching_the_input():
    given = sp.csr_array(([1.0, 2.0, 3.0], [0, 0, 1], [0, 2, 3]), shape=(2, 2))
    for views in (check_views([given]), check_views(given)):
        assert_array_equal(views.tables[0].data, [3, 3])
    assert_array_equal(given.data, [1, 2, 3])


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int64, np.longdouble])
def test_other_numbers_become_double_precision(dtype):
    given = (np.arange(24).reshape(12, 2) % 2).astype(dtype)
    for X in ([given, sp.csr_array(given.astype(np.int64))], given):
        table = check_views(X).tables[0]
        assert table.dtype == np.float64
        assert_array_equal(table, given)


def test_half_precision_becomes_single():
    given = np.arange(24).reshape(12, 2).astype(np.float16)
    for X in ([given, given], given):
        assert check_views(X).tables[0].dtype == np.float32


@pytest.mark.parametrize("column", [5, -1])
def test_entries_outside_of_a_sparse_matrix_are_refused(column):
    given = sp.csr_array(np.eye(5))
    given.indices[2] = column
    for X, name in (({"words": given}, "words"), (given, "view 0")):
        with pytest.raises(ValueError, match=f"View '{name}' is a sparse matrix of 5 columns .* column {column}"):
            check_views(X)


def test_columns_have_the_names_of_the_fit(tmp_path):
    frame = pd.DataFrame(np.random.default_rng(0).standard_normal((40, 3)), columns=["a", "b", "c"])
    model = LMVSC(2, n_anchors=4, random_state=0).fit({"x": frame, "y": frame.to_numpy()})
    frame[["c", "b", "a"]].to_parquet(tmp_path / "x.parquet")
    for turned in (frame[["c", "b", "a"]], tmp_path / "x.parquet"):
        with pytest.raises(ValueError, match="View 'x': column 0 is 'c'; in the fit it was 'a'"):
            model.predict({"y": frame.to_numpy(), "x": turned})
    expected = model.predict({"x": frame, "y": frame.to_numpy()})
    assert_array_equal(model.predict({"x": frame.to_numpy(), "y": frame}), expected)  # without names there is no order


def test_single_precision_is_kept(tables):
    views = check_views([tables[0].astype(np.float32), sp.csr_array(tables[1].astype(np.float32))])
    assert [table.dtype for table in views.tables] == [np.float32, np.float32]


def test_frames_are_aligned_by_their_index(tables):
    rng = np.random.default_rng(1)
    ids = [f"sample {i}" for i in range(N)]
    first, second = (pd.DataFrame(table, index=ids) for table in tables)
    order = rng.permutation(N)
    views = check_views({"a": first, "b": second.iloc[order]})
    assert_array_equal(views.tables[1], tables[1])
    assert_array_equal(views.ids, ids)
    led_by_second = check_views({"b": second.iloc[order], "a": first})
    assert_array_equal(led_by_second.tables[1], tables[0][order])
    assert_array_equal(led_by_second.ids, np.array(ids)[order])


def test_ids_stay_with_their_rows_through_views(tables):
    frame = pd.DataFrame(tables[0], index=list("abcdefghijkl"))
    part = check_views([frame])[[4, 2]]
    assert_array_equal(check_views(part).ids, ["e", "c"])


def test_nullable_and_mixed_columns_are_numbers():
    frame = pd.DataFrame({"x": pd.array([1, 2], dtype="Int64"), "y": [0.5, 1.5], "z": [True, False]})
    assert_array_equal(check_views([frame]).tables[0], [[1, 0.5, 1], [2, 1.5, 0]])


def test_names_are_kept_as_text(tables):
    assert check_views({"rna": tables[0], 7: tables[1]}).names == ("rna", "7")
    assert check_views(tables).names == ("view 0", "view 1")


@pytest.mark.parametrize("n_views", [1, 12])
def test_one_view_and_many(n_views):
    assert check_views([np.ones((3, 1))] * n_views).widths == (1,) * n_views


@pytest.mark.parametrize("table", [np.full((4, 2), -1e140), np.full((4, 2), 1e17, dtype=np.float32)])
def test_large_numbers_are_numbers(table):
    assert_array_equal(check_views([table]).tables[0], table)


@pytest.mark.parametrize(
    "make",
    [
        lambda t: list(t),
        lambda t: [sp.csr_array(t[0]), sp.coo_array(t[1])],
        lambda t: frames(t),
        lambda t: frames(t, pl.DataFrame),
        lambda t: [t[0].astype(int), t[1] > 0],
    ],
    ids=["arrays", "sparse", "pandas", "polars", "ints"],
)
def test_the_input_is_never_changed(tables, make):
    given = make(tables)
    before = copy.deepcopy(given)
    check_views(given)
    for old, new in zip(before, given, strict=True):
        assert type(old) is type(new)
        old, new = (table.toarray() if sp.issparse(table) else np.asarray(table) for table in (old, new))
        assert old.dtype == new.dtype
        assert_array_equal(old, new)


def test_read_only_arrays_will_do(tables):
    for table in tables:
        table.setflags(write=False)
    assert check_views(tables).widths == (3, 2)


# bad input


@pytest.mark.parametrize("make", [lambda q: q, lambda q: [q, q], lambda q: {"x": q}], ids=["one", "list", "dict"])
def test_a_query_is_told_what_to_do(tables, make):
    with pytest.raises(TypeError, match=r"View '(view 0|x)' is a polars LazyFrame.*collect\(\).*sink_parquet"):
        check_views(make(pl.DataFrame(tables[0]).lazy()))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, sp.csc_array, pd.DataFrame], ids=lambda make: make.__name__)
def test_what_is_not_finite_is_named_with_view_and_row(value, make):
    bad = make(with_value(value))
    with pytest.raises(ValueError, match=r"View 'b' contains NaN or infinity, first in row 7\. Fill it or drop"):
        check_views({"a": np.ones((N, 2)), "b": bad})
    with pytest.raises(ValueError, match="View 'view 1' contains NaN or infinity, first in row 7"):
        check_views([np.ones((N, 2)), bad])
    with pytest.raises(ValueError, match="View 'view 0' contains NaN or infinity, first in row 7"):
        check_views(bad)


def test_the_first_bad_row_is_named_also_between_empty_sparse_rows():
    table = np.zeros((9, 3))
    table[2, 1], table[5, 2], table[6, 0] = 1, np.nan, np.nan
    for make in (np.asarray, sp.csr_array):
        with pytest.raises(ValueError, match="first in row 5"):
            check_views([make(table)])


def test_both_infinities_at_once():
    table = np.ones((4, 2))
    table[1], table[3] = np.inf, -np.inf
    with pytest.raises(ValueError, match="View 'view 0' contains NaN or infinity, first in row 1"):
        check_views([table])


def test_in_one_table_the_view_of_the_bad_column_is_named():
    table = with_value(np.nan, row=3, column=4, shape=(N, 6))
    with pytest.raises(ValueError, match="View 'view 1' contains NaN or infinity, first in row 3"):
        check_views(table, ranges=[3, 3])
    with pytest.raises(ValueError, match="View 'view 2' contains NaN or infinity, first in row 3"):
        check_views(sp.csr_array(table), ranges=3)


@pytest.mark.parametrize(
    "bad, error, message",
    [
        (np.ones((N, 2)) * 1j, ValueError, "holds complex numbers, not numbers: give real and imaginary parts"),
        (sp.csr_array(np.eye(N) * 1j), ValueError, "holds complex numbers"),
        (np.full((N, 2), "word"), ValueError, "holds text, not numbers"),
        (np.full((N, 2), "word", dtype=object), ValueError, "column 0 holds text, not numbers"),
        (np.full((N, 2), {}, dtype=object), ValueError, "column 0 holds dict"),
        (pd.DataFrame({"x": ["word"] * N}), ValueError, r"column 'x' holds text, .*astype\('category'\)"),
        (np.ones((N, 2, 2)), ValueError, "has 3 dimensions; a view is a table"),
        (np.ones(N), ValueError, "has 1 dimensions; a view is a table"),
        (pd.Series(np.ones(N)), ValueError, "has 1 dimensions; a view is a table"),
        (np.ones((0, 2)), ValueError, "has 0 rows"),
        (np.ones((N, 0)), ValueError, r"0 feature\(s\)"),
        (sp.csr_array((0, 2)), ValueError, "has 0 rows"),
        (None, TypeError, "a NoneType, not a table"),
        (np.ones((N, 2)).view(np.matrix), TypeError, "np.matrix is not supported"),
        (np.ones((N + 1, 2)), ValueError, f"has {N + 1} rows but view 'good' has {N}"),
        (sp.csr_array(np.ones((N - 1, 2))), ValueError, f"has {N - 1} rows but view 'good' has {N}"),
    ],
    ids=[
        "complex",
        "complex sparse",
        "text",
        "objects of text",
        "objects",
        "frame of text",
        "3-D",
        "1-D",
        "series",
        "no rows",
        "no columns",
        "no sparse rows",
        "nothing",
        "np.matrix",
        "too long",
        "too short",
    ],
)
def test_what_is_not_a_table_of_the_same_rows_is_refused_by_name(bad, error, message):
    with pytest.raises(error, match=f"(?s)View 'bad view'.*{message}"):
        check_views({"good": np.ones((N, 1)), "bad view": bad})


@pytest.mark.parametrize(
    "X, message",
    [
        (np.ones((N, 2)) * 1j, "Complex data not supported"),
        (np.ones((N, 2, 2)), "dim 3"),
        (np.ones(N), "Expected 2D array"),
        (np.ones((0, 2)), r"0 sample\(s\)"),
        (np.ones((N, 0)), r"0 feature\(s\)"),
        ([["a", "b"]], "could not convert string"),
        ([], "empty list: pass at least one view"),
        ((), "empty list: pass at least one view"),
        ({}, "empty mapping: pass at least one view"),
        ([np.ones((N, 2, 2)), np.ones((N, 2))], "View 'view 0' has 3 dimensions"),
        ({1: np.ones((N, 1)), "1": np.ones((N, 1))}, "names must differ"),
    ],
)
def test_other_bad_input(X, message):
    with pytest.raises(ValueError, match=message):
        check_views(X)


def test_ids_are_not_guessed(tables):
    first, second = frames(tables)
    with pytest.raises(ValueError, match="View 'b' has 11 rows but view 'a' has 12"):
        check_views({"a": first, "b": second.iloc[:-1]})
    with pytest.raises(ValueError, match="View 'b' has the id 0 more than once"):
        check_views({"a": first.set_axis(range(1, N + 1)), "b": second.set_axis([0] * N)})
    with pytest.raises(ValueError, match="rows of view 'b' carry ids, those of view 'a' do not"):
        check_views({"a": first, "b": second.iloc[::-1]})


@pytest.mark.parametrize(
    "ranges, message",
    [
        (0, "views=0 cannot cut n_features=5"),
        (6, "views=6 cannot cut n_features=5"),
        (-1, "views=-1 cannot cut"),
        ([3, 3], r"views=\[3, 3\] must be positive widths that sum to n_features=5"),
        ([5, 0], "must be positive widths"),
        ([6, -1], "must be positive widths"),
        ([], "must be positive widths"),
        ([(0, 3), (3, 6)], r"range 1 is \(3, 6\), outside n_features=5"),
        ([(0, 3), (3, 3)], r"range 1 is \(3, 3\), outside n_features=5 or empty"),
        ([(-1, 3)], r"range 0 is \(-1, 3\)"),
        ([(0, 1, 2)], "give a number of views, their widths, or"),
        ([2.0, 3.0], "give a number of views, their widths, or"),
        ([(0, 2.5)], "give a number of views, their widths, or"),
        (2.0, "give a number of views, their widths, or"),
        ("ab", "give a number of views, their widths, or"),
    ],
)
def test_a_cut_that_does_not_fit_says_so(tables, ranges, message):
    with pytest.raises(ValueError, match=message):
        check_views(np.hstack(tables), ranges=ranges)


# with an estimator


class Keeper:
    pass


def fitted(X, **options):
    keeper = Keeper()
    check_views(X, estimator=keeper, **options)
    return keeper


def test_widths_and_names_are_stored(tables):
    keeper = fitted({"a": tables[0], "b": tables[1]})
    assert keeper.n_features_in_ == 5
    assert keeper.view_names_ == ("a", "b")
    assert keeper.view_widths_ == (3, 2)


def test_new_rows_are_matched_by_name_else_by_position(tables):
    keeper = fitted({"a": tables[0], "b": tables[1]})
    swapped = check_views({"b": tables[1][:4], "a": tables[0][:4]}, estimator=keeper, reset=False)
    assert swapped.names == ("a", "b")
    assert swapped.widths == (3, 2)
    assert_array_equal(swapped.tables[0], tables[0][:4])
    by_position = check_views([tables[0][:4], tables[1][:4]], estimator=keeper, reset=False)
    assert_array_equal(by_position.tables[1], tables[1][:4])


def test_new_rows_of_another_shape_are_refused(tables):
    keeper = fitted({"a": tables[0], "b": tables[1]})
    with pytest.raises(ValueError, match="View 'b' has 1 columns; the model was fitted on 2"):
        check_views({"a": tables[0], "b": tables[1][:, :1]}, estimator=keeper, reset=False)
    with pytest.raises(ValueError, match=r"Got 1 views; the model was fitted on 2: \['a', 'b'\]"):
        check_views([tables[0]], estimator=keeper, reset=False)
    with pytest.raises(ValueError, match="View 'a' has 2 columns; the model was fitted on 3"):
        check_views([tables[1], tables[0]], estimator=keeper, reset=False)
