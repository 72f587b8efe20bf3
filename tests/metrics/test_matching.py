import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from manyview.metrics import accuracy, match_labels, purity

LABEL_PAIRS = st.integers(1, 25).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n) for _ in range(2)])
)


@settings(deadline=None, max_examples=60)
@given(LABEL_PAIRS)
def test_accuracy_is_that_of_the_best_of_all_renamings(oracle, pair):
    assert accuracy(*pair) == oracle.accuracy(*pair)


def test_accuracy_with_six_clusters(oracle):
    rng = np.random.default_rng(0)
    for n_classes, n_clusters in [(6, 6), (4, 6), (6, 3)]:
        y_true, y_pred = rng.integers(n_classes, size=40).tolist(), rng.integers(n_clusters, size=40).tolist()
        assert accuracy(y_true, y_pred) == oracle.accuracy(y_true, y_pred)


@settings(deadline=None, max_examples=60)
@given(LABEL_PAIRS)
def test_purity_counts_the_majority_of_each_cluster(oracle, pair):
    assert purity(*pair) == oracle.purity(*pair)
    assert purity(*pair) >= accuracy(*pair)


@settings(deadline=None, max_examples=100)
@given(LABEL_PAIRS)
def test_matched_labels_are_the_same_partition(oracle, pair):
    reference, labels = pair
    matched = match_labels(reference, labels).tolist()
    assert len(set(zip(labels, matched, strict=True))) == len(set(labels)) == len(set(matched))
    assert sum(r == m for r, m in zip(reference, matched, strict=True)) == oracle.best_agreement(reference, labels)
    for name in set(matched) & set(reference):  # a name is inherited only along with a sample
        assert (name, name) in zip(reference, matched, strict=True)
    fresh = sorted(set(matched) - set(reference))
    assert fresh == list(range(max(reference) + 1, max(reference) + 1 + len(fresh)))


@settings(deadline=None, max_examples=50)
@given(LABEL_PAIRS)
def test_matching_twice_changes_nothing(pair):
    reference, labels = pair
    assert_array_equal(match_labels(reference, reference), reference)
    once = match_labels(reference, labels)
    assert_array_equal(match_labels(once, labels), once)


def test_a_split_and_a_dissolved_cluster():
    # 0 splits, 1 stays, 2 is swallowed by 1: the smaller half of 0 is new and must not be called 2
    assert_array_equal(match_labels([0, 0, 0, 1, 1, 1, 2], [8, 8, 4, 6, 6, 6, 6]), [0, 0, 3, 1, 1, 1, 1])


@pytest.mark.parametrize(
    "reference, expected",
    [
        ([-3, -3, -3, -2], [-3, 0, 1, -2]),
        ([True, True, True, False], [1, 2, 3, 0]),
        ([4.0, 4.0, 4.0, 7.0], [4, 8, 9, 7]),
        (np.array([255, 255, 255, 1], dtype=np.uint8), [255, 256, 257, 1]),
        (["a", "a", "a", "new_1"], ["a", "new_2", "new_3", "new_1"]),
        (np.array(["a", "a", "a", "b"]), ["a", "new_1", "new_2", "b"]),
    ],
)
def test_new_names_follow_those_of_the_reference(reference, expected):
    matched = match_labels(reference, ["p", "q", "r", "s"])
    inherits = matched[:3].tolist().index(expected[0])  # which of the three equals gets the name is open
    order = [inherits, *(i for i in range(3) if i != inherits), 3]
    assert matched[order].tolist() == expected
    assert matched.dtype.kind == ("U" if isinstance(expected[0], str) else "i")


@pytest.mark.parametrize("reference", [[0.5, 1.5], [np.inf, 1.0], [1, "a"], [b"a", b"b"], np.array([(1,), 2], object)])
def test_reference_that_cannot_name_new_clusters(reference):
    with pytest.raises(ValueError, match="reference must hold integers or strings only"):
        match_labels(reference, [0, 1])


@pytest.mark.parametrize("reference", [[np.iinfo(np.int64).max] * 2, [1e300, 0.0], [-1e300, 0.0]])
def test_a_reference_that_leaves_no_integers_is_refused(reference):
    with pytest.raises(ValueError, match="must fit in 64-bit integers"):
        match_labels(reference, [0, 1])


def test_errors_use_the_names_of_the_arguments():
    with pytest.raises(ValueError, match="reference has 2 labels and labels has 1"):
        match_labels([0, 1], [0])
    with pytest.raises(ValueError, match=r"^labels, row 1: the label is missing"):
        match_labels([0, 1], [0.0, np.nan])
