"""The anchors of a data set: one list of groups per geometry, by the rule that was asked for."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from manyview.anchors.graph import pick
from manyview.anchors.selection import Groups, alternate_sampling, kmeans_groups, single_rows, variance_sampling
from manyview.engine import Engine, Rows, concatenate
from manyview.geometry.fit import Geometry
from manyview.kernels.arrays import FloatArray, Table
from manyview.views.blocks import RowBlock, some_rows

SAMPLED_ROWS = 20_000  # rows on which k-means looks for anchors


def choose_groups(
    rule: Any, n_anchors: int, geometry: Geometry, rows: Rows[RowBlock], engine: Engine, n_samples: int, /, *, seed: int
) -> list[Groups]:
    """Groups of rows whose means are the anchors; ``rule`` is a name or an array of row numbers."""
    if not isinstance(rule, str):
        return [single_rows(np.asarray(rule))] * geometry.n_geometries
    if n_anchors >= n_samples:
        return [single_rows(np.arange(n_samples))] * geometry.n_geometries
    rng = np.random.default_rng(seed)
    if rule == "kmeans":
        sample = some_rows(n_samples, SAMPLED_ROWS, seed=seed)
        tables = engine.map(partial(_joint_tables, geometry), pick(sample, rows, engine))
        of_geometry = [concatenate(parts) for parts in zip(*tables, strict=True)]
        with warnings.catch_warnings():  # here, not in kmeans_groups: filters are common to all threads
            warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than anchors: fewer groups
            return list(engine.map(lambda table: kmeans_groups(table, sample, n_anchors, seed=seed), of_geometry))
    if rule == "das":
        chosen = alternate_sampling(_row_sums(geometry, rows, engine), n_anchors)
    elif rule == "variance":
        chosen = variance_sampling(
            engine.collect(lambda b: _row_variances(_side_by_side(geometry, b)), rows), n_anchors
        )
    else:
        chosen = rng.permutation(n_samples)[:n_anchors]
    return [single_rows(chosen)] * geometry.n_geometries


def _joint_tables(geometry: Geometry, block: RowBlock) -> list[Table]:
    block = geometry.scored(block)
    return [joint_table(geometry, block, g) for g in range(geometry.n_geometries)]


def joint_table(geometry: Geometry, block: RowBlock, g: int, /) -> Table:
    """All views of a block in one table; several sparse views enter as one document per row."""
    sparse = geometry.words[g].words.views if geometry.words else ()
    present = geometry.present(block)
    tables = [geometry.word_table(block, g)] if geometry.words else []
    for v in geometry.used:
        if v not in sparse:
            table = geometry.table(block, g, v)
            tables.append(table if present[v].all() else table * present[v][:, None])
    return _beside(tables)


def _side_by_side(geometry: Geometry, block: RowBlock) -> Table:
    return _beside([geometry.table(block, 0, v) for v in geometry.used])


def _beside(tables: list[Table]) -> Table:
    if any(sp.issparse(table) for table in tables):
        return sp.hstack(tables, format="csr")
    return np.hstack(tables)


def _row_sums(geometry: Geometry, rows: Rows[RowBlock], engine: Engine) -> FloatArray:
    """theta of DAS: sums of the rows after the smallest value of every column is taken off."""

    def lowest(block: RowBlock) -> FloatArray:
        low = _side_by_side(geometry, block).min(axis=0)
        return low.toarray().ravel() if sp.issparse(low) else np.asarray(low)

    low = engine.reduce(lowest, rows, np.minimum)

    def sums(block: RowBlock) -> FloatArray:
        table = _side_by_side(geometry, block)
        if sp.issparse(table):
            return np.asarray(table.sum(axis=1)).ravel() - low.sum()
        return np.asarray((table - low).sum(axis=1))

    return engine.collect(sums, rows)


def _row_variances(table: Table) -> FloatArray:
    """Variance of every row over its features (n - 1 in the denominator)."""
    d = table.shape[1]
    if not sp.issparse(table):
        return np.asarray(table.var(axis=1, ddof=min(1, d - 1)))
    mean = np.asarray(table.mean(axis=1)).ravel()
    squares = np.asarray(table.multiply(table).sum(axis=1)).ravel()
    return (squares - d * mean**2) / max(d - 1, 1)
