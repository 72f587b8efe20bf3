import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.metrics import normalized_mutual_info_score

from manyview.metrics import contingency, normalized_mutual_information
from manyview.metrics.information import entropy, information_of

LABEL_PAIRS = st.integers(1, 40).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 6), min_size=n, max_size=n) for _ in range(2)])
)


@settings(deadline=None, max_examples=60)
@given(LABEL_PAIRS)
def test_information_is_that_of_the_definition(oracle, pair):
    information = information_of(contingency(*pair))
    assert_allclose(information.mutual, oracle.mutual_information(*pair), rtol=0, atol=1e-14)
    assert_allclose(information.entropy_true, oracle.entropy(pair[0]), rtol=0, atol=1e-14)
    assert_allclose(information.entropy_pred, oracle.entropy(pair[1]), rtol=0, atol=1e-14)


@pytest.mark.parametrize("average", ["max", "arithmetic"])
@settings(deadline=None, max_examples=60)
@given(LABEL_PAIRS)
def test_nmi_equals_scikit_learn(average, pair):
    ours = normalized_mutual_information(*pair, average=average)
    assert_allclose(ours, normalized_mutual_info_score(*pair, average_method=average), rtol=0, atol=1e-12)


def test_the_maximum_is_the_default_and_the_smaller_score():
    pair = [0, 0, 1, 1, 2], [0, 0, 1, 1, 1]
    assert normalized_mutual_information(*pair) == normalized_mutual_information(*pair, average="max")
    assert normalized_mutual_information(*pair) < normalized_mutual_information(*pair, average="arithmetic")


def test_independent_partitions_score_zero_and_never_less():
    for n_classes in range(2, 12):
        for n_clusters in range(2, 12):
            crossed = np.repeat(np.arange(n_classes), n_clusters), np.tile(np.arange(n_clusters), n_classes)
            score = normalized_mutual_information(*crossed)
            assert 0 <= score < 1e-14, (n_classes, n_clusters)


def test_entropy_bits_do_not_depend_on_the_order():
    sizes = np.random.default_rng(0).integers(1, 10**6, size=500)
    assert entropy(sizes) == entropy(np.sort(sizes)) == entropy(sizes[::-1])


def test_entropy_of_one_dominant_cluster():
    n = 10**7
    # (1 - x) log(1/(1 - x)) + x log(1/x) with x = 1/n, as a series in x
    exact = 1 / n - 1 / (2 * n**2) + np.log(n) / n
    assert_allclose(entropy(np.array([n - 1, 1])), exact, rtol=1e-14)


def test_unknown_average_is_refused():
    with pytest.raises(ValueError, match=r"average must be .* got 'geometric'"):
        normalized_mutual_information([0, 1], [0, 1], average="geometric")
