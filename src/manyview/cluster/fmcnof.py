"""FMCNOF: fast multi-view clustering via non-negative and orthogonal factorization.

Paper card
----------
B. Yang, X. Zhang, F. Nie, F. Wang, W. Yu, R. Wang. Fast Multi-View Clustering via Nonnegative and Orthogonal
Factorization. IEEE TIP 30, 2021. Authors' program: github.com/abyeshizhe/FMCNOF.

    min_{alpha, F, G}  || sum_v alpha_v B^v - F G' ||_F²      F >= 0,  G'G = I,  alpha on the simplex

Letters: N samples, V views, K clusters, m anchors; B^v (N, m) the anchor graph of view v, Z = sum_v alpha_v B^v;
F (N, K) the indicator, G (m, K) the factor of the anchors.

==============================================  =======================================================
 step                                            function
==============================================  =======================================================
 rows z-scored over the features of a view       ``standard_rows``, ``narrow_columns``
 anchors: k-means on all views side by side      ``joint_anchors`` (``kernels.kmeans.best_of_starts``)
 B^v                                             ``farthest_weights`` (released), ``nearest_weights`` (paper)
 G = polar(Z'F)                                  ``_polar``
 F = max(Z G, 0)                                 ``factorize``
 alpha given F G'                                ``kernels.qp.small_simplex_qp``, ``released_qp``
 labels: largest entry of a row of F             ``FMCNOF.fit``
==============================================  =======================================================

Defaults are those of the released script: m = K + 3 anchors (its comments name K + 7 and K + 9 for other data), sigma =
1000, 30 iterations, one start of k-means from random rows.

``variant`` has three values, because the released program differs from the paper and has a defect besides:

* ``"paper"``: Gaussian weights exp(-d²/(2 sigma²)) on the K nearest anchors.
* ``"corrected"``: the released graph. It takes exp(-d/(2 sigma²)), which is nearly constant, and keeps the K *smallest*
  of these weights, so every row is tied equally to its K farthest anchors and to none of the m - K nearest.
* ``"released"``: the same graph, and the step of alpha bug for bug: b pairs the entries of B^v, read row by row, with
  those of F G', read column by column, and the QP is left by an augmented Lagrangian that stops after six steps without
  a descent, even when they led uphill.

``"released"`` is the default: only it gives the published labels. In the other two every step minimizes the objective,
which then never rises.

Deviations:

* Sparse views are z-scored without being filled in: a row is kept as x/s, and its offset mean/s enters products only.
* The polar factor is from ``gesvd``. Where a cluster is empty, Z'F has not full rank and G is not unique; the program's
  results then depend on its LAPACK, and so do these.
* A row of one or two numbers has no z-score worth the name (0, or a sign). Views of one or two columns are z-scored by
  columns instead.
* m is at most N. Rows of F without a positive entry keep the label 0, as released.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from manyview.cluster.base import RandomState
from manyview.cluster.checks import array, choice, integer, real
from manyview.cluster.published import (
    PredictingClusterer,
    check_anchor_number,
    contiguous,
    float_tables,
    given_anchors,
    warn_empty_clusters,
)
from manyview.geometry.scaling import dense
from manyview.kernels.arrays import FloatArray, IntArray, Table
from manyview.kernels.kmeans import best_of_starts, row_squares
from manyview.kernels.qp import small_simplex_qp
from manyview.kernels.simplex import project_simplex
from manyview.views import Views
from manyview.views.ranges import Ranges

CONSTRAINTS = {
    "n_anchors": (integer(1), choice("auto")),
    "sigma": (real(0, open_low=True),),
    "anchors": (choice("kmeans"), array()),
    "init": (choice("random"), array()),
    "max_iter": (integer(1),),
    "variant": (choice("released", "corrected", "paper"),),
}
Step = Callable[[Sequence[FloatArray], FloatArray, FloatArray], FloatArray]


class Columns(NamedTuple):
    """Means and deviations (d,) of the columns of a view that is too narrow to be z-scored by rows."""

    mean: FloatArray
    deviation: FloatArray


class StandardRows(NamedTuple):
    """Rows z = x - offset of a view on a common scale; x stays sparse where it was."""

    x: Table  # (n, d)
    offset: FloatArray  # (n,) the same for all columns
    squares: FloatArray  # (n,) ||z||²
    centered: bool  # whether every z sums to zero

    def distances(self, anchors: FloatArray, /) -> FloatArray:
        """Compute Euclidean distances (n, m), not squared."""
        products = np.asarray(self.x @ anchors.T) - self.offset[:, None] * anchors.sum(axis=1)
        return np.sqrt(np.maximum(self.squares[:, None] + row_squares(anchors) - 2 * products, 0))


def narrow_columns(table: Table, /) -> Columns | None:
    """Return what replaces the z-score of rows in a view of one or two columns; None for wider views."""
    if table.shape[1] > 2:  # the z-score of fewer columns is a sign, or nothing
        return None
    x = dense(table)
    deviation = x.std(axis=0)
    return Columns(x.mean(axis=0), np.where(deviation > 1e-14 * np.abs(x).max(), deviation, 1))


def standard_rows(table: Table, columns: Columns | None = None, /) -> StandardRows:
    """Standardize every row by its own mean and standard deviation (n - 1); a constant row becomes zero.

    With ``columns``, every column less its mean, over its deviation.
    """
    n, d = table.shape
    if columns is not None:
        z = (dense(table) - columns.mean) / columns.deviation
        return StandardRows(z, np.zeros(n), row_squares(z), centered=False)
    mean = np.asarray(table.mean(axis=1)).ravel()
    if sp.issparse(table):
        squares, rounding = row_squares(table) - d * mean**2, 1e-14
    else:
        table = table - mean[:, None]
        squares, rounding = row_squares(table), 1e-28
    varies = squares > rounding * d * mean**2
    squares = np.where(varies, squares, 0)
    deviation = np.where(varies, np.sqrt(squares / max(d - 1, 1)), 1)
    squares = squares / deviation**2
    if not sp.issparse(table):
        return StandardRows(table / deviation[:, None], np.zeros(n), squares, True)
    return StandardRows(sp.csr_array(sp.diags_array(1 / deviation) @ table), mean / deviation, squares, True)


def joint_anchors(views: Sequence[StandardRows], n_anchors: int, /, *, rng: np.random.RandomState) -> list[FloatArray]:
    """Find k-means centers of all views side by side, and cut them into views again; (m, d) each."""
    edges = np.cumsum([0, *(view.x.shape[1] for view in views)])

    def cut(centers: FloatArray) -> list[FloatArray]:
        return [centers[:, start:stop] for start, stop in pairwise(edges)]

    def place(means: FloatArray) -> FloatArray:
        parts = zip(cut(means), views, strict=True)
        return np.hstack([part - part.mean(axis=1, keepdims=True) * view.centered for part, view in parts])

    parts = [view.x for view in views]
    joint = sp.csr_array(sp.hstack(parts)) if any(map(sp.issparse, parts)) else np.hstack(parts)
    start = rng.choice(joint.shape[0], n_anchors, replace=False)[None]
    squares = np.sum([view.squares for view in views], axis=0)
    return cut(best_of_starts(joint, start, max_iter=100, place=place, squares=squares).centers)


def farthest_weights(distances: FloatArray, k: int, sigma: float, /) -> FloatArray:
    """Compute the released graph: exp(-d/(2 sigma²)) over the sum of the k smallest; larger entries vanish."""
    E = np.exp(-distances / (2 * sigma**2))
    ascending = np.sort(E, axis=1)
    total = np.maximum(ascending[:, :k].sum(axis=1, keepdims=True), np.finfo(float).tiny)
    kth = ascending[:, k - 1 : k]
    return np.where(kth < E, 1e-7, E) / total


def nearest_weights(distances: FloatArray, k: int, sigma: float, /) -> FloatArray:
    """Compute the paper's graph: exp(-d²/(2 sigma²)) on the k nearest anchors, rows summing to one."""
    squares = distances**2
    E = np.exp((squares.min(axis=1, keepdims=True) - squares) / (2 * sigma**2))  # the nearest has weight 1
    kth = np.sort(squares, axis=1)[:, k - 1 : k]
    E = np.where(squares <= kth, E, 0)
    return E / E.sum(axis=1, keepdims=True)


class Factors(NamedTuple):
    """Result of alternating G, F and alpha."""

    F: FloatArray  # (N, K)
    G: FloatArray  # (m, K)
    Z: FloatArray  # (N, m)
    objective: list[float]
    weights: list[FloatArray]  # (V,) at the start and after every iteration; F belongs to the last but one


def factorize(graphs: Sequence[FloatArray], G: FloatArray, step: Step, /, *, max_iter: int) -> Factors:
    """Alternate G, F and alpha from an orthonormal G (m, K) and equal weights."""
    V = len(graphs)
    inner = np.array([[np.vdot(a, b) for b in graphs] for a in graphs])  # (V, V)
    weights = [np.full(V, 1 / V)]
    Z = np.sum(graphs, axis=0) / V
    F = Z @ G
    sums = F.sum(axis=1, keepdims=True)
    F = F / np.where(sums == 0, 1, sums)
    objective = list[float]()
    for _ in range(max_iter):
        G = _polar(F.T @ Z).T
        F = np.maximum(Z @ G, 0)
        FGt = F @ G.T
        alpha = step(graphs, inner, FGt)
        Z = np.einsum("v,vnm->nm", alpha, np.asarray(graphs))
        objective.append(float(((Z - FGt) ** 2).sum()))
        weights.append(alpha)
    return Factors(F, G, Z, objective, weights)


def _polar(B: FloatArray) -> FloatArray:
    U, _, Wt = scipy.linalg.svd(B, full_matrices=False, lapack_driver="gesvd")
    return U @ Wt


def exact_step(graphs: Sequence[FloatArray], inner: FloatArray, FGt: FloatArray, /) -> FloatArray:
    """Find the argmin over the simplex of || sum_v alpha_v B^v - F G' ||²."""
    return small_simplex_qp(inner, 2 * np.array([np.vdot(B, FGt) for B in graphs]))


def released_step(graphs: Sequence[FloatArray], inner: FloatArray, FGt: FloatArray, /) -> FloatArray:
    """Take the same step with the released program's b, whose two factors are read in different orders."""
    by_columns = FGt.ravel(order="F")
    return released_qp(inner, 2 * np.array([B.ravel() @ by_columns for B in graphs]))


def released_qp(A: FloatArray, b: FloatArray, /, *, mu: float = 1e-2, growth: float = 1.05) -> FloatArray:
    """Solve min x'Ax - b'x over the simplex by the released augmented Lagrangian, with its stopping rule.

    x = simplex(v - (y + Av - b)/mu);   v = x + (y - A'x)/mu;   y <- y + mu (x - v);   mu <- growth mu
    """
    v, y = np.zeros(len(b)), np.ones(len(b))
    x, value, idle = v, 0.0, 0
    for _ in range(10_000):
        x = project_simplex((v - (y + A @ v - b) / mu)[None])[0]
        v = x + (y - A @ x) / mu
        y = y + mu * (x - v)
        mu *= growth
        before, value = value, float(x @ A @ x - b @ x)
        idle = idle + 1 if before - value < 1e-8 else 0
        if idle > 5:
            break
    return x


class FMCNOF(PredictingClusterer):
    r"""Non-negative and orthogonal factorization of fused anchor graphs (Yang et al., TIP 2021).

    .. math:: \min_{\alpha, F, G} \Big\| \sum_v \alpha_v B^v - F G^T \Big\|_F^2,
              \quad F \ge 0,\; G^T G = I,\; \alpha \ge 0,\; 1^T \alpha = 1

    Labels are read off F without k-means. Sparse views stay sparse.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters K.
    n_anchors : int or "auto", default="auto"
        Anchors that all views share, at least K; ``"auto"`` is K + 3.
    sigma : float, default=1000
        Width of the kernel.
    anchors : "kmeans" or list of arrays (n_anchors, width), default="kmeans"
        Anchors of every view in z-scored features, if they are known.
    init : "random" or array (n_anchors, n_clusters), default="random"
        Orthonormal start of G.
    max_iter : int, default=30
        Iterations; all of them are made.
    variant : {"released", "corrected", "paper"}, default="released"
        The authors' program with its defect; its graph with view weights that minimize the objective; or the paper's
        graph on the nearest anchors.
    views : None, int, widths, or (start, stop) pairs, default=None
        How ONE table passed to :meth:`fit` is cut into views by columns.
    random_state : int, RandomState or None, default=None
        Seed of k-means and of the start.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
    view_weights_ : ndarray of shape (n_views,)
    embedding_ : ndarray of shape (n_samples, n_clusters)
        The non-negative factor F.
    factors_ : ndarray of shape (n_anchors, number of clusters found)
        Columns of G that have rows.
    affinity_ : CSR matrix of shape (n_samples, n_anchors)
        The fused graph Z.
    anchors_ : list of ndarray of shape (n_anchors, width)
        In z-scored features.
    columns_ : list
        Means and deviations of views with one or two columns, None for wider ones.
    history_ : dict
        ``objective`` of every iteration; ``view_weights`` at the start and after every iteration.
    factor_weights_ : ndarray of shape (n_views,)
        View weights that the last F was made with; ``view_weights_`` are their last change.
    n_iter_ : int

    Notes
    -----
    :meth:`predict` gives a new row the row of F that the last iteration would give it; for old rows, ``labels_``.

    Examples
    --------
    >>> from manyview.cluster.fmcnof import FMCNOF
    >>> from manyview.datasets import make_views
    >>> data = make_views(n_samples=200, n_clusters=3, random_state=0)
    >>> model = FMCNOF(n_clusters=3, variant="corrected", random_state=2).fit(data.views)
    >>> model.embedding_.shape, len(model.history_["objective"])
    ((200, 3), 30)
    """

    _constraints = CONSTRAINTS

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_anchors: int | Literal["auto"] = "auto",
        sigma: float = 1000.0,
        anchors: Literal["kmeans"] | Sequence[ArrayLike] = "kmeans",
        init: Literal["random"] | ArrayLike = "random",
        max_iter: int = 30,
        variant: Literal["released", "corrected", "paper"] = "released",
        views: Ranges = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_anchors = n_anchors
        self.sigma = sigma
        self.anchors = anchors
        self.init = init
        self.max_iter = max_iter
        self.variant = variant
        self.views = views
        self.random_state = random_state

    def _fit(self, views: Views, /) -> None:
        rng = check_random_state(self.random_state)
        tables = float_tables(views)
        columns = [narrow_columns(table) for table in tables]
        rows = [standard_rows(table, by) for table, by in zip(tables, columns, strict=True)]
        start, anchors = self._start(self._n_anchors(views), rng), self._anchors(views, rows, rng)
        step = released_step if self.variant == "released" else exact_step
        result = factorize(self._graphs(rows, anchors), start, step, max_iter=self.max_iter)
        labels = result.F.argmax(axis=1)
        self.labels_ = contiguous(labels)
        self.embedding_, self.factors_ = result.F, result.G[:, np.unique(labels)]
        self.view_weights_, self.affinity_ = result.weights[-1], sp.csr_array(result.Z)
        self.anchors_, self.columns_, self.factor_weights_ = anchors, columns, result.weights[-2]
        self.history_ = {"objective": result.objective, "view_weights": result.weights}
        self.n_iter_ = self.max_iter
        warn_empty_clusters(self, self.factors_.shape[1])

    def _n_anchors(self, views: Views) -> int:
        if not isinstance(self.anchors, str):
            n_anchors = len(np.asarray(self.anchors[0]))
        elif isinstance(self.n_anchors, str):
            n_anchors = min(self.n_clusters + 3, len(views))
        else:
            n_anchors = int(self.n_anchors)
        check_anchor_number(n_anchors, self.n_clusters, len(views))
        return n_anchors

    def _anchors(self, views: Views, rows: Sequence[StandardRows], rng: np.random.RandomState) -> list[FloatArray]:
        if isinstance(self.anchors, str):
            return joint_anchors(rows, self._n_anchors(views), rng=rng)
        return given_anchors(self.anchors, views)

    def _start(self, n_anchors: int, rng: np.random.RandomState) -> FloatArray:
        if isinstance(self.init, str):
            return np.linalg.qr(rng.standard_normal((n_anchors, self.n_clusters)))[0]
        start, shape = np.asarray(self.init, dtype=np.float64), (n_anchors, self.n_clusters)
        if start.shape != shape:
            raise ValueError(f"init has shape {start.shape}; expected (n_anchors, n_clusters) = {shape}.")
        return start

    def _graphs(self, rows: Sequence[StandardRows], anchors: Sequence[FloatArray]) -> list[FloatArray]:
        weights = nearest_weights if self.variant == "paper" else farthest_weights
        return [weights(part.distances(A), self.n_clusters, self.sigma) for part, A in zip(rows, anchors, strict=True)]

    def _predict(self, views: Views, /) -> IntArray:
        """Return the cluster of every row: the largest entry of its row of F."""
        rows = [standard_rows(table, by) for table, by in zip(float_tables(views), self.columns_, strict=True)]
        graphs = self._graphs(rows, self.anchors_)
        Z = np.einsum("v,vnm->nm", self.factor_weights_, np.asarray(graphs))
        return np.maximum(Z @ self.factors_, 0).argmax(axis=1)
