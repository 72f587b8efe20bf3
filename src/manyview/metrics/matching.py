"""Scores that give clusters to classes, and the matching behind them.

    ACC    = max_π (1/N) Σ_j n_{π(j), j}         π: clusters -> classes, one to one (Hungarian)
    Purity = (1/N) Σ_j max_i n_ij                every cluster takes its most frequent class, classes may repeat

n_ij: samples of class i in cluster j.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .assignment import best_matching
from .labels import check_same_length, check_same_samples, encode
from .table import Contingency, contingency, tabulate


def accuracy(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Compute the clustering accuracy (ACC): share of samples in the cluster that is matched to their class.

    The one-to-one matching of clusters to classes that makes the share largest is found exactly. The numbers of
    classes and clusters may differ; samples of a cluster or class that is left over count as errors.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Labels of any hashable kind.

    Returns
    -------
    float
        In (0, 1]; 1 if and only if the two partitions are the same.

    Examples
    --------
    >>> from manyview.metrics import accuracy
    >>> accuracy(["a", "a", "b", "b"], [1, 1, 0, 0])
    1.0
    >>> accuracy([0, 0, 0, 0], [0, 1, 2, 3])    # three of the four clusters are left over
    0.25
    """
    return accuracy_of(contingency(y_true, y_pred))


def purity(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Compute the purity: share of samples that belong to the most frequent class of their cluster.

    Never below `accuracy`. It grows when clusters are split and is 1 when every sample is its own cluster, so
    compare it between clusterings with equally many clusters only.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Labels of any hashable kind.

    Returns
    -------
    float
        In (0, 1].

    Examples
    --------
    >>> from manyview.metrics import purity
    >>> purity([0, 0, 0, 1], [5, 5, 5, 5])
    0.75
    >>> purity([0, 0, 0, 1], [1, 2, 3, 4])
    1.0
    """
    return purity_of(contingency(y_true, y_pred))


def match_labels(reference: ArrayLike, labels: ArrayLike) -> NDArray[Any]:
    """Rename clusters so that they agree with a reference on as many samples as possible.

    Clusters inherit reference labels one to one, by the matching that maximizes the number of samples in agreement.
    A cluster inherits a label only if it shares at least one sample with it: clusters left over get new names, in
    the order of their old ones, and never one that the reference uses.

    Parameters
    ----------
    reference : array-like of shape (n_samples,)
        The labels to keep: integers or strings. Booleans, and floats that are whole numbers, are read as integers.
    labels : array-like of shape (n_samples,)
        The labels to rename, of any hashable kind, for the same samples.

    Returns
    -------
    ndarray of shape (n_samples,)
        The partition of `labels` under the names of `reference`. New names are the integers after the largest
        reference label (from 0 up if all are negative), or for strings "new_1", "new_2", ...

    Examples
    --------
    >>> from manyview.metrics import match_labels
    >>> match_labels([0, 0, 0, 1, 1], [1, 1, 1, 0, 0])
    array([0, 0, 0, 1, 1])
    >>> match_labels([0, 0, 0, 1, 1], [5, 5, 2, 7, 7])    # cluster 2 is new
    array([0, 0, 2, 1, 1])
    >>> match_labels(["cat", "cat", "dog"], [0, 0, 1])
    array(['cat', 'cat', 'dog'], dtype='<U3')
    """
    check_same_samples(reference, labels, names=("reference", "labels"))
    old, new = encode(reference, "reference"), encode(labels, "labels")
    check_same_length(old, new, names=("reference", "labels"))
    rows, columns = best_matching(tabulate(old, new).counts)
    names: list[Any] = [None] * len(new.names)
    kept = _plain_names(old.names)
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        names[column] = kept[row]
    extra = [column for column, name in enumerate(names) if name is None]
    for column, name in zip(extra, _fresh_names(kept, len(extra)), strict=True):
        names[column] = name
    return np.array(names, dtype=np.str_ if isinstance(kept[0], str) else np.int64)[new.codes]


def accuracy_of(table: Contingency, /) -> float:
    """Compute ACC from a contingency table."""
    rows, columns = best_matching(table.counts)
    return int(table.counts[rows, columns].sum()) / table.n_samples


def purity_of(table: Contingency, /) -> float:
    """Compute purity from a contingency table."""
    by_cluster = table.counts.tocsc()
    largest = np.maximum.reduceat(by_cluster.data, by_cluster.indptr[:-1])  # (n_clusters,), none is empty
    return int(largest.sum()) / table.n_samples


def _plain_names(names: NDArray[Any]) -> list[int] | list[str]:
    """Return reference labels as all Python integers or all strings."""
    plain = names.tolist()
    if all(isinstance(name, str) for name in plain):
        return [str(name) for name in plain]
    if all(isinstance(name, int | np.integer | np.bool_) or _is_whole(name) for name in plain):
        return [int(name) for name in plain]
    raise ValueError(
        "reference must hold integers or strings only, because new clusters need names of the same kind; "
        "code it first, for example with numpy.unique(reference, return_inverse=True)[1]"
    )


def _is_whole(name: Any) -> bool:
    return isinstance(name, float | np.floating) and float(name).is_integer()


def _fresh_names(kept: list[int] | list[str], count: int) -> list[Any]:
    """Make `count` names of the kind of `kept` that do not occur in it."""
    if isinstance(kept[0], str):
        taken = set(kept)
        candidates = (f"new_{i}" for i in range(1, len(taken) + count + 1))
        return [name for name in candidates if name not in taken][:count]
    numbers = [int(name) for name in kept]
    first = max(0, 1 + max(numbers))
    limits = np.iinfo(np.int64)
    if min(numbers) < limits.min or first + count - 1 > limits.max:
        raise ValueError("reference labels, and those of new clusters after them, must fit in 64-bit integers")
    return list(range(first, first + count))
