"""LMVSC: large-scale multi-view subspace clustering in linear time.

Paper card
----------
Z. Kang, W. Zhou, Z. Zhao, J. Shao, M. Han, Z. Xu. Large-Scale Multi-View Subspace Clustering in Linear Time. AAAI 2020.
Authors' program: github.com/sckangz/LMVSC.

    min_z ||x - A'z||² + alpha ||z||²,   z >= 0,  sum z = 1          for every row x of every view
    Z = V^(-1/2) [Z^1 … Z^V],   labels from its K leading left singular vectors

Letters: N samples, V views, K clusters; A (m, d) the anchors of a view; Z^v (N, m) the mixtures z of its rows.

==============================================  =======================================================
 step                                            function
==============================================  =======================================================
 A: k-means centers of each view                 ``kmeans_anchors``
 z of every row, a QP with a common Hessian      ``anchor_weights`` (``kernels.qp.simplex_qp``)
 left singular vectors of Z                      ``spectral_map`` (``kernels.spectral.right_basis``)
 labels: k-means on their rows                   ``kernels.kmeans.best_of_starts``
==============================================  =======================================================

The released script takes features as they are and the best of m in {K, 50, 100}, alpha in {0.01, 1, 100} against known
classes; the defaults here are the first point of that grid. k-means has 10 starts from random rows and at most 100
passes, for anchors and labels.

``variant``: the paper divides Z by the roots of its column sums, so that its singular vectors belong to a doubly
stochastic affinity; the released program does not. The released k-means also keeps the start with the smallest sum of
distances, not of squared distances. ``"released"`` is the default because the published numbers and all comparisons
since were made with it.

Deviations:

* The QPs of all rows are solved at once and exactly, not by one call per row.
* Rows and anchors are taken from the mean of the anchors: on the simplex that changes nothing but rounding.
* An alpha below the rounding of A A' is lifted to it: the Hessian stays positive definite.
* Singular vectors of the singular value zero are left out; they are arbitrary.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
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
    random_rows,
    warn_empty_clusters,
)
from manyview.kernels.arrays import FloatArray, IntArray, Table
from manyview.kernels.kmeans import Criterion, best_of_starts
from manyview.kernels.nearest import squared_distances
from manyview.kernels.qp import simplex_qp
from manyview.kernels.spectral import right_basis
from manyview.views import Views
from manyview.views.ranges import Ranges

CONSTRAINTS = {
    "n_anchors": (integer(1), choice("auto")),
    "alpha": (real(0, open_low=True),),
    "anchors": (choice("kmeans"), array()),
    "n_init": (integer(1),),
    "max_iter": (integer(1),),
    "variant": (choice("released", "paper"),),
}


class SpectralMap(NamedTuple):
    """Map from anchor weights (n, mV) to the embedding, for old rows and new: U = Z right."""

    right: FloatArray  # (mV, r)
    singular_values: FloatArray  # (r,)


def anchor_weights(table: Table, anchors: FloatArray, /, *, alpha: float) -> FloatArray:
    """Find argmin_z ||x - A'z||² + alpha ||z||² over the simplex, for every row x of a table (n, d); (n, m)."""
    center = anchors.mean(axis=0)
    A = anchors - center  # the rows of the simplex sum to one: x - A'z is the same from any origin
    AAt = A @ A.T
    floor = 16 * np.finfo(float).eps * len(A) * np.abs(AAt).max()
    H = AAt + max(alpha, floor) * np.eye(len(A))
    return simplex_qp(H, np.asarray(table @ A.T) - A @ center)


def spectral_map(Z: FloatArray, rank: int, /, *, normalize: bool) -> SpectralMap:
    """Compute the right factor of the leading left singular vectors of Z (n, M), scaled by its column sums or not."""
    sums = Z.sum(axis=0)
    scale = 1 / np.sqrt(np.where(sums > 0, sums, 1)) if normalize else np.ones(Z.shape[1])
    basis = right_basis((Z * scale).T @ (Z * scale), rank)
    return SpectralMap(scale[:, None] * basis.W / basis.s, basis.s)


def kmeans_anchors(
    tables: Sequence[Table],
    n_anchors: int,
    /,
    *,
    rng: np.random.RandomState,
    n_init: int,
    max_iter: int,
    by: Criterion = "inertia",
) -> list[FloatArray]:
    """Find k-means centers (m, d) in every view separately."""
    return [
        best_of_starts(table, random_rows(rng, table.shape[0], n_anchors, n_init), max_iter=max_iter, by=by).centers
        for table in tables
    ]


class LMVSC(PredictingClusterer):
    r"""Large-scale multi-view subspace clustering (Kang et al., AAAI 2020).

    .. math:: \min_{Z^v} \sum_v \|X^v - Z^v A^v\|_F^2 + \alpha \|Z^v\|_F^2, \quad Z^v \ge 0,\; Z^v 1 = 1

    Every row of every view becomes a mixture of the view's anchors; labels are read off the leading left singular
    vectors of all mixtures side by side. Linear in the number of rows; sparse views stay sparse.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters K.
    n_anchors : int or "auto", default="auto"
        Anchors m of every view; ``"auto"`` is K, the first point of the released grid {K, 50, 100}.
    alpha : float, default=0.01
        Ridge on the mixtures; the released grid is {0.01, 1, 100}. It has the unit of a squared feature.
    anchors : "kmeans" or list of arrays (m, width), default="kmeans"
        Anchors of every view, if they are known.
    n_init, max_iter : int, default=10, 100
        Starts and passes of k-means, for anchors and for labels.
    variant : {"released", "paper"}, default="released"
        ``"paper"`` divides the mixtures by the roots of their column sums, and compares starts of k-means by squared
        distances; the authors' program does neither.
    views : None, int, widths, or (start, stop) pairs, default=None
        How ONE table passed to :meth:`fit` is cut into views by columns.
    random_state : int, RandomState or None, default=None
        Seed of k-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Leading left singular vectors.
    singular_values_ : ndarray of shape (n_clusters,)
    affinity_ : CSR matrix of shape (n_samples, n_views * n_anchors)
        The mixtures of all views side by side, over the root of the number of views.
    anchors_ : list of ndarray of shape (n_anchors, width)
    cluster_centers_ : ndarray of shape (n_clusters, n_clusters)
        In the embedding.
    spectral_map_ : SpectralMap
        What takes the mixtures of new rows to the embedding.
    n_iter_ : int
        Passes of the k-means that gave the labels; the method itself has no iterations.

    Examples
    --------
    >>> from manyview.cluster.lmvsc import LMVSC
    >>> from manyview.datasets import make_views
    >>> data = make_views(n_samples=200, n_clusters=3, random_state=0)
    >>> model = LMVSC(n_clusters=3, random_state=0).fit(data.views)
    >>> model.affinity_.shape, bool((model.predict(data.views) == model.labels_).all())
    ((200, 9), True)
    """

    _constraints = CONSTRAINTS

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_anchors: int | Literal["auto"] = "auto",
        alpha: float = 0.01,
        anchors: Literal["kmeans"] | Sequence[ArrayLike] = "kmeans",
        n_init: int = 10,
        max_iter: int = 100,
        variant: Literal["released", "paper"] = "released",
        views: Ranges = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_anchors = n_anchors
        self.alpha = alpha
        self.anchors = anchors
        self.n_init = n_init
        self.max_iter = max_iter
        self.variant = variant
        self.views = views
        self.random_state = random_state

    def _fit(self, views: Views, /) -> None:
        rng = check_random_state(self.random_state)
        anchors = self._anchors(views, rng)
        Z = _mixtures(views, anchors, self.alpha)  # (N, mV)
        mapping = spectral_map(Z, self.n_clusters, normalize=self.variant == "paper")
        U = Z @ mapping.right  # (N, r)
        starts = random_rows(rng, len(views), self.n_clusters, self.n_init)
        groups = best_of_starts(U, starts, max_iter=self.max_iter, by=self._criterion())
        self.labels_ = contiguous(groups.labels)
        self.cluster_centers_ = groups.centers[np.unique(groups.labels)]
        self.embedding_, self.singular_values_ = U, mapping.singular_values
        self.n_iter_ = groups.n_iter
        self.affinity_, self.anchors_, self.spectral_map_ = sp.csr_array(Z), anchors, mapping
        warn_empty_clusters(self, len(self.cluster_centers_))

    def _anchors(self, views: Views, rng: np.random.RandomState) -> list[FloatArray]:
        if not isinstance(self.anchors, str):
            return given_anchors(self.anchors, views)
        n_anchors = self.n_clusters if isinstance(self.n_anchors, str) else int(self.n_anchors)
        check_anchor_number(n_anchors, 1, len(views))
        return kmeans_anchors(
            float_tables(views), n_anchors, rng=rng, n_init=self.n_init, max_iter=self.max_iter, by=self._criterion()
        )

    def _criterion(self) -> Criterion:
        return "spread" if self.variant == "released" else "inertia"

    def _predict(self, views: Views, /) -> IntArray:
        """Return the cluster of every row: mix anchors, map into the embedding, take the nearest center."""
        U = _mixtures(views, self.anchors_, self.alpha) @ self.spectral_map_.right
        return squared_distances(U, self.cluster_centers_).argmin(axis=1)


def _mixtures(views: Views, anchors: Sequence[FloatArray], alpha: float) -> FloatArray:
    """Put Z of all views side by side, divided by the root of their number; (N, mV)."""
    parts = [anchor_weights(t, A, alpha=alpha) for t, A in zip(float_tables(views), anchors, strict=True)]
    return np.hstack(parts) / np.sqrt(len(parts))
