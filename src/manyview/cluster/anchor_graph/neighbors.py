"""Candidates of large data: labelings of graphs that tie the sampled rows to their nearest rows.

Anchors stand for groups of rows. With many rows, a group holds many of them, and clusters that are finer than the
groups, or bent, run into one another. A graph of the sampled rows themselves (`kernels/row_graph.py`) resolves them:

    S = S_0,  S_1,  (S_0 + S_1) / 2          S_g: the joint table of geometry g
    S of the sum of W over all slices        ties that several views confirm count more

Eigenvectors U of S take the place of the singular vectors of the anchor graph. Labels are rated by what does not
depend on the anchors, either: their modularity on the nearest rows of every view, in which all views count alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manyview.cluster.anchor_graph.candidates import n_vectors, spectral_labelings
from manyview.cluster.anchor_graph.context import FitContext
from manyview.cluster.anchor_graph.graphs import Draw
from manyview.geometry.scaling import dense
from manyview.kernels.arrays import IntArray, Table
from manyview.kernels.row_graph import NearRows, leading_vectors, modularity, nearest_rows, normalized, union_graph


@dataclass(frozen=True)
class RowNeighbors:
    """The nearest rows of the sampled rows in every view and geometry, and in the joint tables."""

    views: list[NearRows]
    joint: list[NearRows]  # per geometry

    def modularity(self, labels: IntArray, n_clusters: int, /) -> float:
        """Return the modularity of labels, the mean over the views."""
        return float(np.mean([modularity(near, labels, n_clusters) for near in self.views]))

    def graphs(self) -> list[Table]:
        """Return S of every geometry, of their mean, and of the sum over all slices."""
        unions = [union_graph(near) for near in self.joint]
        of_geometries = [normalized(W) for W in unions]
        found = list(of_geometries)
        if len(found) > 1:
            found.append(sum(of_geometries[1:], start=of_geometries[0]) / len(of_geometries))
        all_slices = sum((union_graph(near) for near in self.views), start=sum(unions[1:], start=unions[0]))
        return [*found, normalized(all_slices)]


def find_neighbors(draw: Draw, context: FitContext, /) -> RowNeighbors:
    """Compare the sampled rows with one another."""
    assert draw.source is not None
    geometry, k = draw.graph.geometry, context.recipe.n_row_neighbors
    blocks = list(context.engine.map(geometry.scored, draw.source.sample))
    present = np.hstack([geometry.present(block) for block in blocks])
    words = geometry.words[0].words.views if geometry.words else ()
    views, joint = [], []
    for g in range(geometry.n_geometries):
        tables = [np.vstack([dense(geometry.table(block, g, v)) for block in blocks]) for v in geometry.used]
        known, alone = present[geometry.used], range(len(geometry.used))
        together = [place for place, v in enumerate(geometry.used) if v not in words]
        if words:
            together.append(len(tables))
            tables.append(np.vstack([dense(geometry.word_table(block, g)) for block in blocks]))
            known = np.vstack([known, present[list(words)].any(axis=0)])
        *of_views, side_by_side = nearest_rows(
            tables, known, min(k, known.shape[1] - 1), alone=alone, together=together
        )
        views += of_views
        joint.append(side_by_side)
    return RowNeighbors(views, joint)


def row_labelings(neighbors: RowNeighbors, context: FitContext, /) -> list[IntArray]:
    """Label the sampled rows by k-means in the diffusion embeddings of the graphs of rows."""
    recipe, K = context.recipe, context.settings.n_clusters
    rank = max(n_vectors(K, r) for r, _ in recipe.row_embeddings)
    found: list[IntArray] = []
    for S in neighbors.graphs():
        values, U = leading_vectors(S, rank)
        T = U * np.sqrt(values)
        found += [one.labels(T) for one in spectral_labelings(np.sqrt(values), T, context, recipe.row_embeddings)]
    return found
