"""Small fitted models to report on."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from manyview import SemiNTF
from manyview.datasets import make_views
from manyview.report import summarize


@pytest.fixture(scope="session")
def data():
    """Groups so close that there are mistakes and doubt."""
    return make_views(n_samples=120, n_clusters=3, separation=2.5, random_state=1)


@pytest.fixture(scope="session")
def model(data):
    return SemiNTF(n_clusters=3, random_state=0).fit(data.views)


@pytest.fixture(scope="session")
def images(data):
    """A 2 x 3 picture of every row."""
    return np.abs(data.views["view_0"][:, :6]).reshape(-1, 2, 3)


@pytest.fixture(scope="session")
def summary(model, data, images):
    return summarize(model, name="three groups", y_true=data.labels, images=images, seconds=1.5)


@pytest.fixture(scope="session")
def unfinished(data):
    """The paper's model, stopped long before convergence; it has the second residual and no known classes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return summarize(SemiNTF.paper(n_clusters=3, n_anchors=20, max_iter=5).fit(data.views))
