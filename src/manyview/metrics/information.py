"""Mutual information between classes and clusters.

    H(a) = Σ_i (a_i/N) log(N/a_i)        I = H(a) + H(b) - H(n)

    NMI = I / max(H(a), H(b))    or    NMI = 2 I / (H(a) + H(b))

a: class sizes, b: cluster sizes, n: sizes of the cells of the contingency table. The literature on multi-view
clustering divides by the maximum, scikit-learn by the arithmetic mean unless told otherwise.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .labels import IntArray
from .table import Contingency, contingency


class Information(NamedTuple):
    """Parts of normalized mutual information, in nats."""

    mutual: float
    entropy_true: float
    entropy_pred: float


def normalized_mutual_information(
    y_true: ArrayLike, y_pred: ArrayLike, *, average: Literal["max", "arithmetic"] = "max"
) -> float:
    """Compute the normalized mutual information (NMI) of two partitions.

    Symmetric, and not adjusted for chance: many small clusters raise it. If both sides are one single cluster the
    partitions are the same and the score is 1; if only one side is, it is 0 (as in scikit-learn).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Labels of any hashable kind.
    average : {"max", "arithmetic"}, default="max"
        How the two entropies are joined in the denominator. "max" is what the papers of this field print.

    Returns
    -------
    float
        In [0, 1].

    Examples
    --------
    >>> from manyview.metrics import normalized_mutual_information
    >>> round(normalized_mutual_information([0, 0, 1, 1], [0, 1, 2, 3]), 4)
    0.5
    >>> round(normalized_mutual_information([0, 0, 1, 1], [0, 1, 2, 3], average="arithmetic"), 4)
    0.6667
    """
    if average not in ("max", "arithmetic"):
        raise ValueError(f'average must be "max" or "arithmetic", got {average!r}')
    information = information_of(contingency(y_true, y_pred))
    return nmi_max(information) if average == "max" else nmi_arithmetic(information)


def information_of(table: Contingency, /) -> Information:
    """Compute the mutual information and both entropies of a contingency table."""
    true, pred, joint = (entropy(sizes) for sizes in (table.class_sizes, table.cluster_sizes, table.counts.data))
    # rounding must not lead out of 0 <= I <= min(H(a), H(b))
    return Information(min(max(true + pred - joint, 0.0), true, pred), true, pred)


def nmi_max(information: Information, /) -> float:
    """Compute I / max(H(a), H(b))."""
    return _ratio(information.mutual, max(information.entropy_true, information.entropy_pred))


def nmi_arithmetic(information: Information, /) -> float:
    """Compute 2 I / (H(a) + H(b))."""
    return _ratio(information.mutual, (information.entropy_true + information.entropy_pred) / 2)


def entropy(sizes: IntArray, /) -> float:
    """Compute H = Σ_i (s_i/N) log(N/s_i) of positive sizes that add up to N.

    Equal sizes are taken together first and the terms are summed without rounding in between: the result then does
    not depend on the order of the sizes, not even in its last bit.
    """
    n_samples = int(sizes.sum())
    size, repeats = np.unique(sizes, return_counts=True)
    small = 2 * size <= n_samples
    log_ratio = np.empty(len(size))
    log_ratio[small] = np.log(n_samples / size[small])
    # near 1 the quotient N/s has lost the digits that matter; N - s is exact
    log_ratio[~small] = -np.log1p(-(n_samples - size[~small]) / n_samples)
    return math.fsum(repeats * (size / n_samples) * log_ratio)


def _ratio(mutual: float, normalizer: float) -> float:
    # no entropy on either side: both are one cluster, the same partition
    return 1.0 if normalizer == 0.0 else mutual / normalizer
