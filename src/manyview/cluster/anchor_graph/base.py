"""What the estimators with anchor graphs do after a fit: label, rate and explain rows through the anchors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from manyview.anchors import AnchorGraph
from manyview.cluster.anchor_graph.explanation import Explanation, explain
from manyview.cluster.anchor_graph.fusion import Fusion
from manyview.cluster.anchor_graph.membership import MembershipMap
from manyview.cluster.anchor_graph.novelty import Novelty, label_known_rows, without_outliers
from manyview.cluster.anchor_graph.reliability import Assessment, Reliability, as_assessment, assess_rows
from manyview.cluster.base import Clusterer
from manyview.cluster.engines import engine_for
from manyview.engine import Engine, Rows
from manyview.kernels.arrays import FloatArray
from manyview.views import Views, check_views
from manyview.views.blocks import RowBlock, row_blocks
from manyview.views.output import as_given


class AnchorClusterer(TransformerMixin, Clusterer):
    """A clustering method whose result is a map from a row through its anchors to the clusters."""

    membership_: FloatArray
    anchor_graph_: AnchorGraph
    fusion_: Fusion
    anchor_membership_: FloatArray
    reliability_: Reliability
    novelty_: Novelty
    label_outliers: bool = False  # a parameter of those that have it

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fit, and return the memberships in the form of :meth:`transform`.

        Parameters
        ----------
        X : as for :meth:`fit`
        y : ignored

        Returns
        -------
        ndarray of shape (n_samples, n_clusters), or DataFrame
        """
        self.fit(X, y)
        return self._as_given(self.membership_, self.sample_ids_, self.input_library_)

    def transform(self, X: Any) -> Any:
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
        return self._as_given(membership, views.ids, views.library)

    def predict(self, X: Any) -> Any:
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
            return engine.collect(lambda block: label_known_rows(members, novelty, block), rows)

        check_is_fitted(self)
        novelty = self.novelty_
        labels, views = self._read_rows(X, read)
        return as_given(labels, views.ids, views.library)

    def assess(self, X: Any) -> Assessment:
        """Label new rows, with their confidence and novelty, and what each view says about them.

        Confidence is how clearly a row is in its cluster rather than in another; novelty is how far it is from all of
        them: the distance to its anchors beside that of the rows of the fit. A row beyond 1 is an outlier.

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
            return engine.collect(lambda block: assess_rows(members, reliability, novelty, block), rows)

        check_is_fitted(self)
        reliability, novelty = self.reliability_, self.novelty_
        found = as_assessment(self._read_rows(X, read)[0])
        return found._replace(labels=without_outliers(found.labels, found.novelty)) if self.label_outliers else found

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean confidence of the rows, 0 to 1: higher is better, and no labels are needed.

        Confidence is the margin between a row's cluster and the runner-up; a single cluster separates nothing and
        scores 0. The score compares parameters for the same number of clusters, as in a grid search;
        :func:`manyview.model_selection.select` chooses the number.

        Parameters
        ----------
        X : as for :meth:`fit`
        y : ignored

        Returns
        -------
        float

        Examples
        --------
        >>> from sklearn.model_selection import GridSearchCV
        >>> from manyview import AnchorGraphClustering, Views
        >>> from manyview.datasets import make_views
        >>> data = make_views(n_samples=120, n_clusters=3, random_state=0)
        >>> model = AnchorGraphClustering(3, random_state=0)
        >>> search = GridSearchCV(model, {"scale": ["standard", "none"]}, cv=2)
        >>> search = search.fit(Views.from_tables(data.views))
        >>> bool(0 < search.best_score_ <= 1)
        True
        """
        check_is_fitted(self)
        if len(self.reliability_.centers) == 1:
            return 0.0
        return float(self.assess(X).confidence.mean())

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

    def _as_given(self, membership: Any, ids: Any, library: str | None) -> Any:
        return as_given(membership, ids, library, columns=list(self.get_feature_names_out()))

    def _read_rows(self, X: Any, read: Callable[[MembershipMap, Engine, Rows[RowBlock]], Any]) -> tuple[Any, Views]:
        check_is_fitted(self)
        views = check_views(X, ranges=self.views, estimator=self, reset=False, lazy=True, rows_may_miss=True)
        given = views
        views, engine = engine_for(self, views)
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
