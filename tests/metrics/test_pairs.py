from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.metrics import adjusted_rand_score

from manyview.metrics import adjusted_rand_index, contingency, pair_f_score, pair_precision, pair_recall
from manyview.metrics.pairs import pair_counts

LABEL_PAIRS = st.integers(1, 30).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 5), min_size=n, max_size=n) for _ in range(2)])
)


@settings(deadline=None, max_examples=60)
@given(LABEL_PAIRS)
def test_pairs_are_counted_as_in_the_loop_over_all_of_them(oracle, pair):
    both, cluster_only, class_only, neither = oracle.pair_table(*pair)
    total = both + cluster_only + class_only + neither
    assert pair_counts(contingency(*pair)) == (both, both + class_only, both + cluster_only, total)


@settings(deadline=None, max_examples=60)
@given(LABEL_PAIRS)
def test_scores_are_those_of_the_loop_over_all_pairs(oracle, pair):
    counts = pair_counts(contingency(*pair))
    assume(counts.in_one_class and counts.in_one_cluster)
    ours = [score(*pair) for score in (pair_precision, pair_recall, pair_f_score)]
    assert_allclose(ours, oracle.precision_recall_f(*pair), rtol=0, atol=1e-15)
    assume(not counts.in_one_class == counts.in_one_cluster == counts.total)
    assert_allclose(adjusted_rand_index(*pair), oracle.adjusted_rand(*pair), rtol=0, atol=1e-15)


@settings(deadline=None, max_examples=60)
@given(LABEL_PAIRS)
def test_ari_equals_scikit_learn(pair):
    assert_allclose(adjusted_rand_index(*pair), adjusted_rand_score(*pair), rtol=0, atol=1e-12)


@settings(deadline=None, max_examples=60)
@given(LABEL_PAIRS)
def test_precision_and_recall_swap_with_the_arguments(pair):
    y_true, y_pred = pair
    assert pair_precision(y_true, y_pred) == pair_recall(y_pred, y_true)
    assert pair_recall(y_true, y_pred) == pair_precision(y_pred, y_true)
    assert pair_f_score(y_true, y_pred) == pair_f_score(y_pred, y_true)


@pytest.mark.parametrize(
    "y_true, y_pred, precision, recall",
    [([0, 0, 1, 1], [0, 1, 2, 3], 0, 0), ([0, 1, 2, 3], [0, 0, 1, 1], 0, 0), ([0, 1, 2], [5, 7, 6], 1, 1)],
    ids=["no pair in a cluster", "no pair in a class", "no pair at all"],
)
def test_without_pairs(y_true, y_pred, precision, recall):
    assert pair_precision(y_true, y_pred) == precision
    assert pair_recall(y_true, y_pred) == recall
    assert pair_f_score(y_true, y_pred) == precision


def test_ten_million_samples_do_not_overflow():
    n = 10**7
    y_true = np.zeros(n, dtype=np.int8)
    y_pred = np.zeros(n, dtype=np.int8)
    y_true[n // 2 :] = 1
    y_pred[n // 2 + 1 :] = 1  # one sample on the wrong side
    h = n // 2
    together = h * (h - 1) // 2 + (h - 1) * (h - 2) // 2
    in_class, in_cluster = h * (h - 1), (h + 1) * h // 2 + (h - 1) * (h - 2) // 2
    counts = pair_counts(contingency(y_true, y_pred))
    assert counts == (together, in_class, in_cluster, n * (n - 1) // 2)
    expected = Fraction(in_class * in_cluster, counts.total)
    exact = (together - expected) / (Fraction(in_class + in_cluster, 2) - expected)
    assert adjusted_rand_index(y_true, y_pred) == float(exact)
