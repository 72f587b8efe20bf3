"""Labels and memberships of a factorization, and whether they improve on the labels that it started from."""

from __future__ import annotations

from typing import Literal

import numpy as np

from manyview.cluster.anchor_graph.candidates import label_sizes
from manyview.cluster.semi_ntf.admm import FactorBlock
from manyview.engine import Engine, Rows
from manyview.kernels.arrays import FloatArray, IntArray

LabelsFrom = Literal["factorization", "start"]


def labels_of_H(rows: Rows[FactorBlock], weights: FloatArray, engine: Engine, /) -> Rows[IntArray]:
    """Return the cluster with the largest entry of the weighted mean of H over the slices."""
    share = weights / weights.sum()
    return engine.map(lambda block: np.tensordot(share, block.H, axes=(0, 0)).argmax(axis=1), rows)


def memberships_of_H(rows: Rows[FactorBlock], engine: Engine, /) -> Rows[FloatArray]:
    """Return the mean of H over the slices, rows (n, K) divided by their sum; equal shares for a row of zeros."""

    def of_block(block: FactorBlock) -> FloatArray:
        H = block.H.mean(axis=0)
        total = H.sum(axis=1, keepdims=True)
        return np.where(total > 0, H / np.where(total > 0, total, 1), 1 / H.shape[1])

    return engine.map(of_block, rows)


def better_labels(
    refined: Rows[IntArray], first: Rows[IntArray], rows: Rows[FactorBlock], engine: Engine, K: int, /
) -> tuple[Rows[IntArray], LabelsFrom]:
    """Return the labels of H, unless it lost a cluster or explains less of S than the labels it started from.

    The second value says which of the two they are.
    """
    gained = explained(rows, refined, engine, K) >= explained(rows, first, engine, K)
    complete = (label_sizes(refined, engine, K) > 0).sum() >= (label_sizes(first, engine, K) > 0).sum()
    return (refined, "factorization") if gained and complete else (first, "start")


def explained(rows: Rows[FactorBlock], labels: Rows[IntArray], engine: Engine, K: int, /) -> float:
    """Return tr(Z'SS'Z) of the normalized indicator Z: the part of ||S||² that a hard factorization explains."""

    def sums(pair: tuple[FactorBlock, IntArray]) -> list[FloatArray]:
        block, known = pair
        Z = np.eye(K)[known]
        return [np.asarray(S.T @ Z, dtype=np.float64) for S in block.S]

    def combine(first: list[FloatArray], second: list[FloatArray]) -> list[FloatArray]:
        return [a + b for a, b in zip(first, second, strict=True)]

    parts = engine.reduce(sums, engine.zip(rows, labels), combine)
    sizes = np.maximum(label_sizes(labels, engine, K), 1)
    return float(sum(((part**2).sum(axis=0) / sizes).sum() for part in parts))
