"""Other parameters at a given K: the whole fit, again on parts of the rows, scored like a number of clusters.

    score = Q sqrt(S)     Q: two-step modularity of the labels, S: mean adjusted Rand index with the fits on parts

Graphs with more or fewer anchors are smooth to different degrees, so Q is measured on ONE graph for all trials. The
anchors stay what they are for the parts; rows that a part has not seen are labeled through them.
"""

from __future__ import annotations

import numpy as np

from manyview.anchors import GraphBlock
from manyview.cluster.semi_ntf.graphs import Draw
from manyview.cluster.semi_ntf.model import Fitted, fit_semi_ntf, membership_of
from manyview.cluster.semi_ntf.n_clusters import Embedded, Trial, modularity, rate
from manyview.cluster.semi_ntf.resampling import part_size
from manyview.cluster.semi_ntf.settings import Settings
from manyview.engine import Engine
from manyview.kernels.agreement import adjusted_rand, joint_counts
from manyview.kernels.arrays import FloatArray, IntArray

N_PARTS = 4


def trial(
    built: Draw,
    settings: Settings,
    yardstick: Embedded,
    engine: Engine,
    /,
    *,
    weights: FloatArray | None,
) -> tuple[Trial, FloatArray]:
    """Fit on the sampled rows and on parts of them; the score, and the slice weights for the next trial."""
    K = settings.n_clusters
    sample = built.sample
    n_rows = sum(block.n_rows for block in sample)

    def fit(blocks: list[GraphBlock], w: FloatArray | None) -> Fitted:
        draw = Draw(built.graph, blocks, built.joint, sum(block.n_rows for block in blocks), rows=blocks)
        return fit_semi_ntf(draw, settings, engine, lambda stage, done, total: None, weights=w)

    whole = fit(sample, weights)
    labels = np.asarray(whole.labels)
    agreements = []
    for number in range(N_PARTS):
        rng = np.random.default_rng(settings.seed + 1 + number)
        rows = np.sort(rng.choice(n_rows, part_size(n_rows, K), replace=False))
        part = fit(rows_of(sample, rows), whole.fusion.weights)
        agreements.append(adjusted_rand(joint_counts(labels, labels_through_anchors(part, sample, engine), K)))
    Q = modularity(yardstick, labels[yardstick.rows], K)
    return Trial(built.graph.n_anchors, settings.lam, settings.p, *rate(Q, np.array(agreements))), whole.fusion.weights


def labels_through_anchors(fitted: Fitted, blocks: list[GraphBlock], engine: Engine, /) -> IntArray:
    """What a fit says about rows, seen or not."""
    return np.asarray(
        engine.collect(
            lambda block: membership_of(fitted.fusion, fitted.anchor_membership, block).argmax(axis=1), blocks
        )
    )


def rows_of(blocks: list[GraphBlock], rows: IntArray, /) -> list[GraphBlock]:
    """Blocks of some rows (ascending), numbered anew; blocks without any are left out."""
    parts, first, start = [], 0, 0
    for block in blocks:
        inside = rows[(rows >= first) & (rows < first + block.n_rows)] - first
        first += block.n_rows
        if len(inside):
            parts.append(GraphBlock(start, block.columns[inside], block.weights[inside], block.present[inside]))
            start += len(inside)
    return parts
