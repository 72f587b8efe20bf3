"""Pickled models: the same version opens them in silence, any other with a warning."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import InconsistentVersionWarning

import manyview
from manyview import GMC, AnchorGraphClustering, PickledVersionWarning
from manyview.datasets import make_views

VIEWS = list(make_views(n_samples=40, n_clusters=2, random_state=0).views.values())


@pytest.fixture(scope="module", params=[AnchorGraphClustering(2, random_state=0), GMC(2)], ids=["ours", "published"])
def model(request):
    return request.param.fit(VIEWS)


def test_the_same_version_is_silent(model):
    for opened in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert vars(opened).keys() == vars(model).keys()
        assert_array_equal(opened.labels_, model.labels_)


def test_another_version_is_named_in_a_warning(model, monkeypatch):
    pickled = pickle.dumps(model)
    monkeypatch.setattr(manyview, "__version__", "9.8.7")
    with pytest.warns(
        PickledVersionWarning, match=r"pickled by manyview 0\.\d+\.\d+, and this is manyview 9\.8\.7"
    ) as told:
        opened = pickle.loads(pickled)
    assert issubclass(PickledVersionWarning, InconsistentVersionWarning)
    assert told[0].filename == __file__
    assert_array_equal(opened.labels_, model.labels_)


def test_a_model_from_before_versions_were_kept_is_told(model):
    state = {key: value for key, value in model.__getstate__().items() if key != "_manyview_version"}
    with pytest.warns(PickledVersionWarning, match=r"pickled by manyview before 0\.1\.0"):
        type(model).__new__(type(model)).__setstate__(state)


def test_a_filter_for_those_of_scikit_learn_holds(model, monkeypatch):
    pickled = pickle.dumps(model)
    monkeypatch.setattr(manyview, "__version__", "9.8.7")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InconsistentVersionWarning)
        assert pickle.loads(pickled).n_clusters == 2


def test_what_is_computed_of_the_anchors_is_not_pickled():
    model = AnchorGraphClustering(2, random_state=0).fit(VIEWS)
    fresh = len(pickle.dumps(model))
    model.predict(VIEWS)
    assert "_prepared" in vars(model.anchor_graph_)
    assert len(pickle.dumps(model)) == fresh
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(VIEWS), model.labels_)
