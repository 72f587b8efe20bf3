"""Batches of rows over time: anchors and weights stay, the sums behind the membership map grow.

    d += B'1        M += B'Z        n += Z'1                                  B: fused weights (b, G m) of a batch
    D^(-1/2) = (G d)^(-1/2),   anchor membership = M / (G d)

Z is the indicator of the labels that the model gives the batch; all sums are over every row seen so far.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from manyview.anchors import GraphBlock
from manyview.cluster.anchor_graph.fusion import Fusion
from manyview.cluster.anchor_graph.membership import membership_of
from manyview.engine import Engine, Rows, add
from manyview.kernels.arrays import FloatArray, IntArray
from manyview.kernels.spectral import unit_rows
from manyview.views import Views
from manyview.views.blocks import row_blocks


class Sums(NamedTuple):
    """The sums of a batch, which are added to those of the model."""

    degree: FloatArray  # (G m,), d
    mass: FloatArray  # (G m, K), M
    sizes: IntArray  # (K,), n


class Grown(NamedTuple):
    """The parts of a model that a batch changes."""

    fusion: Fusion
    anchor_membership: FloatArray  # (G m, K)
    sizes: IntArray  # (K,)


def batch_sums(fusion: Fusion, n_clusters: int, rows: Rows[tuple[GraphBlock, IntArray]], engine: Engine, /) -> Sums:
    """Sum over a batch with its labels, in one pass."""

    def of_block(pair: tuple[GraphBlock, IntArray]) -> tuple[FloatArray, FloatArray, IntArray]:
        block, labels = pair
        mass = np.asarray(fusion.mixed(block).astype(np.float64).T @ np.eye(n_clusters)[labels])
        return mass.sum(axis=1), mass, np.bincount(labels, minlength=n_clusters)

    return Sums(*engine.reduce(of_block, rows, add))


def grow(fusion: Fusion, anchor_membership: FloatArray, sizes: IntArray, batch: Sums, /) -> Grown:
    """Add the sums of a batch to those that the model was read from."""
    inverse = np.divide(
        1, fusion.column_scale**2, out=np.zeros_like(fusion.column_scale), where=fusion.column_scale > 0
    )
    degree = inverse / fusion.row_sum + batch.degree
    mass = anchor_membership * inverse[:, None] + batch.mass
    scale = 1 / np.sqrt(np.where(degree > 1e-12, degree, np.inf) * fusion.row_sum)
    return Grown(fusion._replace(column_scale=scale), mass * scale[:, None] ** 2, sizes + batch.sizes)


class Batch(NamedTuple):
    """Results for the rows of a batch."""

    labels: IntArray
    membership: FloatArray
    embedding: FloatArray
    confidence: FloatArray
    outlier_score: FloatArray


def absorb(model: Any, views: Views, engine: Engine, /) -> tuple[Grown, Batch]:
    """Return the grown model, and the results of the batch as the model gave them before it grew."""
    graph, fusion, known = model.anchor_graph_, model.fusion_, model.anchor_membership_
    reliability = model.reliability_
    with engine.running():
        rows = engine.map(graph, engine.partition(row_blocks(views), len(views)))
        memberships = engine.map(partial(membership_of, fusion, known), rows)
        labels = engine.map(lambda block: block.argmax(axis=1), memberships)
        embeddings = engine.map(lambda block: reliability.embedding(fusion, block), rows)
        batch = batch_sums(fusion, known.shape[1], engine.zip(rows, labels), engine)
        return grow(fusion, known, model.cluster_sizes_, batch), Batch(
            engine.collect(lambda block: block, labels),
            engine.persist(lambda block: block, memberships),
            engine.persist(unit_rows, embeddings),
            engine.persist(lambda pair: reliability.margin(*pair), engine.zip(embeddings, labels)),
            engine.collect(model.novelty_.of_rows, rows),
        )
