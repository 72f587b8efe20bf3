"""One function for all choices without labels: what it takes, returns and refuses."""

import numpy as np
import pytest

from manyview import SemiNTF
from manyview.datasets import make_views
from manyview.model_selection import Selection, select


@pytest.fixture(scope="module")
def views():
    return list(make_views(90, 3, widths=(6, 8), separation=5.0, random_state=0).views.values())


def model(**parameters):
    return SemiNTF(random_state=0, n_init=1, **parameters)


def test_the_candidates_are_the_curve(views):
    selection = select(views, n_clusters=[5, 3, 2, 3], estimator=model())
    assert isinstance(selection, Selection)
    assert [candidate.n_clusters for candidate in selection.curve] == [2, 3, 5]
    assert selection.n_clusters == 3
    assert selection.params == {"n_clusters": 3}
    assert selection.trials == ()


def test_a_fit_with_auto_chooses_the_same(views):
    assert SemiNTF("auto", random_state=0).fit(views).selection_ == select(views, estimator=SemiNTF(random_state=0))


def test_a_given_number_is_taken(views):
    selection = select(views, n_clusters=4, n_anchors=[20], estimator=model())
    assert (selection.n_clusters, selection.curve) == (4, ())
    assert selection.reason.startswith("K = 4 was given")


def test_anchors_are_compared_by_fits(views):
    selection = select(views, n_clusters=3, n_anchors=[4, 30], estimator=model())
    assert [trial.n_anchors for trial in selection.trials] == [4, 30]
    assert selection.params["n_anchors"] in (4, 30)
    best = max(selection.trials, key=lambda trial: trial.score)
    chosen = next(trial for trial in selection.trials if trial.n_anchors == selection.params["n_anchors"])
    assert chosen.score >= best.score - best.error
    assert "2 trials" in selection.reason
    assert SemiNTF(**selection.params).fit(views).n_clusters_ == 3


def test_a_coupling_that_ruins_the_labels_is_not_chosen(views):
    paper = SemiNTF.paper(n_anchors=20, random_state=0, max_iter=40)
    selection = select(views, n_clusters=3, lam=[1000.0, 1.0], p=[0.5], estimator=paper)
    assert selection.params == {"n_clusters": 3, "lam": 1.0, "p": 0.5}
    assert selection.trials[0].score < selection.trials[1].score


def test_lam_and_p_are_crossed(views):
    estimator = model(coupling="clusters", max_iter=5)
    selection = select(views, n_clusters=3, lam=["auto", 0.5], p=[0.5, 1.0], estimator=estimator)
    assert [(trial.lam, trial.p) for trial in selection.trials] == [(None, 0.5), (None, 1.0), (0.5, 0.5), (0.5, 1.0)]
    assert selection.params["lam"] in ("auto", 0.5)
    assert "lam" in str(selection).splitlines()[1]


def test_the_estimator_is_left_alone(views):
    estimator = model()
    before = estimator.get_params()
    select(views, n_clusters=[2, 3], estimator=estimator)
    assert estimator.get_params() == before
    assert not hasattr(estimator, "labels_")


@pytest.mark.parametrize(
    "options, message",
    [
        ({"lam": [1.0]}, "no effect with coupling='shared'"),
        ({"p": [0.5]}, "no effect with coupling='shared'"),
        ({"n_clusters": "many"}, "'auto', an integer"),
        ({"n_clusters": []}, "integers of at least"),
        ({"n_clusters": [1, 2]}, "at least 2"),
        ({"n_clusters": [2.5, 3]}, "integers"),
        ({"n_clusters": 91}, "n_samples=90"),
        ({"n_anchors": []}, "no candidates"),
        ({"n_anchors": [1]}, "n_anchors must be"),
        ({"n_anchors": [10], "estimator": SemiNTF(anchors=np.arange(20))}, "anchors names rows"),
        ({"n_anchors": [10], "estimator": SemiNTF(init=np.zeros(90, dtype=int))}, "given labels"),
    ],
)
def test_what_makes_no_sense_is_refused(views, options, message):
    with pytest.raises(ValueError, match=message):
        select(views, **options)
