"""Matching of classes to clusters with the largest overlap.

    max_π Σ_j n_{π(j), j}        π one to one between rows (classes) and columns (clusters) that share a sample

A table has at most as many cells as there are samples, while its dense form can have far more, so the Hungarian step
runs on the cells alone, and only on those that a first look cannot decide.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from .labels import IntArray


class Matching(NamedTuple):
    """Row rows[t] belongs to column columns[t]; a row or column that is left over does not occur."""

    rows: IntArray
    columns: IntArray


def best_matching(counts: csr_array, /) -> Matching:
    """Find max_π Σ_j n_{π(j), j} for a table without empty rows or columns, exactly."""
    cells = counts.tocoo()
    row, column = cells.row.astype(np.int64), cells.col.astype(np.int64)  # (n_cells,)
    settled = _dominant_cells(counts)
    row_is_free, column_is_free = np.ones(counts.shape[0], dtype=bool), np.ones(counts.shape[1], dtype=bool)
    row_is_free[row[settled]] = False
    column_is_free[column[settled]] = False
    open_ = row_is_free[row] & column_is_free[column]
    rest = _hungarian(row[open_], column[open_], cells.data[open_])
    return Matching(np.concatenate([row[settled], rest.rows]), np.concatenate([column[settled], rest.columns]))


def _dominant_cells(counts: csr_array) -> IntArray:
    """Find cells n_ij >= max_{j' != j} n_ij' + max_{i' != i} n_i'j, at most one in each row and column.

    Such a cell is part of an optimal matching: one that pairs i with j' and i' with j loses nothing by taking (i, j)
    instead of both. A clear clustering, or one of mostly singletons, is settled by this alone.
    """
    by_column = csr_array((np.arange(counts.nnz), counts.indices, counts.indptr), shape=counts.shape).tocsc()
    row_top, row_second = _two_largest(counts.data, counts.indptr)
    column_top, column_second = _two_largest(counts.data[by_column.data], by_column.indptr)
    column_top = by_column.data[column_top]  # as positions in the row-wise order
    column = counts.indices[row_top]  # (n_rows,), where each row has its largest cell
    is_top_of_both = column_top[column] == row_top
    outweighs = counts.data[row_top] >= row_second + column_second[column]
    return row_top[is_top_of_both & outweighs]


def _two_largest(values: IntArray, starts: IntArray) -> tuple[IntArray, IntArray]:
    """Find the position of the first largest value of each group, and the largest of the others (0 if none)."""
    begin = starts[:-1]
    group = np.repeat(np.arange(len(begin)), np.diff(starts))
    is_largest = np.flatnonzero(values == np.maximum.reduceat(values, begin)[group])
    top = is_largest[np.diff(group[is_largest], prepend=-1) > 0]
    others = values.copy()
    others[top] = 0
    return top, np.maximum.reduceat(others, begin)


def _hungarian(row: IntArray, column: IntArray, count: IntArray) -> Matching:
    """Find the best matching of the given cells.

    The solver wants every row matched, so row i gets a private column of its own besides its clusters. With weight
    n_ij + 1 on a cluster and 1 on the private column, each row adds the same 1 and the maximum is the one sought.
    """
    if len(row) == 0:
        return Matching(row, column)
    rows, i = np.unique(row, return_inverse=True)
    columns, j = np.unique(column, return_inverse=True)
    if len(rows) > len(columns):  # the solver's time grows with the rows
        swapped = _hungarian(column, row, count)
        return Matching(swapped.columns, swapped.rows)
    private = np.arange(len(rows))
    weights = np.concatenate([count + 1.0, np.ones(len(rows))])
    edges = np.concatenate([i, private]).astype(np.int32), np.concatenate([j, len(columns) + private]).astype(np.int32)
    graph = coo_array((weights, edges), shape=(len(rows), len(columns) + len(rows))).tocsr()
    matched_rows, matched_columns = min_weight_full_bipartite_matching(graph, maximize=True)
    real = matched_columns < len(columns)
    return Matching(rows[matched_rows[real]], columns[matched_columns[real]])
