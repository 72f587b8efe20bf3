"""One fused anchor graph out of all slices, and the weight of every slice in it.

    B_g = sum_l w_l W_l / sum_l w_l             over the slices of geometry g that know the row; rows sum to one
    A   = [B_1 D_1^(-1/2) … B_G D_G^(-1/2)] / sqrt(G),      D_g = column sums of B_g

so that A A' is symmetric with row sums one: a random walk from row to anchor to row. The slices of a geometry can be
summed because they share their anchors: rows that are near in different views meet at the same anchors.

    b_l = ||S_l' U||² / ||U||²  (over the rows that slice l knows),   S_l = W_l diag(column sums)^(-1/2)
    w_l = 1 / (1 - b_l)^1.5

b_l, between 0 and 1, is the smoothness of the labels on slice l; U is their indicator, with orthonormal columns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from manyview.anchors import AnchorGraph, GraphBlock
from manyview.engine import Engine, Rows, add
from manyview.kernels.arrays import FloatArray, IntArray, Table
from manyview.kernels.sparse import index_type, times


class Fusion(NamedTuple):
    """Slice weights and the column scale that makes the walk symmetric."""

    geometry_of_slice: IntArray  # (L,)
    weights: FloatArray  # (L,)
    column_scale: FloatArray  # (G m [+ K],), D^(-1/2) / sqrt(row sum)
    n_ruled: int = 0  # K where a rule labels the rows: then R, its indicator, stands beside B_1 … B_G

    @property
    def row_sum(self) -> int:
        """Return what the rows of `mixed` sum to."""
        n_geometries = int(self.geometry_of_slice.max()) + 1
        return 2 * n_geometries if self.n_ruled else n_geometries

    def mixed(self, block: GraphBlock, /) -> Table:
        """Return [B_1 … B_G] of a block as CSR (n, G m), one step of its rows; [B_1 … B_G, G R] with a rule."""
        B = mix(block, self.weights, self.geometry_of_slice, len(self.column_scale) - self.n_ruled)
        return _ruled(B, block.ruled, self.n_ruled, self.row_sum // 2) if self.n_ruled else B

    def walk(self, block: GraphBlock, /, right: FloatArray) -> FloatArray:
        """Compute A @ right for a block."""
        scaled = (self.column_scale[:, None] * right).astype(block.weights.dtype, copy=False)
        return times(self.mixed(block), scaled)

    def label_masses(self, block: GraphBlock, labels: IntArray, n_clusters: int, /) -> FloatArray:
        """Compute B'Z (G m, K) of a block, Z with a one in the column of the label."""
        B = self.mixed(block)
        at = B.indices.astype(np.int64) * n_clusters + np.repeat(labels, np.diff(B.indptr))
        mass = np.bincount(at, weights=B.data, minlength=B.shape[1] * n_clusters)
        return mass.reshape(-1, n_clusters).astype(np.float64, copy=False)


def mix(block: GraphBlock, weights: FloatArray, geometry_of_slice: IntArray, width: int, /) -> Table:
    """Compute the weighted sum of the slices of every geometry, rows summing to one in each."""
    n_geometries = int(geometry_of_slice.max()) + 1
    used = np.flatnonzero(weights)
    of_used = geometry_of_slice[used]
    in_geometry = np.equal.outer(of_used, np.arange(n_geometries))  # (l, G)
    present = block.present[:, used]
    # all rows are alike where the slices know all of them
    w = weights[used] * (present[:1] if present.all() else present)  # (1 or n, l)
    total = w @ in_geometry  # (1 or n, G)
    share = w / np.where(total > 0, total, 1)[:, of_used]
    near, columns = (part if len(used) == len(weights) else part[:, used] for part in (block.weights, block.columns))
    n, n_used, k = near.shape
    data = near.reshape(n, n_used * k) * np.repeat(share, k, axis=1).astype(near.dtype, copy=False)
    columns = columns.reshape(n, n_used * k) + np.repeat(of_used * (width // n_geometries), k).astype(np.int32)
    starts = np.arange(0, data.size + 1, n_used * k, dtype=index_type(data.size))
    return sp.csr_array((data.ravel(), columns.ravel(), starts), shape=(n, width))


def fuse(graph: AnchorGraph, rows: Rows[GraphBlock], engine: Engine, weights: FloatArray, /) -> Fusion:
    """Fuse the graph with given slice weights; one pass sums its columns."""
    geometry_of_slice = np.array([name.geometry for name in graph.slices])
    width = graph.geometry.n_geometries * graph.n_anchors
    n_ruled = graph.rule.n_clusters if graph.rule is not None else 0
    fusion = Fusion(geometry_of_slice, weights, np.ones(width + n_ruled), n_ruled)
    degree = engine.reduce(lambda block: _column_sums(fusion.mixed(block)), rows, add)
    return fusion._replace(column_scale=1 / np.sqrt(np.where(degree > 1e-12, degree, np.inf) * fusion.row_sum))


def _ruled(B: Table, ruled: IntArray | None, n_clusters: int, weight: int) -> Table:
    """Put the indicator of a rule beside B; it has half of every row's sum, so it decides the label."""
    assert ruled is not None
    n, width = B.shape
    of_row = B.nnz // max(n, 1)  # the same in every row
    data = np.column_stack([B.data.reshape(n, of_row), np.full(n, weight, B.dtype)])
    columns = np.column_stack([B.indices.reshape(n, of_row), (width + ruled).astype(B.indices.dtype)])
    starts = np.arange(0, data.size + 1, of_row + 1, dtype=index_type(data.size))
    return sp.csr_array((data.ravel(), columns.ravel(), starts), shape=(n, width + n_clusters))


def _column_sums(matrix: Table) -> FloatArray:
    return np.bincount(matrix.indices, weights=matrix.data, minlength=matrix.shape[1]).astype(np.float64)


def slice_degrees(graph: AnchorGraph, rows: Rows[GraphBlock], engine: Engine, /) -> FloatArray:
    """Compute the column sums (L, m) of every slice."""

    def of_block(block: GraphBlock) -> FloatArray:
        return _column_sums(block.side_by_side(graph.n_anchors)).reshape(-1, graph.n_anchors)

    return engine.reduce(of_block, rows, add)


def first_weights(graph: AnchorGraph, /) -> FloatArray:
    """Return the first slice weights: the joint tables alone, or all views where there is none."""
    joint = np.array([name.view is None for name in graph.slices])
    return joint.astype(np.float64) if joint.any() else np.ones(len(joint))


def smoothness(
    graphs: Rows[GraphBlock], indicators: Rows[FloatArray], degrees: FloatArray, engine: Engine, /
) -> FloatArray:
    """Return b (L,), the smoothness of U (N, K), orthonormal columns, on every slice."""
    n_anchors = degrees.shape[1]

    def of_block(pair: tuple[GraphBlock, FloatArray]) -> tuple[FloatArray, FloatArray]:
        block, U = pair
        return block.masses(U, n_anchors), block.present.T.astype(np.float64) @ (U**2).sum(axis=1)

    return smoothness_from_sums(*engine.reduce(of_block, engine.zip(graphs, indicators), add), degrees)


def smoothness_from_sums(products: FloatArray, energy: FloatArray, degrees: FloatArray, /) -> FloatArray:
    """Return b (L,) from W_l'U (L, m, K), ||U||² over the rows that slice l has (L,), and the column sums (L, m)."""
    smooth = ((products**2).sum(axis=2) / np.where(degrees > 1e-12, degrees, np.inf)).sum(axis=1)
    return smooth / np.where(energy > 0, energy, 1)


def separation(b: FloatArray, /) -> float:
    """Return the mean of -log(1 - b_l): how well a labeling separates the rows, over all slices.

    1/(1 - b) is its gradient, so weights of that kind increase it; a larger power only does so faster.
    """
    return float(-np.log(roughness(b)).mean())


def roughness(b: FloatArray, /) -> FloatArray:
    """Return 1 - b, and at least 0.001, so that neither its logarithm nor its inverse becomes infinite."""
    return 1 - np.minimum(b, 0.999)


def weights_from_smoothness(b: FloatArray, power: float, /) -> FloatArray:
    """Return w = 1 / (1 - b)^power, with mean one."""
    w = roughness(b) ** -power
    return w / w.mean()
