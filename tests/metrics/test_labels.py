from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from manyview.metrics import accuracy, match_labels
from manyview.metrics.labels import check_same_length, encode

INT64 = st.integers(np.iinfo(np.int64).min, np.iinfo(np.int64).max)


@settings(deadline=None, max_examples=100)
@given(
    st.one_of(
        st.lists(st.integers(-5, 5), min_size=1, max_size=30),
        st.lists(INT64, min_size=1, max_size=10),
        st.lists(st.booleans(), min_size=1, max_size=10),
        st.lists(st.floats(allow_nan=False), min_size=1, max_size=10),
        st.lists(st.text(max_size=3), min_size=1, max_size=10),
        st.lists(st.dates(), min_size=1, max_size=10),
    )
)
def test_names_are_sorted_and_give_the_labels_back(labels):
    names, codes = encode(labels, "y")
    assert names.tolist() == sorted(set(labels))
    assert [names[code] for code in codes] == labels


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "uint64"])
def test_integers_at_both_ends_of_their_type(dtype):
    limits = np.iinfo(dtype)
    labels = np.array([limits.max, limits.min, limits.max, limits.max - 1], dtype=dtype)
    for chosen in (labels, labels[[0, 2, 3]], labels[[1, 1]]):  # wide range, then narrow at each end
        names, codes = encode(chosen, "y")
        assert names.dtype == dtype
        assert_array_equal(names[codes], chosen)


def test_unordered_labels_keep_their_order_of_appearance():
    labels = np.empty(4, dtype=object)
    labels[:] = ["b", 3, ("x", 1), 3]
    names, codes = encode(labels, "y")
    assert names.tolist() == ["b", 3, ("x", 1)]
    assert_array_equal(codes, [0, 1, 2, 1])


def test_a_number_and_its_text_are_different_labels():
    assert len(encode([1, "1", "a"], "y").names) == 3


@pytest.mark.parametrize(
    "labels",
    [
        pd.Series(["u", "v", "u"], index=[5, 6, 7]),
        pd.Series(["u", "v", "u"], dtype="category"),
        pd.Series(["u", "v", "u"], dtype="string"),
        pl.Series(["u", "v", "u"]),
        np.array([b"u", b"v", b"u"]),
        np.array(["2001-01-01", "2002-01-01", "2001-01-01"], dtype="datetime64[D]"),
        np.array([1j, 2j, 1j]),
        (date(2001, 1, 1), date(2002, 1, 1), date(2001, 1, 1)),
        pd.Series([4, 9, 4], dtype="Int64"),
        np.ma.masked_array([4, 9, 4], mask=False),
    ],
    ids=repr,
)
def test_containers_and_kinds(labels):
    assert_array_equal(encode(labels, "y").codes, [0, 1, 0])


@pytest.mark.parametrize(
    "labels",
    [
        [0.0, 1.0, np.nan],
        ["a", "b", np.nan],
        ["a", "b", None],
        np.array(["2001-01-01", "2002-01-01", "NaT"], dtype="datetime64[D]"),
        np.array([1j, 2j, np.nan]),
        pd.Series([1, 2, None], dtype="Int64"),
        pl.Series(["a", "b", None]),
        np.ma.masked_array([1, 2, 3], mask=[0, 0, 1]),
    ],
    ids=repr,
)
def test_a_missing_label_is_refused_with_its_row(labels):
    with pytest.raises(ValueError, match=r"^y_true, row 2: the label is missing .*[Dd]rop"):
        encode(labels, "y_true")


@pytest.mark.parametrize(
    "labels, message",
    [
        ([], "y is empty"),
        (np.zeros((3, 1)), r"y must be 1-D.*2-D with shape \(3, 1\)"),
        (np.ma.masked_array([[1, 2]], mask=[[0, 1]]), "y must be 1-D"),
        (pd.DataFrame({"y": [1, 2]}), "y must be 1-D"),
        ("abc", "y must be 1-D"),
        (3, "y must be 1-D"),
        (None, "y must be 1-D"),
        ([[1], [2, 3]], "y must be 1-D.*different lengths"),
        (np.array([1, {}, 2], dtype=object), "y, row 1: a label must be hashable, got a dict"),
    ],
)
def test_what_is_no_label_vector_is_refused(labels, message):
    with pytest.raises(ValueError, match=message):
        encode(labels, "y")


def test_unequal_lengths_are_refused_with_both_names():
    with pytest.raises(ValueError, match="first has 2 labels and second has 3"):
        check_same_length(encode([1, 2], ""), encode([1, 2, 3], ""), names=("first", "second"))


def test_the_labels_are_not_changed():
    for labels in (np.array([3, 1, 3]), np.array(["b", "a", "b"], dtype=object), np.array([True, False, True])):
        before = labels.copy()
        encode(labels, "y")
        assert_array_equal(labels, before)


@pytest.mark.parametrize("score", [accuracy, match_labels])
def test_series_in_another_order_of_samples_are_refused(score):
    known = pd.Series(["a", "a", "b"], index=["s1", "s2", "s3"])
    found = pd.Series([1, 0, 0], index=["s3", "s2", "s1"])
    with pytest.raises(ValueError, match="different indexes: bring one into the order of the other"):
        score(known, found)
    assert score(known.loc[found.index], found) is not None
    assert accuracy(known, found.to_numpy()) == accuracy(known.reset_index(drop=True), found) == pytest.approx(2 / 3)
