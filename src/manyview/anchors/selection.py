"""Which rows become anchors. An anchor is the mean of a group of rows, so it has a place in every table.

Grouping by k-means on the joint table gives anchors that all views share; the other rules pick single rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import k_means
from sklearn.utils.extmath import randomized_svd

from manyview.kernels.arrays import FloatArray, IntArray, Table
from manyview.kernels.seeding import careful_seeds

RULES = ("kmeans", "das", "variance", "random")
JOINT_SCORES = 100
LLOYD_PASSES = 10
SEEDING_ROWS = 5_000
SEEDING_TRIALS = 3  # candidates for every seed; with the usual 2 + log(m) it takes twice as long for the same quality


class Groups(NamedTuple):
    """m anchors as averages of rows."""

    rows: IntArray  # (R,) rows in use, ascending
    group: IntArray  # (R,) the anchor that each of them belongs to
    n_anchors: int

    def means(self, table: Table, present: FloatArray, /) -> tuple[FloatArray, FloatArray]:
        """Means (m, d) of the groups over their present rows of a table (R, d), and how many rows each had."""
        membership = sp.csr_array(
            (present.astype(np.float64), (self.group, np.arange(len(self.group)))),
            shape=(self.n_anchors, len(self.group)),
        )
        mass = np.asarray(membership.sum(axis=1)).ravel()
        sums = membership @ table
        sums = sums.toarray() if sp.issparse(sums) else np.asarray(sums)
        return sums / np.where(mass > 0, mass, 1)[:, None], mass


def single_rows(chosen: IntArray, /) -> Groups:
    """Anchors that are rows themselves."""
    rows = np.sort(np.asarray(chosen))
    return Groups(rows, np.arange(len(rows)), len(rows))


def kmeans_groups(table: Table, rows: IntArray, n_anchors: int, /, *, seed: int) -> Groups:
    """Group the given rows by k-means on the leading scores of their joint table (R, d).

    Careful seeding matters more than many passes, and is quadratic in the work: it is done on a part of the rows.
    """
    scores = leading_scores(table, JOINT_SCORES, seed=seed)
    if not scores.shape[1]:  # every column is constant: all rows are equal
        return Groups(rows, np.zeros(len(rows), dtype=np.intp), 1)
    part = np.sort(np.random.default_rng(seed).permutation(len(scores))[: max(SEEDING_ROWS, n_anchors)])
    seeds = careful_seeds(scores[part], n_anchors, n_trials=SEEDING_TRIALS, seed=seed)
    _, labels, _ = k_means(
        scores, n_anchors, init=scores[part[seeds]], n_init=1, max_iter=LLOYD_PASSES, random_state=seed
    )
    _, group = np.unique(labels, return_inverse=True)
    return Groups(rows, group, int(group.max()) + 1)


def leading_scores(table: Table, rank: int, /, *, seed: int) -> FloatArray:
    """The first principal scores of a table; the table itself where it is narrow."""
    n, d = table.shape
    if d <= rank and not sp.issparse(table):
        return np.asarray(table)
    if not sp.issparse(table):
        table = table - table.mean(axis=0)
        if d <= 1000:
            _, E = np.linalg.eigh(table.T @ table)
            return np.ascontiguousarray(table @ E[:, ::-1][:, :rank])
    U, s, _ = randomized_svd(table, min(rank, n, d), n_iter=4, random_state=seed)
    return np.asarray(U * s)


def alternate_sampling(theta: FloatArray, n_anchors: int, /) -> IntArray:
    """Direct alternate sampling (DAS) from non-negative row scores, in the order of selection.

        theta <- theta / max;  pick the largest;  theta <- theta (1 - theta);  repeat

    The recursion is the logistic map: rounding doubles with every pick, and from about 45 picks on the sequence
    depends on the machine. It is reproducible for up to about 40 anchors.
    """
    theta = _by_maximum(theta)
    order = [int(np.argmax(theta))]
    while len(order) < n_anchors:
        theta = _by_maximum(theta * (1 - theta))
        theta[order] = -np.inf if not (theta > 0).any() else theta[order]  # all scores spent: take unused rows
        order.append(int(np.argmax(theta)))
    return np.array(order)


def variance_sampling(scores: FloatArray, n_anchors: int, /) -> IntArray:
    """Variance-driven sampling (VDA) from row variances, in the order of selection.

    c_j = 1 / (1 + |s_last - s_j|^(1/2)),  c <- c / max;   s <- s (1 - c),  s <- s / max;   pick the largest
    """
    s = _by_maximum(scores)
    order = [int(np.argmax(s))]
    while len(order) < n_anchors:
        c = 1 / (1 + np.sqrt(np.abs(s[order[-1]] - s)))
        s = _by_maximum(s * (1 - c / c.max()))
        s[order] = -np.inf if not (s > 0).any() else s[order]
        order.append(int(np.argmax(s)))
    return np.array(order)


def _by_maximum(x: FloatArray) -> FloatArray:
    largest = x.max()
    return x / largest if largest > 0 else x.copy()
