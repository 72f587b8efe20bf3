"""The base class of the baselines: what it checks, in which order, and where warnings point."""

import re
import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

from manyview import AMGL, CSMSC, FMCNOF, GMC, LMVSC, MVGL, SFMC, SMSC
from manyview.cluster.checks import real
from manyview.cluster.published import (
    MultiViewClusterer,
    PredictingClusterer,
    warn_component_count,
    warn_empty_clusters,
)

BASELINES = [AMGL, CSMSC, FMCNOF, GMC, LMVSC, MVGL, SFMC, SMSC]
CONSTRAINTS = {"width": (real(0),)}
VIEWS = [np.arange(12.0).reshape(6, 2), np.ones((6, 3))]


class Parity(PredictingClusterer):
    """Even and odd rows."""

    _constraints = CONSTRAINTS

    def __init__(self, n_clusters=2, *, width=1.0, views=None, warn=None):
        self.n_clusters = n_clusters
        self.width = width
        self.views = views
        self.warn = warn

    def _fit(self, views, /):
        self.names_ = views.names
        self.labels_ = np.arange(len(views)) % 2
        if self.warn is not None:
            self.warn(self, 1)

    def _predict(self, views, /):
        return np.zeros(len(views), dtype=int)


def test_a_fit_returns_the_estimator_and_hands_over_checked_views():
    model = Parity()
    assert model.fit({"left": VIEWS[0], "right": VIEWS[1]}) is model
    assert list(model.names_) == ["left", "right"]
    assert_array_equal(model.fit_predict(VIEWS), [0, 1, 0, 1, 0, 1])


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"n_clusters": 0, "width": -1.0}, "Parity: n_clusters must be an integer >= 1; got 0."),
        ({"width": -1.0, "views": "all"}, "Parity: width must be a number >= 0; got -1.0."),
        ({"views": "all"}, "Parity: views must be None or an integer >= 1 or an array; got 'all'."),
        ({"n_clusters": 7}, "n_clusters=7 is more than n_samples=6: ask for at most as many clusters."),
    ],
)
def test_the_first_wrong_parameter_is_named(parameters, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Parity(**parameters).fit(VIEWS)


@pytest.mark.parametrize("warn", [warn_component_count, warn_empty_clusters])
def test_a_warning_points_to_the_line_that_called_fit(warn):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Parity(warn=warn).fit(VIEWS)
    assert [warning.filename for warning in caught] == [__file__]


def test_a_prediction_needs_a_fit_and_its_columns():
    with pytest.raises(NotFittedError):
        Parity().predict(VIEWS)
    model = Parity().fit(VIEWS)
    assert_array_equal(model.predict([view[:3] for view in VIEWS]), [0, 0, 0])
    with pytest.raises(ValueError, match="columns"):
        model.predict(VIEWS[::-1])


@pytest.mark.parametrize("method", BASELINES)
def test_every_baseline_checks_all_its_parameters_and_takes_sparse_views(method):
    assert issubclass(method, MultiViewClusterer)
    assert {"n_clusters", "views", *method._constraints} == set(method().get_params()) - {"random_state"}
    assert get_tags(method()).input_tags.sparse
