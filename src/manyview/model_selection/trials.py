"""Other parameters at a given K: a fit, and fits on subsamples, scored like a number of clusters.

    score = Q sqrt(S)     Q: two-step modularity of the labels, S: mean adjusted Rand index with the fits on subsamples

Graphs with more or fewer anchors are smooth to different degrees, so Q is measured on ONE graph for all trials. Rows
that a subsample does not have are labeled by ``predict``.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from manyview.cluster.anchor_graph.n_clusters import Embedded, modularity, rate
from manyview.cluster.anchor_graph.reliability import subsample_size
from manyview.cluster.anchor_graph.selection import Trial
from manyview.kernels.agreement import adjusted_rand, joint_counts
from manyview.views import Views

N_SUBSAMPLES = 4


def score_trial(model: Any, params: Mapping[str, Any], sample: Views, yardstick: Embedded, /) -> Trial:
    """Fit the model on the sample and on subsamples of it, and score the labels."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a trial that stops early is judged by its labels
        return _score(model, params, sample, yardstick)


def _score(model: Any, params: Mapping[str, Any], sample: Views, yardstick: Embedded) -> Trial:
    K, seed = model.n_clusters, model.random_state
    labels = model.fit(sample).labels_
    agreements = []
    for number in range(N_SUBSAMPLES):
        rng = np.random.default_rng(seed + 1 + number)
        rows = np.sort(rng.choice(len(sample), subsample_size(len(sample), K), replace=False))
        other = clone(model).fit(sample[rows]).predict(sample)
        agreements.append(adjusted_rand(joint_counts(labels, other, K)))
    return Trial(params, *rate(modularity(yardstick, labels[yardstick.rows], K), np.array(agreements)))
