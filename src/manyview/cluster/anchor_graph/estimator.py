"""AnchorGraphClustering, the estimator: it names the stages and keeps their results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from manyview.cluster.anchor_graph.candidates import beyond_chance, label_sizes, label_smoothness, mean_over_geometries
from manyview.cluster.anchor_graph.consensus import Consensus, find_consensus
from manyview.cluster.anchor_graph.constraints import GRAPH_CONSTRAINTS
from manyview.cluster.anchor_graph.context import MIN_CLUSTERS, FitContext, reporter, resolve
from manyview.cluster.anchor_graph.embedding import EmbeddedRows, consensus_labels, embed_consensus
from manyview.cluster.anchor_graph.explanation import Explanation, explain
from manyview.cluster.anchor_graph.fusion import slice_degrees, weights_from_smoothness
from manyview.cluster.anchor_graph.graphs import build_graphs, of_sample
from manyview.cluster.anchor_graph.incremental import absorb
from manyview.cluster.anchor_graph.label_matching import arrangement, renumber
from manyview.cluster.anchor_graph.membership import MembershipMap, read_through_anchors
from manyview.cluster.anchor_graph.memory import require_room
from manyview.cluster.anchor_graph.n_clusters import Selection, choose_n_clusters
from manyview.cluster.anchor_graph.noise_views import drop_noise_views
from manyview.cluster.anchor_graph.recipe import Recipe
from manyview.cluster.anchor_graph.reliability import (
    Assessment,
    as_assessment,
    assess_rows,
    embed,
    measure_reliability,
)
from manyview.cluster.engines import chosen_engine, engine_for
from manyview.cluster.fit_warnings import warn_of_lost_clusters
from manyview.cluster.parameters import check_parameters, check_sizes
from manyview.cluster.transaction import all_or_nothing
from manyview.engine import BLOCK_ROWS, Engine, Rows
from manyview.kernels.arrays import FloatArray, IntArray
from manyview.kernels.spectral import unit_rows
from manyview.views import check_views
from manyview.views.blocks import RowBlock, row_blocks


class AnchorGraphClustering(ClusterMixin, TransformerMixin, BaseEstimator):
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
        Number of anchors (``max(500, 10 K)``, at most N), and of anchors tied to a row (the mean of the weights for
        10 and for 5).
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
        Directory in which the disk engine keeps its blocks; None is the directory for temporary files.
    n_jobs : int or None, default=None
        Number of threads; None uses all cores. The result has the same bits for any number.
    views : None, int, widths, or (start, stop) pairs, default=None
        How the columns of ONE table passed to :meth:`fit` are divided into views.
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
    views_disagree_ : ndarray of bool, shape (n_samples,)
        Whether more than half of the weight of the views is for another cluster than the label.
    cluster_stability_ : ndarray of shape (n_clusters,)
        Mean Jaccard index of a cluster with the closest cluster that random subsamples lead to.
    view_weights_ : ndarray of shape (n_views,)
        Weights of the views, summing to one; 0 for a view that was left out.
    view_agreement_ : ndarray of shape (n_views,)
        Smoothness of the labels on the view's own graph, beyond chance, 0 to 1.
    views_left_out_ : list of str
        Views that are unrelated to the clusters that the others show; a :class:`NoiseViewWarning` names them.
    n_clusters_ : int
        K as given or chosen.
    selection_ : Selection or None
        With ``n_clusters="auto"``: the choice, the curve behind it, and the reason.
    anchor_graph_, fusion_, anchor_membership_, reliability_
        The small parts that :meth:`predict` and :meth:`assess` use.

    Examples
    --------
    >>> from manyview import AnchorGraphClustering
    >>> from manyview.datasets import make_views
    >>> data = make_views(n_samples=300, n_clusters=4, random_state=0)
    >>> model = AnchorGraphClustering(n_clusters=4, random_state=0).fit(data.views)
    >>> model.membership_.shape, model.predict(data.views)[:3].tolist() == model.labels_[:3].tolist()
    ((300, 4), True)
    """

    def __init__(
        self,
        n_clusters: int | Literal["auto"] = 8,
        *,
        scale: Literal["auto", "standard", "rows", "max", "none"] = "auto",
        anchors: Any = "kmeans",
        n_anchors: int | Literal["auto"] = "auto",
        n_neighbors: int | Literal["auto"] = "auto",
        dtype: Literal["auto", "float32", "float64"] = "auto",
        engine: Literal["auto", "memory", "disk", "dask"] = "auto",
        block_rows: int = BLOCK_ROWS,
        scratch: Any = None,
        n_jobs: int | None = None,
        views: Any = None,
        recipe: Recipe | None = None,
        random_state: Any = None,
        verbose: Any = False,
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
        self.recipe = recipe
        self.random_state = random_state
        self.verbose = verbose

    @all_or_nothing
    def fit(self, X: Any, y: Any = None, *, match_to: Any = None) -> AnchorGraphClustering:
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
        check_parameters(self, GRAPH_CONSTRAINTS)
        views = check_views(X, ranges=self.views, estimator=self, lazy=True, rows_may_miss=True)
        automatic, selection = self.n_clusters == "auto", None
        K = MIN_CLUSTERS if automatic else int(self.n_clusters)
        check_sizes(len(views), K)
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        settings, engine_name = resolve(self, len(views), seed, n_clusters=K), chosen_engine(self.engine, views)
        require_room(engine_name, settings, views, self)
        views, engine = engine_for(self, views)
        context = FitContext(engine, settings, reporter(self))
        with engine.running():
            draw = build_graphs(views, context)
            if automatic:
                draw, context, selection = choose_n_clusters(self, draw, context)
                require_room(engine_name, context.settings, views, self)
            draw, initial = drop_noise_views(views, draw, context)
            arrange = arrangement(match_to, X, views, context.settings.n_clusters)
            consensus = find_consensus(draw, initial, context)
            embedded = embed_consensus(consensus, context)
            labels = consensus_labels(consensus, embedded, context)
            if arrange is not None:
                labels = renumber(labels, arrange, engine)
            self._keep(consensus, embedded, labels, context)
        self.n_clusters_, self.selection_ = context.settings.n_clusters, selection
        warn_of_lost_clusters(len(self.cluster_sizes_), self.n_clusters_, matched=match_to is not None)
        return self

    def _keep(
        self, consensus: Consensus, embedded: EmbeddedRows, labels: Rows[IntArray], context: FitContext
    ) -> None:
        context.progress("labels", 0, 1)
        engine, K, power = context.engine, context.settings.n_clusters, context.recipe.smoothness_power
        draw, fusion, basis = embedded.draw, embedded.fusion, embedded.basis
        # measured on the labels of the consensus, before the anchors smooth them
        b = label_smoothness(
            of_sample(labels, draw, engine),
            slice_degrees(draw.graph, draw.sample, engine),
            draw.sample,
            engine,
            K,
        )
        read = read_through_anchors(embedded.graphs, labels, fusion, engine, K)
        found = np.flatnonzero(label_sizes(read.labels, engine, K))
        known = engine.map(lambda block: np.searchsorted(found, block), read.labels)
        weights = weights_from_smoothness(b, power)  # the fused graph itself may rest on the joint tables alone
        reliability = measure_reliability(embedded, known, weights, context, n_clusters=len(found))
        embeddings = engine.map(lambda T: embed(T, basis, len(found)), embedded.T)
        dtype = context.settings.dtype
        self.labels_: IntArray = engine.collect(lambda block: block, known)
        self.membership_ = engine.persist(
            lambda block: block[:, found].astype(np.float64, copy=False), read.memberships
        )
        self.embedding_ = engine.persist(lambda block: unit_rows(block).astype(dtype, copy=False), embeddings)
        self.confidence_ = engine.persist(lambda pair: reliability.margin(*pair), engine.zip(embeddings, known))
        self.views_disagree_ = engine.collect(
            lambda pair: reliability.views_disagree(*pair), engine.zip(embedded.graphs, known)
        )
        view_weights = mean_over_geometries(weights, draw.graph)
        self.view_weights_ = view_weights / view_weights.sum()
        agreement = b if consensus.chance is None else np.clip(beyond_chance(b, consensus.chance), 0, 1)
        self.view_agreement_ = mean_over_geometries(agreement, draw.graph)
        self.views_left_out_ = [self.view_names_[v] for v in draw.graph.geometry.left_out]
        self.anchor_graph_, self.fusion_ = draw.graph, fusion
        self.anchor_membership_ = read.anchor_membership[:, found]
        self.cluster_sizes_: IntArray = np.bincount(self.labels_, minlength=len(found))
        self.reliability_, self.cluster_stability_ = reliability, reliability.cluster_stability

    def transform(self, X: Any) -> FloatArray:
        """Return the membership (n, K) of new rows: from a row to its anchors, from the anchors to the clusters."""
        return self._read_rows(X, lambda members, engine, rows: engine.persist(members.membership, rows))

    def predict(self, X: Any) -> IntArray:
        """Return the cluster of every new row, the one with the largest membership."""
        return self._read_rows(X, lambda members, engine, rows: engine.collect(members.labels, rows))

    def assess(self, X: Any) -> Assessment:
        """Label new rows, with their confidence, the cluster each view would choose, and where the views disagree.

        Examples
        --------
        >>> from manyview import AnchorGraphClustering
        >>> from manyview.datasets import make_views
        >>> data = make_views(n_samples=200, n_clusters=3, random_state=0)
        >>> model = AnchorGraphClustering(n_clusters=3, random_state=0).fit(data.views)
        >>> assessment = model.assess({name: view[:5] for name, view in data.views.items()})
        >>> assessment.confidence.shape, assessment.view_labels.shape, bool(assessment.views_disagree.any())
        ((5,), (5, 3), False)
        """

        def read(members: MembershipMap, engine: Engine, rows: Rows[RowBlock]) -> Any:
            return engine.collect(lambda block: assess_rows(members, reliability, block), rows)

        check_is_fitted(self)
        reliability = self.reliability_
        return as_assessment(self._read_rows(X, read))

    def explain(self, X: Any, *, n_prototypes: int = 5, n_features: int = 5) -> Explanation:
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
        >>> from manyview import AnchorGraphClustering
        >>> from manyview.datasets import make_views
        >>> data = make_views(n_samples=200, n_clusters=3, widths=(4, 6), random_state=0)
        >>> model = AnchorGraphClustering(n_clusters=3, random_state=0).fit(data.views)
        >>> cluster = model.explain(data.views).clusters[0]
        >>> max(cluster.views, key=lambda view: view.effect).view in ("view_0", "view_1")
        True
        """
        return explain(self, X, n_prototypes=n_prototypes, n_features=n_features)

    @all_or_nothing
    def partial_fit(self, X: Any, y: Any = None) -> AnchorGraphClustering:
        """Add a batch of rows: anchors and weights stay, the sums behind the membership map grow.

        The first batch is fitted. After a later one ``labels_``, ``membership_``, ``embedding_`` and ``confidence_``
        are those of the batch; ``cluster_sizes_`` and ``anchor_membership_`` are over all rows seen.

        Examples
        --------
        >>> from manyview import AnchorGraphClustering
        >>> from manyview.datasets import make_views
        >>> views = make_views(n_samples=300, n_clusters=3, random_state=0).views
        >>> model = AnchorGraphClustering(n_clusters=3, random_state=0)
        >>> for first in (0, 200, 250):
        ...     stop = 200 if first == 0 else first + 50
        ...     model = model.partial_fit({name: view[first:stop] for name, view in views.items()})
        >>> len(model.labels_), int(model.cluster_sizes_.sum())
        (50, 300)
        """
        if not hasattr(self, "anchor_graph_"):
            return self.fit(X)
        views = check_views(X, ranges=self.views, estimator=self, reset=False, lazy=True, rows_may_miss=True)
        grown, of_batch = absorb(self, *engine_for(self, views))
        self.labels_, self.membership_, self.embedding_, self.confidence_ = of_batch
        self.fusion_, self.anchor_membership_, self.cluster_sizes_ = grown
        return self

    def _read_rows(self, X: Any, read: Callable[[MembershipMap, Engine, Rows[RowBlock]], Any]) -> Any:
        check_is_fitted(self)
        views = check_views(X, ranges=self.views, estimator=self, reset=False, lazy=True, rows_may_miss=True)
        views, engine = engine_for(self, views)
        members = MembershipMap(self.anchor_graph_, self.fusion_, self.anchor_membership_)
        with engine.running():
            return read(members, engine, engine.partition(row_blocks(views), len(views)))

    def fit_transform(self, X: Any, y: Any = None) -> FloatArray:
        """Fit, and return the memberships."""
        return self.fit(X).membership_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []  # memberships are float64, whatever came in
        return tags

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the columns of :meth:`transform`."""
        check_is_fitted(self)
