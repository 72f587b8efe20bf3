"""Warnings of a fit point at the line of the user that called it."""

import inspect
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from manyview import MVGL, AnchorGraphClustering, NoiseViewWarning, RowOrderWarning, SemiNTF
from manyview.cluster.checks import warn_caller, warn_of_lost_clusters
from manyview.datasets import make_views
from recipes import QUICK

K = 3


@pytest.fixture(scope="module")
def noisy():
    """Two informative views and one of noise, side by side."""
    data = make_views(150, K, widths=(6, 9), separation=5.0, noise_views=1, random_state=0)
    return np.hstack(list(data.views.values())), [view.shape[1] for view in data.views.values()]


def line_of_warning(call, category):
    """File and line that the only warning of a call points at, relative to the caller of this function."""
    here = inspect.currentframe().f_back.f_lineno
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert [warning.category for warning in caught] == [category]
    return caught[0].filename, caught[0].lineno - here


@pytest.mark.parametrize("wrapped", [False, True], ids=["alone", "in a pipeline"])
@pytest.mark.parametrize("method", ["fit", "fit_predict", "fit_transform"])
def test_noise_warning_points_at_the_caller(noisy, method, wrapped):
    X, widths = noisy
    model = AnchorGraphClustering(K, views=widths, recipe=QUICK, random_state=0)
    run = getattr(make_pipeline(StandardScaler(), model) if wrapped else model, method)
    assert line_of_warning(lambda: run(X), NoiseViewWarning) == (__file__, 0)


@pytest.mark.parametrize("method", ["fit", "fit_predict"])
def test_convergence_warning_points_at_the_caller(noisy, method):
    views = [noisy[0][:, :6], noisy[0][:, 6:15]]
    run = getattr(SemiNTF(K, max_iter=2, tol=0, recipe=QUICK, random_state=0), method)
    assert line_of_warning(lambda: run(views), ConvergenceWarning) == (__file__, 0)


def test_row_order_warning_points_at_the_caller(noisy):
    views = [noisy[0][:, :6], noisy[0][:, 6:15]]
    model = SemiNTF(K, coupling="samples", tol=1.0, recipe=QUICK, random_state=0)
    assert line_of_warning(lambda: model.fit(views), RowOrderWarning) == (__file__, 0)


@pytest.mark.parametrize("engine", ["memory", "disk"])
def test_lost_clusters_warning_points_at_the_caller(engine):
    rows = np.repeat(np.array([[0.0, 1.0], [5.0, 5.0]]), 10, axis=0)
    model = AnchorGraphClustering(K, engine=engine, recipe=QUICK, random_state=0)
    assert line_of_warning(lambda: model.fit([rows]), ConvergenceWarning) == (__file__, 0)


@pytest.mark.parametrize("method", ["fit", "fit_predict"])
def test_warning_of_a_published_method_points_at_the_caller(noisy, method):
    views = [noisy[0][:, :6], noisy[0][:, 6:15]]
    run = getattr(MVGL(K, max_iter=1), method)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "MVGL: the learned graph")
        assert line_of_warning(lambda: run(views), ConvergenceWarning) == (__file__, 0)


def test_warnings_within_a_search_point_at_its_caller(noisy):
    X, widths = noisy
    model = AnchorGraphClustering(K, views=widths, recipe=QUICK, random_state=0)
    search = GridSearchCV(model, {"n_clusters": [K]}, cv=[(np.arange(150), np.arange(50))], refit=False)
    assert line_of_warning(lambda: search.fit(X), NoiseViewWarning) == (__file__, 0)


def test_direct_call_points_at_its_caller():
    assert line_of_warning(lambda: warn_caller("careful", UserWarning), UserWarning) == (__file__, 0)


def test_lost_clusters_are_counted():
    with pytest.warns(ConvergenceWarning, match=r"Found 2 distinct clusters, fewer than n_clusters=3; .* values\.$"):
        warn_of_lost_clusters(2, 3)
    with pytest.warns(ConvergenceWarning, match="numbered without gaps, and not as match_to asks"):
        warn_of_lost_clusters(2, 3, matched=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_lost_clusters(3, 3)
