"""Semi-NTF from views to labels: the stages in their order, as functions over row blocks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from manyview.anchors import AnchorGraph, GraphBlock
from manyview.cluster.semi_ntf.admm import FactorBlock, Factorization, Keeper, factorize, first_block
from manyview.cluster.semi_ntf.choice import choose_start
from manyview.cluster.semi_ntf.continuity import Arrange, renumber
from manyview.cluster.semi_ntf.doubt import Doubt, examine, reading_of
from manyview.cluster.semi_ntf.fusion import Fusion, first_weights, fuse, slice_degrees, weights_from_shares
from manyview.cluster.semi_ntf.graphs import Draw, Progress, of_sample
from manyview.cluster.semi_ntf.settings import Settings
from manyview.cluster.semi_ntf.shared import SharedBlock, factorize_shared, shared_block
from manyview.cluster.semi_ntf.start import Labeling, n_vectors, spectrum
from manyview.cluster.semi_ntf.weights import (
    beyond_chance,
    label_indicator,
    label_shares,
    label_sizes,
    mean_over_geometries,
)
from manyview.engine import Engine, Rows, add
from manyview.kernels.arrays import BoolArray, FloatArray, IntArray
from manyview.kernels.sparse import times
from manyview.kernels.spectral import Basis
from manyview.kernels.tproduct import to_views


class Fitted(NamedTuple):
    """Everything that a fit leaves behind."""

    graph: AnchorGraph
    fusion: Fusion
    anchor_membership: FloatArray  # (G m, K), the share of every anchor's mass that lies in each cluster
    shares: FloatArray  # (L,), how much of the result every slice keeps smooth
    agreement: FloatArray  # (L,), the same beyond chance
    found: IntArray  # clusters that have rows
    membership: FloatArray  # (N, found), where the engine keeps rows
    confidence: FloatArray  # (N,), beside it
    views_disagree: BoolArray  # (N,)
    doubt: Doubt  # what rates the rows, old or new
    labels: IntArray  # (N,)
    factorization: Factorization
    indicator: FloatArray  # (V, N, K), H, beside it

    def view_weights(self) -> FloatArray:
        """(V,), over the views' geometries, summing to one."""
        weights = mean_over_geometries(weights_from_shares(self.shares), self.graph)
        return weights / weights.sum()

    def view_agreement(self) -> FloatArray:
        """(V,), over the views' geometries."""
        return mean_over_geometries(self.agreement, self.graph)


def fit_semi_ntf(
    draw: Draw,
    settings: Settings,
    engine: Engine,
    progress: Progress,
    /,
    *,
    weights: FloatArray | None = None,
    keeper: Keeper | None = None,
    arrange: Arrange | None = None,
) -> Fitted:
    """All stages after the graph; slice weights are learned unless given, ``arrange`` may renumber the clusters."""
    K, n_samples = settings.n_clusters, draw.n_samples
    draw, chosen = choose_start(draw, engine, settings, progress, weights)
    graph, sample = draw.graph, draw.sample
    progress("graph", 0, 1)
    graphs = draw.all_rows(engine)
    fusion = fuse(graph, graphs, engine, first_weights(graph) if chosen is None else chosen.weights)
    progress("start", 0, 1)
    settled = chosen if draw.sample_rows is None else None  # chosen on all rows: nothing to read again
    basis = spectrum(fusion, sample, engine, n_vectors(K)) if settled is None else settled.basis
    T = engine.map(partial(fusion.walk, right=basis.W), graphs)
    rule = None if chosen is None else chosen.rule(engine.collect(partial(fusion.walk, right=basis.W), sample))
    known = None if settled is None else settled.labels
    start = _start(T, rule, known, graphs, engine, settings, n_samples)
    factor_rows = _stack(T, rule, graph, fusion, graphs, start, engine, settings, n_samples)
    options = settings.options(1 if settings.shared else len(graph.slices))
    progress("factorization", 0, options.max_iter)
    result = (factorize_shared if settings.shared else factorize)(
        factor_rows,
        engine,
        options,
        progress=lambda done: progress("factorization", done, options.max_iter),
        keeper=keeper,
    )
    progress("labels", 0, 1)
    slice_weights = np.ones(1) if settings.shared else fusion.weights
    labels = _labels_of_H(result.rows, slice_weights, engine)
    if start.labels is not None and not settings.paper:  # Algorithm 1 knows no way back
        labels = _better_of(labels, start.labels, result.rows, engine, K)
    if arrange is not None:
        labels, result = renumber(labels, result, arrange, engine)
    return _read(draw, graphs, T, basis, fusion, result, labels, engine, settings)


class Start(NamedTuple):
    """The start of the factorization, as blocks over the rows."""

    Q: Rows[FloatArray]  # (V or F, n, K)
    labels: Rows[IntArray] | None  # None: the start is no labeling, and nothing to fall back on


def _rows_of(given: Any) -> Callable[[GraphBlock], Any]:
    return lambda block: given[block.start : block.start + block.n_rows]


def _start(
    T: Rows[FloatArray],
    rule: Labeling | None,
    known: IntArray | None,
    graphs: Rows[GraphBlock],
    engine: Engine,
    settings: Settings,
    n_samples: int,
) -> Start:
    """Orthonormal columns to start from: labels of some kind, or a matrix that the user gives.

    The chosen labels themselves where all rows were sampled, else the nearest of their centers.
    """
    K, init = settings.n_clusters, settings.init
    if isinstance(init, str) and init == "identity":
        return Start(engine.map(lambda block: np.eye(block.n_rows, K, -block.start), graphs), None)
    if rule is not None and isinstance(init, str) and init in ("spectral", "qr"):
        labels = engine.map(rule.labels, T) if known is None else engine.map(_rows_of(known), graphs)
    else:
        given = np.random.default_rng(settings.seed).integers(K, size=n_samples) if isinstance(init, str) else init
        if given.ndim == 2:
            return Start(engine.map(_rows_of(given), graphs), None)
        labels = engine.map(_rows_of(given), graphs)
    sizes = label_sizes(labels, engine, K)
    return Start(engine.map(lambda block: label_indicator(block, sizes).astype(settings.dtype), labels), labels)


def _stack(
    T: Rows[FloatArray],
    rule: Labeling | None,
    graph: AnchorGraph,
    fusion: Fusion,
    graphs: Rows[GraphBlock],
    start: Start,
    engine: Engine,
    settings: Settings,
    n_samples: int,
) -> Rows[Any]:
    """The tensor S and the start, block by block."""
    if settings.shared and rule is not None:  # the reading of the fused graph in which the start was found
        size = float(np.sqrt(settings.n_clusters / n_samples))  # K balanced clusters then have singular values one

        def shared(pair: tuple[GraphBlock, tuple[FloatArray, FloatArray]]) -> SharedBlock:
            block, (Q, rows) = pair
            S = (rule.embedding(rows) * size).astype(settings.dtype, copy=False)
            return shared_block(block.start, S, Q.astype(settings.dtype, copy=False))

        return engine.map(shared, engine.zip(graphs, engine.zip(start.Q, T)))
    n_slices = len(fusion.weights)
    transform = settings.options(n_slices).transform
    identity = start.labels is None and isinstance(settings.init, str)

    def of_block(pair: tuple[GraphBlock, tuple[FloatArray, tuple[Any, ...]]]) -> FactorBlock:
        block, (Q, S) = pair
        if identity:  # at every frequency
            tensor = to_views(transform, np.broadcast_to(Q, (len(transform.energy), *Q.shape)))
            H = np.zeros_like(tensor)
        else:
            tensor = np.broadcast_to(Q, (n_slices, *Q.shape))
            H = tensor
        first = np.array(tensor, dtype=settings.dtype)
        return first_block(block.start, S, first, H=np.array(H, dtype=settings.dtype), coupled=True)

    tensors = _slices(graph, fusion, graphs, engine, settings)
    return engine.map(of_block, engine.zip(graphs, engine.zip(start.Q, tensors)))


def _slices(
    graph: AnchorGraph, fusion: Fusion, graphs: Rows[GraphBlock], engine: Engine, settings: Settings
) -> Rows[tuple[Any, ...]]:
    """Every slice as a CSR matrix: raw for the paper, else degree-normalized and with the root of its weight."""
    degrees = slice_degrees(graph, graphs, engine)
    scale = np.sqrt(fusion.weights)[:, None] / np.sqrt(np.where(degrees > 1e-12, degrees, np.inf))  # (L, m)

    def of_block(block: GraphBlock) -> tuple[Any, ...]:
        tables = [block.slice(index, graph.n_anchors) for index in range(len(scale))]
        return tuple(tables) if settings.paper else tuple(t * c for t, c in zip(tables, scale, strict=True))

    return engine.map(of_block, graphs)


def _labels_of_H(rows: Rows[FactorBlock], weights: FloatArray, engine: Engine) -> Rows[IntArray]:
    """The largest entry of the weighted mean of H over the slices."""
    share = weights / weights.sum()
    return engine.map(lambda block: np.tensordot(share, block.H, axes=(0, 0)).argmax(axis=1), rows)


def _better_of(
    refined: Rows[IntArray], first: Rows[IntArray], rows: Rows[FactorBlock], engine: Engine, K: int
) -> Rows[IntArray]:
    """The labels of H, unless it lost a cluster or explains less of the graph than the labels it started from."""
    gained = _explained(rows, refined, engine, K) >= _explained(rows, first, engine, K)
    complete = (label_sizes(refined, engine, K) > 0).sum() >= (label_sizes(first, engine, K) > 0).sum()
    return refined if gained and complete else first


def _explained(rows: Rows[FactorBlock], labels: Rows[IntArray], engine: Engine, K: int) -> float:
    """tr(Z'SS'Z) of the normalized indicator Z: what a hard factorization explains of ||S||²."""

    def sums(pair: tuple[FactorBlock, IntArray]) -> list[FloatArray]:
        block, known = pair
        Z = np.eye(K)[known]
        return [np.asarray(S.T @ Z, dtype=np.float64) for S in block.S]

    def combine(first: list[FloatArray], second: list[FloatArray]) -> list[FloatArray]:
        return [a + b for a, b in zip(first, second, strict=True)]

    parts = engine.reduce(sums, engine.zip(rows, labels), combine)
    return float(sum(((part**2).sum(axis=0) / np.maximum(label_sizes(labels, engine, K), 1)).sum() for part in parts))


def _read(
    draw: Draw,
    graphs: Rows[GraphBlock],
    T: Rows[FloatArray],
    basis: Basis,
    fusion: Fusion,
    result: Factorization,
    labels: Rows[IntArray],
    engine: Engine,
    settings: Settings,
) -> Fitted:
    """Membership of anchors, and through them of rows: the map that labels new rows too; and how far to trust it."""
    graph, K = draw.graph, settings.n_clusters

    def mass(pair: tuple[GraphBlock, IntArray]) -> FloatArray:
        return fusion.label_masses(*pair, K)

    # D^(-1) B'Z / G: of what flows through an anchor, the share that comes from each cluster
    anchor_membership = engine.reduce(mass, engine.zip(graphs, labels), add) * fusion.column_scale[:, None] ** 2
    degrees = slice_degrees(graph, draw.sample, engine)
    shares = label_shares(of_sample(labels, draw, engine), degrees, draw.sample, engine, K)
    indicator = engine.persist(lambda block: block.H.swapaxes(0, 1), result.rows).swapaxes(0, 1)
    if settings.paper:  # Algorithm 1 reads the labels off the mean of H and nothing else
        memberships = engine.map(_membership_of_H, result.rows)
    else:
        memberships = engine.map(partial(_shares_of_clusters, fusion, anchor_membership), graphs)
        voted = engine.map(lambda block: block.argmax(axis=1), memberships)
        if (label_sizes(voted, engine, K) > 0).sum() == (label_sizes(labels, engine, K) > 0).sum():
            labels = voted
    found = np.flatnonzero(label_sizes(labels, engine, K))
    known = engine.map(lambda block: np.searchsorted(found, block), labels)
    merit = weights_from_shares(shares)  # the fused graph itself may rest on the joint tables alone
    sample_labels = np.concatenate(of_sample(known, draw, engine))
    doubt = examine(
        draw, graphs, T, fusion, basis, known, sample_labels, merit, engine, n_clusters=len(found), seed=settings.seed
    )
    if settings.paper:
        confidence = engine.persist(lambda block: _margin(block[:, found]), memberships)
    else:
        confidence = engine.persist(
            lambda pair: doubt.margin(reading_of(pair[0], basis, len(found)), pair[1]), engine.zip(T, known)
        )
    return Fitted(
        graph,
        fusion,
        anchor_membership,
        shares,
        shares if draw.first is None else np.clip(beyond_chance(shares, draw.first.chance), 0, 1),
        found,
        engine.persist(lambda block: block[:, found].astype(np.float64, copy=False), memberships),
        confidence,
        engine.collect(lambda pair: doubt.views_disagree(*pair), engine.zip(graphs, known)),
        doubt,
        engine.collect(lambda block: block, labels),
        result,
        indicator,
    )


def _membership_of_H(block: FactorBlock) -> FloatArray:
    H = block.H.mean(axis=0)
    total = H.sum(axis=1, keepdims=True)
    return np.where(total > 0, H / np.where(total > 0, total, 1), 1 / H.shape[1])


def _margin(membership: FloatArray) -> FloatArray:
    """Largest minus second largest membership."""
    if membership.shape[1] == 1:
        return np.ones(len(membership))
    top = np.partition(membership, -2, axis=1)
    return top[:, -1] - top[:, -2]


def membership_of(fusion: Fusion, anchor_membership: FloatArray, block: GraphBlock, /) -> FloatArray:
    """Share of every cluster in a row: from the row to its anchors, from the anchors to the clusters."""
    return _shares_of_clusters(fusion, anchor_membership, block).astype(np.float64, copy=False)


def _shares_of_clusters(fusion: Fusion, anchor_membership: FloatArray, block: GraphBlock) -> FloatArray:
    """The same in the precision of the graph: it is kept for all rows."""
    return times(fusion.mixed(block), anchor_membership.astype(block.weights.dtype))
