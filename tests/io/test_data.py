import pickle

import numpy as np
import pytest

from manyview.io import MultiViewData


def test_it_knows_its_sizes(tiny):
    assert (tiny.n_samples, tiny.n_views, tiny.n_features, tiny.n_clusters) == (12, 3, (5, 7, 9), 3)


def test_its_views_are_a_plain_dict_of_its_own():
    views = {"a": np.ones((2, 2))}
    data = MultiViewData(views)
    views["b"] = np.ones((3, 2))
    assert type(data.views) is dict
    assert list(data.views) == ["a"]


def test_it_survives_a_pickle(tiny, same):
    same(pickle.loads(pickle.dumps(tiny)), tiny)


@pytest.mark.parametrize(
    "views, labels, complaint",
    [
        ({}, None, "no views"),
        ({"a": np.ones((3, 2)), "b": np.ones((4, 2))}, None, r"\{'a': 3, 'b': 4\}"),
        ({"a": np.ones((0, 2))}, None, "no rows"),
        ({"a": np.ones((3, 2))}, np.array([0, 1]), r"labels of shape \(2,\) for 3 samples"),
    ],
)
def test_parts_that_do_not_fit_are_refused(views, labels, complaint):
    with pytest.raises(ValueError, match=complaint):
        MultiViewData(views, labels, "odd")


def test_without_labels_the_number_of_clusters_is_not_known():
    with pytest.raises(ValueError, match="odd has no labels"):
        _ = MultiViewData({"a": np.ones((3, 2))}, name="odd").n_clusters
