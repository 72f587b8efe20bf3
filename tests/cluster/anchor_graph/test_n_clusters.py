"""K without labels: the score, the scale of candidates, the rule, and what it finds."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from manyview import AnchorGraphClustering, SemiNTF
from manyview.cluster.anchor_graph import stages
from manyview.cluster.anchor_graph.n_clusters import (
    CurvePoint,
    Embedded,
    Selection,
    coarse_scale,
    largest_number,
    modularity,
    pick,
    rate,
)
from manyview.datasets import make_views
from manyview.model_selection import select
from recipes import QUICK


def test_modularity_is_that_of_the_two_step_walk():
    rng = np.random.default_rng(0)
    B = rng.random((30, 12)) ** 4
    B /= B.sum(axis=1, keepdims=True)
    A = B / np.sqrt(B.sum(axis=0))  # A A' has row sums one
    _, s, Wt = np.linalg.svd(A, full_matrices=False)
    labels = rng.integers(3, size=30)
    P2 = np.linalg.matrix_power(A @ A.T, 2)
    same = labels[:, None] == labels
    p = np.bincount(labels) / 30
    wanted = P2[same].sum() / 30 - (p**2).sum()
    assert_allclose(modularity(Embedded(A @ Wt.T, s, np.arange(30), None, []), labels, 3), wanted)


def test_the_error_of_the_score_is_that_of_the_mean():
    agreements = np.array([0.5, 0.7, 0.6, 0.8])
    S, Q, score, error = rate(0.4, agreements)
    assert (pytest.approx(0.65), 0.4) == (S, Q)
    assert score == pytest.approx(0.4 * np.sqrt(0.65))
    step = 1e-6  # the derivative of Q sqrt(S), by hand
    slope = 0.4 * (np.sqrt(0.65 + step) - np.sqrt(0.65)) / step
    assert error == pytest.approx(slope * agreements.std(ddof=1) / 2, rel=1e-4)


@given(st.integers(2, 500))
@settings(deadline=None, max_examples=40)
def test_the_scale_rises_from_two_to_the_largest(largest):
    scale = coarse_scale(largest)
    assert scale[0] == 2
    assert scale[-1] == largest
    assert (np.diff(scale) > 0).all()
    assert all(b <= 1.2 * a + 1 for a, b in pairwise(scale))


@pytest.mark.parametrize("n_samples, n_anchors, wanted", [(2, 2, 2), (7, 7, 2), (40, 40, 10), (10_000, 500, 125)])
def test_rows_and_anchors_bound_the_number(n_samples, n_anchors, wanted):
    assert largest_number(n_samples, n_anchors) == wanted


def point(K, score, *, error=0.0, gap=0.0, stability=0.9):
    return CurvePoint(K, stability, score, gap, score, error)


def test_the_smallest_within_one_standard_error_is_picked():
    curve = (point(2, 0.1), point(3, 0.48), point(4, 0.5, error=0.03, gap=0.2))
    selection = pick(curve, fall=1.0)
    assert selection.n_clusters == 3
    assert "smallest K within one standard error" in selection.reason
    assert "widest eigengap is at 4" in selection.reason
    assert pick((point(2, 0.1), point(3, 0.4), curve[2]), fall=1.0).n_clusters == 4


def test_a_gap_wider_than_all_others_together_decides():
    curve = (point(2, 0.1), point(3, 0.4, gap=0.2), point(4, 0.5))
    decided = pick(curve, fall=0.3)
    assert decided.n_clusters == 3
    assert "wider than all others together" in decided.reason
    assert pick(curve, fall=0.5).n_clusters == 4


def test_an_unstable_choice_is_called_a_suggestion():
    assert "suggestion" in pick((point(2, 0.3, stability=0.2),), fall=1.0).reason
    assert "suggestion" not in pick((point(2, 0.3),), fall=1.0).reason


def test_a_selection_prints_its_curve_and_stays_as_it_is():
    selection = pick((point(2, 0.1), point(3, 0.5)), fall=1.0)
    assert repr(selection) == "Selection(n_clusters=3; 2 values of K, 0 trials)"
    lines = str(selection).splitlines()
    assert lines[0] == selection.reason
    assert [line.split()[-6] for line in lines[2:]] == ["2", "3"]
    assert lines[3].startswith(">")
    with pytest.raises(AttributeError):
        selection.n_clusters = 4


def draws():
    """Separated clusters: 2 to 12 of them, 1 to 3 views, every second draw with sizes from 40 % to 100 %."""
    for draw in range(22):
        rng = np.random.default_rng(1000 + draw)
        K = 2 + draw % 11
        widths = [int(width) for width in rng.integers(6, 20, 1 + draw % 3)]
        data = make_views(16 * K, K, widths=widths, separation=8.0, random_state=draw)
        kept = rng.random(len(data.labels)) < np.linspace(0.4 if draw % 2 else 1, 1, K)[data.labels]
        yield K, draw, [view[kept] for view in data.views.values()]


def test_the_right_number_in_19_of_20_draws_of_separated_data():
    right = [
        select(views, n_clusters=range(2, 15), estimator=AnchorGraphClustering(random_state=seed)).n_clusters == K
        for K, seed, views in draws()
    ]
    assert np.mean(right) >= 0.95


def test_a_fit_carries_its_selection():
    data = make_views(120, 3, random_state=0)
    model = AnchorGraphClustering("auto", recipe=QUICK, random_state=0).fit(data.views)
    assert isinstance(model.selection_, Selection)
    assert model.n_clusters_ == model.selection_.n_clusters == 3
    assert model.membership_.shape == (120, 3)
    given = AnchorGraphClustering(3, recipe=QUICK, random_state=0).fit(data.views)
    assert given.selection_ is None
    assert given.n_clusters_ == 3
    assert (given.labels_ == model.labels_).all()


def test_many_clusters_get_more_anchors(monkeypatch):
    data = make_views(640, 52, widths=(30, 30), separation=12.0, random_state=0)
    chosen = Selection(52, (), "as told", {"n_clusters": 52})
    monkeypatch.setattr(stages, "choose_on", lambda draw, context: chosen)
    model = AnchorGraphClustering("auto", recipe=QUICK, random_state=0).fit(data.views)
    assert model.selection_ is chosen
    assert model.anchor_graph_.n_anchors == 520


def test_disk_gives_same_choice_and_results():
    data = make_views(120, 3, separation=3.0, random_state=0)
    views = list(data.views.values())
    first, second = (
        AnchorGraphClustering("auto", random_state=0, block_rows=50, engine=e).fit(views) for e in ("memory", "disk")
    )
    assert first.selection_ == second.selection_
    assert (first.views_disagree_ == second.views_disagree_).all()
    assert (first.cluster_stability_ == second.cluster_stability_).all()
    assert first.explain(views) == second.explain(views)


def test_the_choice_does_not_depend_on_threads():
    data = make_views(60, 4, separation=3.0, random_state=1)
    first = AnchorGraphClustering("auto", recipe=QUICK, random_state=0, n_jobs=1).fit(data.views)
    second = AnchorGraphClustering("auto", recipe=QUICK, random_state=0, n_jobs=2).fit(data.views)
    assert first.selection_ == second.selection_


@pytest.mark.parametrize(
    "model, message",
    [
        (SemiNTF.paper("auto"), "variant='paper'"),
        (SemiNTF("auto", start=np.zeros(60, dtype=int)), "start"),
        (AnchorGraphClustering("many"), "n_clusters must be"),
    ],
)
def test_parameters_that_rule_out_a_choice_raise(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(make_views(60, 3, random_state=0).views)


def test_two_rows_and_equal_rows_are_two_clusters_at_most():
    assert AnchorGraphClustering("auto", recipe=QUICK, random_state=0).fit([np.array([[0.0], [1.0]])]).n_clusters_ == 2
    with pytest.warns(ConvergenceWarning, match="fewer than"):
        model = AnchorGraphClustering("auto", recipe=QUICK, random_state=0).fit([np.ones((12, 3)), np.ones((12, 2))])
    assert len(set(model.labels_)) < model.n_clusters_
