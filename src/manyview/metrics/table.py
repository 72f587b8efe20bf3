"""The contingency table, from which every score here is computed.

    n_ij = |{samples of class i in cluster j}|        a_i = Σ_j n_ij        b_j = Σ_i n_ij        N = Σ_ij n_ij

The table is sparse: it has at most N entries however many classes and clusters there are, and no N x N array is formed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csr_array

from .labels import Encoded, IntArray, check_same_length, check_same_samples, encode


@dataclass(frozen=True, eq=False)
class Contingency:
    """Return the number of samples of each class in each cluster.

    Attributes
    ----------
    counts : scipy.sparse.csr_array of shape (n_classes, n_clusters), int64
        The number of samples of class i in cluster j; only non-zero cells are stored.
    classes : ndarray of shape (n_classes,)
        The class of each row, sorted where the labels have an order.
    clusters : ndarray of shape (n_clusters,)
        The cluster of each column, likewise.

    Examples
    --------
    >>> from manyview.metrics import contingency
    >>> table = contingency(["a", "a", "b"], [1, 0, 0])
    >>> table.counts.toarray().tolist(), table.clusters.tolist()
    ([[1, 1], [1, 0]], [0, 1])
    """

    counts: csr_array
    classes: NDArray[Any]
    clusters: NDArray[Any]

    @property
    def n_samples(self) -> int:
        """Return the number of samples N."""
        return int(self.counts.data.sum())

    @property
    def class_sizes(self) -> IntArray:
        """Count the samples per class, a_i: ndarray of shape (n_classes,)."""
        return np.add.reduceat(self.counts.data, self.counts.indptr[:-1])  # no class is empty

    @property
    def cluster_sizes(self) -> IntArray:
        """Count the samples per cluster, b_j: ndarray of shape (n_clusters,)."""
        by_cluster = self.counts.tocsc()
        return np.add.reduceat(by_cluster.data, by_cluster.indptr[:-1])


def contingency(y_true: ArrayLike, y_pred: ArrayLike) -> Contingency:
    """Count the samples of each class in each cluster.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Labels of any hashable kind: integers (negative and with gaps too), booleans, strings, objects. The two
        need not be of the same kind.

    Returns
    -------
    Contingency
        The sparse table of counts, with the classes of its rows and the clusters of its columns.

    Raises
    ------
    ValueError
        If a vector is empty, is not 1-D or has a missing label (None, NaN), or if the lengths differ.

    Examples
    --------
    >>> from manyview.metrics import contingency
    >>> table = contingency(["cat", "cat", "dog", "dog", "dog"], [7, 7, 7, -1, -1])
    >>> table.counts.toarray()
    array([[0, 2],
           [2, 1]])
    >>> table.clusters
    array([-1,  7])
    """
    check_same_samples(y_true, y_pred, names=("y_true", "y_pred"))
    true, pred = encode(y_true, "y_true"), encode(y_pred, "y_pred")
    check_same_length(true, pred, names=("y_true", "y_pred"))
    return tabulate(true, pred)


def tabulate(true: Encoded, pred: Encoded, /) -> Contingency:
    """Compute the contingency table of two coded label vectors of equal length."""
    ones = np.ones(len(true.codes), dtype=np.int64)
    shape = (len(true.names), len(pred.names))
    counts = coo_array((ones, (true.codes, pred.codes)), shape=shape).tocsr()  # adds what falls into one cell
    return Contingency(counts, true.names, pred.names)
