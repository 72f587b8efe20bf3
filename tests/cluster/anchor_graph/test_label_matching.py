"""match_to: clusters keep their numbers."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from manyview import AnchorGraphClustering
from manyview.cluster.anchor_graph.label_matching import new_numbers
from manyview.datasets import make_views
from recipes import QUICK

N, K = 300, 4
SETTINGS = {"n_anchors": 40, "block_rows": 70, "recipe": QUICK, "random_state": 0}


@pytest.fixture(scope="module")
def views():
    return list(make_views(N, K, widths=(6, 9), separation=4.0, random_state=0).views.values())


@pytest.fixture(scope="module")
def model(views):
    return AnchorGraphClustering(K, **SETTINGS).fit(views)


@pytest.mark.parametrize("engine", ["memory", "disk"])
def test_all_results_follow_the_numbers(views, model, engine):
    numbers = np.array([2, 0, 3, 1])
    again = AnchorGraphClustering(K, **SETTINGS, engine=engine).fit(views, match_to=numbers[model.labels_])
    order = np.argsort(numbers)
    assert_array_equal(again.labels_, numbers[model.labels_])
    assert_array_equal(again.membership_, model.membership_[:, order])
    assert_array_equal(again.anchor_membership_, model.anchor_membership_[:, order])
    assert_array_equal(again.cluster_stability_, model.cluster_stability_[order])
    assert_array_equal(again.confidence_, model.confidence_)
    assert_array_equal(again.cluster_sizes_, model.cluster_sizes_[order])
    assert_array_equal(again.predict(views), again.labels_)


def test_refit_on_more_rows_keeps_numbers(views, model):
    numbers = np.array([1, 2, 3, 0])[model.labels_[:200]]  # not those that the fit chooses by itself
    part = [view[:200] for view in views]
    reference = AnchorGraphClustering(K, **SETTINGS | {"random_state": 5}).fit(part, match_to=numbers)
    assert np.mean(reference.labels_ == numbers) > 0.97
    for match_to in (reference, reference.labels_):
        again = AnchorGraphClustering(K, **SETTINGS).fit(views, match_to=match_to)
        assert np.mean(again.labels_[:200] == numbers) > 0.97


def test_labels_by_id(views, model):
    frames = [pd.DataFrame(view, index=[f"row {i}" for i in range(N)]) for view in views]
    wanted = (model.labels_ + 1) % K
    known = pd.Series(wanted[::3], index=frames[0].index[::3]).sample(frac=1, random_state=0)
    known["stranger"] = 0
    assert_array_equal(AnchorGraphClustering(K, **SETTINGS).fit(frames, match_to=known).labels_, wanted)
    with pytest.raises(ValueError, match="match_to has an index, but the views have none"):
        AnchorGraphClustering(K, **SETTINGS).fit(views, match_to=known)


@pytest.mark.parametrize(
    "match_to, message",
    [
        (np.full(N, K), f"match_to has cluster {K}"),
        (np.full(N, -1), "shares no sample"),
        (np.zeros(N + 1, dtype=int), "match_to must be"),
        (np.zeros(N), "match_to must be"),
        (np.zeros((N, 1), dtype=int), "match_to must be"),
    ],
)
def test_reference_that_cannot_be_matched_raises(views, match_to, message):
    with pytest.raises(ValueError, match=message):
        AnchorGraphClustering(K, **SETTINGS).fit(views, match_to=match_to)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=40))
def test_numbers_are_best_matching_permutation(pairs):
    reference, labels = np.array(pairs).T
    numbers = new_numbers(reference, labels, 6)
    assert sorted(numbers) == list(range(6))
    agreement = np.sum(numbers[labels] == reference)
    for a in range(6):
        for b in range(a):
            swapped = numbers.copy()
            swapped[[a, b]] = numbers[[b, a]]
            assert np.sum(swapped[labels] == reference) <= agreement


def test_unmatched_clusters_take_free_numbers():
    assert_array_equal(new_numbers(np.array([3, 3, 1]), np.array([0, 0, 2]), 4), [3, 0, 1, 2])


def test_numbers_that_cannot_be_kept_warn(views):
    rows = [np.repeat(np.eye(3), 40, axis=0) for _ in range(2)]
    old = np.repeat([0, 3, 2], 40)
    with pytest.warns(ConvergenceWarning, match=r"Found 3 distinct clusters.* not as match_to asks"):
        AnchorGraphClustering(K, random_state=0).fit(rows, match_to=old)
