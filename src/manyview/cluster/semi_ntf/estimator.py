"""SemiNTF, the estimator: parameters, attributes, and the scikit-learn manners around the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from manyview.cluster.parameters import check_parameters, check_sizes
from manyview.cluster.semi_ntf import cautions
from manyview.cluster.semi_ntf.attribution import Explanation, explain
from manyview.cluster.semi_ntf.automatic import FEWEST, first_settings, settle
from manyview.cluster.semi_ntf.checkpoint import checkpoint_for
from manyview.cluster.semi_ntf.constraints import CONSTRAINTS
from manyview.cluster.semi_ntf.continuity import arrangement
from manyview.cluster.semi_ntf.doubt import Assessment
from manyview.cluster.semi_ntf.engines import chosen_engine, engine_for
from manyview.cluster.semi_ntf.graphs import build_graphs, reporter
from manyview.cluster.semi_ntf.growth import absorb
from manyview.cluster.semi_ntf.memory import require_room
from manyview.cluster.semi_ntf.model import Fitted, fit_semi_ntf
from manyview.cluster.semi_ntf.n_clusters import Selection
from manyview.cluster.semi_ntf.noise import without_noise
from manyview.cluster.semi_ntf.reader import Reader, assessment
from manyview.cluster.semi_ntf.settings import PAPER, Settings
from manyview.cluster.transaction import all_or_nothing
from manyview.engine import BLOCK_ROWS, Engine, Rows
from manyview.kernels.arrays import FloatArray, IntArray
from manyview.views import check_views
from manyview.views.blocks import RowBlock, row_blocks


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
    n_clusters : int or "auto", default=8
        Number of clusters K. ``"auto"`` chooses it from stability under resampling and the spectrum of the graph;
        ``selection_`` then has the curve and the reason. See :func:`manyview.model_selection.select`.
    variant : {"default", "paper"}, default="default"
        ``"paper"`` factorizes the raw anchor graphs of the views as they are: no joint slice, no slice weights, no
        degree normalization, four steps of the scalar threshold, labels from the mean of H. Use :meth:`paper`.
    scale : {"auto", "standard", "rows", "max", "none"}, default="auto"
        Scaling of every view. ``"auto"`` decides from the data and gives every view two geometries.
    anchors : {"kmeans", "das", "variance", "random"} or array of row numbers, default="kmeans"
        How anchors are found. k-means anchors are shared by all views.
    n_anchors, n_neighbors : int or "auto", default="auto"
        Number of anchors (``max(500, 10 K)``, at most N) and of anchors tied to a row (the mean of the weights for
        10 and for 5).
    init : {"spectral", "qr", "identity", "random"} or array, default="spectral"
        Start of the factorization: the best of several spectral readings, pivoted QR (no randomness), the paper's
        identity, random labels; or labels (N,), or a matrix (N, K).
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
    n_init : int, default=2
        k-means starts for every reading of the spectrum.
    dtype : {"auto", "float32", "float64"}, default="auto"
        Type of what is kept per row; ``"auto"`` is float64 up to 5,000 rows. Small matrices are always float64.
    n_jobs : int or None, default=None
        Threads; None uses all cores. The result has the same bits for any number.
    block_rows : int, default=16384
        Rows handled at once.
    engine : {"auto", "memory", "disk", "dask"}, default="auto"
        Where row blocks live; the result has the same bits everywhere for the same ``block_rows``. ``"auto"`` looks at
        the input: Dask collections, and tables on disk while a ``distributed.Client`` is active, go to ``"dask"``,
        other tables on disk (paths, memory maps, Arrow data sets) to ``"disk"``, the rest to ``"memory"``. What has
        a row per sample stays there: with ``"disk"`` ``membership_``, ``confidence_`` and ``indicator_`` are
        memory-mapped arrays, with ``"dask"`` Dask arrays.
    scratch : path or None, default=None
        Directory in which the disk engine keeps its blocks; None is the directory of temporary files.
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
        How clear the case of a row is, 0 to 1: how much nearer its own cluster is than the next, in the spectral
        embedding. It ranks rows; it is no probability. (The paper's variant: largest minus second largest membership.)
    views_disagree_ : ndarray of bool, shape (n_samples,)
        Whether more than half of the views' weight stands behind another cluster than the label.
    cluster_stability_ : ndarray of shape (n_clusters,)
        Mean Jaccard index of a cluster with the closest one that random parts of the rows lead to.
    view_weights_ : ndarray of shape (n_views,)
        Summing to one; 0 for a view that was left out.
    view_agreement_ : ndarray of shape (n_views,)
        Share of the clustering that the view's own graph keeps smooth, beyond chance, 0 to 1.
    views_left_out_ : list of str
        Views that say next to nothing about the clusters that the others see; a :class:`NoiseViewWarning` names them.
    n_clusters_ : int
        K as given or chosen.
    selection_ : Selection or None
        With ``n_clusters="auto"``: the choice, the curve it was read from, and the reason.
    history_, n_iter_, converged_ : dict of arrays, int, bool
        Per iteration: objective, residual_HQ, residual_QJ, mu, rho.
    indicator_ : ndarray of shape (n_slices, n_samples, n_clusters)
        The non-negative factor H.
    factors_ : ndarray of shape (n_frequencies, m, n_clusters)
        The small factor G.
    anchor_graph_, fusion_, anchor_membership_, doubt_
        The small parts that :meth:`predict` and :meth:`assess` use.

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
        n_clusters: int | str = 8,
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
        n_init: int = 2,
        dtype: str = "auto",
        n_jobs: int | None = None,
        block_rows: int = BLOCK_ROWS,
        engine: str = "auto",
        scratch: Any = None,
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
        self.engine = engine
        self.scratch = scratch
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

        ``axis="views"`` is the paper's text; ``axis="samples"`` is what the group's released programs do in the
        J-step, and makes the result depend on the order of the rows.

        Examples
        --------
        >>> from manyview import SemiNTF
        >>> SemiNTF.paper(n_clusters=4, n_anchors=24, lam=1e3, p=0.7, axis="views").coupling
        'views'
        """
        if axis not in ("views", "samples"):
            raise ValueError(f"axis must be 'views' or 'samples'; got {axis!r}.")
        return cls(n_clusters, **(PAPER | {"n_anchors": n_anchors, "coupling": axis, "lam": lam, "p": p} | changes))

    @all_or_nothing
    def fit(
        self, X: Any, y: Any = None, *, checkpoint: Any = None, checkpoint_every: int = 10, match_to: Any = None
    ) -> SemiNTF:
        """Cluster the rows of the views.

        Parameters
        ----------
        X : list or dict of tables, Views, or one table (cut by ``views``)
            Tables in memory, paths of ``.npy`` or Parquet files, Arrow data sets, or Dask collections. A row of NaN,
            or without entries in a sparse table, is a view that the sample lacks: the others decide.
        y : ignored
        checkpoint : path, optional
            Directory in which the state is kept every ``checkpoint_every`` iterations. A fit that was killed, called
            again with the same data and parameters, goes on from there and ends with the same bits.
        checkpoint_every : int, default=10
        match_to : fitted model, labels of the first rows (-1: unknown), or Series of labels by id; optional
            An earlier clustering of the same samples, or of some of them: clusters keep its numbers.
        """
        check_parameters(self, CONSTRAINTS)
        views = check_views(X, ranges=self.views, estimator=self, lazy=True, rows_may_miss=True)
        automatic = self.n_clusters == "auto"
        check_sizes(len(views), FEWEST if automatic else int(self.n_clusters))
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        settings, selection = first_settings(self, len(views), seed), None
        cautions.of_row_order(self.coupling)
        engine_name = chosen_engine(self.engine, views)
        require_room(engine_name, settings, views, self)
        views, engine = engine_for(self, views)
        progress = reporter(self.verbose)
        keeping = checkpoint_for(self, views, settings, checkpoint, checkpoint_every)
        with engine.running(), keeping as keeper:
            built = build_graphs(views, settings, engine, progress)
            if automatic:
                built, settings, selection = settle(self, views, built, settings, engine, progress)
                require_room(engine_name, settings, views, self)
            built = without_noise(views, built, settings, engine, progress)
            arrange = arrangement(match_to, X, views, settings.n_clusters)
            fitted = fit_semi_ntf(built, settings, engine, progress, keeper=keeper, arrange=arrange)
        self._keep(fitted, settings, selection)
        cautions.of_result(fitted, settings, matched=match_to is not None)
        return self

    def _keep(self, fitted: Fitted, settings: Settings, selection: Selection | None) -> None:
        result, found = fitted.factorization, fitted.found
        self.n_clusters_, self.selection_ = settings.n_clusters, selection
        self.labels_: IntArray = np.searchsorted(found, fitted.labels)
        self.membership_, self.confidence_ = fitted.membership, fitted.confidence
        self.view_weights_, self.view_agreement_ = fitted.view_weights(), fitted.view_agreement()
        self.views_left_out_ = [self.view_names_[v] for v in fitted.graph.geometry.left_out]
        self.history_ = {name: np.array(values) for name, values in result.history.items()}
        self.n_iter_, self.converged_ = result.n_iter, result.converged
        self.indicator_, self.factors_ = fitted.indicator, result.G
        self.anchor_graph_, self.fusion_ = fitted.graph, fitted.fusion
        self.anchor_membership_ = fitted.anchor_membership[:, found]
        self.cluster_sizes_: IntArray = np.bincount(self.labels_, minlength=len(found))
        self.doubt_, self.views_disagree_ = fitted.doubt, fitted.views_disagree
        self.cluster_stability_ = fitted.doubt.cluster_stability

    def transform(self, X: Any) -> FloatArray:
        """Membership (n, K) of new rows: from a row to its anchors, from the anchors to the clusters."""
        return self._read_rows(X, lambda reader, engine, rows: engine.persist(reader.membership, rows))

    def predict(self, X: Any) -> IntArray:
        """Cluster of every new row, of the largest membership."""
        return self._read_rows(X, lambda reader, engine, rows: engine.collect(reader.labels, rows))

    def assess(self, X: Any) -> Assessment:
        """Labels of new rows with their confidence, the cluster each view would choose, and where they contradict.

        Examples
        --------
        >>> from manyview import SemiNTF
        >>> from manyview.datasets import make_views
        >>> data = make_views(n_samples=200, n_clusters=3, random_state=0)
        >>> model = SemiNTF(n_clusters=3, random_state=0).fit(data.views)
        >>> assessment = model.assess({name: view[:5] for name, view in data.views.items()})
        >>> assessment.confidence.shape, assessment.view_labels.shape, bool(assessment.views_disagree.any())
        ((5,), (5, 3), False)
        """
        return assessment(self._read_rows(X, lambda reader, engine, rows: engine.collect(reader.assessed, rows)))

    def explain(self, X: Any, *, n_prototypes: int = 5, n_features: int = 5) -> Explanation:
        """Why every cluster is one: the views that hold it together, its prototypes, the features that set it apart.

        Parameters
        ----------
        X : as for :meth:`fit`
            The rows of the fit. Columns of DataFrames give the features their names, the index gives rows theirs.
        n_prototypes, n_features : int
            How many rows and anchors per cluster, and features per cluster and view, are named.

        Returns
        -------
        Explanation
            Frozen; ``print`` it, or take ``to_dict()``.

        Examples
        --------
        >>> from manyview import SemiNTF
        >>> from manyview.datasets import make_views
        >>> data = make_views(n_samples=200, n_clusters=3, widths=(4, 6), random_state=0)
        >>> model = SemiNTF(n_clusters=3, random_state=0).fit(data.views)
        >>> cluster = model.explain(data.views).clusters[0]
        >>> max(cluster.views, key=lambda view: view.effect).view in ("view_0", "view_1")
        True
        """
        return explain(self, X, n_prototypes=n_prototypes, n_features=n_features)

    @all_or_nothing
    def partial_fit(self, X: Any, y: Any = None) -> SemiNTF:
        """Take in a further batch of rows: anchors and weights stay, the sums that labels are read from grow.

        The first batch is fitted. After a later one ``labels_``, ``membership_`` and ``confidence_`` are those of the
        batch, ``cluster_sizes_`` and ``anchor_membership_`` are over all rows seen.

        Examples
        --------
        >>> from manyview import SemiNTF
        >>> from manyview.datasets import make_views
        >>> views = make_views(n_samples=300, n_clusters=3, random_state=0).views
        >>> model = SemiNTF(n_clusters=3, random_state=0)
        >>> for first in (0, 200, 250):
        ...     stop = 200 if first == 0 else first + 50
        ...     model = model.partial_fit({name: view[first:stop] for name, view in views.items()})
        >>> len(model.labels_), int(model.cluster_sizes_.sum())
        (50, 300)
        """
        if not hasattr(self, "anchor_graph_"):
            return self.fit(X)
        if self.variant == "paper" or self.coupling != "shared":
            raise ValueError("partial_fit needs the default variant and coupling='shared'.")
        views = check_views(X, ranges=self.views, estimator=self, reset=False, lazy=True, rows_may_miss=True)
        grown, self.labels_, self.membership_, self.confidence_ = absorb(self, *engine_for(self, views))
        self.fusion_, self.anchor_membership_, self.cluster_sizes_ = grown
        return self

    def _read_rows(self, X: Any, read: Callable[[Reader, Engine, Rows[RowBlock]], Any]) -> Any:
        check_is_fitted(self)
        views = check_views(X, ranges=self.views, estimator=self, reset=False, lazy=True, rows_may_miss=True)
        views, engine = engine_for(self, views)
        reader = Reader(self.anchor_graph_, self.fusion_, self.anchor_membership_, self.doubt_)
        with engine.running():
            return read(reader, engine, engine.partition(row_blocks(views), len(views)))

    def fit_transform(self, X: Any, y: Any = None) -> FloatArray:
        """Fit, and return the memberships."""
        return self.fit(X).membership_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []  # memberships are float64, whatever came in
        return tags

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Names of the columns of :meth:`transform`."""
        check_is_fitted(self)
        return np.array([f"cluster{k}" for k in range(self.membership_.shape[1])], dtype=object)
