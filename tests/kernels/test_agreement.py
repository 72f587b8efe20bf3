import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.metrics import adjusted_rand_score

from manyview.kernels.agreement import mutual_agreement


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 6), st.integers(1, 40), st.integers(0, 10**6))
def test_agreement_is_scikit_learns_adjusted_rand_index(n_clusters, n_samples, seed):
    rng = np.random.default_rng(seed)
    labellings = [rng.integers(n_clusters, size=n_samples) for _ in range(3)]
    expected = [[adjusted_rand_score(a, b) for b in labellings] for a in labellings]
    assert_allclose(mutual_agreement(labellings, n_clusters), expected, atol=1e-10)


def test_renamed_clusters_agree_fully():
    labels = np.array([0, 0, 1, 2, 2, 2])
    assert_allclose(mutual_agreement([labels, 2 - labels], 3), 1)
