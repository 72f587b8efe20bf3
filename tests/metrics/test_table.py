import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.metrics.cluster import contingency_matrix

from manyview.metrics import contingency


def test_the_table_equals_scikit_learns():
    rng = np.random.default_rng(0)
    y_true, y_pred = rng.integers(-3, 9, size=200), rng.choice(["x", "yy", "z"], size=200)
    table = contingency(y_true, y_pred)
    assert_array_equal(table.counts.toarray(), contingency_matrix(y_true, y_pred))
    assert_array_equal(table.classes, np.unique(y_true))
    assert_array_equal(table.clusters, ["x", "yy", "z"])


def test_margins():
    table = contingency([0, 0, 5, 5, 5, -2], list("aababb"))
    assert_array_equal(table.class_sizes, [1, 2, 3])
    assert_array_equal(table.cluster_sizes, [3, 3])
    assert table.n_samples == 6


def test_the_table_stays_as_small_as_the_samples():
    n = 50_000  # a dense table would need 20 GB
    table = contingency(np.arange(n), np.arange(n)[::-1])
    assert table.counts.shape == (n, n)
    assert table.counts.nnz == n


def test_unequal_lengths_are_refused():
    with pytest.raises(ValueError, match="y_true has 3 labels and y_pred has 2"):
        contingency([1, 2, 3], [1, 2])
