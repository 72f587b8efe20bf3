"""Small fitted models to report on."""

import numpy as np
import pytest

from manyview import AnchorGraphClustering
from manyview.datasets import make_views
from manyview.report import summarize

HOSTILE = "</script><script>window.hacked=1</script>"


@pytest.fixture(scope="session")
def data():
    """Groups so close that there are mistakes."""
    return make_views(n_samples=120, n_clusters=3, separation=2.5, random_state=1)


@pytest.fixture(scope="session")
def model(data):
    return AnchorGraphClustering(n_clusters=3, random_state=0).fit(data.views)


@pytest.fixture(scope="session")
def images(data):
    """A 2 x 3 picture of every row."""
    return np.abs(data.views["view_0"][:, :6]).reshape(-1, 2, 3)


@pytest.fixture(scope="session")
def metadata(model):
    """A batch that is cluster 1, noise, a number that is shifted in cluster 2, and hostile text."""
    rng = np.random.default_rng(0)
    labels = model.labels_
    return {
        "batch": np.where(labels == 1, "B", rng.choice(["A", "C"], len(labels))),
        "coin": rng.choice(["heads", "tails"], len(labels)),
        "age": rng.normal(50, 5, len(labels)) + 20 * (labels == 2),
        HOSTILE: rng.choice([HOSTILE, "<img src=x onerror=window.hacked=2>"], len(labels)),
    }


@pytest.fixture(scope="session")
def summary(model, data, images, metadata):
    ids = [f"sample {i}" for i in range(len(model.labels_))]
    ids[0] = HOSTILE
    return summarize(
        model,
        data.views,
        name=f"three groups {HOSTILE}",
        y_true=data.labels,
        images=images,
        seconds=1.5,
        ids=ids,
        metadata=metadata,
    )
