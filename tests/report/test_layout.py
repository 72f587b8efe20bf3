"""The layout is the same every time, and keeps groups together, also where it is interpolated."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from manyview.report.summary import layout as module
from manyview.report.summary.layout import layout


@pytest.fixture
def groups():
    rng = np.random.default_rng(0)
    labels = np.arange(240) % 4
    return np.eye(4)[labels] * 8 + rng.normal(size=(240, 4)), labels


def test_same_rows_same_picture(groups):
    rows, _ = groups
    assert (layout(rows) == layout(rows.copy())).all()


def test_interpolated_rows_lie_in_their_group(groups, monkeypatch):
    rows, labels = groups
    monkeypatch.setattr(module, "LANDMARKS", 80)
    points = layout(rows)
    assert KNeighborsClassifier(5).fit(points, labels).score(points, labels) > 0.97


@pytest.mark.parametrize("rows", [np.zeros((3, 2)), np.ones((30, 1)), np.ones((30, 5)), np.arange(8.0)[:, None]])
def test_degenerate_rows_have_finite_places(rows):
    points = layout(rows)
    assert points.shape == (len(rows), 2)
    assert np.isfinite(points).all()
