"""What the graph methods say about their labels: contiguous numbers, and a warning when there are not K of them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from manyview.kernels.arrays import IntArray


def contiguous(labels: IntArray, /) -> IntArray:
    """The same partition with labels 0, 1, 2, … in the order of the old ones; empty clusters leave no gap."""
    return np.unique(labels, return_inverse=True)[1].astype(np.int64).ravel()


def warn_component_count(estimator: Any, found: int, /) -> None:
    """Say so when the learned graph has another number of components than asked for."""
    if found != estimator.n_clusters:
        warnings.warn(
            f"{type(estimator).__name__}: the learned graph has {found} connected components instead of "
            f"n_clusters={estimator.n_clusters}, so labels_ holds {found} clusters. Another n_neighbors or a larger "
            "max_iter may reach the number asked for; n_components_found_ holds the number found.",
            ConvergenceWarning,
            stacklevel=4,  # the caller of fit, which calls _fit
        )


def warn_empty_clusters(estimator: Any, found: int, /) -> None:
    """Say so when some clusters stayed empty."""
    if found < estimator.n_clusters:
        warnings.warn(
            f"{type(estimator).__name__}: only {found} of n_clusters={estimator.n_clusters} clusters are not empty: "
            "the samples have too few distinct groups, or the start left a cluster without samples.",
            ConvergenceWarning,
            stacklevel=4,  # the caller of fit, which calls _fit
        )


def warn_isolated_samples(estimator: Any, graphs: Sequence[sp.csr_array], /) -> None:
    """Say so when samples have no edge in the graph of any view: nothing is known about their clusters."""
    connected = np.zeros(graphs[0].shape[0], dtype=bool)
    for graph in graphs:
        connected |= np.diff(graph.indptr) > 0
        connected[graph.indices] = True
    n_isolated = int(np.count_nonzero(~connected))
    if n_isolated:
        warnings.warn(
            f"{type(estimator).__name__}: {n_isolated} of {len(connected)} samples have no nearest neighbors in any "
            f"view, because more than n_neighbors={estimator.n_neighbors} others are equally near (duplicate rows); "
            "their labels are arbitrary. Drop duplicates, or use a larger n_neighbors.",
            ConvergenceWarning,
            stacklevel=4,  # the caller of fit, which calls _fit
        )
