"""The pictures look as they did: compared with stored ones, at a tolerance.

After an intended change: ``python -m pytest tests/plotting/test_baseline.py`` writes what it drew to ``result_images``
in the temporary folder that the failure names; look at it, then copy it to ``tests/plotting/baseline``.
"""

from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.testing.compare import compare_images

from manyview.plotting import (
    AlluvialDisplay,
    ContingencyDisplay,
    ConvergenceDisplay,
    FeatureHeatmapDisplay,
    MapDisplay,
    MembershipDisplay,
    SelectionDisplay,
    ViewAgreementDisplay,
)

if tuple(map(int, matplotlib.__version__.split(".")[:2])) < (3, 10):
    pytest.skip("older versions of matplotlib place letters elsewhere", allow_module_level=True)
BASELINE = Path(__file__).with_name("baseline")
TOLERANCE = 8  # root mean square of 255: other versions of matplotlib move letters by a pixel


def draw_map():
    rng = np.random.default_rng(0)
    labels = np.arange(150) % 5
    angle = 2 * np.pi * labels / 5
    return MapDisplay.from_predictions(np.c_[np.cos(angle), np.sin(angle)] + 0.12 * rng.normal(size=(150, 2)), labels)


def draw_agreement():
    rng = np.random.default_rng(0)
    labels = np.arange(90) % 3
    noisy = {name: np.where(rng.random(90) < share, rng.integers(0, 3, 90), labels) for name, share in SHARES.items()}
    return ViewAgreementDisplay.from_predictions(noisy | {"result": labels})


SHARES = {"image": 0.1, "text": 0.4, "sound": 0.9}


def draw_selection():
    K = np.arange(2, 13)
    display = SelectionDisplay.from_predictions(K, 0.4 - 0.03 * abs(K - 5), error=0.02 + 0.001 * K)
    display.chosen, display.stability = 5, 1 - 0.05 * abs(K - 5)
    return display.plot()


def draw_membership():
    rng = np.random.default_rng(0)
    return MembershipDisplay.from_predictions(rng.dirichlet([0.3] * 4, 120))


def draw_features():
    rng = np.random.default_rng(0)
    labels = np.arange(80) % 4
    table = rng.normal(size=(80, 8)) + 2 * np.eye(4)[labels] @ rng.normal(size=(4, 8))
    return FeatureHeatmapDisplay.from_predictions(table, labels, n_features=8)


def draw_convergence():
    return ConvergenceDisplay(series={"max |H − Q|": (0.5 ** np.arange(12)).tolist()}, limit=0.003).plot()


def draw_contingency():
    classes = np.repeat(["cat", "dog", "fox"], 30)
    return ContingencyDisplay.from_predictions(classes, np.where(np.arange(90) % 7 == 0, 2, np.repeat([1, 0, 2], 30)))


def draw_alluvial():
    first = np.repeat([0, 1, 2], 40)
    return AlluvialDisplay.from_predictions(first, np.where(np.arange(120) % 4 == 0, (first + 1) % 3, first))


DRAWN = [
    draw_map,
    draw_agreement,
    draw_selection,
    draw_membership,
    draw_features,
    draw_convergence,
    draw_contingency,
    draw_alluvial,
]


@pytest.mark.parametrize("draw", DRAWN, ids=lambda draw: draw.__name__.removeprefix("draw_"))
def test_picture_is_the_stored_one(draw, tmp_path):
    name = draw.__name__.removeprefix("draw_") + ".png"
    drawn = tmp_path / name
    draw().figure_.savefig(drawn, dpi=60, metadata={"Software": None})
    stored = BASELINE / name
    assert stored.stat().st_size < 30_000
    expected = tmp_path / f"expected-{name}"  # the comparison writes beside what it compares
    expected.write_bytes(stored.read_bytes())
    assert compare_images(str(expected), str(drawn), tol=TOLERANCE) is None
