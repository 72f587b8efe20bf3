"""MVGL: graph learning for multi-view clustering.

Paper card
----------
K. Zhan, C. Zhang, J. Guan, J. Wang. Graph Learning for Multiview Clustering. IEEE Transactions on Cybernetics 48(10),
2018.

    stage 1, each view:  min_A  sum_ij d_ij A_ij + gamma ||A||²       rows of A on the simplex, K components
    stage 2:             min_{A, alpha}  sum_j ||A_.j - sum_v alpha_vj S^v_.j||²      the same for A; sum_v alpha_vj = 1

Letters: N samples, V views, K clusters; d squared distances of a view; S^v (N, N) the view's learned graph; A the
global graph; alpha_vj the weight of view v for sample j (column j), possibly negative; F the K eigenvectors of a
graph's Laplacian with the smallest eigenvalues, D_ij = ||F_i - F_j||²; lambda the strength of the rank constraint.

==============================================  ================================================================
 step                                            function
==============================================  ================================================================
 first graph of a view: PKN, 15 neighbors       ``kernels.sample_graph.sample_weights``
 stage 1, released: a_i = simplex(-lambda D/2)   ``_view_graph`` with ``_from_embedding``
 stage 1, paper: with the distances d            ``_view_graph`` with ``_from_distances``
 stage 2: a_i = simplex(s_i - lambda D/2)        ``_global_graph``
 F and lambda, doubled or halved                 ``kernels.rank_constraint.constrain_components``
 alpha_.j = C⁻¹1 / (1'C⁻¹1), C = Z'Z             ``kernels.graph_blend.column_weights``
 labels: components of (A + A')/2                the last ``_global_graph``
==============================================  ================================================================

Defaults are those of the authors' function: 15 neighbors, rows with weight on all samples (``local=False``), features
as they are, at most 30 updates of a graph; the outer loop stops when the objective changes by less than 1e-3 of itself.
The authors' scripts tune ``n_neighbors`` and ``local`` for every data set.

The two variants. In the paper a view's graph minimizes its data distances under the rank constraint. In the released
program these distances have no part in the update: the data enter through the first eigenvectors and, with
``local=True``, through the neighbors that may receive weight. ``variant="released"`` is the default, because it is
what the published numbers come from. ``variant="paper"`` takes row i from  simplex( -(d_i + lambda D_i) / (2 gamma_i) )
with gamma_i such that lambda = 0 gives the PKN weights, and starts with lambda = mean of gamma_i: the choices of the
adaptive-neighbors method on which the paper builds.

Deviations:

* The outer loop has a limit of 30 (the released one has none and does not end on some data).
* If a graph has more than K components, F is taken from the K largest ones (the released program: from rounding errors,
  so that two linear-algebra libraries give two results).
* A column where all S^v equal A has equal weights instead of 0/0, and an objective of zero ends the rounds.
* Partial eigenvectors instead of complete decompositions. With ``local=False`` the method itself lets most of N x N be
  non-zero in its first updates, and in the end all pairs within a cluster. Its graphs are therefore arrays while it
  runs; with ``local=True`` they are sparse.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from manyview.cluster.checks import N_JOBS, boolean, choice, integer, real, warn_caller
from manyview.cluster.published import MultiViewClusterer, warn_component_count, warn_isolated_samples
from manyview.engine import MemoryEngine
from manyview.kernels.arrays import FloatArray, Graph
from manyview.kernels.graph_blend import blended, column_weights, squared_distance, squared_norm, without_loops
from manyview.kernels.rank_constraint import RankConstrained, Update, bottom_eigenpairs, constrain_components
from manyview.kernels.sample_graph import (
    Neighbors,
    Run,
    SampleRows,
    compressed,
    distance_block,
    neighbor_matrix,
    raw_rows,
    sample_neighbors,
    sample_weights,
)
from manyview.kernels.simplex import Fill, embedded_distances, project_blocks, project_rows, with_data
from manyview.views import Views
from manyview.views.ranges import Ranges

CONSTRAINTS = {
    "n_neighbors": (integer(1),),
    "local": (boolean(),),
    "variant": (choice("released", "paper"),),
    "max_iter": (integer(1),),
    "max_updates": (integer(1),),
    "tol": (real(0),),
    "n_jobs": N_JOBS,
}


class MVGL(MultiViewClusterer):
    """Clusters as the components of a global graph, a column-wise blend of the graphs learned in each view.

    First every view's graph is pressed into ``n_clusters`` components, then a global graph with as many components is
    fitted to their blend, where each sample weighs the views for itself. No k-means and no randomness.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of components to press for.
    n_neighbors : int, default=15
        Neighbors per sample in the first graph of a view.
    local : bool, default=False
        Let a sample have weights only on its neighbors (stage 1) and where the blend is positive (stage 2), instead
        of on all samples. The authors set it for three of their four data sets.
    variant : {"released", "paper"}, default="released"
        Whether a view's graph forgets the data distances after the first eigenvectors, as in the authors' program,
        or keeps fitting them, as in the paper.
    max_iter : int, default=30
        At most that many rounds of global graph and weights.
    max_updates : int, default=30
        At most that many updates of one graph.
    tol : float, default=1e-3
        Stop when the objective changes by less than this share of itself.
    n_jobs : int or None, default=None
        Threads as in joblib: -1 uses all cores, None one or what ``joblib.parallel_config`` says. The result is the
        same for any number.
    views : None, int, widths, or (start, stop) pairs, default=None
        How one array is cut into views by columns; not needed for a list or dict of views.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Components of the global graph, numbered by their first row.
    n_components_found_ : int
        Number of components. If it is not ``n_clusters``, a warning says so and the result is kept.
    view_weights_ : ndarray of shape (n_views,)
        Mean over the samples of the views' weights. They sum to one and can be negative.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Eigenvectors of the global graph's Laplacian with the smallest eigenvalues.
    eigenvalues_ : ndarray
        The ``n_clusters + 1`` smallest eigenvalues.
    affinity_ : CSR array of shape (n_samples, n_samples)
        The global graph, symmetrized.
    history_ : dict
        ``objective`` (||A - blend||² of every round), ``n_components``, ``n_updates`` and ``view_weights`` of every
        round, and ``view_updates`` (updates of every view's graph).
    n_iter_ : int
        Number of rounds.
    converged_ : bool
        Whether the objective stood still before ``max_iter``.

    Notes
    -----
    The method is transductive: there is no ``predict``. Sparse views stay sparse. With ``local=False`` a fit holds
    arrays of N x N numbers: one for each view and three more (0.9 GB for 4,000 samples). ``local=True`` has none.

    References
    ----------
    K. Zhan, C. Zhang, J. Guan, J. Wang. Graph Learning for Multiview Clustering. IEEE Transactions on Cybernetics
    48(10), 2018.

    Examples
    --------
    >>> import numpy as np
    >>> from manyview.cluster.mvgl import MVGL
    >>> rng = np.random.default_rng(0)
    >>> means = np.repeat(np.eye(3), 20, axis=0)
    >>> views = [means @ rng.normal(size=(3, 6)) + 0.1 * rng.normal(size=(60, 6)) for _ in range(2)]
    >>> MVGL(n_clusters=3, local=True, tol=0.5).fit_predict(views)[::10]
    array([0, 0, 1, 1, 2, 2])
    """

    _constraints = CONSTRAINTS

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_neighbors: int = 15,
        local: bool = False,
        variant: Literal["released", "paper"] = "released",
        max_iter: int = 30,
        max_updates: int = 30,
        tol: float = 1e-3,
        n_jobs: int | None = None,
        views: Ranges = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.local = local
        self.variant = variant
        self.max_iter = max_iter
        self.max_updates = max_updates
        self.tol = tol
        self.n_jobs = n_jobs
        self.views = views

    def _fit(self, views: Views, /) -> None:
        with MemoryEngine(n_jobs=self.n_jobs).running() as engine:
            room = None if self.local else np.empty((views.n_samples, views.n_samples))
            options = _Options(
                self.n_clusters, self.n_neighbors, self.local, self.variant, self.max_updates, engine.map, room
            )
            first, graphs, view_updates = zip(
                *(_view_graph(raw_rows(table), options) for table in views.tables), strict=True
            )
            result = _fuse(graphs, options, max_iter=self.max_iter, tol=self.tol)
            self.affinity_ = sp.csr_array(result.last.affinity)
            self.eigenvalues_ = bottom_eigenpairs(self.affinity_, self.n_clusters + 1, run=engine.map).values
        self.labels_ = result.last.labels
        self.n_components_found_ = result.last.n_components
        self.view_weights_ = result.history["view_weights"][-1]
        self.embedding_ = result.last.embedding
        self.history_ = {**result.history, "view_updates": list(view_updates)}
        self.n_iter_ = len(result.history["objective"])
        self.converged_ = result.converged
        warn_component_count(self, self.n_components_found_)
        if self.variant == "released" and not self.local:  # elsewhere equal samples attract each other all the same
            warn_isolated_samples(self, first)
        if not self.converged_:
            warn_caller(
                f"MVGL: the global graph still changed after max_iter={self.max_iter} rounds. On some data it never "
                "settles; history_['objective'] shows whether more rounds would help.",
                ConvergenceWarning,
            )


class _Options(NamedTuple):
    """Options of both stages."""

    n_clusters: int
    n_neighbors: int
    local: bool
    variant: str
    max_updates: int
    run: Run  # how a function goes over blocks of rows
    room: FloatArray | None  # (N, N) for the graph that is being updated; None with ``local``

    @property
    def loop(self) -> dict[str, Any]:
        """Return the options of every constrained loop."""
        return {"max_iter": self.max_updates, "run": self.run}


class _Fused(NamedTuple):
    """Result of stage 2."""

    last: RankConstrained
    history: dict[str, list[Any]]
    converged: bool


def _view_graph(rows: SampleRows, options: _Options) -> tuple[sp.csr_array, Graph, int]:
    """Learn a view's graph (stage 1): the first one, that with K components, symmetrized, and the number of updates."""
    near = sample_neighbors(rows, options.n_neighbors, run=options.run)
    first = neighbor_matrix(near.columns, sample_weights(near.distances))
    if options.variant == "released":
        update, strength = _from_embedding(near, options), 1.0
    else:
        update, strength = _from_distances(rows, near, options)
    loop = constrain_components(first, options.n_clusters, update, tol=1e-11, strength=strength, **options.loop)
    return first, loop.affinity, loop.n_iter


def _from_embedding(near: Neighbors, options: _Options) -> Update:
    """Return the released update: a_i = simplex( -lambda D_i / 2 ) on the neighbors or on all samples."""
    room = options.room
    if room is not None:
        return lambda F, strength: project_blocks(_pull(F, strength / 2), room, run=options.run)
    support = _neighbor_support(near)
    return lambda F, strength: project_rows(with_data(support, -strength / 2 * embedded_distances(F, support)))


def _from_distances(rows: SampleRows, near: Neighbors, options: _Options) -> tuple[Update, float]:
    """Return the update of the paper:  a_i = simplex( -(d_i + lambda D_i) / (2 gamma_i) ), and the first lambda."""
    twice_gamma = (near.distances[:, -1:] - near.distances).sum(axis=1)  # k d_{k+1} - sum_{l<=k} d_l
    typical = float(twice_gamma[twice_gamma > 0].mean()) if (twice_gamma > 0).any() else 1.0
    scale = np.where(twice_gamma > 0, twice_gamma, typical)  # equally far neighbors: no gamma of their own
    support = _neighbor_support(near)

    def on_neighbors(F: FloatArray, strength: float) -> sp.csr_array:
        cost = near.distances[:, : near.k].ravel() + strength * embedded_distances(F, support)
        return project_rows(with_data(support, -cost / np.repeat(scale, near.k)))

    def on_all(F: FloatArray, strength: float, room: FloatArray) -> FloatArray:
        pull = _pull(F, strength)

        def fill(start: int, stop: int, out: FloatArray) -> None:
            pull(start, stop, out)
            out -= distance_block(rows, start, stop)
            out /= scale[start:stop, None]

        return project_blocks(fill, room, run=options.run)

    return on_neighbors if options.room is None else partial(on_all, room=options.room), typical / 2


def _neighbor_support(near: Neighbors) -> sp.csr_array:
    """Return the k nearest of every row as a pattern, columns in the order of the distances."""
    n_samples, k = len(near.columns), near.k
    return compressed(np.ones(n_samples * k), near.columns[:, :k].ravel(), np.full(n_samples, k), n_samples)


def _pull(F: FloatArray, strength: float) -> Fill:
    """Return a function that fills in rows of -strength ||F_i - F_j||², up to a constant, which projections ignore."""
    left = np.hstack([2 * strength * F, np.full((len(F), 1), -strength)])
    right = np.hstack([F, np.einsum("nc,nc->n", F, F)[:, None]]).T.copy()

    def fill(start: int, stop: int, out: FloatArray) -> None:
        np.matmul(left[start:stop], right, out=out)

    return fill


def _fuse(graphs: Sequence[Graph], options: _Options, *, max_iter: int, tol: float) -> _Fused:
    """Alternate the global graph and the weights of the views (stage 2)."""
    run = options.run
    blend = blended(graphs, np.full((len(graphs), graphs[0].shape[0]), 1 / len(graphs)), run=run)
    # the same N x N arrays in all rounds: new ones would cost more than what is computed in them
    room = None if options.room is None else np.empty_like(options.room)
    history: dict[str, list[Any]] = {"objective": [], "n_components": [], "n_updates": [], "view_weights": []}
    previous = 10.0  # the released program compares the first round with it
    while True:
        last = _global_graph(blend, options, room)
        alpha = column_weights(last.graph, graphs, run=run)  # (V, N)
        free = room is not None and last.graph is not blend  # a blend with K components is the global graph itself
        blend = blended(graphs, alpha, run=run, out=blend if free else None)
        objective = squared_distance(last.graph, blend, run=run)
        history["objective"].append(objective)
        history["n_components"].append(last.n_components)
        history["n_updates"].append(last.n_iter)
        history["view_weights"].append(alpha.mean(axis=1))
        exact = objective <= 1e-24 * squared_norm(last.graph)  # only rounding is left
        converged = exact or abs(objective - previous) <= tol * previous
        if converged or len(history["objective"]) >= max_iter:
            return _Fused(last, history, converged)
        previous = objective


def _global_graph(blend: Graph, options: _Options, room: FloatArray | None) -> RankConstrained:
    """Find the graph with K components nearest to the blend without its loops."""
    target = without_loops(blend, overwrite=True)
    update = _near_target(target, options)
    return constrain_components(
        target, options.n_clusters, update, tol=1e-10, skip_if_done=True, room=room, **options.loop
    )


def _near_target(target: Graph, options: _Options) -> Update:
    """Return the update  a_i = simplex( s_i - lambda D_i / 2 )  where s_i is positive, or on all samples."""
    room = options.room
    if room is None:
        support = target.copy()
        np.maximum(support.data, 0, out=support.data)
        support.eliminate_zeros()
        return lambda F, strength: project_rows(
            with_data(support, support.data - strength / 2 * embedded_distances(F, support))
        )

    def on_all(F: FloatArray, strength: float) -> FloatArray:
        pull = _pull(F, strength / 2)

        def fill(start: int, stop: int, out: FloatArray) -> None:
            pull(start, stop, out)
            out += target[start:stop]

        return project_blocks(fill, room, run=options.run)

    return on_all
