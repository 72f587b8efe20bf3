import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from manyview import LMVSC, Views
from manyview.views import check_views
from manyview.views.sparse import verified

N, WIDTH = 6, 4


def matrix(format):
    table = np.arange(N * WIDTH, dtype=float).reshape(N, WIDTH) % 3
    return sp.csr_array(table).asformat(format)


def with_changed(format, field, change):
    damaged = matrix(format)
    setattr(damaged, field, change(getattr(damaged, field).copy()))
    return damaged


def put(position, value):
    def change(array):
        array[position] = value
        return array

    return change


DAMAGES = {
    "starts late": ("indptr", put(0, 1), "starts at 1"),
    "falls": ("indptr", put(2, 10_000), "falls from 10000"),
    "negative": ("indptr", put(2, -5), "falls from"),
    "too far": ("indptr", put(-1, 10_000), "ends at 10000, but there are"),
    "wraps": ("indptr", put(slice(1, 3), [2**31 - 1, -(2**31)]), "falls from 2147483647 to -2147483648"),
    "too short": ("indptr", lambda array: array[:-1], "expected"),
    "not integers": ("indptr", lambda array: array.astype(float), "not a vector of integers"),
    "indices too short": ("indices", lambda array: array[:-2], "but there are"),
    "index beyond": ("indices", put(1, 10_000), "entry in (row|column) 10000: it was put together wrongly"),
    "index below": ("indices", put(1, -1), "entry in (row|column) -1"),
}


@pytest.mark.parametrize("format", ["csr", "csc", "bsr"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_structure_is_refused_with_the_view(format, damage):
    field, change, message = DAMAGES[damage]
    damaged = with_changed(format, field, change)
    for read in (check_views, Views.from_tables):
        with pytest.raises(ValueError, match=f"View 'words'.*{message}"):
            read({"dense": np.ones((N, 1)), "words": damaged})
    with pytest.raises(ValueError, match=f"View 'view 0'.*{message}"):
        check_views(damaged)


@pytest.mark.parametrize("field, stop", [("row", N), ("col", WIDTH)])
@pytest.mark.parametrize("value", [-1, 10_000])
def test_coordinates_outside_are_refused(field, stop, value):
    damaged = matrix("coo")
    getattr(damaged, field)[0] = value
    with pytest.raises(ValueError, match=rf"sparse matrix of {stop} (rows|columns) with an entry in .* {value}"):
        check_views([damaged])


def test_diagonals_without_numbers_are_refused():
    damaged = matrix("dia")
    damaged.offsets = np.append(damaged.offsets, 9)
    with pytest.raises(ValueError, match=r"View 'x' is a damaged sparse matrix: .* diagonals"):
        verified(damaged, "x")


def test_every_estimator_refuses_before_compiled_code_reads():
    damaged = with_changed("csr", "indptr", put(2, 10_000))
    with pytest.raises(ValueError, match="damaged sparse matrix"):
        LMVSC(2).fit([damaged, damaged])


def test_views_that_were_damaged_later_are_refused():
    views = Views([matrix("csr")])
    views.tables[0].indptr[2] = 10_000
    with pytest.raises(ValueError, match="damaged sparse matrix"):
        check_views(views)


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"])
def test_sound_matrices_of_all_formats_are_read(format):
    assert_array_equal(verified(matrix(format), "x").toarray(), matrix("csr").toarray())


def test_room_behind_the_last_entry_is_no_damage():
    given = matrix("csr")
    given.data, given.indices = np.append(given.data, np.nan), np.append(given.indices, 99)
    table = check_views([given]).tables[0]
    assert_array_equal(table.toarray(), matrix("csr").toarray())


def test_empty_matrix_is_read():
    assert check_views([sp.csr_array((3, 2))]).tables[0].nnz == 0


@settings(deadline=None, max_examples=100)
@given(
    format=st.sampled_from(["csr", "csc", "bsr", "coo"]),
    field=st.sampled_from(["indptr", "indices", "row", "col"]),
    place=st.integers(0, 6),
    value=st.one_of(st.integers(-3, 12), st.integers(-(2**31), 2**31 - 1)),
)
def test_any_damage_is_refused_or_harmless(format, field, place, value):
    damaged = matrix(format)
    array = getattr(damaged, field, None)
    if array is None or place >= len(array):
        return
    array[place] = value
    try:
        table = check_views([damaged]).tables[0]
    except ValueError as error:
        table, said = None, str(error)
    if table is None:
        assert "View 'view 0'" in said
    else:
        assert table.toarray().shape == (N, WIDTH)
        assert table.has_canonical_format
