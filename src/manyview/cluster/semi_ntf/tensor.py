"""The tensor S that is factorized, with its start, block by block.

coupling="shared"    one slice: the diffusion embedding E of the fused graph in which the consensus was found
the others           every anchor graph a slice, degree-normalized and with the root of its weight
the paper            the anchor graphs of the views as they are
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manyview.anchors import GraphBlock
from manyview.cluster.anchor_graph.candidates import EmbeddedRows
from manyview.cluster.anchor_graph.context import FitContext
from manyview.cluster.anchor_graph.fusion import slice_degrees
from manyview.cluster.semi_ntf.admm import FactorBlock, first_block
from manyview.cluster.semi_ntf.settings import FactorSettings
from manyview.cluster.semi_ntf.start import Start, frequency_maps
from manyview.engine import Rows
from manyview.kernels.arrays import FloatArray
from manyview.kernels.spectral import unit_rows
from manyview.kernels.tproduct import to_views


def shared_tensor(embedded: EmbeddedRows, scale: FloatArray, start: Start, context: FitContext, /) -> Rows[FactorBlock]:
    """One slice (N, r): unit rows of the diffusion embedding; balanced clusters have singular value one."""
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
    """One slice (N, m) per anchor graph."""
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
    """Every anchor graph as a CSR matrix."""
    graph, fusion, engine = embedded.draw.graph, embedded.fusion, context.engine
    degrees = slice_degrees(graph, embedded.graphs, engine)
    paper = settings.paper
    scale = np.sqrt(fusion.weights)[:, None] / np.sqrt(np.where(degrees > 1e-12, degrees, np.inf))  # (L, m)

    def of_block(block: GraphBlock) -> tuple[Any, ...]:
        tables = [block.slice(index, graph.n_anchors) for index in range(len(scale))]
        return tuple(tables) if paper else tuple(t * c for t, c in zip(tables, scale, strict=True))

    return engine.map(of_block, embedded.graphs)
