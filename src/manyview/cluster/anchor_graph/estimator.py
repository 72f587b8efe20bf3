"""AnchorGraphClustering names the stages of a fit; AnchorClusterer labels, rates and explains rows by their results."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any, Literal, Self, overload

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from manyview.anchors import AnchorGraph
from manyview.cluster.anchor_graph.context import GRAPH_CONSTRAINTS, Anchors, engine_for
from manyview.cluster.anchor_graph.explanation import Explanation, explain
from manyview.cluster.anchor_graph.fusion import Fusion
from manyview.cluster.anchor_graph.incremental import absorb
from manyview.cluster.anchor_graph.label_matching import arrangement, renumber
from manyview.cluster.anchor_graph.membership import MembershipMap, Novelty, label_known_rows, without_outliers
from manyview.cluster.anchor_graph.recipe import Recipe
from manyview.cluster.anchor_graph.reliability import Assessment, Reliability, as_assessment, assess_rows
from manyview.cluster.anchor_graph.stages import build_graphs_for_k, keep_results, label_by_consensus, running_fit
from manyview.cluster.base import Clusterer, RandomState
from manyview.cluster.checks import all_or_nothing, check_parameters, refuse_second_table, warn_of_lost_clusters
from manyview.cluster.progress import Progress
from manyview.engine import BLOCK_ROWS, Engine, EngineName, Rows
from manyview.geometry import Scale
from manyview.kernels.arrays import FloatArray, IntArray
from manyview.views import Views, ViewsLike, check_views
from manyview.views.blocks import RowBlock, row_blocks
from manyview.views.output import as_given
from manyview.views.ranges import Ranges
from manyview.views.sources import ArrayViews


class AnchorClusterer(TransformerMixin, Clusterer):
    """A clustering method whose result is a map from a row through its anchors to the clusters."""

    membership_: FloatArray
    anchor_graph_: AnchorGraph
    fusion_: Fusion
    anchor_membership_: FloatArray
    reliability_: Reliability
    novelty_: Novelty
    label_outliers: bool = False  # a parameter of those that have it

    def fit_transform(self, X: ViewsLike, y: Any = None) -> Any:
        """Fit, and return the memberships in the form of :meth:`transform`.

        Parameters
        ----------
        X, y : as for :meth:`fit`

        Returns
        -------
        ndarray of shape (n_samples, n_clusters), or DataFrame
        """
        self.fit(X, y)
        return self._memberships(self.membership_, self.sample_ids_, self.input_library_)

    def transform(self, X: ViewsLike) -> Any:
        """Return the membership of new rows: from a row to its anchors, from the anchors to the clusters.

        Parameters
        ----------
        X : as for :meth:`fit`

        Returns
        -------
        ndarray of shape (n_samples, n_clusters), or DataFrame
            A DataFrame with the ids if frames came in; a memory-mapped or Dask array where the engine keeps rows.
        """
        membership, views = self._read_rows(X, lambda members, engine, rows: engine.persist(members.membership, rows))
        return self._memberships(membership, views.ids, views.library)

    @overload
    def predict(self, X: ArrayViews) -> IntArray: ...
    @overload
    def predict(self, X: ViewsLike) -> Any: ...
    def predict(self, X: ViewsLike) -> Any:
        """Return the cluster of every new row, the one with the largest membership.

        Parameters
        ----------
        X : as for :meth:`fit`

        Returns
        -------
        ndarray of shape (n_samples,), or Series
            A Series with the ids if frames came in; -1 for an outlier if ``label_outliers``.
        """

        def read(members: MembershipMap, engine: Engine, rows: Rows[RowBlock]) -> Any:
            if not self.label_outliers:
                return engine.collect(members.labels, rows)
            novelty = self.novelty_
            return engine.collect(lambda block: label_known_rows(members, novelty, block), rows)

        labels, views = self._read_rows(X, read)
        return labels if views.library is None else as_given(labels, views.ids, views.library)

    def assess(self, X: ViewsLike) -> Assessment:
        """Label new rows, with their confidence and novelty, and what each view says about them.

        Parameters
        ----------
        X : as for :meth:`fit`

        Returns
        -------
        Assessment
            Confidence is how clearly a row is in its cluster rather than in another; novelty is its distance to its
            anchors beside that of the rows of the fit. A row beyond 1 is an outlier.

        Examples
        --------
        >>> from manyview import AnchorGraphClustering, datasets
        >>> data = datasets.make_views(n_samples=200, n_clusters=3, random_state=0)
        >>> model = AnchorGraphClustering(n_clusters=3, random_state=0).fit(data.views)
        >>> model.assess({name: view[:5] for name, view in data.views.items()}).view_labels.shape
        (5, 3)
        """

        def read(members: MembershipMap, engine: Engine, rows: Rows[RowBlock]) -> Any:
            reliability, novelty = self.reliability_, self.novelty_
            return engine.collect(lambda block: assess_rows(members, reliability, novelty, block), rows)

        found = as_assessment(self._read_rows(X, read)[0])
        return found._replace(labels=without_outliers(found.labels, found.novelty)) if self.label_outliers else found

    def score(self, X: ViewsLike, y: Any = None) -> float:
        """Return the mean confidence of the rows, 0 to 1: higher is better, and no labels are needed.

        A single cluster separates nothing and scores 0. The score compares parameters for the same number of clusters,
        as in a grid search; :func:`manyview.model_selection.select` chooses the number.

        Parameters
        ----------
        X, y : as for :meth:`fit`

        Returns
        -------
        float

        Examples
        --------
        >>> from sklearn.model_selection import GridSearchCV
        >>> from manyview import AnchorGraphClustering, Views, datasets
        >>> data = datasets.make_views(n_samples=120, n_clusters=3, random_state=0)
        >>> search = GridSearchCV(AnchorGraphClustering(3, random_state=0), {"scale": ["standard", "none"]}, cv=2)
        >>> bool(0 < search.fit(Views.from_tables(data.views)).best_score_ <= 1)
        True
        """
        check_is_fitted(self)
        if len(self.reliability_.centers) == 1:
            return 0.0
        return float(self.assess(X).confidence.mean())

    def explain(self, X: ViewsLike, *, n_prototypes: int = 5, n_features: int = 5) -> Explanation:
        """Explain every cluster by the views that hold it together, its prototypes, and the features that set it apart.

        Parameters
        ----------
        X : as for :meth:`fit`
            The rows of the fit. Columns of DataFrames name the features, the index names the rows.
        n_prototypes, n_features : int
            How many rows and anchors per cluster, and features per cluster and view, are named.

        Returns
        -------
        Explanation
            Frozen; ``print`` it, or take ``to_dict()``.

        Examples
        --------
        >>> from manyview import AnchorGraphClustering, datasets
        >>> views = datasets.make_views(n_samples=200, n_clusters=3, widths=(4, 6), random_state=0).views
        >>> cluster = AnchorGraphClustering(n_clusters=3, random_state=0).fit(views).explain(views).clusters[0]
        >>> max(cluster.views, key=lambda view: view.effect).view in ("view_0", "view_1")
        True
        """
        return explain(self, X, n_prototypes=n_prototypes, n_features=n_features)

    def _memberships(self, membership: Any, ids: Any, library: str | None) -> Any:
        return as_given(membership, ids, library, columns=list(self.get_feature_names_out()))

    def _read_rows(self, X: Any, read: Callable[[MembershipMap, Engine, Rows[RowBlock]], Any]) -> tuple[Any, Views]:
        if not hasattr(self, "anchor_graph_"):
            check_is_fitted(self)  # raises; asking it every time would take longer than labeling a row
        given = check_views(X, ranges=self.views, estimator=self, reset=False, lazy=True, rows_may_miss=True)
        views, engine = engine_for(self, given)
        members = MembershipMap(self.anchor_graph_, self.fusion_, self.anchor_membership_)
        with engine.running():
            return read(members, engine, engine.partition(row_blocks(views), len(views))), given

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # memberships are float64, whatever came in
        return tags

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the columns of :meth:`transform`.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        return np.array([f"cluster{k}" for k in range(self.membership_.shape[1])], dtype=object)


class AnchorGraphClustering(AnchorClusterer):
    """Multi-view clustering by a consensus of spectral labelings of fused anchor graphs.

    Every view becomes sparse anchor graphs; the graphs of all views are fused, and rows are labeled in several
    diffusion embeddings of the fused graph. One labeling is chosen without labels, and the others vote on it. The
    result is a map from a row through its anchors to the clusters, which labels new rows, too.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters K. ``"auto"`` chooses it from stability under subsampling and the spectrum of the graph;
        ``selection_`` then has the curve and the reason. See :func:`manyview.model_selection.select`.
    scale : {"auto", "standard", "rows", "max", "none"}, default="auto"
        Scaling of every view. ``"auto"`` decides from the data and gives every view two geometries.
    anchors : {"kmeans", "das", "variance", "random"} or array of row numbers, default="kmeans"
        How anchors are chosen. k-means anchors are shared by all views.
    n_anchors, n_neighbors : int or "auto", default="auto"
        Number of anchors, and of anchors tied to a row. ``"auto"`` is ``max(500, 10 K)`` anchors, more beyond 5,000
        rows and at most N; and the mean of the weights for 10 and for 5 neighbors. ``n_anchors`` must be ``"auto"``
        where ``anchors`` is an array.
    dtype : {"auto", "float32", "float64"}, default="auto"
        Type of what is kept per row; ``"auto"`` is float64 up to 5,000 rows. Small matrices are always float64.
    engine : {"auto", "memory", "disk", "dask"}, default="auto"
        Where row blocks live; the result has the same bits everywhere for the same ``block_rows``. ``"auto"`` looks at
        the input: Dask collections, and tables on disk while a ``distributed.Client`` is active, go to ``"dask"``,
        other tables on disk (paths, memory maps, Arrow data sets) to ``"disk"``, the rest to ``"memory"``. With
        ``"disk"``, ``membership_``, ``confidence_`` and ``embedding_`` are memory-mapped arrays, with ``"dask"`` they
        are Dask arrays.
    block_rows : int, default=16384
        Number of rows per block.
    scratch : path or None, default=None
        Directory of the disk engine's blocks, for ``engine="auto"`` or ``"disk"``; None is that of temporary files.
    n_jobs : int or None, default=None
        Threads as in joblib: -1 uses all cores; None is 1, or what ``joblib.parallel_config`` says. The result has
        the same bits for any number.
    views : None, int, widths, or (start, stop) pairs, default=None
        How the columns of ONE table passed to :meth:`fit` are divided into views.
    label_outliers : bool, default=False
        Whether rows beyond 1 in ``outlier_score_``, and new rows that far, get the label -1.
    recipe : Recipe or None, default=None
        Constants of the method; None is the default :class:`Recipe`. Meant for ablations.
    random_state : int, RandomState or None, default=None
        Seed of anchors and k-means.
    verbose : bool or callable, default=False
        True prints the stages; a callable receives ``(stage, done, total)``.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of every sample.
    membership_ : ndarray of shape (n_samples, n_clusters)
        Share of every cluster in every sample; rows sum to one.
    embedding_ : ndarray of shape (n_samples, n_components)
        Diffusion embedding of the samples in the fused graph, at most ``n_clusters`` columns, unit rows.
    confidence_ : ndarray of shape (n_samples,)
        Margin between a sample's cluster and the runner-up in the embedding, 0 to 1; higher is more certain. It ranks
        samples; it is not a probability.
    outlier_score_ : ndarray of shape (n_samples,)
        Distance of a sample to its nearest anchors; 1 is the outer fence of all samples' distances, three
        interquartile ranges beyond the third quartile.
    views_disagree_ : ndarray of bool, shape (n_samples,)
        Whether more than half of the weight of the views is for another cluster than the label.
    view_labels_ : ndarray of shape (n_samples, n_views)
        Cluster that every view would choose for the sample; -1 where it has no opinion.
    cluster_stability_ : ndarray of shape (n_clusters,)
        Mean Jaccard index of a cluster with the closest cluster that random subsamples lead to.
    view_weights_ : ndarray of shape (n_views,)
        Weights of the views, summing to one; 0 for a view that was left out.
    view_agreement_ : ndarray of shape (n_views,)
        Smoothness of the labels on the view's own graph, beyond chance, 0 to 1.
    views_left_out_ : list of str
        Views that are unrelated to the clusters that the others show; a :class:`NoiseViewWarning` names them.
    sample_ids_ : ndarray of shape (n_samples,) or None
        Ids of the samples, where the views carry them; every result per sample is in this order.
    n_clusters_ : int
        K as given or chosen.
    selection_ : Selection or None
        With ``n_clusters="auto"``: the choice, the curve behind it, and the reason.
    anchor_graph_, fusion_, anchor_membership_, reliability_, novelty_
        The small parts that :meth:`predict` and :meth:`assess` use.

    Examples
    --------
    >>> from manyview import AnchorGraphClustering, datasets
    >>> data = datasets.make_views(n_samples=300, n_clusters=4, random_state=0)
    >>> model = AnchorGraphClustering(n_clusters=4, random_state=0).fit(data.views)
    >>> bool((model.predict(data.views) == model.labels_).all())
    True
    >>> model.transform(data.views).shape, model.get_feature_names_out()[0]
    ((300, 4), 'cluster0')
    """

    def __init__(
        self,
        n_clusters: int | Literal["auto"] = 8,
        *,
        scale: Scale = "auto",
        anchors: Anchors = "kmeans",
        n_anchors: int | Literal["auto"] = "auto",
        n_neighbors: int | Literal["auto"] = "auto",
        dtype: Literal["auto", "float32", "float64"] = "auto",
        engine: Literal["auto"] | EngineName = "auto",
        block_rows: int = BLOCK_ROWS,
        scratch: str | PathLike[str] | None = None,
        n_jobs: int | None = None,
        views: Ranges = None,
        label_outliers: bool = False,
        recipe: Recipe | None = None,
        random_state: RandomState = None,
        verbose: bool | Progress = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.scale = scale
        self.anchors = anchors
        self.n_anchors = n_anchors
        self.n_neighbors = n_neighbors
        self.dtype = dtype
        self.engine = engine
        self.block_rows = block_rows
        self.scratch = scratch
        self.n_jobs = n_jobs
        self.views = views
        self.label_outliers = label_outliers
        self.recipe = recipe
        self.random_state = random_state
        self.verbose = verbose

    @all_or_nothing
    def fit(self, X: ViewsLike, y: Any = None, *, match_to: Any = None) -> Self:
        """Cluster the rows of the views.

        Parameters
        ----------
        X : list or dict of tables, Views, or one table (divided by ``views``)
            Tables in memory, paths of ``.npy`` or Parquet files, Arrow data sets, or Dask collections. A row of NaN,
            or without entries in a sparse table, is a view that the sample lacks: the others decide.
        y : ignored
        match_to : fitted model, labels of the first rows (-1: unknown), or Series of labels by id; optional
            An earlier clustering of the same samples, or of some of them: clusters keep its numbers.
        """
        refuse_second_table(y)
        check_parameters(self, GRAPH_CONSTRAINTS)
        with running_fit(self, X) as (views, context):
            draw, context, self.selection_ = build_graphs_for_k(self, views, context)
            # here, so that labels that cannot be matched are refused before the work
            arrange = None if match_to is None else arrangement(match_to, X, views, context.settings.n_clusters)
            embedded, labels, _, chance = label_by_consensus(views, draw, context)
            if arrange is not None:
                labels = renumber(labels, arrange, context.engine)
            keep_results(self, embedded, labels, context, chance=chance)
        warn_of_lost_clusters(len(self.cluster_sizes_), self.n_clusters_, matched=match_to is not None)
        return self

    @all_or_nothing
    def partial_fit(self, X: ViewsLike, y: Any = None) -> Self:
        """Add a batch of rows: anchors and weights stay, the sums behind the membership map grow.

        The first batch is fitted. After a later one ``labels_``, ``membership_``, ``embedding_``, ``confidence_`` and
        ``outlier_score_`` are those of the batch; ``cluster_sizes_`` and ``anchor_membership_`` are over all rows seen.

        Parameters
        ----------
        X, y : as for :meth:`fit`

        Examples
        --------
        >>> from manyview import AnchorGraphClustering, datasets
        >>> views = datasets.make_views(n_samples=300, n_clusters=3, random_state=0).views
        >>> model = AnchorGraphClustering(n_clusters=3, random_state=0)
        >>> for rows in (slice(200), slice(200, 250), slice(250, 300)):
        ...     model = model.partial_fit({name: view[rows] for name, view in views.items()})
        >>> len(model.labels_), int(model.cluster_sizes_.sum())
        (50, 300)
        """
        refuse_second_table(y)
        if not hasattr(self, "anchor_graph_"):
            return self.fit(X)
        views = check_views(X, ranges=self.views, estimator=self, reset=False, lazy=True, rows_may_miss=True)
        grown, of_batch = absorb(self, *engine_for(self, views))
        self.sample_ids_ = views.ids
        self.labels_, self.membership_, self.embedding_, self.confidence_, self.outlier_score_ = of_batch
        if self.label_outliers:
            self.labels_ = without_outliers(self.labels_, self.outlier_score_)
        self.fusion_, self.anchor_membership_, self.cluster_sizes_ = grown
        return self
