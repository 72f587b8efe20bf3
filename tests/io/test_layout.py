import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.sparse import csc_matrix, issparse

from manyview.io.layout import assemble
from manyview.io.values import Cell, RawSparse, Unusable


def row(*items):
    return Cell((1, len(items)), items)


def raw(matrix):
    """A sparse matrix as MATLAB stores it, with room for more entries than there are."""
    C = csc_matrix(matrix)
    return RawSparse(np.append(C.data, 0.0), np.append(C.indices, 0), C.indptr, C.shape, by_columns=True)


def triples(matrix):
    rows, columns = np.nonzero(matrix)
    return np.column_stack([rows + 1.0, columns + 1.0, matrix[rows, columns]])


def read(**variables):
    return assemble(list(variables.items()), source="file", name="data")


A, B = np.arange(24.0).reshape(6, 4), np.arange(12.0, 24.0).reshape(6, 2)
Y = np.array([[1], [1], [2], [2], [5], [5]], dtype=np.uint8)


@pytest.mark.parametrize(
    "variables",
    [
        {"X": row(A, B), "Y": Y},
        {"X": Cell((2, 1), (A, B)), "y": Y},
        {"X": row(A, B), "gt": Y.T},
        {"fea": row(A, B), "gt": Y.astype(float)},
        {"data": row(A.T, B.T), "truelabel": row(Y, Y)},
        {"X": row(A, B.T), "Y": Y},
        {"X": row(row(A), row(B)), "Y": Y},
        {"X": row(A.astype(np.uint8), B.astype(np.int32)), "Y": Y},
        {"X": row(raw(A), raw(B)), "Y": Y},
        {"X": row(raw(A.T), raw(B)), "Y": Y},
        {"X": row(A, triples(B)), "Y": Y},
        {"Z": row(A, B), "Y": Y, "note": Unusable("a struct")},
        {"X1": A, "X2": B, "Y": Y},
        {"x1": A, "x2": B, "gt": Y, "seed": np.array([[7]]), "fold": Y},
        {"view_0": A, "view_1": B, "labels": Y.ravel()},
        {"X": row(A, B), "Y": np.eye(6), "gt": Y},
        {"X": row(A, B), "Y": Cell((6, 1), tuple(np.array([word]) for word in "aabbcc"))},
    ],
)
def test_every_layout_gives_the_same_data(variables):
    data = read(**variables)
    first, second = data.views.values()
    assert_array_equal(first.toarray() if issparse(first) else first, A)
    assert_array_equal(second.toarray() if issparse(second) else second, B)
    assert_array_equal(data.labels, [0, 0, 1, 1, 2, 2])
    assert first.dtype == second.dtype == np.float64


def test_single_precision_stays_single():
    assert read(X=row(A.astype(np.float32)), Y=Y).views["view_0"].dtype == np.float32


def test_numbered_views_come_in_the_order_of_their_numbers():
    views = {f"X{v}": np.full((6, 2), float(v)) for v in (10, 2, 1, 3, 4, 5, 6, 7, 8, 9)}
    assert [view[0, 0] for view in read(**views, Y=Y).views.values()] == list(range(1, 11))


def test_a_single_matrix_is_a_single_view():
    assert read(X=A, Y=Y).n_features == (4,)


def test_without_labels_rows_must_agree_or_else_columns():
    assert read(X=row(A, B)).n_features == (4, 2)
    assert read(X=row(A.T, B.T)).n_features == (4, 2)
    assert read(X=row(A, B)).labels is None


def test_without_labels_triples_tell_the_number_of_samples():
    data = read(X=row(triples(A), triples(B)))
    assert data.n_samples == 6
    assert_array_equal(data.views["view_1"].toarray(), B)


def test_a_square_view_is_taken_as_it_lies():
    square = np.arange(36.0).reshape(6, 6)
    assert_array_equal(read(X=row(square, A.T), Y=Y).views["view_0"], square)


def test_widths_restore_empty_last_columns_of_triples():
    data = assemble([("X", row(A, triples(B))), ("Y", Y)], source="file", name="data", widths=(4, 9))
    assert data.n_features == (4, 9)
    assert data.views["view_1"][:, 2:].nnz == 0


@pytest.mark.parametrize(
    "widths, complaint", [((4,), "names 1 views, the file has 2"), ((5, 2), "4 columns where widths says 5")]
)
def test_wrong_widths_are_refused(widths, complaint):
    with pytest.raises(ValueError, match=complaint):
        assemble([("X", row(A, B)), ("Y", Y)], source="file", name="data", widths=widths)


NAN = A.copy()
NAN[3, 1] = np.nan
BAD_SPARSE = raw(A)


@pytest.mark.parametrize(
    "variables, complaint",
    [
        ({}, "found nothing"),
        ({"Y": Y}, r"found Y \(6x1 uint8\)"),
        ({"a": A, "b": B, "Y": Y}, r"a \(6x4 float64\), b \(6x2 float64\)"),
        ({"P": row(A), "Q": row(B), "Y": Y}, "cannot tell"),
        ({"X": row(), "Y": Y}, "1x0 cell"),
        ({"X": Cell((2, 2), (A, A, B, B)), "Y": Y}, "2x2 cell; views must stand in a single row"),
        ({"X": row(A, Unusable("a struct")), "Y": Y}, "view_1 is a struct"),
        ({"X": row(A, row(A, B)), "Y": Y}, "view_1 is 1x2 cell"),
        ({"X": row(A, A * 1j), "Y": Y}, "view_1 is 6x4 complex128"),
        ({"X": row(A, np.array(["text"])), "Y": Y}, "view_1 is 1 <U4"),
        ({"X": row(A, np.zeros((6, 0))), "Y": Y}, r"view_1 has shape \(6, 0\)"),
        ({"X": row(A, np.zeros((6, 2, 2))), "Y": Y}, "view_1 has 3 dimensions"),
        ({"X": row(A, NAN), "Y": Y}, "view_1 is nan at row 3, column 1"),
        ({"X": row(raw(np.where(A > 20, np.inf, A))), "Y": Y}, "view_0 is inf in row 5"),
        ({"X": row(A, B[:5]), "Y": Y}, r"view_1 has shape \(5, 2\) where there are 6 labels"),
        ({"X": row(A, B[:5])}, "neither rows nor columns agree"),
        ({"X": row(A), "Y": np.array([])}, r"Y has shape \(0,\)"),
        ({"X": row(A), "Y": np.eye(6)}, r"Y has shape \(6, 6\)"),
        ({"X": row(A), "Y": Y + 0.5}, "Y is 1.5 in row 0"),
        ({"X": row(A), "Y": np.where(Y == 5, np.nan, Y)}, "Y is nan in row 4"),
        ({"X": row(A), "Y": Unusable("a struct")}, "Y is a struct"),
        ({"X": row(A), "Y": row(Y, Y[::-1])}, "2 lists of labels that differ"),
        ({"X": row(A), "Y": Y, "gt": Y[::-1]}, "Y and gt both look like labels"),
        ({"X1": A, "X3": B, "Y": Y}, r"numbered \[1, 3\]"),
        ({"X2": A, "X3": B, "Y": Y}, r"numbered \[2, 3\]"),
        ({"X1": A, "X01": B, "Y": Y}, "X1 and X01 claim the same place"),
        ({"X1": A, "X2": B, "Z": A, "Y": Y}, r"there is Z \(6x4 float64\), unexplained"),
        ({"X": row(A, triples(np.vstack([B, B]))), "Y": Y}, "largest row is 12, for 6 samples"),
        ({"X": row(A, np.array([[1, 1, 1.0], [2, 1e9, 1.0]])), "Y": Y}, "largest column is 1000000000"),
        ({"X": row(triples(A), np.array([[1e9, 1, 1.0], [2, 2, 1.0]]))}, "1000000000 as their largest row"),
        ({"X": row(A, np.array([[1, 1, 1.0], [2, 1.5, 1.0]])), "Y": Y}, "not a list of"),
        ({"X": row(A, np.array([[1, 1, 1.0], [0, 1, 1.0]])), "Y": Y}, "not a list of"),
        ({"X": row(BAD_SPARSE._replace(indices=BAD_SPARSE.indices + 1)), "Y": Y}, "index outside"),
        ({"X": row(BAD_SPARSE._replace(indices=BAD_SPARSE.indices - 1)), "Y": Y}, "index outside"),
        ({"X": row(BAD_SPARSE._replace(indptr=BAD_SPARSE.indptr[::-1])), "Y": Y}, "indptr does not rise"),
        ({"X": row(BAD_SPARSE._replace(indptr=BAD_SPARSE.indptr[:-1])), "Y": Y}, "indptr does not rise from 0 in 5"),
        ({"X": row(BAD_SPARSE._replace(data=BAD_SPARSE.data[:3])), "Y": Y}, "of which 3 are there"),
        ({"X": row(BAD_SPARSE._replace(data=BAD_SPARSE.data * 1j)), "Y": Y}, "complex128 entries"),
        ({"X": row(BAD_SPARSE._replace(indices=BAD_SPARSE.indices * 1.0)), "Y": Y}, "not vectors of indices"),
        ({"X": row(BAD_SPARSE._replace(shape=(2**31, 4))), "Y": Y}, "looks damaged"),
        ({"X": row(BAD_SPARSE._replace(shape=(6,))), "Y": Y}, r"sparse of shape \(6,\)"),
    ],
)
def test_what_does_not_fit_is_one_clear_error_that_names_the_file(variables, complaint):
    with pytest.raises(ValueError, match=complaint) as caught:
        read(**variables)
    assert str(caught.value).startswith("file: ")


def test_the_same_name_twice_is_refused():
    with pytest.raises(ValueError, match="occurs twice"):
        assemble([("X", A), ("X", B), ("Y", Y)], source="file", name="data")


@settings(deadline=None, max_examples=60)
@given(data=st.data(), n_samples=st.integers(4, 12), widths=st.lists(st.integers(1, 13), min_size=1, max_size=4))
def test_any_mixture_of_storage_and_orientation_reads_back(data, n_samples, widths):
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    views = [rng.integers(1, 9, (n_samples, d)).astype(float) for d in widths]  # no zeros: triples keep their width
    stored = []
    for view in views:
        ways = [view, raw(view), view.astype(np.int16)]
        if view.size != n_samples:  # as many lines as samples would look like a view of three columns
            ways.append(triples(view))
        if view.shape[1] != n_samples:
            ways += [view.T, raw(view.T)]
        stored.append(data.draw(st.sampled_from(range(len(ways))).map(ways.__getitem__)))
    found = read(X=row(*stored), gt=rng.permutation(n_samples) % 3)
    for view, back in zip(views, found.views.values(), strict=True):
        assert_array_equal(back.toarray() if issparse(back) else back, view)
