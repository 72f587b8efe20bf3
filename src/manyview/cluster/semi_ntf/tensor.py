"""The tensor S that is factorized, and where the factorization starts, block by block.

coupling="shared"    one slice: the diffusion embedding E of the fused graph in which the consensus was found
the others           every anchor graph a slice, degree-normalized and with the root of its weight
the paper            the anchor graphs of the views as they are

The first Q (N, K) comes from labels, from the identity, or from a matrix; the loop needs one per frequency of the
transform along the views. With the same Q in every view all frequencies but the first would be zero, and their polar
factors rounding noise. So every frequency has its own

    Qbar_0 = polar(Q),    Qbar_f = polar(Q (I + 0.1 / sqrt(K) E_f)),  f > 0,    H = J = 0

with E_f (K, K) standard normal, drawn from random_state: all frequencies span the clusters of Q, no two in the same
way, and the start of a row does not depend on its place. The identity is what the paper puts into every frequency, and
stays as it is. Without a transform (view_transform="identity") every view starts at Q, and so do H and J."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.cluster import k_means

from manyview.anchors import GraphBlock
from manyview.cluster.anchor_graph.candidates import EmbeddedRows, Labeling, label_indicator, label_sizes
from manyview.cluster.anchor_graph.context import FitContext
from manyview.cluster.anchor_graph.fusion import slice_degrees
from manyview.cluster.anchor_graph.reliability import few_distinct_rows_allowed
from manyview.cluster.semi_ntf.admm import FactorBlock, first_block
from manyview.cluster.semi_ntf.settings import FactorSettings
from manyview.engine import Rows, add
from manyview.kernels.arrays import FloatArray, IntArray
from manyview.kernels.polar import inverse_root
from manyview.kernels.spectral import diffusion_scale, unit_rows
from manyview.kernels.tproduct import Transform, to_views


def shared_tensor(embedded: EmbeddedRows, scale: FloatArray, start: Start, context: FitContext, /) -> Rows[FactorBlock]:
    """Return one slice (N, r), unit rows of the diffusion embedding; balanced clusters have singular value one."""
    dtype, K = context.settings.dtype, context.settings.n_clusters
    size = float(np.sqrt(K / embedded.draw.n_samples))

    def of_block(pair: tuple[GraphBlock, tuple[FloatArray, FloatArray]]) -> FactorBlock:
        block, (Q, T) = pair
        S = (unit_rows(T[:, : len(scale)] * scale) * size).astype(dtype, copy=False)
        first = Q.astype(dtype)[None]
        return first_block(block.start, (S,), first, H=np.maximum(first, 0), coupled=False)

    engine = context.engine
    return engine.map(of_block, engine.zip(embedded.graphs, engine.zip(start.Q, embedded.T)))


def graph_tensor(
    embedded: EmbeddedRows, start: Start, settings: FactorSettings, context: FitContext, /
) -> Rows[FactorBlock]:
    """Return one slice (N, m) per anchor graph."""
    engine, dtype = context.engine, context.settings.dtype
    n_slices = len(embedded.fusion.weights)
    transform = settings.options(n_slices).transform
    maps = frequency_maps(start, transform, context)
    from_zero = start.every_frequency or not transform.trivial  # whether H starts at zero, as in the paper

    def of_block(pair: tuple[GraphBlock, tuple[FloatArray, tuple[Any, ...]]]) -> FactorBlock:
        block, (Q, S) = pair
        first = to_views(transform, Q @ maps).astype(dtype)
        H = np.zeros_like(first) if from_zero else first.copy()
        return first_block(block.start, S, first, H=H, coupled=True)

    slices = _slices(embedded, settings, context)
    return engine.map(of_block, engine.zip(embedded.graphs, engine.zip(start.Q, slices)))


def _slices(embedded: EmbeddedRows, settings: FactorSettings, context: FitContext) -> Rows[tuple[Any, ...]]:
    """Return every anchor graph as a CSR matrix."""
    graph, fusion, engine = embedded.draw.graph, embedded.fusion, context.engine
    degrees = slice_degrees(graph, embedded.graphs, engine)
    paper = settings.paper
    scale = np.sqrt(fusion.weights)[:, None] / np.sqrt(np.where(degrees > 1e-12, degrees, np.inf))  # (L, m)

    def of_block(block: GraphBlock) -> tuple[Any, ...]:
        tables = [block.slice(index, graph.n_anchors) for index in range(len(scale))]
        return tuple(tables) if paper else tuple(t * c for t, c in zip(tables, scale, strict=True))

    return engine.map(of_block, embedded.graphs)


class Start(NamedTuple):
    """The first Q, as blocks over the rows."""

    Q: Rows[FloatArray]  # (n, K)
    labels: Rows[IntArray] | None  # None: the start is no labeling, and nothing to fall back on
    every_frequency: bool  # whether Q is meant in the transformed domain, as it is


def find_start(start: Any, consensus: Rows[IntArray] | None, embedded: EmbeddedRows, context: FitContext, /) -> Start:
    """Return the start that was asked for; labels become their indicator with orthonormal columns."""
    engine, K = context.engine, context.settings.n_clusters
    graphs, n_samples = embedded.graphs, embedded.draw.n_samples
    if isinstance(start, str) and start == "identity":
        return Start(engine.map(lambda block: np.eye(block.n_rows, K, block.start), graphs), None, True)
    if isinstance(start, str) and start == "consensus":
        assert consensus is not None
        labels = consensus
    elif isinstance(start, str) and start == "spectral":
        labels = engine.map(_spectral_labeling(embedded, context).labels, embedded.T)
    elif isinstance(start, str):
        drawn = np.random.default_rng(context.settings.seed).integers(K, size=n_samples)
        labels = engine.map(_rows_of(drawn), graphs)
    elif start.ndim == 2:
        return Start(engine.map(_rows_of(start), graphs), None, False)
    else:
        labels = engine.map(_rows_of(start), graphs)
    sizes = label_sizes(labels, engine, K)
    return Start(engine.map(lambda block: label_indicator(block, sizes), labels), labels, False)


def frequency_maps(start: Start, transform: Transform, context: FitContext, /) -> FloatArray:
    """Return the maps M_f (F, K, K) that make Q the start Qbar_f = Q M_f of every frequency."""
    F, K = len(transform.energy), context.settings.n_clusters
    if start.every_frequency or transform.trivial:
        return np.broadcast_to(np.eye(K), (F, K, K))
    rng = np.random.default_rng(context.settings.seed)
    # a perturbation of about a fifth in spectral norm
    mixing = np.eye(K) + 0.1 / np.sqrt(K) * rng.standard_normal((F, K, K))
    mixing[0] = np.eye(K)
    QtQ = context.engine.reduce(lambda Q: Q.T @ Q, start.Q, add)
    return mixing @ inverse_root(mixing.swapaxes(1, 2) @ QtQ @ mixing).matrix


def _spectral_labeling(embedded: EmbeddedRows, context: FitContext) -> Labeling:
    """Cluster the sampled rows by k-means on K vectors of the fused graph."""
    settings = context.settings
    scale = diffusion_scale(embedded.basis.s[: settings.n_clusters], 1)
    T = embedded.of_sample(context.engine)
    E = unit_rows(T[:, : len(scale)] * scale)
    with few_distinct_rows_allowed():
        return Labeling(scale, k_means(E, settings.n_clusters, n_init=10, random_state=settings.seed)[0])


def _rows_of(values: Any) -> Callable[[Any], Any]:
    return partial(_take, values)


def _take(values: Any, block: Any) -> Any:
    return values[block.start : block.start + block.n_rows]
