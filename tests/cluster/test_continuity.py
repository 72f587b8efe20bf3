"""match_to: clusters keep their numbers."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from manyview.cluster.semi_ntf.continuity import new_numbers
from numpy.testing import assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from manyview import SemiNTF
from manyview.datasets import make_views

N, K = 300, 4
SETTINGS = {"n_anchors": 40, "block_rows": 70, "random_state": 0}


@pytest.fixture(scope="module")
def views():
    return list(make_views(N, K, widths=(6, 9), separation=4.0, random_state=0).views.values())


@pytest.fixture(scope="module")
def model(views):
    return SemiNTF(K, **SETTINGS).fit(views)


@pytest.mark.parametrize("engine", ["memory", "disk"])
def test_everything_follows_the_numbers(views, model, engine):
    numbers = np.array([2, 0, 3, 1])
    again = SemiNTF(K, **SETTINGS, engine=engine).fit(views, match_to=numbers[model.labels_])
    order = np.argsort(numbers)
    assert_array_equal(again.labels_, numbers[model.labels_])
    assert_array_equal(again.membership_, model.membership_[:, order])
    assert_array_equal(again.anchor_membership_, model.anchor_membership_[:, order])
    assert_array_equal(again.indicator_, model.indicator_[:, :, order])
    assert_array_equal(again.factors_, model.factors_[:, :, order])
    assert_array_equal(again.cluster_sizes_, model.cluster_sizes_[order])
    assert_array_equal(again.predict(views), again.labels_)


def test_a_refit_on_more_rows_keeps_the_numbers_of_a_model(views, model):
    part = [view[:200] for view in views]
    reference = SemiNTF(K, **SETTINGS | {"random_state": 5}).fit(part)
    for match_to in (reference, reference.labels_):
        again = SemiNTF(K, **SETTINGS).fit(views, match_to=match_to)
        assert np.mean(again.labels_[:200] == reference.labels_) > 0.97
    assert np.mean(model.labels_[:200] == reference.labels_) < 0.9  # the numbers do not agree by themselves


def test_labels_by_id(views, model):
    frames = [pd.DataFrame(view, index=[f"row {i}" for i in range(N)]) for view in views]
    wanted = (model.labels_ + 1) % K
    known = pd.Series(wanted[::3], index=frames[0].index[::3]).sample(frac=1, random_state=0)
    known["stranger"] = 0
    assert_array_equal(SemiNTF(K, **SETTINGS).fit(frames, match_to=known).labels_, wanted)
    with pytest.raises(ValueError, match="match_to has an index, but the views have none"):
        SemiNTF(K, **SETTINGS).fit(views, match_to=known)


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
def test_what_cannot_be_matched_says_so(views, match_to, message):
    with pytest.raises(ValueError, match=message):
        SemiNTF(K, **SETTINGS).fit(views, match_to=match_to)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=40))
def test_numbers_are_a_permutation_that_agrees_best(pairs):
    reference, labels = np.array(pairs).T
    numbers = new_numbers(reference, labels, 6)
    assert sorted(numbers) == list(range(6))
    agreement = np.sum(numbers[labels] == reference)
    for a in range(6):
        for b in range(a):
            swapped = numbers.copy()
            swapped[[a, b]] = numbers[[b, a]]
            assert np.sum(swapped[labels] == reference) <= agreement


def test_clusters_without_a_counterpart_take_what_is_free():
    assert_array_equal(new_numbers(np.array([3, 3, 1]), np.array([0, 0, 2]), 4), [3, 0, 1, 2])


def test_numbers_that_cannot_be_kept_are_said(views):
    rows = [np.repeat(np.eye(3), 40, axis=0) for _ in range(2)]
    old = np.repeat([0, 3, 2], 40)
    with pytest.warns(ConvergenceWarning, match=r"Found 3 distinct clusters.* not as match_to asks"):
        SemiNTF(K, random_state=0).fit(rows, match_to=old)
