"""The seven scores of the multi-view clustering literature, from one contingency table."""

from __future__ import annotations

from numpy.typing import ArrayLike

from .information import information_of, nmi_arithmetic, nmi_max
from .matching import accuracy_of, purity_of
from .pairs import ari_of, f_score_of, pair_counts, precision_of, recall_of
from .table import contingency


def clustering_scores(y_true: ArrayLike, y_pred: ArrayLike) -> dict[str, float]:
    """Compare a clustering with known classes in the scores that papers of this field print.

    All scores come from one sparse table of counts, so the cost is O(N) plus the matching of classes to clusters
    (at worst cubic in their number, milliseconds for hundreds); no N x N array is formed.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The known classes, labels of any hashable kind.
    y_pred : array-like of shape (n_samples,)
        The clusters, labels of any hashable kind, as many different ones as there happen to be.

    Returns
    -------
    dict of str to float
        In this order: ``"acc"`` (see `accuracy`), ``"nmi"`` (normalized by the maximum), ``"nmi_arithmetic"``,
        ``"purity"``, ``"precision"``, ``"recall"``, ``"f_score"`` (over pairs of samples) and ``"ari"``.

    Raises
    ------
    ValueError
        If a vector is empty, is not 1-D or has a missing label (None, NaN), or if the lengths differ.

    Notes
    -----
    Degenerate inputs have a value, never a warning or NaN. The same partition on both sides scores 1 throughout,
    also if it is one single cluster, all singletons or a single sample. One cluster against several classes: NMI
    and ARI are 0, and recall is 1 unless every class is a singleton. All clusters singletons against classes with
    several samples: precision, recall, F-score and ARI are 0 and purity is 1.

    Examples
    --------
    >>> from manyview.metrics import clustering_scores
    >>> scores = clustering_scores(["a", "a", "a", "b", "b", "b"], [2, 2, 0, 0, 0, 0])
    >>> for name, value in scores.items():
    ...     print(f"{name:<15}{value:.4f}")
    acc            0.8333
    nmi            0.4591
    nmi_arithmetic 0.4787
    purity         0.8333
    precision      0.5714
    recall         0.6667
    f_score        0.6154
    ari            0.3243
    """
    table = contingency(y_true, y_pred)
    information = information_of(table)
    pairs = pair_counts(table)
    return {
        "acc": accuracy_of(table),
        "nmi": nmi_max(information),
        "nmi_arithmetic": nmi_arithmetic(information),
        "purity": purity_of(table),
        "precision": precision_of(pairs),
        "recall": recall_of(pairs),
        "f_score": f_score_of(pairs),
        "ari": ari_of(pairs),
    }
