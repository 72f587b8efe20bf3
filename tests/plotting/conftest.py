"""The look of the baseline images: drawn by Agg, in the font that matplotlib brings along."""

import pytest

from manyview import AnchorGraphClustering, SemiNTF
from manyview.datasets import make_views

matplotlib = pytest.importorskip("matplotlib", reason='needs matplotlib: pip install "manyview[plots]"')


@pytest.fixture(autouse=True)
def same_look():
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.use("Agg")
        matplotlib.rcParams["font.family"] = "DejaVu Sans"
        yield
    matplotlib.pyplot.close("all")


@pytest.fixture(scope="session")
def data():
    return make_views(n_samples=120, n_clusters=3, separation=3, random_state=1)


@pytest.fixture(scope="session")
def model(data):
    return AnchorGraphClustering("auto", random_state=0).fit(data.views)


@pytest.fixture(scope="session")
def factorized(data):
    return SemiNTF(3, random_state=0).fit(data.views)
