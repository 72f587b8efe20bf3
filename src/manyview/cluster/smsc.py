"""SMSC: multi-view spectral clustering via integrating nonnegative embedding and spectral embedding.

Paper card
----------
Z. Hu, F. Nie, R. Wang, X. Li. Multi-view spectral clustering via integrating nonnegative embedding and spectral
embedding. Information Fusion 55, 2020.

    min  sum_v ||S^v - Y R^v'||_F        Y >= 0 (N, K);   R^v'R^v = I, R^v (N, K)

Letters: N samples, V views, K clusters; S^v = D^(-1/2) A^v D^(-1/2) the normalized PKN graph of view v; Y the common
non-negative embedding, whose largest entry in a row is the label; R^v the view's spectral embedding; p_v the weight
that the norm without a square implies.

=============================================  ========================================================
 step                                           function
=============================================  ========================================================
 samples z-scored within each view              ``kernels.sample_graph.standard_rows``
 A^v, 10 neighbors, no loops; S^v              ``_normalized_graph``
 first R^v: K leading singular vectors of S^v   ``_leading_vectors``
 Y = max( sum_v p_v S^v R^v / (V sum p), 0 )    ``_run``
 R^v = polar(S^v' Y)                            ``_polar``
 p_v = 1 / ||S^v - Y R^v'||_F                   ``_run``
 signs of the first R^v                         ``_starts``
=============================================  ========================================================

Defaults are those of the authors' program: 10 neighbors, at most 60 iterations, stop when the sum of squares changes
by less than 1e-8 of itself. No k-means.

The signs. A singular vector is as good as its negative, but max(., 0) keeps one half of it: the signs of the first R^v
decide the result (accuracies between .62 and .96 on one data set). The paper does not mention them; the released
program takes what a Lanczos solver with a random start returns. ``variant="released"`` draws them at random, once.
``variant="paper"``, the default, minimizes what the paper minimizes: it starts ``n_init`` times, first with the largest
entry of every vector positive, then with its sum positive, then with random signs, and keeps the smallest
sum_v ||S^v - Y R^v'||_F.

Deviations in both variants:

* A view of one or two columns is not z-scored: each sample's scores would keep at most a sign.
* A vertex without edges, an all-zero row and a graph without any edge give zero rows instead of an error.
* If S^v' Y has not full rank (an empty cluster), its polar factor is not unique, and the released program lets rounding
  errors choose. Here the part that is not determined is zero: an empty cluster stays empty, and a warning tells.
* Labels are numbered without gaps.
* S^v is sparse, and ||S - Y R'||² = ||S||² - 2 tr(R'S'Y) + tr(Y'Y R'R): N x N is never formed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from manyview.cluster.base import RandomState
from manyview.cluster.checks import N_JOBS, array, choice, integer, nothing, real
from manyview.cluster.published import MultiViewClusterer, contiguous, warn_empty_clusters
from manyview.engine import MemoryEngine
from manyview.kernels.arrays import FloatArray
from manyview.kernels.laplacian import (
    components,
    degrees,
    normalized_adjacency,
    null_space,
    smallest_eigenpairs,
    symmetric,
)
from manyview.kernels.sample_graph import Run, in_order, sample_graph, standard_rows
from manyview.views import Views
from manyview.views.ranges import Ranges

CONSTRAINTS = {
    "n_neighbors": (integer(1),),
    "variant": (choice("paper", "released"),),
    "n_init": (integer(1),),
    "init": (nothing(), array()),
    "max_iter": (integer(1),),
    "tol": (real(0),),
    "n_jobs": N_JOBS,
}


class SMSC(MultiViewClusterer):
    """Labels read off one non-negative embedding that fits the spectral embeddings of all views.

    Each view's normalized graph is approximated by the common embedding Y times a view's own orthogonal embedding.
    The largest entry of a row of Y is the label: no k-means follows, and nothing needs tuning.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters and of singular vectors.
    n_neighbors : int, default=10
        Neighbors per sample and view.
    variant : {"paper", "released"}, default="paper"
        What to do about the signs of the first singular vectors, which decide the result: "paper" tries ``n_init``
        choices and keeps the best value of the paper's objective; "released" draws one at random, which is what the
        authors' program amounts to.
    n_init : int, default=10
        Number of starts of ``variant="paper"``.
    init : array of shape (n_samples, n_clusters, n_views), default=None
        First embeddings of the views, signs and all; one run from there, whatever the variant.
    max_iter : int, default=60
        At most that many iterations from a start.
    tol : float, default=1e-8
        Stop when the sum of squares changes by less than this share of itself.
    n_jobs : int or None, default=None
        Threads as in joblib: -1 uses all cores, None one or what ``joblib.parallel_config`` says. The result is the
        same for any number.
    views : None, int, widths, or (start, stop) pairs, default=None
        How one array is cut into views by columns; not needed for a list or dict of views.
    random_state : int, RandomState or None, default=None
        Decides the random signs.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of every sample.
    view_weights_ : ndarray of shape (n_views,)
        1 / ||S^v - Y R^v'||_F, divided by their sum.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        The non-negative embedding Y.
    affinity_ : CSR array of shape (n_samples, n_samples)
        Weighted mean of the views' normalized graphs.
    objective_ : float
        sum_v ||S^v - Y R^v'||_F of the start that was kept.
    history_ : dict
        ``objective`` (sum of squares of every iteration, as the authors' program records it) of the start that was
        kept, and ``starts`` (``objective_`` of every start).
    n_iter_ : int
        Number of iterations of the start that was kept.

    Notes
    -----
    The method is transductive: there is no ``predict``. Sparse views stay sparse.

    References
    ----------
    Z. Hu, F. Nie, R. Wang, X. Li. Multi-view spectral clustering via integrating nonnegative embedding and spectral
    embedding. Information Fusion 55, 2020.

    Examples
    --------
    >>> import numpy as np
    >>> from manyview.cluster.smsc import SMSC
    >>> rng = np.random.default_rng(0)
    >>> means = np.repeat(np.eye(3), 20, axis=0)
    >>> views = [means @ rng.normal(size=(3, 6)) + 0.1 * rng.normal(size=(60, 6)) for _ in range(2)]
    >>> model = SMSC(n_clusters=3, random_state=0).fit(views)
    >>> np.bincount(model.labels_)
    array([20, 20, 20])
    """

    _constraints = CONSTRAINTS

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_neighbors: int = 10,
        variant: Literal["paper", "released"] = "paper",
        n_init: int = 10,
        init: ArrayLike | None = None,
        max_iter: int = 60,
        tol: float = 1e-8,
        n_jobs: int | None = None,
        views: Ranges = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.variant = variant
        self.n_init = n_init
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.views = views
        self.random_state = random_state

    def _fit(self, views: Views, /) -> None:
        with MemoryEngine(n_jobs=self.n_jobs).running() as engine:
            graphs = [_normalized_graph(table, self.n_neighbors, run=engine.map) for table in views.tables]
            adjacencies = [graph.adjacency for graph in graphs]
            starts = list(self._first_embeddings(graphs))
            runs = engine.map(lambda R: _run(adjacencies, R, max_iter=self.max_iter, tol=self.tol), starts)
        best = min(runs, key=lambda run: run.objective)
        self.labels_ = contiguous(best.Y.argmax(axis=1))
        self.view_weights_ = best.weights
        self.embedding_ = best.Y
        self.affinity_ = sp.csr_array(sum(w * S for w, S in zip(best.weights, adjacencies, strict=True)))
        self.objective_ = best.objective
        self.history_ = {"objective": best.squares, "starts": [run.objective for run in runs]}
        self.n_iter_ = len(best.squares)
        warn_empty_clusters(self, int(self.labels_.max()) + 1)

    def _first_embeddings(self, graphs: list[_Graph]) -> Iterator[list[FloatArray]]:
        """Return the first R^v of every run."""
        if self.init is not None:
            given = np.asarray(self.init, dtype=np.float64)
            shape = (graphs[0].adjacency.shape[0], self.n_clusters, len(graphs))
            if given.shape != shape:
                raise ValueError(f"init has shape {given.shape}; (n_samples, n_clusters, n_views) is {shape}.")
            return iter([[given[:, :, v] for v in range(len(graphs))]])
        leading = [_upright(_leading_vectors(graph, self.n_clusters)) for graph in graphs]
        generator = check_random_state(self.random_state)
        if self.variant == "released":
            return iter([_random_signs(leading, generator)])
        return _starts(leading, self.n_init, generator)


class _Graph(NamedTuple):
    """Normalized graph of one view."""

    adjacency: sp.csr_array  # S^v, (N, N)
    null: sp.csr_array  # orthonormal vectors with S^v q = q, one per component


class _Run(NamedTuple):
    """Result of one start."""

    Y: FloatArray  # (N, K)
    weights: FloatArray  # (V,), sum 1
    objective: float
    squares: list[float]


def _normalized_graph(table: Any, n_neighbors: int, *, run: Run = in_order) -> _Graph:
    """Compute S^v of the symmetrized PKN graph without loops."""
    W = symmetric(sample_graph(standard_rows(table), n_neighbors, run=run))
    A = sp.csr_array(W - sp.diags_array(W.diagonal()))
    A.eliminate_zeros()
    return _Graph(normalized_adjacency(A), null_space(components(A).labels, np.sqrt(degrees(A))))


def _leading_vectors(graph: _Graph, n_clusters: int) -> FloatArray:
    """Compute the singular vectors (N, K) of S with the largest singular values, i.e. the largest |eigenvalues|."""
    S = graph.adjacency
    upper = smallest_eigenpairs(S, n_clusters, diagonal=1, null=graph.null)  # of I - S
    lowest = smallest_eigenpairs(-S, 1, diagonal=1)  # of I + S
    if 1 - lowest.values[0] <= 1 - upper.values[-1]:
        return upper.vectors
    # two-sided graphs (pairs, stars) have eigenvalues near -1, and those count as well
    lower = smallest_eigenpairs(-S, n_clusters, diagonal=1)
    # eigenvalues of S that are not negative, and negative ones; rounding must not lose a zero between the two
    above, below = upper.values <= 1 + 1e-12, lower.values < 1 - 1e-12
    sizes = np.concatenate([1 - upper.values[above], 1 - lower.values[below]])
    order = np.argsort(-sizes, kind="stable")[:n_clusters]
    return np.hstack([upper.vectors[:, above], lower.vectors[:, below]])[:, order]


def _upright(F: FloatArray) -> FloatArray:
    """Flip every vector so that its largest entry is positive, and rounding does not decide the signs."""
    return F * np.where(F[np.abs(F).argmax(axis=0), np.arange(F.shape[1])] < 0, -1, 1)


def _starts(leading: list[FloatArray], n_init: int, generator: Any) -> Iterator[list[FloatArray]]:
    """Yield the starts: largest entry of every vector positive, sum of every vector positive, then random signs."""
    yield leading
    if n_init > 1:
        yield [F * np.where(F.sum(axis=0) < 0, -1, 1) for F in leading]
    for _ in range(n_init - 2):
        yield _random_signs(leading, generator)


def _random_signs(leading: list[FloatArray], generator: Any) -> list[FloatArray]:
    return [F * generator.choice([-1.0, 1.0], size=F.shape[1]) for F in leading]


def _run(adjacencies: list[sp.csr_array], first: list[FloatArray], *, max_iter: int, tol: float) -> _Run:
    """Alternate Y, R^v and the weights p_v from one start."""
    n_views = len(adjacencies)
    norms = np.array([float(S.data @ S.data) for S in adjacencies])
    floor = np.finfo(float).eps * max(float(norms.max()), 1.0)
    SR = [S @ R for S, R in zip(adjacencies, first, strict=True)]  # (N, K) each
    p = np.full(n_views, 1 / n_views)
    squares = list[float]()
    while True:
        Y = np.maximum(sum(weight * product for weight, product in zip(p, SR, strict=True)) / n_views, 0)
        YtY = Y.T @ Y
        residuals = np.empty(n_views)
        for v, S in enumerate(adjacencies):
            SY = S @ Y
            R = _polar(SY)
            residuals[v] = norms[v] - 2 * np.einsum("nk,nk->", R, SY) + np.einsum("kl,kl->", YtY, R.T @ R)
            SR[v] = S @ R
        residuals = np.maximum(residuals, floor)
        p = 1 / np.sqrt(residuals)
        p /= p.sum()
        squares.append(float(residuals.sum()))
        settled = len(squares) > 1 and abs(squares[-2] - squares[-1]) < tol * squares[-2]
        if settled or len(squares) >= max_iter:
            return _Run(Y, p, float(np.sqrt(residuals).sum()), squares)


def _polar(B: FloatArray) -> FloatArray:
    """Compute U W' of the thin SVD B = U s W', without the directions that B does not span."""
    U, s, Wt = np.linalg.svd(B, full_matrices=False)
    spanned = s > max(B.shape) * np.finfo(float).eps * s[0]
    return (U * spanned) @ Wt
