"""AMGL: parameter-free auto-weighted multiple graph learning.

Paper card
----------
F. Nie, J. Li, X. Li. Parameter-Free Auto-Weighted Multiple Graph Learning: A Framework for Multiview Clustering and
Semi-Supervised Classification. IJCAI 2016.

    min_{F'F = I}  sum_v sqrt( tr(F' L^v F) )

Letters: N samples, V views, K clusters; W^v (N, N) the symmetrized PKN graph of view v, L^v its normalized Laplacian
I - D^(-1/2) W^v D^(-1/2); F (N, K) the common embedding; alpha_v the weight that the square root implies.

==============================================  =======================================================
 step                                            function
==============================================  =======================================================
 W^v, 5 neighbors, features as they are         ``kernels.sample_graph.sample_graph``
 L^v                                             ``kernels.laplacian.normalized_adjacency``
 F: K smallest eigenvectors of sum alpha_v L^v   ``kernels.laplacian.smallest_eigenpairs``
 alpha_v = 1 / (2 sqrt(tr(F' L^v F)))            ``_weights``
 labels: k-means on the rows of F                ``_cluster_rows``
==============================================  =======================================================

Defaults are those of the authors' function: 5 neighbors, at most 100 iterations, stop when the objective falls by
less than 1e-8 of itself (not before the third), k-means from one start with at most 100 iterations, rows of F as they
are and the trivial eigenvector among them.

Deviations:

* A vertex without edges has D^(-1/2) = 0 instead of infinity; the released program stops with an error there. Such a
  vertex has the eigenvalue 1 in its view, i.e. that view says nothing about it.
* tr(F' L^v F) = 0 (a view with at least K components) would make a weight infinite. Traces are kept above 1e-10 K.
* k-means is scikit-learn's (greedy k-means++), which starts better than the plain one; ``n_init`` can ask for more.
* Partial eigenvectors of the sparse sum instead of a dense decomposition: N x N is never formed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans

from manyview.cluster.base import RandomState
from manyview.cluster.checks import N_JOBS, integer, real
from manyview.cluster.published import MultiViewClusterer, contiguous, warn_isolated_samples
from manyview.engine import MemoryEngine
from manyview.kernels.arrays import FloatArray, IntArray
from manyview.kernels.laplacian import (
    components,
    degrees,
    normalized_adjacency,
    null_space,
    smallest_eigenpairs,
    symmetric,
)
from manyview.kernels.sample_graph import raw_rows, sample_graph
from manyview.views import Views
from manyview.views.ranges import Ranges

CONSTRAINTS = {
    "n_neighbors": (integer(1),),
    "max_iter": (integer(1),),
    "tol": (real(0),),
    "n_init": (integer(1),),
    "n_jobs": N_JOBS,
}


class AMGL(MultiViewClusterer):
    """Spectral clustering of a sum of the views' Laplacians whose weights follow from the embedding.

    A view whose graph fits the common embedding well gets a large weight; there is no parameter to tune. The
    embedding is deterministic, the k-means that reads it is not.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters and of eigenvectors.
    n_neighbors : int, default=5
        Neighbors per sample and view.
    max_iter : int, default=100
        At most that many changes of the weights.
    tol : float, default=1e-8
        Stop when the objective falls by less than this share of itself.
    n_init : int, default=1
        Starts of the k-means on the embedding; the best is kept.
    n_jobs : int or None, default=None
        Threads as in joblib: -1 uses all cores, None one or what ``joblib.parallel_config`` says. The result is the
        same for any number.
    views : None, int, widths, or (start, stop) pairs, default=None
        How one array is cut into views by columns; not needed for a list or dict of views.
    random_state : int, RandomState or None, default=None
        Decides the starts of the k-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of every sample.
    view_weights_ : ndarray of shape (n_views,)
        1 / (2 sqrt(tr(F' L^v F))), not normalized.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Eigenvectors of the weighted sum of Laplacians with the smallest eigenvalues.
    eigenvalues_ : ndarray of shape (n_clusters,)
        Their eigenvalues.
    affinity_ : CSR array of shape (n_samples, n_samples)
        Weighted mean of the views' normalized graphs.
    history_ : dict
        ``objective`` and ``view_weights`` of every iteration.
    n_iter_ : int
        Number of iterations.

    Notes
    -----
    The method is transductive: there is no ``predict``. Sparse views stay sparse.

    References
    ----------
    F. Nie, J. Li, X. Li. Parameter-Free Auto-Weighted Multiple Graph Learning: A Framework for Multiview Clustering
    and Semi-Supervised Classification. IJCAI 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from manyview.cluster.amgl import AMGL
    >>> rng = np.random.default_rng(0)
    >>> means = np.repeat(np.eye(3), 20, axis=0)
    >>> views = [means @ rng.normal(size=(3, 6)) + 0.1 * rng.normal(size=(60, 6)) for _ in range(2)]
    >>> model = AMGL(n_clusters=3, random_state=0).fit(views)
    >>> np.bincount(model.labels_)
    array([20, 20, 20])
    """

    _constraints = CONSTRAINTS

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_neighbors: int = 5,
        max_iter: int = 100,
        tol: float = 1e-8,
        n_init: int = 1,
        n_jobs: int | None = None,
        views: Ranges = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.n_jobs = n_jobs
        self.views = views
        self.random_state = random_state

    def _fit(self, views: Views, /) -> None:
        with MemoryEngine(n_jobs=self.n_jobs).running() as engine:
            graphs = [
                symmetric(sample_graph(raw_rows(table), self.n_neighbors, run=engine.map)) for table in views.tables
            ]
            result = _embed(graphs, self.n_clusters, max_iter=self.max_iter, tol=self.tol)
            self.labels_ = _cluster_rows(result.embedding, self.n_clusters, self.n_init, self.random_state)
        self.view_weights_ = result.weights[-1]
        self.embedding_ = result.embedding
        self.eigenvalues_ = result.eigenvalues
        self.affinity_ = result.affinity
        self.history_ = {"objective": result.objective, "view_weights": result.weights}
        self.n_iter_ = len(result.objective)
        warn_isolated_samples(self, graphs)


class _Embedded(NamedTuple):
    """Result of alternating embedding and weights."""

    embedding: FloatArray  # (N, K)
    eigenvalues: FloatArray  # (K,)
    affinity: sp.csr_array  # (N, N)
    objective: list[float]
    weights: list[FloatArray]  # (V,) after every iteration


def _embed(graphs: list[sp.csr_array], n_clusters: int, *, max_iter: int, tol: float) -> _Embedded:
    """Alternate F and the weights until sum_v sqrt(tr(F' L^v F)) stands still."""
    adjacencies = [normalized_adjacency(W) for W in graphs]
    # the null space of one Laplacian is known; that of a sum of several is, as a rule, empty
    null = null_space(components(graphs[0]).labels, np.sqrt(degrees(graphs[0]))) if len(graphs) == 1 else None
    alpha = np.full(len(graphs), 1 / len(graphs))
    objective, weights = list[float](), list[FloatArray]()
    while True:
        affinity = _weighted(adjacencies, alpha / alpha.sum())
        values, F, _ = smallest_eigenpairs(affinity, n_clusters, diagonal=1, null=null)  # of I - affinity
        roots = np.sqrt(np.maximum([_trace(A, F) for A in adjacencies], 1e-10 * n_clusters))
        eigenvalues, alpha = values * alpha.sum(), 0.5 / roots
        objective.append(float(roots.sum()))
        weights.append(alpha)
        settled = len(objective) >= 3 and objective[-2] - objective[-1] < tol * objective[-2]
        if settled or len(objective) >= max_iter:
            return _Embedded(F, eigenvalues, affinity, objective, weights)


def _weighted(adjacencies: list[sp.csr_array], weights: FloatArray) -> sp.csr_array:
    """Compute sum_v alpha_v D^(-1/2) W^v D^(-1/2); the weights sum to one."""
    total = adjacencies[0] * weights[0]
    for A, weight in zip(adjacencies[1:], weights[1:], strict=True):
        total = total + A * weight
    return sp.csr_array(total)


def _trace(adjacency: sp.csr_array, F: FloatArray) -> float:
    """Compute tr(F' L F) for L = I - adjacency."""
    return float(np.einsum("nk,nk->", F, F - adjacency @ F))


def _cluster_rows(F: FloatArray, n_clusters: int, n_init: int, random_state: Any) -> IntArray:
    """Cluster the rows of the embedding; K orthonormal columns have at least K different rows, so none is empty."""
    means = KMeans(n_clusters, n_init=n_init, max_iter=100, random_state=random_state).fit(F)
    return contiguous(means.labels_)
