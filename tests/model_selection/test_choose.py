"""One function for all choices without labels: what it takes, returns and refuses."""

from html import escape

import pytest

from manyview import AnchorGraphClustering, SemiNTF
from manyview.datasets import make_views
from manyview.model_selection import CurvePoint, Selection, select
from recipes import QUICK


@pytest.fixture(scope="module")
def views():
    return list(make_views(90, 3, widths=(6, 8), separation=5.0, random_state=0).views.values())


def model(**parameters):
    return AnchorGraphClustering(recipe=QUICK, random_state=0, **parameters)


def test_the_candidates_are_the_curve(views):
    selection = select(views, n_clusters=[5, 3, 2, 3], estimator=model())
    assert isinstance(selection, Selection)
    assert [point.n_clusters for point in selection.curve] == [2, 3, 5]
    assert all(isinstance(point, CurvePoint) for point in selection.curve)
    assert selection.n_clusters == 3
    assert selection.params == {"n_clusters": 3}
    assert selection.trials == ()


def test_a_fit_with_auto_chooses_the_same(views):
    assert AnchorGraphClustering("auto", recipe=QUICK, random_state=0).fit(views).selection_ == select(
        views, estimator=model()
    )


def test_a_given_number_is_taken(views):
    selection = select(views, n_clusters=4, param_grid={"n_anchors": [20]}, estimator=model())
    assert (selection.n_clusters, selection.curve) == (4, ())
    assert selection.reason.startswith("K = 4 was given")


def test_anchors_are_compared_by_fits(views):
    selection = select(views, n_clusters=3, param_grid={"n_anchors": [4, 30]}, estimator=model())
    assert [trial.params["n_anchors"] for trial in selection.trials] == [4, 30]
    assert selection.params["n_anchors"] in (4, 30)
    best = max(selection.trials, key=lambda trial: trial.score)
    chosen = next(trial for trial in selection.trials if trial.params["n_anchors"] == selection.params["n_anchors"])
    assert chosen.score >= best.score - best.error
    assert "2 trials" in selection.reason
    assert AnchorGraphClustering(**selection.params).fit(views).n_clusters_ == 3


def test_a_coupling_that_ruins_the_labels_is_not_chosen(views):
    paper = SemiNTF.paper(n_anchors=20, random_state=0, max_iter=40)
    selection = select(views, n_clusters=3, param_grid={"lam": [1000.0, 1.0], "p": [0.5]}, estimator=paper)
    assert selection.params == {"n_clusters": 3, "lam": 1.0, "p": 0.5}
    assert selection.trials[0].score < selection.trials[1].score


def test_lam_and_p_are_crossed(views):
    estimator = SemiNTF(coupling="clusters", max_iter=5, recipe=QUICK, random_state=0)
    grid = {"lam": ["auto", 0.5], "p": [0.5, 1.0]}
    selection = select(views, n_clusters=3, param_grid=grid, estimator=estimator)
    assert [(trial.params["lam"], trial.params["p"]) for trial in selection.trials] == [
        ("auto", 0.5),
        ("auto", 1.0),
        (0.5, 0.5),
        (0.5, 1.0),
    ]
    assert selection.params["lam"] in ("auto", 0.5)
    assert "lam=0.5" in str(selection).splitlines()[-1]


def test_selection_in_a_notebook(views):
    selection = select(views, n_clusters=[2, 3], estimator=model())
    html = selection._repr_html_()
    assert html.startswith(f"<div><p>{escape(selection.reason)}</p>")
    assert "<th scope='row'>&gt; 3</th>" in html
    assert f"<td>{selection.curve[0].score:.3f}</td>" in html
    trials = select(views, n_clusters=3, param_grid={"n_anchors": [20, 30]}, estimator=model())._repr_html_()
    assert "n_anchors=30" in trials
    assert "modularity</th><th>gap" not in trials


def test_the_estimator_is_left_alone(views):
    estimator = model()
    before = estimator.get_params()
    select(views, n_clusters=[2, 3], estimator=estimator)
    assert estimator.get_params() == before
    assert not hasattr(estimator, "labels_")


@pytest.mark.parametrize(
    "options, message",
    [
        ({"param_grid": {"lam": [1.0]}}, "param_grid has 'lam', which is no parameter of AnchorGraphClustering"),
        ({"param_grid": {"lam": [1.0]}, "estimator": SemiNTF()}, "no effect with coupling='shared'"),
        ({"param_grid": {"n_clusters": [2, 3]}}, "give candidates for K as n_clusters="),
        ({"n_clusters": "many"}, "'auto', an integer"),
        ({"n_clusters": []}, "integers of at least"),
        ({"n_clusters": [0, 2]}, "at least 1"),
        ({"n_clusters": [2.5, 3]}, "integers"),
        ({"n_clusters": 91}, "n_samples=90"),
        ({"param_grid": {"n_anchors": []}}, "n_anchors must be a list with at least one candidate"),
        ({"param_grid": {"n_anchors": "auto"}}, "n_anchors must be a list"),
        ({"param_grid": {"n_anchors": [1]}}, "n_anchors must be"),
        ({"estimator": AnchorGraphClustering(scale="log")}, "scale must be"),
    ],
)
def test_bad_arguments_are_named(views, options, message):
    with pytest.raises(ValueError, match=message):
        select(views, **({"n_clusters": 3} | options))
