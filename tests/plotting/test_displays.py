"""What the displays hold, where they draw, and what they refuse."""

import subprocess
import sys

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

from manyview import LMVSC
from manyview.metrics import adjusted_rand_index
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
from manyview.report import summarize


def test_displays_draw_where_they_are_told(model):
    ax = Figure().subplots()
    display = MembershipDisplay.from_estimator(model, ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert display.plot().ax_ is not ax


def test_numbers_are_those_of_the_report(model, factorized, data):
    summary = summarize(model, data.views, y_true=data.labels)
    assert_allclose(ViewAgreementDisplay.from_estimator(model, data.views).ari, summary["view_agreement"]["ari"])
    assert ContingencyDisplay.from_estimator(model, data.labels).counts.tolist() == summary["contingency"]["counts"]
    heatmap = FeatureHeatmapDisplay.from_estimator(model, data.views, n_features=40)
    assert_allclose(heatmap.effects, summary["heatmap"]["effects"])
    curve = SelectionDisplay.from_estimator(model)
    assert curve.score.tolist() == [point["score"] for point in summary["selection"]["curve"]]
    course = summarize(factorized)["convergence"]
    assert ConvergenceDisplay.from_estimator(factorized).limit == course["limit"]


def test_map_can_be_colored_by_a_number(model, data):
    display = MapDisplay.from_estimator(model, data.views, color=model.confidence_, title="confidence")
    assert len(display.figure_.axes) == 2  # the map and its scale
    assert display.points.shape == (120, 2)


def test_feature_heatmap_of_a_plain_table():
    labels = np.repeat(["a", "b"], 30)
    table = np.random.default_rng(0).normal(size=(60, 4)) + 5 * (labels == "b")[:, None] * [0, 0, 1, 0]
    display = FeatureHeatmapDisplay.from_predictions(table, labels, features=list("wxyz"), n_features=1)
    assert (display.features, display.clusters) == (["y"], ["a", "b"])
    assert display.effects[1, 0] > 4


def test_agreement_of_labelings():
    one, two = [0, 0, 1, 1, 2, 2], [0, 0, 1, 2, 2, 2]
    display = ViewAgreementDisplay.from_predictions({"one": one, "two": two})
    assert display.ari[0, 1] == pytest.approx(adjusted_rand_index(one, two))


def test_flows_hold_every_sample(model, factorized):
    display = AlluvialDisplay.from_estimator(model, factorized)
    assert sum(flow.n_samples for flow in display.flows) == 120
    with pytest.raises(ValueError, match="give one label per sample to both"):
        AlluvialDisplay.from_predictions([0, 1], [0, 1, 1])


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda m: MembershipDisplay.from_estimator(m), "LMVSC has no memberships"),
        (lambda m: SelectionDisplay.from_estimator(m), 'fit it with n_clusters="auto"'),
        (lambda m: ConvergenceDisplay.from_estimator(m), "LMVSC keeps no history"),
        (lambda m: MapDisplay.from_estimator(m), "pass the views of the fit"),
        (lambda m: FeatureHeatmapDisplay.from_predictions(np.ones((4, 2)), [0, 0, 1, 1]), "No feature differs"),
    ],
    ids=["membership", "selection", "convergence", "map", "features"],
)
def test_what_is_not_there_is_said(call, message, data):
    with pytest.raises(ValueError, match=message):
        call(LMVSC(3, random_state=0).fit(data.views))


def test_missing_matplotlib_names_the_extra(monkeypatch, model):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'pip install "manyview\[plots\]"'):
        MembershipDisplay.from_estimator(model)


def test_importing_the_plots_loads_no_matplotlib():
    code = "import sys, manyview.plotting; print([m for m in ('matplotlib', 'jinja2') if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout == "[]\n"
