"""A trial at a given K: labels of a fit, their modularity on one graph, and fits on subsamples."""

import numpy as np
import pytest

from manyview import AnchorGraphClustering, SemiNTF
from manyview.cluster.anchor_graph.context import FitContext, resolve
from manyview.cluster.anchor_graph.graphs import build_graphs
from manyview.cluster.anchor_graph.n_clusters import embed, modularity
from manyview.datasets import make_views
from manyview.engine import MemoryEngine
from manyview.model_selection.trials import score_trial
from manyview.views import check_views
from recipes import QUICK

K = 3


@pytest.fixture(scope="module")
def separated():
    return check_views(list(make_views(90, K, widths=(6, 8), separation=5.0, random_state=0).views.values()))


def model(**parameters):
    return AnchorGraphClustering(K, recipe=QUICK, random_state=0, **parameters)


@pytest.fixture(scope="module")
def yardstick(separated):
    context = FitContext(MemoryEngine(n_jobs=1), resolve(model(), len(separated), 0))
    return embed(build_graphs(separated, context), K, context)


def test_trial_scores_modularity_and_stability(separated, yardstick):
    trial = score_trial(model(), {"scale": "auto"}, separated, yardstick)
    labels = model().fit(separated).labels_
    assert trial.params == {"scale": "auto"}
    assert trial.modularity == pytest.approx(modularity(yardstick, labels, K))
    assert trial.score == pytest.approx(trial.modularity * np.sqrt(trial.stability))
    assert trial.stability > 0.9


def test_trials_do_not_warn(separated, yardstick):
    stopped = SemiNTF(K, max_iter=1, tol=0, recipe=QUICK, random_state=0)
    assert 0 < score_trial(stopped, {}, separated, yardstick).score <= 1
