"""What the estimators with anchor graphs do after a fit: label, rate and explain rows through the anchors."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from manyview.anchors import AnchorGraph
from manyview.cluster.anchor_graph.explanation import Explanation, explain
from manyview.cluster.anchor_graph.fusion import Fusion
from manyview.cluster.anchor_graph.membership import MembershipMap
from manyview.cluster.anchor_graph.novelty import Novelty, label_known_rows, without_outliers
from manyview.cluster.anchor_graph.reliability import Assessment, Reliability, as_assessment, assess_rows
from manyview.cluster.engines import engine_for
from manyview.engine import Engine, Rows
from manyview.kernels.arrays import FloatArray, IntArray
from manyview.views import check_views
from manyview.views.blocks import RowBlock, row_blocks


class AnchorClusterer(ClusterMixin, TransformerMixin, BaseEstimator):
    """A clustering method whose result is a map from a row through its anchors to the clusters."""

    views: Any
    membership_: FloatArray
    anchor_graph_: AnchorGraph
    fusion_: Fusion
    anchor_membership_: FloatArray
    reliability_: Reliability
    novelty_: Novelty
    label_outliers: bool = False  # a parameter of those that have it

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of the views."""
        raise NotImplementedError

    def fit_transform(self, X: Any, y: Any = None) -> FloatArray:
        """Fit, and return the memberships."""
        return self.fit(X).membership_

    def transform(self, X: Any) -> FloatArray:
        """Return the membership (n, K) of new rows: from a row to its anchors, from the anchors to the clusters."""
        return self._read_rows(X, lambda members, engine, rows: engine.persist(members.membership, rows))

    def predict(self, X: Any) -> IntArray:
        """Return the cluster of every new row, the one with the largest membership; -1 if outliers are labeled."""

        def read(members: MembershipMap, engine: Engine, rows: Rows[RowBlock]) -> Any:
            if not self.label_outliers:
                return engine.collect(members.labels, rows)
            return engine.collect(lambda block: label_known_rows(members, novelty, block), rows)

        check_is_fitted(self)
        novelty = self.novelty_
        return self._read_rows(X, read)

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
        found = as_assessment(self._read_rows(X, read))
        return found._replace(labels=without_outliers(found.labels, found.novelty)) if self.label_outliers else found

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

    def save(self, path: str | os.PathLike[str], /) -> Path:
        """Write the fitted model to one file, which :func:`manyview.load` reads; see :func:`save_model`."""
        from manyview.cluster.saving import save_model

        return save_model(self, path)

    def _read_rows(self, X: Any, read: Callable[[MembershipMap, Engine, Rows[RowBlock]], Any]) -> Any:
        check_is_fitted(self)
        views = check_views(X, ranges=self.views, estimator=self, reset=False, lazy=True, rows_may_miss=True)
        views, engine = engine_for(self, views)
        members = MembershipMap(self.anchor_graph_, self.fusion_, self.anchor_membership_)
        with engine.running():
            return read(members, engine, engine.partition(row_blocks(views), len(views)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []  # memberships are float64, whatever came in
        return tags

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the columns of :meth:`transform`."""
        check_is_fitted(self)
