"""CSMSC: consistent and specific multi-view subspace clustering.

Paper card
----------
S. Luo, C. Zhang, W. Zhang, X. Cao. Consistent and Specific Multi-View Subspace Clustering. AAAI 2018. Authors' program:
github.com/XIAOCHUN-CAS/Consistent-and-Specific-Multi-View-Subspace-Clustering.

    min  sum_v ||E^v||_{2,1} + lambda_c ||C||_* + lambda_d sum_v ||D^v||_F²      s.t.  X^v = X^v (C + D^v) + E^v

Letters: N samples, V views; X^v (d, N) a view with samples of unit length as columns; C (N, N) the self-expression that
all views share, D^v (N, N) that of view v alone, E^v (d, N) the errors; K and W copies of C and E; Y1, Y2, Y3 the
multipliers and mu the penalty of the augmented Lagrangian.

==============================================  =======================================================
 step                                            function
==============================================  =======================================================
 samples of unit length                          ``directions``
 coordinates in which all solves are diagonal    ``shared_basis``, ``_own_basis``
 D^v, E^v, W^v                                   ``_update_view``
 K: singular values of C + Y2/mu over lambda_c/mu  ``_shrink_singular``
 C                                               ``_update_common``
 affinity from C and all D^v                     ``_affinity``
 leading eigenvectors of its random walk         ``walk_embedding``
 labels: k-means on their unit rows              ``kernels.kmeans.best_of_starts``
==============================================  =======================================================

Defaults are those of the released script: lambda_c = 0.05, lambda_d = 0.1 (other data: (0.05, 1), (0.5, 1), (0.1, 1)),
mu from 1e-6 growing by 1.1 up to 1e6, at most 100 iterations, 20 starts of k-means from random rows.

100 iterations are part of the method. They end at mu = 0.0125, far from a feasible point: the errors' threshold 1/mu is
80 and W = 0 throughout. ``max_iter`` beyond 100 is another method, and a worse one as a rule.

Speed. With Q (N, R) an orthonormal basis of the rows of all views, R = min(N, sum of d), every iterate is Q times a
small matrix times Q' as long as W = 0: the loop runs on R x R matrices whatever N is. Its systems are diagonal in the
basis of each view and in Q. The first column of errors that passes its threshold unfolds the right sides to N columns.
Singular values are computed only when a bound on the largest does not already show that all of them vanish.

Deviations: none in the iterates. An all-zero sample has no direction and stays zero; the released program divides 0 by
0 there. A view of a single column, of which unit length keeps only the sign, gets its scale as a second column. A
sample that no other one explains has degree 0, and a zero row in the embedding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg
from sklearn.utils import check_random_state

from manyview.cluster.base import RandomState
from manyview.cluster.checks import integer, real
from manyview.cluster.published import (
    MultiViewClusterer,
    contiguous,
    float_tables,
    random_rows,
    warn_empty_clusters,
)
from manyview.geometry.scaling import UnitRows, dense
from manyview.kernels.arrays import FloatArray, Table
from manyview.kernels.kmeans import best_of_starts
from manyview.kernels.spectral import unit_rows
from manyview.views import Views
from manyview.views.ranges import Ranges

DENSE_SIZE = 1000  # rows up to which a dense eigensolver is as fast
CONSTRAINTS = {
    "lambda_c": (real(0, open_low=True),),
    "lambda_d": (real(0, open_low=True),),
    "max_iter": (integer(1),),
    "tol": (real(0),),
    "n_init": (integer(1),),
}


class SharedBasis(NamedTuple):
    """Orthonormal eigenvectors of sum_v X^v' X^v that span all samples, and their eigenvalues."""

    Q: FloatArray  # (N, R)
    values: FloatArray  # (R,)


class View(NamedTuple):
    """View in its own coordinates, where X X' is diagonal, with the variables of the loop.

    Matrices have c columns: c = R, coordinates in Q, while W = 0; after that c = N, the samples.
    """

    A: FloatArray  # (r, R), X with columns in the coordinates of Q, for products with C
    squares: FloatArray  # (r, 1), the diagonal of X X'
    X: FloatArray  # (r, c)
    XC: FloatArray  # (r, c)
    M: FloatArray  # (r, c), D = X'M
    E: FloatArray  # (r, c)
    W: FloatArray  # (r, c)
    Y1: FloatArray  # (r, c)
    Y3: FloatArray  # (r, c)

    @property
    def XD(self) -> FloatArray:
        """Compute X X' M."""
        return self.squares * self.M


def _new_view(A: FloatArray, squares: FloatArray) -> View:
    return View(A, np.maximum(squares, 0)[:, None], A, *([np.zeros_like(A)] * 6))


def _unfold(view: View, Q: FloatArray) -> View:
    return View(view.A, view.squares, *(matrix @ Q.T for matrix in view[2:]))


class Expression(NamedTuple):
    """Result of the augmented Lagrangian."""

    C: FloatArray  # (N, N)
    D: Sequence[tuple[FloatArray, FloatArray]]  # [(N, r), (r, N)], factors of D^v
    residuals: list[float]  # sum_v ||X - X(C + D)||² of every iteration
    penalties: list[float]  # mu of every iteration


def directions(table: Table, /) -> Table:
    """Scale rows to length one; a single column, which would keep its sign only, gets the view's scale as a second."""
    if table.shape[1] == 1:
        x = dense(table)
        table = np.hstack([x, np.full_like(x, np.sqrt(np.mean(x**2)))])
    return UnitRows()(table)


def shared_basis(tables: Sequence[Table], /) -> SharedBasis:
    """Compute Q and the eigenvalues of the sum of Gram matrices, from the smaller side."""
    n, width = tables[0].shape[0], sum(table.shape[1] for table in tables)
    if width >= n:
        values, Q = scipy.linalg.eigh(np.sum([_gram(table) for table in tables], axis=0))
        return SharedBasis(Q, np.maximum(values, 0))
    Q, R = np.linalg.qr(np.hstack([dense(table) for table in tables]))
    values, turn = scipy.linalg.eigh(R @ R.T)
    return SharedBasis(Q @ turn, np.maximum(values, 0))


def _own_basis(table: Table, Q: FloatArray) -> View:
    """Express a view in the eigenvectors of its Gram matrix, taken on the smaller side."""
    n, d = table.shape
    if d < n:
        x = dense(table)
        squares, turn = scipy.linalg.eigh(x.T @ x)
        return _new_view((x @ turn).T @ Q, squares)
    squares, vectors = scipy.linalg.eigh(_gram(table))
    return _new_view(np.sqrt(np.maximum(squares, 0))[:, None] * (vectors.T @ Q), squares)


def express(
    tables: Sequence[Table], /, *, lambda_c: float, lambda_d: float, max_iter: int = 100, tol: float = 1e-7
) -> Expression:
    """Run the augmented Lagrangian for tables (N, d) with rows of length one."""
    basis = shared_basis(tables)
    views = [_own_basis(table, basis.Q) for table in tables]
    C: FloatArray = np.zeros((len(basis.values),) * 2)  # (R, c)
    Y2 = C
    before = sum(float(view.squares.sum()) for view in views)
    residuals, penalties, mu, compact = list[float](), list[float](), 1e-6, True
    while len(residuals) < max_iter:
        views = [_update_view(view, mu, lambda_d) for view in views]
        if compact and any(_passes(view, basis.Q, mu) for view in views):
            compact = False
            C, Y2 = C @ basis.Q.T, Y2 @ basis.Q.T
            views = [_unfold(view, basis.Q) for view in views]
        if not compact:
            views = [view._replace(W=_shrink_columns(view.E + view.Y3 / mu, 1 / mu)) for view in views]
        K = _shrink_singular(C + Y2 / mu, lambda_c / mu)
        C = _update_common(views, basis.values, K, Y2, mu)
        views = [_update_multipliers(view, C, mu) for view in views]
        Y2 = Y2 + mu * (C - K)
        residuals.append(sum(float(np.linalg.norm(view.X - view.XC - view.XD) ** 2) for view in views))
        penalties.append(mu)
        mu = min(1.1 * mu, 1e6)
        if abs(before - residuals[-1]) < tol:
            break
        before = residuals[-1]
    right = basis.Q.T if compact else np.eye(len(basis.Q))
    D = [(basis.Q @ view.A.T, view.M @ right) for view in views]
    return Expression(basis.Q @ (C @ right), D, residuals, penalties)


def _update_view(view: View, mu: float, lambda_d: float) -> View:
    """Set D = (mu X'X + 2 lambda_d)^(-1) mu X'(X + Y1/mu - XC - E) = X'M; E = (X + Y1/mu - XC - XD + W - Y3/mu) / 2."""
    rest = view.X + view.Y1 / mu - view.XC
    view = view._replace(M=mu / (mu * view.squares + 2 * lambda_d) * (rest - view.E))
    return view._replace(E=(rest - view.XD + view.W - view.Y3 / mu) / 2)


def _passes(view: View, Q: FloatArray, mu: float) -> bool:
    """Return whether a column of E + Y3/mu is longer than the threshold 1/mu, so that W is no longer zero."""
    errors = view.E + view.Y3 / mu
    if np.linalg.norm(errors) <= 1 / mu:
        return False
    columns = errors @ Q.T  # (r, N)
    return bool(np.einsum("rn,rn->n", columns, columns).max() > 1 / mu**2)


def _shrink_columns(columns: FloatArray, threshold: float) -> FloatArray:
    """Compute max(0, 1 - threshold / ||w||) w for every column w."""
    length = np.sqrt(np.einsum("rn,rn->n", columns, columns))
    return columns * np.maximum(0, 1 - threshold / np.where(length > 0, length, 1))


def _shrink_singular(B: FloatArray, threshold: float) -> FloatArray:
    """Shrink the singular values of B (R, c) by the threshold, from the eigenvectors of B B' above it."""
    sizes = np.abs(B)
    bound = min(float(np.linalg.norm(B)), float(np.sqrt(sizes.sum(axis=0).max() * sizes.sum(axis=1).max())))
    if bound <= threshold:
        return np.zeros_like(B)
    squares, left = scipy.linalg.eigh(B @ B.T, subset_by_value=(threshold**2, np.inf))
    return (left * (1 - threshold / np.sqrt(squares))) @ (left.T @ B)


def _update_common(views: Sequence[View], values: FloatArray, K: FloatArray, Y2: FloatArray, mu: float) -> FloatArray:
    """Set C = (sum_v X'X + I)^(-1) ( sum_v X'(X + Y1/mu - XD - E) + K - Y2/mu ), diagonal on the left."""
    right = K - Y2 / mu
    for view in views:
        right = right + view.A.T @ (view.X + view.Y1 / mu - view.XD - view.E)
    return right / (values + 1)[:, None]


def _update_multipliers(view: View, C: FloatArray, mu: float) -> View:
    """Set Y1 += mu (X - X(C + D) - E);  Y3 += mu (E - W)."""
    view = view._replace(XC=view.A @ C)
    Y1 = view.Y1 + mu * (view.X - view.XC - view.XD - view.E)
    return view._replace(Y1=Y1, Y3=view.Y3 + mu * (view.E - view.W))


def _affinity(expression: Expression) -> FloatArray:
    """Compute (|C| + |C'|)/2 + (1/2V) sum_v (|D^v| + |D^v'|); (N, N)."""
    total = np.abs(expression.C)
    for left, right in expression.D:
        total += np.abs(left @ right) / len(expression.D)
    return (total + total.T) / 2


class Walk(NamedTuple):
    """Leading eigenvectors of a random walk."""

    embedding: FloatArray  # (N, K), rows of length one
    values: FloatArray  # (K + 1,) descending


def walk_embedding(affinity: FloatArray, n_clusters: int, /) -> Walk:
    """Compute unit rows of the K leading unit eigenvectors of D^(-1) A, with D the degrees of A (N, N)."""
    n = len(affinity)
    degrees = affinity.sum(axis=1)
    scale = np.where(degrees > 0, 1 / np.sqrt(np.where(degrees > 0, degrees, 1)), 0)
    symmetric = scale[:, None] * affinity * scale
    count = min(n_clusters + 1, n)
    if n <= DENSE_SIZE or 4 * count > n:
        values, vectors = scipy.linalg.eigh(symmetric, subset_by_index=(n - count, n - 1))
    else:
        start = np.random.default_rng(0).standard_normal(n)  # any vector will do, the same one every time
        values, vectors = scipy.sparse.linalg.eigsh(symmetric, count, which="LA", v0=start)
    order = np.argsort(-values, kind="stable")
    vectors = scale[:, None] * vectors[:, order[:n_clusters]]
    lengths = np.linalg.norm(vectors, axis=0)
    return Walk(unit_rows(vectors / np.where(lengths > 0, lengths, 1)), values[order])


class CSMSC(MultiViewClusterer):
    r"""Consistent and specific multi-view subspace clustering (Luo et al., AAAI 2018).

    .. math:: \min \sum_v \|E^v\|_{2,1} + \lambda_c \|C\|_* + \lambda_d \sum_v \|D^v\|_F^2,
              \quad X^v = X^v (C + D^v) + E^v

    Every sample is written as a combination of the others, by coefficients C that all views share plus D of each view;
    labels come from spectral clustering of their absolute values.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters K.
    lambda_c : float, default=0.05
        Weight of the nuclear norm of what the views share.
    lambda_d : float, default=0.1
        Weight of what is specific to a view.
    max_iter : int, default=100
        Iterations of the augmented Lagrangian. Stopping it early is part of the method.
    tol : float, default=1e-7
        It also stops when the reconstruction error changes by less.
    n_init : int, default=20
        Starts of k-means.
    views : None, int, widths, or (start, stop) pairs, default=None
        How ONE table passed to :meth:`fit` is cut into views by columns.
    random_state : int, RandomState or None, default=None
        Seed of k-means; all else is deterministic.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Unit rows of the leading eigenvectors of the random walk on ``affinity_``.
    eigenvalues_ : ndarray of shape (n_clusters + 1,)
        Descending; the first is 1.
    affinity_ : ndarray of shape (n_samples, n_samples)
        Dense by definition, unlike that of the graph methods: self-expression gives every sample a coefficient of
        every other, and no threshold of the method sets any of them to zero.
    history_ : dict
        ``residual``, the squared reconstruction error, and ``penalty``, mu, of every iteration.
    n_iter_ : int

    Notes
    -----
    The method is transductive: there is no ``predict``. Memory is that of a few N x N matrices.

    Examples
    --------
    >>> from manyview.cluster.csmsc import CSMSC
    >>> from manyview.datasets import make_views
    >>> data = make_views(n_samples=90, n_clusters=3, random_state=0)
    >>> model = CSMSC(n_clusters=3, random_state=0).fit(data.views)
    >>> model.affinity_.shape, model.n_iter_
    ((90, 90), 100)
    """

    _constraints = CONSTRAINTS

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        lambda_c: float = 0.05,
        lambda_d: float = 0.1,
        max_iter: int = 100,
        tol: float = 1e-7,
        n_init: int = 20,
        views: Ranges = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.lambda_c = lambda_c
        self.lambda_d = lambda_d
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.views = views
        self.random_state = random_state

    def _fit(self, views: Views, /) -> None:
        expression = express(
            [directions(table) for table in float_tables(views)],
            lambda_c=self.lambda_c,
            lambda_d=self.lambda_d,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        self.affinity_ = _affinity(expression)
        walk = walk_embedding(self.affinity_, self.n_clusters)
        rng = check_random_state(self.random_state)
        starts = random_rows(rng, len(views), self.n_clusters, self.n_init)
        groups = best_of_starts(walk.embedding, starts, max_iter=1000)
        self.labels_ = contiguous(groups.labels)
        self.embedding_, self.eigenvalues_ = walk.embedding, walk.values
        self.history_ = {"residual": expression.residuals, "penalty": expression.penalties}
        self.n_iter_ = len(expression.residuals)
        warn_empty_clusters(self, int(self.labels_.max()) + 1)


def _gram(table: Table) -> FloatArray:
    """Compute X X' (N, N) of a table (N, d), dense."""
    product = table @ table.T
    return product.toarray() if sp.issparse(product) else np.asarray(product)
