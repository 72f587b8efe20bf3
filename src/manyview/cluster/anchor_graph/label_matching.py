"""Clusters that keep their numbers: a refit takes over those of an earlier clustering of the same samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from manyview.engine import Engine, Rows
from manyview.kernels.arrays import IntArray
from manyview.metrics import match_labels
from manyview.views import Views

Arrange = Callable[[IntArray], IntArray]  # labels of all rows -> the new number of every cluster


def arrangement(match_to: Any, X: Any, views: Views, n_clusters: int, /) -> Arrange:
    """Return how to renumber clusters so that they agree with ``match_to`` on as many samples as possible."""
    reference = _reference_labels(match_to, X, views)
    known = reference >= 0
    if not known.any():
        raise ValueError("match_to shares no sample with the views: nothing can be matched.")
    if reference.max() >= n_clusters:
        raise ValueError(
            f"match_to has cluster {reference.max()}; n_clusters={n_clusters} can keep 0 … {n_clusters - 1}."
        )
    return lambda labels: new_numbers(reference[known], labels[known], n_clusters)


def new_numbers(reference: IntArray, labels: IntArray, n_clusters: int, /) -> IntArray:
    """Return the new number of every cluster; those without a counterpart take the free numbers in ascending order."""
    numbers = np.full(n_clusters, -1)
    found, first = np.unique(labels, return_index=True)
    inherited = match_labels(reference, labels)[first]
    kept = np.isin(inherited, reference)  # the others are names that match_labels made up
    numbers[found[kept]] = inherited[kept]
    numbers[numbers < 0] = np.setdiff1d(np.arange(n_clusters), numbers)
    return numbers


def renumber(labels: Rows[IntArray], arrange: Arrange, engine: Engine, /) -> Rows[IntArray]:
    """Give the clusters their new numbers."""
    numbers = arrange(engine.collect(lambda block: block, labels))
    return engine.map(lambda block: numbers[block], labels)


def _reference_labels(match_to: Any, X: Any, views: Views) -> IntArray:
    """Return a label for every row, -1 where the earlier clustering does not know the row."""
    if hasattr(match_to, "predict"):
        return np.asarray(match_to.predict(X))
    if hasattr(match_to, "reindex"):  # a pandas Series, by id
        if views.ids is None:
            raise ValueError("match_to has an index, but the views have none: pass labels in the order of the rows.")
        return np.asarray(match_to.reindex(views.ids).fillna(-1), dtype=np.int64)
    labels = np.asarray(match_to)
    if labels.ndim != 1 or not np.issubdtype(labels.dtype, np.integer) or not 1 <= len(labels) <= len(views):
        raise ValueError(
            f"match_to must be a fitted model, a Series of labels by id, or integer labels of the first rows (at most "
            f"{len(views)}, -1: unknown); got shape {labels.shape}, dtype {labels.dtype}."
        )
    return np.concatenate([labels, np.full(len(views) - len(labels), -1)])
