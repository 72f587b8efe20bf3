"""Scores that count pairs of samples.

    T = Σ_ij C(n_ij, 2)     A = Σ_i C(a_i, 2)     B = Σ_j C(b_j, 2)     M = C(N, 2)

    precision = T/B     recall = T/A     F = 2T/(A + B)     ARI = (T - AB/M) / ((A + B)/2 - AB/M)

n_ij: samples of class i in cluster j, a and b: class and cluster sizes. A pair counts in T if it shares its class and
its cluster. The counts are Python integers: their products pass 64 bits already at N = 100,000, and this way every
score is the correctly rounded value of an exact fraction.
"""

from __future__ import annotations

from typing import NamedTuple

from numpy.typing import ArrayLike

from .labels import IntArray
from .table import Contingency, contingency


class PairCounts(NamedTuple):
    """Numbers of unordered pairs of samples."""

    together_in_both: int  # T
    in_one_class: int  # A
    in_one_cluster: int  # B
    total: int  # M


def pair_precision(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Compute the share of the pairs within a cluster that are also within a class.

    If no cluster has two samples the score is 1 when no class has either (the same partition), else 0.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Labels of any hashable kind.

    Returns
    -------
    float
        In [0, 1]. Equals `pair_recall` with the arguments swapped.

    Examples
    --------
    >>> from manyview.metrics import pair_precision
    >>> pair_precision([0, 0, 1, 1], [0, 0, 1, 2])
    1.0
    >>> pair_precision([0, 0, 1, 1], [0, 1, 2, 3])    # no pair was put together
    0.0
    """
    return precision_of(pair_counts(contingency(y_true, y_pred)))


def pair_recall(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Compute the share of the pairs within a class that are also within a cluster.

    If no class has two samples the score is 1 when no cluster has either (the same partition), else 0.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Labels of any hashable kind.

    Returns
    -------
    float
        In [0, 1]. Equals `pair_precision` with the arguments swapped.

    Examples
    --------
    >>> from manyview.metrics import pair_recall
    >>> pair_recall([0, 0, 1, 1], [0, 0, 1, 2])
    0.5
    """
    return recall_of(pair_counts(contingency(y_true, y_pred)))


def pair_f_score(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Compute the harmonic mean of `pair_precision` and `pair_recall`.

    If neither side has a pair within one group, all samples are singletons on both and the score is 1.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Labels of any hashable kind.

    Returns
    -------
    float
        In [0, 1], symmetric.

    Examples
    --------
    >>> from manyview.metrics import pair_f_score
    >>> round(pair_f_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.6667
    """
    return f_score_of(pair_counts(contingency(y_true, y_pred)))


def adjusted_rand_index(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Compute the adjusted Rand index (ARI): agreement on pairs, 0 on average for random labels of the same sizes.

    Where chance leaves no room (one cluster on both sides, all singletons on both, a single sample) the partitions
    are the same and the score is 1 (as in scikit-learn).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Labels of any hashable kind.

    Returns
    -------
    float
        In [-0.5, 1], symmetric; 1 if and only if the two partitions are the same.

    Examples
    --------
    >>> from manyview.metrics import adjusted_rand_index
    >>> adjusted_rand_index([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    >>> adjusted_rand_index([0, 0, 1, 1], [0, 1, 0, 1])
    -0.5
    """
    return ari_of(pair_counts(contingency(y_true, y_pred)))


def pair_counts(table: Contingency, /) -> PairCounts:
    """Count pairs from a contingency table."""
    n_samples = table.n_samples
    return PairCounts(
        together_in_both=_pairs_within(table.counts.data),
        in_one_class=_pairs_within(table.class_sizes),
        in_one_cluster=_pairs_within(table.cluster_sizes),
        total=n_samples * (n_samples - 1) // 2,
    )


def precision_of(pairs: PairCounts, /) -> float:
    """Compute T/B."""
    if pairs.in_one_cluster == 0:
        return 1.0 if pairs.in_one_class == 0 else 0.0
    return pairs.together_in_both / pairs.in_one_cluster


def recall_of(pairs: PairCounts, /) -> float:
    """Compute T/A."""
    if pairs.in_one_class == 0:
        return 1.0 if pairs.in_one_cluster == 0 else 0.0
    return pairs.together_in_both / pairs.in_one_class


def f_score_of(pairs: PairCounts, /) -> float:
    """Compute 2T/(A + B)."""
    either = pairs.in_one_class + pairs.in_one_cluster
    return 1.0 if either == 0 else 2 * pairs.together_in_both / either


def ari_of(pairs: PairCounts, /) -> float:
    """Compute 2(TM - AB)/((A + B)M - 2AB)."""
    product = pairs.in_one_class * pairs.in_one_cluster
    room = (pairs.in_one_class + pairs.in_one_cluster) * pairs.total - 2 * product
    # room = A(M - B) + B(M - A) is zero only if A = B = 0 or A = B = M: the same partition either way
    return 1.0 if room == 0 else 2 * (pairs.together_in_both * pairs.total - product) / room


def _pairs_within(sizes: IntArray) -> int:
    # int64 holds this sum for N < 3e9; what would overflow are the products of two such sums
    return int((sizes * (sizes - 1) // 2).sum())
