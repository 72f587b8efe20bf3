"""What a fit tells about its progress: to the log, and to scikit-learn's callbacks."""

import logging

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

import manyview
from manyview import GMC, AnchorGraphClustering, SemiNTF
from manyview.cluster.progress import reporter
from manyview.datasets import make_views
from recipes import QUICK

VIEWS = make_views(60, 3, widths=(4, 5), random_state=0).views


class Listener:
    """A callback of scikit-learn that keeps what it hears."""

    def __init__(self):
        self.heard = []

    def setup(self, estimator, context):
        self.heard.append(("setup", context.task_name))

    def on_fit_task_begin(self, estimator, context):
        self.heard.append(("begin", context.task_name))

    def on_fit_task_end(self, estimator, context):
        self.heard.append(("end", context.task_name))

    def teardown(self, estimator, context):
        self.heard.append(("teardown", context.task_name))


@pytest.fixture
def listener():
    pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks since 1.9")
    return Listener()


def test_stages_are_logged(caplog):
    AnchorGraphClustering(3, recipe=QUICK, random_state=0).fit(VIEWS)
    said = [record.getMessage() for record in caplog.records if record.name == "manyview"]
    assert said[0] == "AnchorGraphClustering: geometry 0/1"
    assert {record.levelno for record in caplog.records} == {logging.INFO}


def test_verbose_prints_calls_or_is_silent(capsys):
    heard = []
    reporter(AnchorGraphClustering(verbose=lambda *step: heard.append(step)))("graph", 1, 2)
    reporter(AnchorGraphClustering())("graph", 1, 2)
    assert capsys.readouterr().err == ""
    assert heard == [("graph", 1, 2)]
    reporter(AnchorGraphClustering(verbose=True))("graph", 1, 2)
    assert capsys.readouterr().err == "AnchorGraphClustering: graph 1/2\n"


@pytest.mark.parametrize("options", [{"n_clusters": 3}, {"n_clusters": "auto"}], ids=["K", "auto"])
@pytest.mark.parametrize("kind", [AnchorGraphClustering, SemiNTF])
def test_callbacks_hear_every_stage_begin_and_end(kind, options, listener):
    kind(**options, recipe=QUICK, random_state=0).set_callbacks(listener).fit(VIEWS)
    heard = listener.heard
    assert heard[:2] == [("setup", "fit"), ("begin", "fit")]
    assert heard[-2:] == [("end", "fit"), ("teardown", "fit")]
    open_tasks = []
    for what, task in heard[1:-1]:  # a task ends after its parts
        if what == "begin":
            open_tasks.append(task)
        else:
            assert open_tasks.pop() == task
    assert open_tasks == []
    assert {("begin", "geometry"), ("begin", "anchors"), ("begin", "labels")} <= set(heard)
    assert (("begin", "n_clusters, step") in heard) == (options["n_clusters"] == "auto")
    assert (("begin", "factorization, step") in heard) == (kind is SemiNTF)


def test_callbacks_change_nothing_and_are_kept_by_a_clone(listener):
    model = AnchorGraphClustering(3, recipe=QUICK, random_state=0)
    expected = model.fit(VIEWS).labels_
    assert_array_equal(clone(model).set_callbacks(listener).fit(VIEWS).labels_, expected)
    n_heard = len(listener.heard)
    clone(model.set_callbacks(listener)).fit(VIEWS)
    assert len(listener.heard) == 2 * n_heard


def test_a_published_method_is_one_task(listener):
    GMC(3).set_callbacks(listener).fit(VIEWS)
    assert listener.heard == [("setup", "fit"), ("begin", "fit"), ("end", "fit"), ("teardown", "fit")]


def test_a_fit_that_fails_tears_down_what_it_set_up(listener):
    def failing(stage, done, total):
        raise RuntimeError(stage)

    model = AnchorGraphClustering(3, recipe=QUICK, random_state=0, verbose=failing)
    with pytest.raises(RuntimeError, match="geometry"):
        model.set_callbacks(listener).fit(VIEWS)
    assert listener.heard[-1] == ("teardown", "fit")


def test_a_model_with_callbacks_is_saved_without_them(listener, tmp_path):
    model = AnchorGraphClustering(3, recipe=QUICK, random_state=0).set_callbacks(listener).fit(VIEWS)
    loaded = manyview.load(model.save(tmp_path / "x.manyview"))
    assert np.array_equal(loaded.predict(VIEWS), model.labels_)
