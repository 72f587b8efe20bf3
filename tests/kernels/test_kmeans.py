import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.cluster import kmeans_plusplus

from manyview.kernels.kmeans import kmeans_plusplus_rows


@pytest.mark.parametrize("n, d, n_seeds, n_trials", [(300, 5, 40, 3), (50, 1, 50, 1), (1000, 30, 100, 3), (7, 2, 1, 2)])
def test_the_seeds_are_those_of_scikit_learn(n, d, n_seeds, n_trials):
    for seed in range(5):
        X = np.random.default_rng(seed).standard_normal((n, d))
        _, expected = kmeans_plusplus(X, n_seeds, random_state=seed, n_local_trials=n_trials)
        assert_array_equal(kmeans_plusplus_rows(X, n_seeds, n_trials=n_trials, seed=seed), expected)


def test_every_one_of_few_far_clusters_gets_a_seed():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 12, 400)
    X = 100 * rng.standard_normal((12, 8))[labels] + rng.standard_normal((400, 8))
    for seed in range(5):
        assert len(set(labels[kmeans_plusplus_rows(X, 12, n_trials=3, seed=seed)])) == 12


def test_rows_that_are_all_alike_give_seeds_too():
    assert len(kmeans_plusplus_rows(np.ones((20, 3)), 4, n_trials=2, seed=0)) == 4
