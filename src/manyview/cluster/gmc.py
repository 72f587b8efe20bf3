"""GMC: graph-based multi-view clustering.

Paper card
----------
H. Wang, Y. Yang, B. Liu. GMC: Graph-based Multi-view Clustering. IEEE TKDE 32(6), 2020.

    min  sum_v [ sum_ij d^v_ij S^v_ij + beta_v ||S^v||² + w_v ||U - S^v||² ] + 2 lambda tr(F' L_U F)
    S^v, U: rows on the simplex; F'F = I, F (N, K)

Letters: N samples, V views, K clusters; d^v squared distances of view v; S^v (N, N) its graph; U (N, N) the unified
graph; w_v the view's weight; F the K eigenvectors of the Laplacian of (U + U')/2 with the smallest eigenvalues.

========================================  =====================================================
 step                                      function
========================================  =====================================================
 samples z-scored within each view         ``kernels.sample_graph.standard_rows``
 first S^v: PKN weights                    ``kernels.sample_graph.sample_weights``
 first U: mean of the S^v, rows to sum 1   ``_first_graph``
 S^v given U and w_v                       ``_view_weights_of_rows``
 w_v = 1 / (2 ||U - S^v||_F)               ``_importance``
 U given S^v, w_v and F                    ``_Unified.__call__``
 F given U, lambda doubled or halved       ``kernels.rank_constraint.constrain_components``
 labels: components of (U + U')/2          the same
========================================  =====================================================

Defaults are those of the authors' function: 15 neighbors, lambda = 1, z-scores, 20 iterations, tolerance 1e-10. Rows
of S^v are not projected back to sum 1 after an update, as in the released program. The method has no randomness.

Deviations, all where the released program has no answer or an accidental one:

* A view of one or two columns is not z-scored: each sample's scores would keep at most a sign.
* If every S^v equals U (one view, or identical views), 1 / (2 ||U - S^v||) is infinite and the rank term loses all
  influence. The weights are then 1/V, as at the start. With one view they stay 1, since there is nothing to weigh.
* A row whose neighbors are all equally far has no weights in that view; in U it has those of the other views, or none.
* If U has more than K components, F is taken from the K largest ones (the released program: from rounding errors).
* Partial eigenvectors of the sparse Laplacian instead of a dense decomposition: N x N is never formed.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from manyview.cluster.checks import N_JOBS, boolean, integer, real
from manyview.cluster.published import MultiViewClusterer, warn_component_count
from manyview.engine import MemoryEngine
from manyview.kernels.arrays import FloatArray
from manyview.kernels.laplacian import degrees
from manyview.kernels.rank_constraint import bottom_eigenpairs, constrain_components
from manyview.kernels.sample_graph import (
    Neighbors,
    neighbor_matrix,
    raw_rows,
    sample_neighbors,
    sample_weights,
    standard_rows,
)
from manyview.kernels.simplex import embedded_distances, project_rows, with_data
from manyview.views import Views
from manyview.views.ranges import Ranges

CONSTRAINTS = {
    "n_neighbors": (integer(1),),
    "lam": (real(0, open_low=True),),
    "normalize": (boolean(),),
    "max_iter": (integer(1),),
    "tol": (real(0, open_low=True),),
    "n_jobs": N_JOBS,
}


class GMC(MultiViewClusterer):
    """Clusters as the connected components of one graph that all views agree on.

    Every view's nearest-neighbor graph is pulled toward a unified graph and the other way round, while the unified
    graph is pressed to fall into ``n_clusters`` components. No k-means and no randomness.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of components to press for.
    n_neighbors : int, default=15
        Neighbors per sample and view.
    lam : float, default=1.0
        First strength of the rank term; it is doubled or halved in every iteration.
    normalize : bool, default=True
        Give each sample mean 0 and standard deviation 1 across the columns of each view.
    max_iter : int, default=20
        At most that many updates.
    tol : float, default=1e-10
        A sum of eigenvalues below this counts as zero.
    n_jobs : int or None, default=None
        Threads as in joblib: -1 uses all cores, None one or what ``joblib.parallel_config`` says. The result is the
        same for any number.
    views : None, int, widths, or (start, stop) pairs, default=None
        How one array is cut into views by columns; not needed for a list or dict of views.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Components of the unified graph, numbered by their first row.
    n_components_found_ : int
        Number of components. If it is not ``n_clusters``, a warning says so and the result is kept.
    view_weights_ : ndarray of shape (n_views,)
        1 / (2 ||U - S^v||_F) of the last iteration; not normalized.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Eigenvectors of the Laplacian with the smallest eigenvalues.
    eigenvalues_ : ndarray
        The ``n_clusters + 1`` smallest eigenvalues.
    affinity_ : CSR array of shape (n_samples, n_samples)
        The unified graph, symmetrized.
    history_ : dict
        ``connectivity`` (sum of the smallest eigenvalues, at the start and after every update), ``lam`` and
        ``view_weights``.
    n_iter_ : int
        Number of updates.

    Notes
    -----
    The method is transductive: there is no ``predict``. Sparse views stay sparse; distances exist for one block of
    rows at a time.

    References
    ----------
    H. Wang, Y. Yang, B. Liu. GMC: Graph-based Multi-view Clustering. IEEE TKDE 32(6), 2020.

    Examples
    --------
    >>> import numpy as np
    >>> from manyview.cluster.gmc import GMC
    >>> rng = np.random.default_rng(0)
    >>> means = np.repeat(np.eye(3), 20, axis=0)
    >>> views = [means @ rng.normal(size=(3, 6)) + 0.1 * rng.normal(size=(60, 6)) for _ in range(2)]
    >>> GMC(n_clusters=3).fit_predict(views)[::10]
    array([0, 0, 1, 1, 2, 2])
    """

    _constraints = CONSTRAINTS

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_neighbors: int = 15,
        lam: float = 1.0,
        normalize: bool = True,
        max_iter: int = 20,
        tol: float = 1e-10,
        n_jobs: int | None = None,
        views: Ranges = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.lam = lam
        self.normalize = normalize
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.views = views

    def _fit(self, views: Views, /) -> None:
        rows = standard_rows if self.normalize else raw_rows
        with MemoryEngine(n_jobs=self.n_jobs).running() as engine:
            near = [sample_neighbors(rows(table), self.n_neighbors, run=engine.map) for table in views.tables]
            unified = _Unified(near)
            result = constrain_components(
                unified.graph,
                self.n_clusters,
                unified,
                max_iter=self.max_iter,
                tol=self.tol,
                strength=self.lam,
                run=engine.map,
            )
            self.eigenvalues_ = bottom_eigenpairs(result.affinity, self.n_clusters + 1, run=engine.map).values
        self.labels_ = result.labels
        self.n_components_found_ = result.n_components
        self.view_weights_ = unified.importance
        self.embedding_ = result.embedding
        self.affinity_ = result.affinity
        self.history_ = {
            "connectivity": result.connectivity,
            "lam": result.strengths,
            "view_weights": unified.importances,
        }
        self.n_iter_ = result.n_iter
        warn_component_count(self, result.n_components)


class _Unified:
    """Update of the unified graph, with the current U and the weights of the views."""

    def __init__(self, neighbors: list[Neighbors]) -> None:
        self.neighbors = neighbors
        self.graph = _first_graph(neighbors)
        self.importance: FloatArray = np.full(len(neighbors), 1 / len(neighbors))  # (V,)
        self.importances: list[FloatArray] = []

    def __call__(self, F: FloatArray, lam: float) -> sp.csr_array:
        """Update U: row i = simplex( mean_v [ s^v_i - lambda / (2 V w_v) ||F_i - F_j||² ] ) where any s^v_ij > 0."""
        n_views = len(self.neighbors)
        graphs = [
            neighbor_matrix(near.columns, _view_weights_of_rows(near, self.graph, w))
            for near, w in zip(self.neighbors, self.importance, strict=True)
        ]
        self.importance = _importance(self.graph, graphs)
        self.importances.append(self.importance)
        total = sp.csr_array(sum(graphs[1:], start=graphs[0]))
        pull = lam / (2 * n_views**2) * (1 / self.importance).sum()
        self.graph = project_rows(with_data(total, total.data / n_views - pull * embedded_distances(F, total)))
        return self.graph


def _first_graph(neighbors: list[Neighbors]) -> sp.csr_array:
    """Average the views' PKN graphs and divide rows by their sum; a row without weights stays empty."""
    graphs = [neighbor_matrix(near.columns, sample_weights(near.distances)) for near in neighbors]
    mean = sp.csr_array(sum(graphs[1:], start=graphs[0]) / len(graphs))
    sums = degrees(mean)
    return sp.csr_array(sp.diags_array(1 / np.where(sums > 0, sums, 1)) @ mean)


def _view_weights_of_rows(near: Neighbors, U: sp.csr_array, w: float) -> FloatArray:
    """Update S^v given U: PKN weights of the costs d_j - 2 w U_ij, (N, k + 1).

    s_j = max( (c_{k+1} - c_j) / (k c_{k+1} - sum_{l<=k} c_l), 0 )        c_j = d_j - 2 w U_ij
    """
    rows = np.arange(len(near.columns))[:, None]
    u = np.asarray(U[np.broadcast_to(rows, near.columns.shape), near.columns].todense())
    cost = near.distances - 2 * w * u
    if cost.shape[1] == 1:
        return np.ones_like(cost)
    excess = cost[:, -1:] - cost
    total = excess.sum(axis=1, keepdims=True)
    scale = np.abs(near.distances[:, -1:]) + 2 * w * u.max(axis=1, keepdims=True)
    flat = np.abs(total) <= np.finfo(float).eps * cost.shape[1] * scale
    return np.where(flat, 0, np.maximum(excess / np.where(flat, 1, total), 0))


def _importance(U: sp.csr_array, graphs: list[sp.csr_array]) -> FloatArray:
    """Compute w_v = 1 / (2 ||U - S^v||_F), (V,); 1/V where the views differ from U by rounding only."""
    n_views = len(graphs)
    if n_views == 1:
        return np.ones(1)
    gaps = np.array([sp.linalg.norm(U - S) for S in graphs])
    floor = 1e-10 * max(float(sp.linalg.norm(U)), np.finfo(float).tiny)
    if (gaps <= floor).all():
        return np.full(n_views, 1 / n_views)
    return 0.5 / np.maximum(gaps, floor)
