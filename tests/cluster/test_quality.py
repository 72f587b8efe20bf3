"""What the defaults find on real data, rows shuffled; docs/quality.md has all sets and seeds."""

import numpy as np
import pytest

from manyview import AnchorGraphClustering
from manyview.datasets import load_digits_views
from manyview.metrics import accuracy

QUALITY = {
    "handwritten": 0.93, "mnist4": 0.90, "msrcv1_5": 0.78, "bbcsport": 0.90, "ngs": 0.90, "scene15": 0.42,
}  # fmt: skip

LONG = {"handwritten", "mnist4", "scene15", "bbcsport"}  # a fit takes three seconds and more


@pytest.mark.shared
@pytest.mark.parametrize("name", QUALITY)
def test_quality_on_shuffled_rows(shared_views, name):
    """Defaults, true K, mean ACC over three seeds, or one of a long fit; the labels serve only to score."""
    scores = []
    for seed in range(1 if name in LONG else 3):
        views, labels = shared_views(name, seed=seed)
        scores.append(accuracy(labels, AnchorGraphClustering(len(set(labels)), random_state=seed).fit_predict(views)))
    assert np.mean(scores) >= QUALITY[name], scores


def test_quality_on_the_embedded_digits():
    data = load_digits_views()
    scores = []
    for seed in range(2):
        rows = np.random.default_rng(100 + seed).permutation(len(data.labels))
        views = [view[rows] for view in data.views.values()]
        scores.append(accuracy(data.labels[rows], AnchorGraphClustering(10, random_state=seed).fit_predict(views)))
    assert np.mean(scores) >= 0.80, scores
