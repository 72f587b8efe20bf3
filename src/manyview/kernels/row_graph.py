"""Graphs that tie every row to its nearest rows.

    W = P + P' - P * P',      P_ij = exp(-(d_ij - d_i1) / sigma_i) for the k nearest j of row i, else 0
    S = D^(-1/2) W D^(-1/2)                                           D: row sums of W

P holds fuzzy memberships: one for the nearest row, falling so that those of row i sum to log2(k); W is their union.
The distance of two rows is the mean over the tables that know both, so that the k nearest rows of several tables
together are those of the tables side by side. Rows are compared a few at a time: no (n, n) array is ever formed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg

from manyview.kernels.arrays import BoolArray, FloatArray, IntArray, Table
from manyview.kernels.nearest import nearest

BISECTIONS = 40  # leave no digit of sigma open
ROWS_AT_ONCE = 64  # are compared with all others


class NearRows(NamedTuple):
    """The k nearest other rows of every row."""

    columns: IntArray  # (n, k), nearest first
    distances: FloatArray  # (n, k); infinite where two rows share no table


def nearest_rows(
    tables: list[FloatArray],
    present: BoolArray,
    k: int,
    /,
    *,
    alone: Sequence[int],
    together: Sequence[int],
    rows_at_once: int = ROWS_AT_ONCE,
) -> list[NearRows]:
    """Find the nearest rows in each table of ``alone``, and at last in those of ``together`` side by side.

    ``present`` (V, n) tells which rows each table (n, d_v) knows. Distances of a table are found once for both.
    """
    n, single = len(tables[0]), [np.ascontiguousarray(x, dtype=np.float32) for x in tables]
    squares = [np.einsum("nd,nd->n", x, x) for x in single]
    everywhere = np.arange(n)
    known = [np.flatnonzero(of_table) for of_table in present]
    found = [_unknown(n, k) for _ in range(len(alone) + 1)]
    for start in range(0, n, rows_at_once):
        rows = everywhere[start : start + rows_at_once]
        parts = [_squared(x, xx, rows) for x, xx in zip(single, squares, strict=True)]
        total = _mean([parts[v] for v in together], present[list(together)], rows)
        for v, near in zip(alone, found, strict=False):
            _store(parts[v], rows, known[v], near)
        _store(total, rows, everywhere, found[-1])
    return found


def _unknown(n: int, k: int) -> NearRows:
    return NearRows(np.zeros((n, k), dtype=np.int32), np.full((n, k), np.inf, dtype=np.float32))


def _store(d: FloatArray, rows: IntArray, known: IntArray, near: NearRows) -> None:
    """Keep the nearest of the known rows for those of some rows that are known; d (rows, n): squared distances."""
    at = rows
    if len(known) < d.shape[1]:
        some = np.flatnonzero(np.isin(rows, known, assume_unique=True))
        at, d = rows[some], d[np.ix_(some, known)]
    d[np.arange(len(at)), np.searchsorted(known, at)] = np.inf  # not itself
    width = min(near.columns.shape[1], len(known) - 1)
    if width > 0:
        columns, values = nearest(d, width)
        near.columns[at, :width] = known[columns]
        near.distances[at, :width] = np.sqrt(np.maximum(values, 0))


def _squared(x: FloatArray, xx: FloatArray, rows: IntArray) -> FloatArray:
    """Return squared distances of some rows to all rows; those of nearly equal rows may be a little below zero."""
    d = x[rows] @ x.T
    d *= -2
    d += xx
    d += xx[rows, None]
    return np.asarray(d)


def _mean(parts: list[FloatArray], present: BoolArray, rows: IntArray) -> FloatArray:
    """Average squared distances over the tables that know both rows."""
    if present.all():
        return np.asarray(sum(parts[1:], start=parts[0]) / np.float32(len(parts)))
    total, shared = np.zeros_like(parts[0]), np.zeros_like(parts[0])
    for d, known in zip(parts, present, strict=True):
        weight = known.astype(np.float32)
        total += np.where(known, d, 0) * weight[rows, None]
        shared += weight[rows, None] * weight
    return np.where(shared > 0, total / np.maximum(shared, 1), np.float32(np.inf))


def fuzzy_weights(distances: FloatArray, /) -> FloatArray:
    """Return the memberships P (n, k) for ascending distances (n, k); zero where a distance is infinite."""
    known = np.isfinite(distances)
    nearest_one = np.where(known[:, :1], distances[:, :1], 0)
    beyond = np.where(known, distances - nearest_one, np.inf).astype(np.float64)
    wanted = np.log2(distances.shape[1])
    low, high = np.zeros(len(beyond)), np.full(len(beyond), np.inf)
    sigma = np.maximum(np.where(known, beyond, 0).max(axis=1), np.finfo(float).tiny)
    for _ in range(BISECTIONS):
        above = np.exp(-beyond / sigma[:, None]).sum(axis=1) > wanted
        low, high = np.where(above, low, sigma), np.where(above, sigma, high)
        sigma = np.where(np.isinf(high), 2 * sigma, (low + np.minimum(high, np.finfo(float).max)) / 2)
        sigma = np.maximum(sigma, np.finfo(float).tiny)
    return np.where(known, np.exp(-beyond / sigma[:, None]), 0.0)


def union_graph(near: NearRows, /) -> Table:
    """Return W (n, n), symmetric."""
    n, k = near.columns.shape
    starts = np.arange(0, n * k + 1, k)
    P = sp.csr_array((fuzzy_weights(near.distances).ravel(), near.columns.ravel(), starts), shape=(n, n))
    return sp.csr_array(P + P.T - P * P.T)


def normalized(W: Table, /) -> Table:
    """Return S = D^(-1/2) W D^(-1/2); rows without neighbors stay empty."""
    degree = np.asarray(W.sum(axis=1)).ravel()
    root = 1 / np.sqrt(np.where(degree > 0, degree, np.inf))
    S = sp.csr_array(W, copy=True)
    S.data *= root[S.indices] * np.repeat(root, np.diff(S.indptr))
    return S


def leading_vectors(S: Table, rank: int, /) -> tuple[FloatArray, FloatArray]:
    """Return the largest eigenvalues of a symmetric S (r,), none of them zero, and their vectors (n, r)."""
    start = np.random.default_rng(0).standard_normal(S.shape[0])
    values, vectors = scipy.sparse.linalg.eigsh(S, min(rank, S.shape[0] - 2), which="LA", v0=start, tol=1e-4)
    order = np.argsort(-values, kind="stable")
    kept = order[values[order] > 1e-12]
    return np.minimum(values[kept], 1), vectors[:, kept]


def modularity(near: NearRows, labels: IntArray, n_clusters: int, /) -> float:
    """Return the share of nearest rows with the same label as their row, less that of random labels of these sizes."""
    known = np.isfinite(near.distances)
    if not known.any():
        return 0.0
    share = np.bincount(labels, minlength=n_clusters) / len(labels)
    alike = labels[near.columns] == labels[:, None]
    return float(alike[known].mean() - share @ share)
