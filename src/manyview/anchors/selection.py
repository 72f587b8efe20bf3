"""Selection of anchors by the chosen rule: one list of groups of rows per geometry.

An anchor is the mean of a group of rows, so it has a place in every table. Grouping by k-means on the joint table gives
anchors that all views share; the other rules pick single rows.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import k_means
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.extmath import randomized_svd

from manyview.engine import Engine, Rows, concatenate
from manyview.geometry.fit import Geometry, side_by_side
from manyview.kernels.arrays import FloatArray, IntArray, Table
from manyview.kernels.kmeans import kmeans_plusplus_rows
from manyview.views.blocks import RowBlock, picked_rows, some_rows

AnchorRule = Literal["kmeans", "das", "variance", "random"]
RULES: tuple[str, ...] = get_args(AnchorRule)


class Groups(NamedTuple):
    """Groups of rows whose means are the m anchors."""

    rows: IntArray  # (R,) rows in use, ascending
    group: IntArray  # (R,) the anchor that each of them belongs to
    n_anchors: int

    def means(self, table: Table, present: FloatArray, /) -> tuple[FloatArray, FloatArray]:
        """Compute means (m, d) of the groups over their present rows of a table (R, d), and count those rows."""
        membership = sp.csr_array(
            (present.astype(np.float64), (self.group, np.arange(len(self.group)))),
            shape=(self.n_anchors, len(self.group)),
        )
        mass = np.asarray(membership.sum(axis=1)).ravel()
        sums = membership @ table
        sums = sums.toarray() if sp.issparse(sums) else np.asarray(sums)
        return sums / np.where(mass > 0, mass, 1)[:, None], mass


def single_rows(chosen: IntArray, /) -> Groups:
    """Make every chosen row an anchor."""
    rows = np.sort(np.asarray(chosen))
    return Groups(rows, np.arange(len(rows)), len(rows))


def kmeans_groups(
    table: Table, rows: IntArray, n_anchors: int, /, *, seed: int, n_scores: int = 100, n_seeding_rows: int = 5_000
) -> Groups:
    """Group the given rows by k-means on the leading scores of their joint table (R, d).

    Careful seeding matters more than many passes, and is quadratic in the work: it is done on a part of the rows.
    """
    scores = leading_scores(table, n_scores, seed=seed)
    if not scores.shape[1]:  # every column is constant: all rows are equal
        return Groups(rows, np.zeros(len(rows), dtype=np.intp), 1)
    part = np.sort(np.random.default_rng(seed).permutation(len(scores))[: max(n_seeding_rows, n_anchors)])
    seeds = kmeans_plusplus_rows(scores[part], n_anchors, n_trials=3, seed=seed)  # 2 + log(m) are no better
    _, labels, _ = k_means(scores, n_anchors, init=scores[part[seeds]], n_init=1, max_iter=10, random_state=seed)
    _, group = np.unique(labels, return_inverse=True)
    return Groups(rows, group, int(group.max()) + 1)


def leading_scores(table: Table, rank: int, /, *, seed: int) -> FloatArray:
    """Compute the first principal scores of a table, or return the table itself where it is narrow."""
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
    """Select rows by direct alternate sampling (DAS) from non-negative scores, in the order of selection.

        theta <- theta / max;  pick the largest;  theta <- theta (1 - theta);  repeat

    The recursion is the logistic map: rounding doubles with every pick, and from about 45 picks on the sequence
    depends on the machine. It is reproducible for up to about 40 anchors. Rows with equal sums (histograms) have no
    scores but rounding from the start: those of Scene-15 differ by 2.5e-8.
    """
    theta = _by_maximum(theta)
    order = [int(np.argmax(theta))]
    while len(order) < n_anchors:
        theta = _by_maximum(theta * (1 - theta))
        theta[order] = -np.inf if not (theta > 0).any() else theta[order]  # all scores spent: take unused rows
        order.append(int(np.argmax(theta)))
    return np.array(order)


def variance_sampling(scores: FloatArray, n_anchors: int, /) -> IntArray:
    """Select rows by variance-driven sampling (VDA) from row variances, in the order of selection.

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


def choose_groups(
    rule: Any,
    n_anchors: int,
    geometry: Geometry,
    rows: Rows[RowBlock],
    engine: Engine,
    n_samples: int,
    /,
    *,
    seed: int,
    n_sampled_rows: int = 20_000,
    n_scores: int = 100,
    n_seeding_rows: int = 5_000,
) -> list[Groups]:
    """Choose groups of rows whose means are the anchors; ``rule`` is a name or an array of row numbers."""
    if not isinstance(rule, str):
        return [single_rows(np.asarray(rule))] * geometry.n_geometries
    if n_anchors >= n_samples:
        return [single_rows(np.arange(n_samples))] * geometry.n_geometries
    rng = np.random.default_rng(seed)
    if rule == "kmeans":
        sample = some_rows(n_samples, n_sampled_rows, seed=seed)
        tables = engine.map(partial(_joint_tables, geometry), picked_rows(sample, rows, engine))
        of_geometry = [concatenate(parts) for parts in zip(*tables, strict=True)]
        with warnings.catch_warnings():  # here, not in kmeans_groups: filters are common to all threads
            warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than anchors: fewer groups
            options = {"seed": seed, "n_scores": n_scores, "n_seeding_rows": n_seeding_rows}
            return list(engine.map(lambda table: kmeans_groups(table, sample, n_anchors, **options), of_geometry))
    if rule == "das":
        chosen = alternate_sampling(sampling_scores(geometry, rows, engine), n_anchors)
    elif rule == "variance":
        chosen = variance_sampling(
            engine.collect(lambda b: _row_variances(_side_by_side(geometry, b)), rows), n_anchors
        )
    else:
        chosen = rng.permutation(n_samples)[:n_anchors]
    return [single_rows(chosen)] * geometry.n_geometries


def _joint_tables(geometry: Geometry, block: RowBlock) -> list[Table]:
    block = geometry.scored(block)
    return [geometry.joint_table(block, g) for g in range(geometry.n_geometries)]


def _side_by_side(geometry: Geometry, block: RowBlock) -> Table:
    return side_by_side([geometry.table(block, 0, v) for v in geometry.used])


def sampling_scores(geometry: Geometry, rows: Rows[RowBlock], engine: Engine, /) -> FloatArray:
    """Compute theta (N,) of DAS, the sums of the rows over all views.

    If any entry is negative, the entries of every column count from the smallest one.
    """

    def lowest(block: RowBlock) -> FloatArray:
        low = _side_by_side(geometry, block).min(axis=0)
        return low.toarray().ravel() if sp.issparse(low) else np.asarray(low)

    low = engine.reduce(lowest, rows, np.minimum)
    shifted = bool(low.min(initial=0) < 0)

    def sums(block: RowBlock) -> FloatArray:
        table = _side_by_side(geometry, block)
        if shifted and not sp.issparse(table):
            table = table - low
        theta = np.asarray(table.sum(axis=1, dtype=np.float64)).ravel()
        return theta - low.sum(dtype=np.float64) if shifted and sp.issparse(table) else theta

    return engine.collect(sums, rows)


def _row_variances(table: Table) -> FloatArray:
    """Compute the variance of every row over its features (n - 1 in the denominator)."""
    d = table.shape[1]
    if not sp.issparse(table):
        return np.asarray(table.var(axis=1, ddof=min(1, d - 1)))
    mean = np.asarray(table.mean(axis=1)).ravel()
    squares = np.asarray(table.multiply(table).sum(axis=1)).ravel()
    return (squares - d * mean**2) / max(d - 1, 1)
