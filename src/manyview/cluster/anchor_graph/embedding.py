"""All rows in the spectrum of the chosen fused graph.

    T = A W          A: fused weights with the column sums of the sampled rows, W: its right singular vectors there

Spectrum and normalization come from the same rows, the sampled ones, and one linear map takes every row, sampled or
not, to the embedding. The membership map has its own column sums, over all rows.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from manyview.anchors import GraphBlock
from manyview.cluster.anchor_graph.candidates import n_vectors, spectrum
from manyview.cluster.anchor_graph.consensus import Consensus
from manyview.cluster.anchor_graph.context import FitContext
from manyview.cluster.anchor_graph.fusion import Fusion, fuse
from manyview.cluster.anchor_graph.graphs import Draw
from manyview.engine import Engine, Rows
from manyview.kernels.arrays import FloatArray, IntArray
from manyview.kernels.spectral import Basis


class EmbeddedRows(NamedTuple):
    """The graph of all rows, fused, and its spectrum."""

    draw: Draw
    graphs: Rows[GraphBlock]
    fusion: Fusion  # column sums over all rows
    sample_fusion: Fusion  # the same weights, column sums over the sampled rows
    basis: Basis
    T: Rows[FloatArray]  # (n, 3K + 1)

    def of_sample(self, engine: Engine, /) -> FloatArray:
        """Return T of the sampled rows."""
        T: FloatArray = engine.collect(partial(self.sample_fusion.walk, right=self.basis.W), self.draw.sample)
        return T


def embed_rows(draw: Draw, weights: FloatArray, basis: Basis | None, context: FitContext, /) -> EmbeddedRows:
    """Fuse the graph of all rows and embed them; the spectrum is found here unless it is known."""
    engine = context.engine
    context.progress("graph", 0, 1)
    graphs = draw.all_rows(engine)
    fusion = fuse(draw.graph, graphs, engine, weights)
    sample_fusion = fusion if draw.sample_rows is None else fuse(draw.graph, draw.sample, engine, weights)
    if basis is None:
        basis = spectrum(sample_fusion, draw.sample, engine, n_vectors(context.settings.n_clusters))
    T = engine.map(partial(sample_fusion.walk, right=basis.W), graphs)
    return EmbeddedRows(draw, graphs, fusion, sample_fusion, basis, T)


def embed_consensus(consensus: Consensus, context: FitContext, /) -> EmbeddedRows:
    """Embed all rows in the spectrum of the chosen candidate."""
    return embed_rows(consensus.draw, consensus.candidate.weights, consensus.candidate.basis, context)


def consensus_labels(consensus: Consensus, embedded: EmbeddedRows, context: FitContext, /) -> Rows[IntArray]:
    """Label all rows: as voted where all rows were sampled, else by the nearest center of the voted clusters."""
    engine, candidate = context.engine, consensus.candidate
    if consensus.draw.graph.rule is not None:
        return engine.map(_ruled, embedded.graphs)
    if consensus.draw.sample_rows is None:
        labels = candidate.labels
        return engine.map(lambda block: labels[block.start : block.start + block.n_rows], embedded.graphs)
    return engine.map(candidate.labeling(embedded.of_sample(engine)).labels, embedded.T)


def _ruled(block: GraphBlock) -> IntArray:
    assert block.ruled is not None
    return block.ruled
