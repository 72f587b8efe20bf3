"""SFMC: scalable and parameter-free bipartite graph fusion.

Paper card
----------
X. Li, H. Zhang, R. Wang, F. Nie. Multiview Clustering: A Scalable and Parameter-Free Bipartite Graph Fusion Method.
IEEE TPAMI 44(1), 2022. Authors' program as kept in github.com/zskong/Multi-view-data.

    min_{alpha, P}  || sum_v alpha_v B^v - P ||_F²      alpha, rows of P on the simplex; P has K connected components

Letters: N samples, V views, K clusters, m anchors; B^v (N, m) the anchor graph of view v with k weights per row; alpha
the view weights; P (N, m) the fused graph, whose components of samples and anchors are the clusters.

==============================================  =======================================================
 step                                            function
==============================================  =======================================================
 anchors: direct alternate sampling (DAS)        ``sampling_scores``, ``anchors.selection.alternate_sampling``
 B^v: PKN weights on the k nearest anchors       ``anchor_weights`` (``kernels.simplex.pkn_weights``)
 P given alpha                                   ``kernels.cocluster.cocluster``
 alpha given P                                   ``kernels.qp.small_simplex_qp``
 both in turn                                    ``fuse``
 labels: connected components of P               ``kernels.cocluster.CoClusters``
==============================================  =======================================================

Defaults are those of the released script: views divided by their maximum, m = N / 2 anchors by DAS, k = 10, ten changes
of alpha, 50 steps for each P.

``variant``: the released program projects the rows and the columns of P on the simplex and takes the mean, and always
makes ten changes of alpha; the paper projects rows only and stops when the objective changes by less than 1e-4 of
itself. ``"released"`` is the default: its labels are the published ones.

Deviations:

* alpha is the exact solution of its QP; the released solver stops early, 1e-4 to 1e-2 away.
* When P has too many components, the step is made again from the vectors before, with half the strength. The released
  program means to do that, but goes on with K of the more than K vectors of one eigenvalue, whichever its LAPACK gives.
* A graph with K components from the start has P = B; the released program stops with an error there. One with more than
  K components is kept, with a warning.
* An anchor as far as the (k + 1)-th has no weight. With counts such ties are common; the released program gives them
  weights of rounding size, whose edges can decide the components, and differently on every machine.
* A view in which the k + 1 nearest anchors of a row are equally far gives that row no weights, as released. A row that
  would have none in any view has 1/k on its nearest anchors in all of them; the released program divides by zero.
* At least K + 1 anchors, or all N rows, are taken where N / 2 is less; k is at most m - 1.
* DAS doubles rounding errors with every pick: beyond about 40 anchors other machines choose others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from manyview.anchors.selection import alternate_sampling
from manyview.cluster.checks import array, choice, integer, real
from manyview.cluster.published import (
    PredictingClusterer,
    check_anchor_number,
    contiguous,
    float_tables,
    warn_component_count,
)
from manyview.geometry.scaling import dense
from manyview.kernels.arrays import BoolArray, FloatArray, IntArray, Table
from manyview.kernels.cocluster import CoClusters, cocluster
from manyview.kernels.nearest import nearest, squared_distances
from manyview.kernels.qp import small_simplex_qp
from manyview.kernels.simplex import pkn_weights
from manyview.views import Views
from manyview.views.ranges import Ranges

ROWS_AT_ONCE = 4096
CONSTRAINTS = {
    "n_anchors": (integer(2), real(0, 1, open_low=True)),
    "n_neighbors": (integer(1),),
    "anchors": (choice("das"), array()),
    "max_iter": (integer(1),),
    "max_steps": (integer(1),),
    "variant": (choice("released", "paper"),),
}


class Fusion(NamedTuple):
    """Result of alternating fused graph and view weights."""

    graph: CoClusters
    weights: list[FloatArray]  # (V,) before every change and at the end
    objective: list[float]  # || sum alpha_v B^v - P ||² before every change
    steps: list[int]  # of every coclustering


def sampling_scores(tables: Sequence[Table], /) -> FloatArray:
    """Compute the scores (N,) that DAS starts from: row sums of all views above the columns' minima."""
    return np.sum([_row_sums(table) for table in tables], axis=0)


def _row_sums(table: Table) -> FloatArray:
    if sp.issparse(table):
        return np.asarray(table.sum(axis=1)).ravel() - table.min(axis=0).sum()
    return (table - table.min(axis=0)).sum(axis=1)


def anchor_weights(tables: Sequence[Table], anchors: Sequence[FloatArray], n_neighbors: int, /) -> list[sp.csr_array]:
    """Compute B^v (n, m) of every view: PKN weights on the nearest anchors."""
    n, m = tables[0].shape[0], len(anchors[0])
    k = max(min(n_neighbors, m - 1), 1)
    found = [_neighbors(table, A, k) for table, A in zip(tables, anchors, strict=True)]
    flat = np.array([part.flat for part in found])  # (V, n)
    silent = flat & ~flat.all(axis=0)
    graphs = []
    for part, without in zip(found, silent, strict=True):
        weights = np.where(without[:, None], 0, part.weights)
        B = sp.csr_array((weights.ravel(), part.columns.ravel(), np.arange(0, n * k + 1, k)), shape=(n, m))
        B.eliminate_zeros()
        graphs.append(B)
    return graphs


class _Neighbors(NamedTuple):
    columns: IntArray  # (n, k)
    weights: FloatArray  # (n, k)
    flat: BoolArray  # (n,) no anchor is nearer than another


def _neighbors(table: Table, anchors: FloatArray, k: int) -> _Neighbors:
    """Find the nearest anchors and their weights, a range of rows at a time."""
    parts = []
    for start in range(0, table.shape[0], ROWS_AT_ONCE):
        d = squared_distances(table[start : start + ROWS_AT_ONCE], anchors)
        columns, d = nearest(d, min(k + 1, len(anchors)))
        d = np.where(d >= d[:, -1:] * (1 - 1e-10), d[:, -1:], d)
        weights = pkn_weights(d, k) if d.shape[1] > k else np.ones((len(d), 1))
        parts.append((columns[:, :k], weights, d[:, 0] == d[:, -1]))
    return _Neighbors(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def fuse(
    graphs: Sequence[sp.csr_array], n_clusters: int, /, *, max_iter: int = 10, max_steps: int = 50, paper: bool = False
) -> Fusion:
    """Alternate P and alpha from equal weights."""
    V = len(graphs)
    inner = np.array([[(a.multiply(b)).sum() for b in graphs] for a in graphs])  # (V, V)
    alpha = np.full(V, 1 / V)
    weights, objective, steps = [alpha], list[float](), list[int]()
    for _ in range(max_iter):
        found = cocluster(_mixed(graphs, alpha), n_clusters, max_iter=max_steps, columns_too=not paper)
        with_P = np.array([B.multiply(found.P).sum() for B in graphs])  # (V,)
        objective.append(float(alpha @ inner @ alpha - 2 * alpha @ with_P + (found.P.data**2).sum()))
        steps.append(found.n_iter)
        alpha = small_simplex_qp(inner, 2 * with_P)
        weights.append(alpha)
        if paper and len(objective) > 1 and abs(objective[-2] - objective[-1]) < 1e-4 * objective[-2]:
            break
    found = cocluster(_mixed(graphs, alpha), n_clusters, max_iter=max_steps, columns_too=not paper)
    return Fusion(found, weights, objective, [*steps, found.n_iter])


def _mixed(graphs: Sequence[sp.csr_array], alpha: FloatArray) -> sp.csr_array:
    """Compute sum_v alpha_v B^v; a row whose views all have weight zero takes the mean of its views instead."""
    total = sum((weight * B for weight, B in zip(alpha, graphs, strict=True)), start=sp.csr_array(graphs[0].shape))
    empty = total.sum(axis=1) <= 0
    if empty.any():
        total = total + sp.diags_array(empty / len(graphs)) @ sum(graphs[1:], start=graphs[0])
    return sp.csr_array(total)


class SFMC(PredictingClusterer):
    r"""Parameter-free bipartite graph fusion (Li et al., TPAMI 2022).

    .. math:: \min_{\alpha, P} \Big\| \sum_v \alpha_v B^v - P \Big\|_F^2, \quad P \text{ has } K \text{ components}

    The anchor graphs of the views are mixed into one bipartite graph of samples and anchors that falls apart into K
    components; these are the clusters. No k-means, no randomness.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters K.
    n_anchors : int, or float in (0, 1], default=0.5
        Number of anchors, or their share of the rows. Time and memory grow with it: take some 50 for many rows.
    n_neighbors : int, default=10
        Anchors tied to a row in a view.
    anchors : "das" or array of row numbers, default="das"
        Rows that are anchors, if they are known.
    max_iter : int, default=10
        Changes of the view weights.
    max_steps : int, default=50
        Steps of every coclustering.
    variant : {"released", "paper"}, default="released"
        ``"paper"`` projects rows only, not rows and columns, and may stop before ``max_iter``.
    views : None, int, widths, or (start, stop) pairs, default=None
        How ONE table passed to :meth:`fit` is cut into views by columns.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
    n_components_found_ : int
        Number of clusters in ``labels_``. It can differ from ``n_clusters``; a warning says so.
    view_weights_ : ndarray of shape (n_views,)
    affinity_ : CSR matrix of shape (n_samples, n_anchors)
        The fused graph P.
    anchor_indices_ : ndarray of shape (n_anchors,)
        Rows that are anchors, ascending.
    anchor_labels_ : ndarray of shape (n_anchors,)
        Cluster of every anchor, -1 for one that no row is tied to.
    anchors_ : list of ndarray of shape (n_anchors, width)
        The anchors in every view, divided by ``view_maxima_``.
    view_maxima_ : ndarray of shape (n_views,)
    history_ : dict
        ``objective``, ``view_weights`` and ``steps`` of every iteration.
    n_iter_ : int
        Changes of the view weights that were made.

    Notes
    -----
    :meth:`predict` ties a new row to its nearest anchors and takes the cluster that holds most of the weight. Rows that
    sit between clusters can get another label than in ``labels_``, where the fused graph decided for all rows together.

    Examples
    --------
    >>> from manyview.cluster.sfmc import SFMC
    >>> from manyview.datasets import make_views
    >>> data = make_views(n_samples=200, n_clusters=3, random_state=0)
    >>> model = SFMC(n_clusters=3, n_anchors=30).fit(data.views)
    >>> model.n_components_found_, model.affinity_.shape
    (3, (200, 30))
    """

    _constraints = CONSTRAINTS

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_anchors: float = 0.5,
        n_neighbors: int = 10,
        anchors: Literal["das"] | ArrayLike = "das",
        max_iter: int = 10,
        max_steps: int = 50,
        variant: Literal["released", "paper"] = "released",
        views: Ranges = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_anchors = n_anchors
        self.n_neighbors = n_neighbors
        self.anchors = anchors
        self.max_iter = max_iter
        self.max_steps = max_steps
        self.variant = variant
        self.views = views

    def _fit(self, views: Views, /) -> None:
        maxima = np.array([float(table.max()) for table in views.tables])
        tables = _scaled(views, maxima)
        rows = self._anchor_rows(tables)
        anchors = [dense(table[rows]) for table in tables]
        fusion = fuse(
            anchor_weights(tables, anchors, self.n_neighbors),
            self.n_clusters,
            max_iter=self.max_iter,
            max_steps=self.max_steps,
            paper=self.variant == "paper",
        )
        self.labels_ = contiguous(fusion.graph.row_labels)
        self.n_components_found_ = fusion.graph.n_components
        self.view_weights_, self.affinity_ = fusion.weights[-1], fusion.graph.P
        self.anchor_indices_, self.anchor_labels_ = rows, fusion.graph.column_labels
        self.anchors_, self.view_maxima_ = anchors, maxima
        self.history_ = {"objective": fusion.objective, "view_weights": fusion.weights, "steps": fusion.steps}
        self.n_iter_ = len(fusion.objective)
        warn_component_count(self, self.n_components_found_)

    def _anchor_rows(self, tables: Sequence[Table]) -> IntArray:
        """Return the rows that are anchors, ascending."""
        n = tables[0].shape[0]
        if not isinstance(self.anchors, str):
            rows = np.unique(np.asarray(self.anchors, dtype=np.int64))
            if not len(rows) or rows[0] < 0 or rows[-1] >= n:
                raise ValueError(f"anchors must be row numbers from 0 to {n - 1}; got {self.anchors!r}.")
            return rows
        share = isinstance(self.n_anchors, float | np.floating)
        asked = int(self.n_anchors * n) if share else int(self.n_anchors)
        check_anchor_number(asked, 0 if share else 2, n)
        n_anchors = min(max(asked, self.n_clusters + 1), n)
        return np.sort(alternate_sampling(sampling_scores(tables), n_anchors))

    def _predict(self, views: Views, /) -> IntArray:
        """Return the cluster of every row: the one whose anchors hold most of its weight, over all views."""
        graphs = anchor_weights(_scaled(views, self.view_maxima_), self.anchors_, self.n_neighbors)
        tied = np.flatnonzero(self.anchor_labels_ >= 0)
        clusters = sp.csr_array(
            (np.ones(len(tied)), (tied, self.anchor_labels_[tied])),
            shape=(len(self.anchor_labels_), self.n_components_found_),
        )
        labels: IntArray = (_mixed(graphs, self.view_weights_) @ clusters).toarray().argmax(axis=1)
        return labels


def _scaled(views: Views, maxima: FloatArray) -> list[Table]:
    """Divide every view by its maximum, in double precision; a view without positive entries stays as it is."""
    return [table / (top if top > 0 else 1.0) for table, top in zip(float_tables(views), maxima, strict=True)]
