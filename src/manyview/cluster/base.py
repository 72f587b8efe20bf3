"""Base of the eight baselines: checks before a fit and before a prediction, and scikit-learn's tags."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from manyview.cluster.inputs import check_magnitude
from manyview.cluster.parameters import Rule, array, check_parameters, check_sizes, integer, nothing
from manyview.kernels.arrays import IntArray
from manyview.views import Views, check_views

RandomState = int | np.random.RandomState | None


class MultiViewClusterer(ClusterMixin, BaseEstimator):
    """Check parameters and views before a fit; a method adds its own constraints and the fit of checked views."""

    _constraints: ClassVar[Mapping[str, tuple[Rule, ...]]]  # of all parameters but n_clusters, views and random_state
    n_clusters: int
    views: Any
    labels_: IntArray

    @abstractmethod
    def _fit(self, views: Views, /) -> None:
        """Set the fitted attributes; ``fit`` calls it, so that warnings point to the caller of ``fit``."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the samples.

        Parameters
        ----------
        X : list or dict of tables, Views, or one table (cut by ``views``)
        y : ignored

        Returns
        -------
        self
        """
        cut = (nothing(), integer(1), array())
        check_parameters(self, {"n_clusters": (integer(1),), **self._constraints, "views": cut})
        views = check_views(X, ranges=self.views, estimator=self)
        check_sizes(views.n_samples, self.n_clusters)
        check_magnitude(views)
        self._fit(views)
        return self

    def fit_predict(self, X: Any, y: Any = None) -> IntArray:
        """Cluster the samples and return ``labels_``; parameters are those of :meth:`fit`."""
        return self.fit(X).labels_

    def _new_views(self, X: Any, /) -> Views:
        """Check rows to predict, which must have the views and columns of the fit."""
        check_is_fitted(self)
        return check_views(X, ranges=self.views, estimator=self, reset=False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
