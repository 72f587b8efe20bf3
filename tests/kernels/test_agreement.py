from itertools import permutations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

from manyview.kernels.agreement import joint_counts, mutual_agreement, vote


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 6), st.integers(1, 40), st.integers(0, 10**6))
def test_agreement_is_scikit_learns_adjusted_rand_index(n_clusters, n_samples, seed):
    rng = np.random.default_rng(seed)
    labelings = [rng.integers(n_clusters, size=n_samples) for _ in range(3)]
    expected = [[adjusted_rand_score(a, b) for b in labelings] for a in labelings]
    assert_allclose(mutual_agreement(labelings, n_clusters), expected, atol=1e-10)


def test_joint_counts_of_narrow_labels():
    labels = np.array([0, 199, 199], np.uint8)
    counts = joint_counts(labels, labels, 200)
    assert counts[0, 0] == 1
    assert counts[199, 199] == 2


def test_renamed_clusters_agree_fully():
    labels = np.array([0, 0, 1, 2, 2, 2])
    assert_allclose(mutual_agreement([labels, 2 - labels], 3), 1)


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 4), st.integers(1, 30), st.integers(0, 10**6))
def test_a_vote_counts_the_best_of_all_renamings(n_clusters, n_samples, seed):
    rng = np.random.default_rng(seed)
    reference = rng.integers(n_clusters, size=n_samples)
    noisy = np.where(rng.random(n_samples) < 0.7, reference, rng.integers(n_clusters, size=n_samples))
    other = rng.permutation(n_clusters)[noisy]
    weights = np.array([1.0, 1.5])
    labels = vote([reference, other], 0, weights, n_clusters)
    renamed = [np.array(names)[other] for names in permutations(range(n_clusters))]
    most = max((again == reference).sum() for again in renamed)
    assert any(np.array_equal(labels, again) for again in renamed if (again == reference).sum() == most)


def test_the_majority_wins_whatever_its_names():
    labels = np.array([0, 0, 1, 1, 2, 2])
    odd = np.array([0, 1, 1, 1, 2, 2])
    assert_array_equal(vote([odd, 2 - labels, labels], 0, np.ones(3), 3), labels)
    assert_array_equal(vote([odd, 2 - labels, labels], 0, np.array([3.0, 1.0, 1.0]), 3), odd)
