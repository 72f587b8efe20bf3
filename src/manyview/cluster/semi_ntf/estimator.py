"""SemiNTF, the estimator: parameters, attributes, and the scikit-learn manners around the model."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from manyview.anchors import RULES
from manyview.cluster.parameters import (
    array,
    boolean,
    check_parameters,
    check_sizes,
    choice,
    integer,
    nothing,
    real,
)
from manyview.cluster.semi_ntf.coupling import COUPLINGS
from manyview.cluster.semi_ntf.model import Fitted, Progress, fit_semi_ntf, membership_of
from manyview.cluster.semi_ntf.settings import Settings, resolve
from manyview.engine import MemoryEngine
from manyview.kernels.arrays import FloatArray, IntArray
from manyview.kernels.tproduct import TRANSFORMS
from manyview.views import check_views
from manyview.views.blocks import row_blocks
from manyview.views.geometry import SCALES

CONSTRAINTS = {
    "n_clusters": (integer(1),),
    "variant": (choice("default", "paper"),),
    "scale": (choice(*SCALES),),
    "anchors": (choice(*RULES), array()),
    "n_anchors": (integer(2), choice("auto")),
    "n_neighbors": (integer(1), choice("auto")),
    "init": (choice("spectral", "qr", "identity", "random"), array()),
    "coupling": (choice(*COUPLINGS),),
    "view_transform": (choice(*TRANSFORMS),),
    "lam": (real(0), choice("auto")),
    "p": (real(0, 1, open_low=True),),
    "mu": (real(0, open_low=True),),
    "rho": (real(0, open_low=True),),
    "eta": (real(1),),
    "max_iter": (integer(1),),
    "tol": (real(0),),
    "n_init": (integer(1),),
    "dtype": (choice("auto", "float32", "float64"),),
    "n_jobs": (integer(-1), nothing()),
    "block_rows": (integer(1),),
    "verbose": (boolean(), ("a function of stage, done, total", callable)),
}


class RowOrderWarning(UserWarning):
    """The result depends on the order of the rows."""


class SemiNTF(ClusterMixin, TransformerMixin, BaseEstimator):
    r"""Multi-view clustering by semi-non-negative tensor factorization of anchor graphs.

    .. math:: \min \sum_l w_l \|S_l - H_l G_l^T\|_F^2 + \lambda \|\mathcal{H}\|_{Sp}^p,
              \quad H_l \ge 0,\; H_l^T H_l = I

    Every view becomes anchor graphs :math:`S_l` (N x m, a few weights a row); the cluster indicator H is read off
    their orthogonal non-negative factorization. With ``coupling="shared"``, the default, all slices share one H, the
    limit of an infinitely strong coupling; the other couplings keep one H per slice and pull them together by a
    tensor Schatten p-norm, as in the paper. :meth:`paper` gives the published Algorithm 1.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters K.
    variant : {"default", "paper"}, default="default"
        ``"paper"`` factorizes the raw anchor graphs of the views as they are: no joint slice, no slice weights, no
        degree normalisation, four steps of the scalar threshold, labels from the mean of H. Use :meth:`paper`.
    scale : {"auto", "standard", "rows", "max", "none"}, default="auto"
        Scaling of every view. ``"auto"`` decides from the data and gives every view two geometries.
    anchors : {"kmeans", "das", "variance", "random"} or array of row numbers, default="kmeans"
        How anchors are found. k-means anchors are shared by all views.
    n_anchors, n_neighbors : int or "auto", default="auto"
        Number of anchors (``max(500, 10 K)``, at most N) and of anchors tied to a row (the mean of the weights for
        10 and for 5).
    init : {"spectral", "qr", "identity", "random"} or array, default="spectral"
        Start of the factorization: medoid of spectral readings, pivoted QR (no randomness), the paper's identity,
        random labels; or labels (N,), or a matrix (N, K).
    coupling : {"shared", "clusters", "views", "samples"}, default="shared"
        Which matrices the tensor Schatten p-norm sees. ``"samples"`` is for rows with a real order (frames, time).
    view_transform : {"identity", "dft", "dct"}, default="identity"
        Orthogonality holds slice by slice in this domain along the views.
    lam : float or "auto", default="auto"
        Strength of the norm; ``"auto"`` is relative to the spectrum. Without effect when H is shared.
    p : float in (0, 1], default=0.5
        Power of the Schatten norm.
    mu, rho, eta : float, default=1, 1, 1.15
        Penalties at the start and their growth per iteration.
    max_iter, tol : int, float, default=200, 1e-2
        The loop stops when the largest entries of H - Q and Q - J are below ``tol * sqrt(K / N)``.
    n_init : int, default=4
        k-means starts for every reading of the spectrum.
    dtype : {"auto", "float32", "float64"}, default="auto"
        Type of what is kept per row; ``"auto"`` is float64 up to 5,000 rows. Small matrices are always float64.
    n_jobs : int or None, default=None
        Threads; None uses all cores. The result has the same bits for any number.
    block_rows : int, default=4096
        Rows handled at once.
    views : None, int, widths, or (start, stop) pairs, default=None
        How ONE table passed to :meth:`fit` is cut into views by columns.
    random_state : int, RandomState or None, default=None
        Seed of anchors and k-means.
    verbose : bool or callable, default=False
        True prints the stages; a callable receives ``(stage, done, total)``.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
    membership_ : ndarray of shape (n_samples, n_clusters)
        Share of every cluster in every row, rows summing to one.
    confidence_ : ndarray of shape (n_samples,)
        Largest minus second largest membership.
    view_weights_ : ndarray of shape (n_views,)
        Learnt without labels, summing to one.
    view_agreement_ : ndarray of shape (n_views,)
        Share of the clustering that the view's own graph keeps smooth, 0 to 1.
    history_ : dict of arrays
        Per iteration: objective, residual_HQ, residual_QJ, mu, rho.
    n_iter_, converged_ : int, bool
    indicator_ : ndarray of shape (n_slices, n_samples, n_clusters)
        The non-negative factor H.
    factors_ : ndarray of shape (n_frequencies, m, n_clusters)
        The small factor G.
    anchor_graph_, fusion_, anchor_membership_
        The fitted scaling, anchors, slice weights and anchors' memberships that :meth:`predict` uses.

    Examples
    --------
    >>> from manyview import SemiNTF
    >>> from manyview.datasets import make_views
    >>> data = make_views(n_samples=300, n_clusters=4, random_state=0)
    >>> model = SemiNTF(n_clusters=4, random_state=0).fit(data.views)
    >>> model.membership_.shape, model.predict(data.views)[:3].tolist() == model.labels_[:3].tolist()
    ((300, 4), True)
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        variant: str = "default",
        scale: str = "auto",
        anchors: Any = "kmeans",
        n_anchors: int | str = "auto",
        n_neighbors: int | str = "auto",
        init: Any = "spectral",
        coupling: str = "shared",
        view_transform: str = "identity",
        lam: float | str = "auto",
        p: float = 0.5,
        mu: float = 1.0,
        rho: float = 1.0,
        eta: float = 1.15,
        max_iter: int = 200,
        tol: float = 1e-2,
        n_init: int = 4,
        dtype: str = "auto",
        n_jobs: int | None = None,
        block_rows: int = 4096,
        views: Any = None,
        random_state: Any = None,
        verbose: Any = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
        self.scale = scale
        self.anchors = anchors
        self.n_anchors = n_anchors
        self.n_neighbors = n_neighbors
        self.init = init
        self.coupling = coupling
        self.view_transform = view_transform
        self.lam = lam
        self.p = p
        self.mu = mu
        self.rho = rho
        self.eta = eta
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.dtype = dtype
        self.n_jobs = n_jobs
        self.block_rows = block_rows
        self.views = views
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def paper(
        cls,
        n_clusters: int = 8,
        *,
        n_anchors: int | str = "auto",
        lam: float = 1e3,
        p: float = 0.7,
        axis: str = "views",
        **changes: Any,
    ) -> SemiNTF:
        """Algorithm 1 of the paper, to the letter.

        DAS anchors, PKN graph with 10 neighbours, DFT over the views, identity start, mu = rho = 1e-5, eta = 1.6,
        both stop conditions. ``axis="views"`` is the paper's text; ``axis="samples"`` is what the group's released
        programs do in the J-step, and makes the result depend on the order of the rows.

        Examples
        --------
        >>> from manyview import SemiNTF
        >>> SemiNTF.paper(n_clusters=4, n_anchors=24, lam=1e3, p=0.7, axis="views").coupling
        'views'
        """
        if axis not in ("views", "samples"):
            raise ValueError(f"axis must be 'views' or 'samples'; got {axis!r}.")
        settings: dict[str, Any] = {
            "variant": "paper",
            "scale": "max",
            "anchors": "das",
            "n_anchors": n_anchors,
            "init": "identity",
            "coupling": axis,
            "view_transform": "dft",
            "lam": lam,
            "p": p,
            "mu": 1e-5,
            "rho": 1e-5,
            "eta": 1.6,
            "max_iter": 100,
            "tol": 1e-3,
        }
        return cls(n_clusters, **(settings | changes))

    def fit(self, X: Any, y: Any = None) -> SemiNTF:
        """Cluster the rows of the views.

        Parameters
        ----------
        X : list or dict of tables, Views, or one table (cut by ``views``)
        y : ignored
        """
        check_parameters(self, CONSTRAINTS)
        views = check_views(X, ranges=self.views, estimator=self)
        check_sizes(len(views), self.n_clusters)
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        settings = resolve(self, len(views), seed)
        if self.coupling == "samples":
            warnings.warn(
                "coupling='samples' smooths the clusters along the order of the rows: the result depends on it. "
                "Use it only where the order means something (frames, time), or to reproduce published numbers.",
                RowOrderWarning,
                stacklevel=2,
            )
        with MemoryEngine(n_jobs=self.n_jobs, block_rows=self.block_rows).running() as engine:
            fitted = fit_semi_ntf(views, settings, engine, self._progress())
        return self._keep(fitted, settings)

    def _keep(self, fitted: Fitted, settings: Settings) -> SemiNTF:
        result = fitted.factorization
        found, self.labels_ = np.unique(fitted.labels, return_inverse=True)
        self.membership_ = fitted.membership[:, found]
        self.confidence_ = _margin(self.membership_)
        self.view_weights_, self.view_agreement_ = _per_view(fitted)
        self.history_ = {name: np.array(values) for name, values in result.history.items()}
        self.n_iter_, self.converged_ = result.n_iter, result.converged
        self.indicator_, self.factors_ = fitted.indicator, result.G
        self.anchor_graph_, self.fusion_ = fitted.graph, fitted.fusion
        self.anchor_membership_ = fitted.anchor_membership[:, found]
        if len(found) < self.n_clusters:
            warnings.warn(
                f"Found {len(found)} distinct clusters, fewer than n_clusters={self.n_clusters}; "
                "the rows may have fewer distinct values.",
                ConvergenceWarning,
                stacklevel=3,
            )
        if not result.converged:
            warnings.warn(
                f"The factorization stopped after max_iter={self.max_iter} iterations with residuals "
                f"{result.history['residual_HQ'][-1]:.2e} and {result.history['residual_QJ'][-1]:.2e}, above "
                f"tol * sqrt(K / N) = {settings.tol * np.sqrt(self.n_clusters / len(self.labels_)):.2e}. "
                "Raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    def transform(self, X: Any) -> FloatArray:
        """Membership (n, K) of new rows: from a row to its anchors, from the anchors to the clusters."""
        check_is_fitted(self)
        views = check_views(X, ranges=self.views, estimator=self, reset=False)
        with MemoryEngine(n_jobs=self.n_jobs, block_rows=self.block_rows).running() as engine:
            rows = engine.cut(row_blocks(views), len(views))
            return engine.collect(
                lambda block: membership_of(self.fusion_, self.anchor_membership_, self.anchor_graph_(block)), rows
            )

    def predict(self, X: Any) -> IntArray:
        """Cluster of every new row: the largest membership."""
        return self.transform(X).argmax(axis=1)

    def fit_transform(self, X: Any, y: Any = None) -> FloatArray:
        """Fit, and return the membership of the rows."""
        return self.fit(X).membership_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []  # memberships are float64, whatever came in
        return tags

    @property
    def _n_features_out(self) -> int:
        return int(self.membership_.shape[1])

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Names of the columns of :meth:`transform`."""
        check_is_fitted(self)
        return np.array([f"cluster{k}" for k in range(self._n_features_out)], dtype=object)

    def _progress(self) -> Progress:
        if callable(self.verbose):
            return self.verbose
        if self.verbose:
            return lambda stage, done, total: print(f"SemiNTF: {stage} {done}/{total}", file=sys.stderr)
        return lambda stage, done, total: None


def _margin(membership: FloatArray) -> FloatArray:
    if membership.shape[1] == 1:
        return np.ones(len(membership))
    top = np.partition(membership, -2, axis=1)
    return top[:, -1] - top[:, -2]


def _per_view(fitted: Fitted) -> tuple[FloatArray, FloatArray]:
    """Weights and agreement of the views, over their geometries."""
    names = fitted.graph.slices
    views = [name.view for name in names if name.view is not None]
    at = [index for index, name in enumerate(names) if name.view is not None]
    weights = np.bincount(views, weights=fitted.fusion.weights[at])
    agreement = np.bincount(views, weights=fitted.shares[at]) / np.bincount(views)
    return weights / weights.sum(), agreement
