"""Views at the ends of what numbers can be: the right clusters, a warning, or one error that names the view."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from manyview import AnchorGraphClustering
from recipes import ONE_DRAW

MODEL = AnchorGraphClustering(n_clusters=3, recipe=ONE_DRAW, random_state=0, n_jobs=1)


def groups(n):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, n)
    return 8 * np.eye(3, 5)[labels] + rng.standard_normal((n, 5)), labels


def nearly_empty(n, filled):
    rng = np.random.default_rng(1)
    rows = np.sort(rng.choice(n, filled, replace=False))
    return sp.csr_array((np.ones(filled), (rows, np.arange(filled) % 30)), shape=(n, 30))


@pytest.mark.filterwarnings("ignore::manyview.NoiseViewWarning")
@pytest.mark.parametrize(
    "empty",
    [np.zeros((6000, 4)), sp.csr_array((6000, 40)), nearly_empty(6000, 1), nearly_empty(6000, 60)],
    ids=["zeros", "no entries", "one row", "sixty rows"],
)
def test_empty_view_of_many_rows(empty):
    view, labels = groups(6000)
    model = MODEL.fit([empty, view])
    assert adjusted_rand_score(labels, model.labels_) > 0.9
    assert np.isfinite(model.membership_).all()


@pytest.mark.parametrize("n", [400, 520, 6000])
def test_identical_rows_are_one_cluster(n):
    with pytest.warns(UserWarning, match="Found 1 distinct clusters"):
        labels = MODEL.fit([np.ones((n, 4)), np.full((n, 3), 2.5)]).labels_
    assert set(labels) == {0}


@pytest.mark.parametrize("n", [60, 520])
def test_three_distinct_rows_are_three_clusters(n):
    table, labels = np.random.default_rng(0).standard_normal((3, 4)), np.arange(n) % 3
    assert adjusted_rand_score(labels, MODEL.fit([table[labels], table[labels] ** 2]).labels_) == 1


@pytest.mark.parametrize("n, value", [(300, 1e200), (300, -1e308), (6000, 1e20), (6000, -1e20), (6000, 1e200)])
def test_prediction_names_the_row_of_a_huge_number(n, value):
    view, _ = groups(n)
    new = view[:20].copy()
    new[17, 3] = value
    with pytest.raises(ValueError, match=r"View 'b'.* row 17"):
        MODEL.fit({"a": view, "b": view}).transform({"a": view[:20], "b": new})


def test_a_huge_number_does_not_stay_in_the_model():
    view, _ = groups(300)
    model = clone(MODEL).fit([view, view])
    before = model.transform([view, view])
    new = view[:20].copy()
    new[17, 3] = 1e200
    with pytest.raises(ValueError, match="row 17"):
        model.partial_fit([view[:20], new])
    np.testing.assert_array_equal(model.transform([view, view]), before)


@pytest.mark.parametrize("n, value", [(300, 1e20), (300, -1e140), (6000, 1e15)])
def test_prediction_of_an_outlier_is_finite(n, value):
    view, _ = groups(n)
    new = view[:20].copy()
    new[17, 3] = value
    membership = MODEL.fit({"a": view, "b": view}).transform({"a": view[:20], "b": new})
    np.testing.assert_allclose(membership.sum(axis=1), 1, rtol=1e-6)
