"""The base of the published methods: checks before a fit, starts and anchors, and warnings about labels."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self, overload

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from manyview.cluster.base import Clusterer
from manyview.cluster.checks import (
    Rule,
    all_or_nothing,
    array,
    check_parameters,
    check_sizes,
    integer,
    nothing,
    refuse_second_table,
    warn_caller,
)
from manyview.cluster.progress import progress_of
from manyview.geometry.statistics import DOUBLE, require_magnitude
from manyview.kernels.arrays import FloatArray, IntArray, Table
from manyview.views import Views, ViewsLike, check_views
from manyview.views.output import as_given
from manyview.views.sources import ArrayViews


class MultiViewClusterer(Clusterer):
    """A published method, which says what its own parameters may be and how it fits views that were checked."""

    _constraints: ClassVar[Mapping[str, tuple[Rule, ...]]]  # of all parameters but n_clusters, views and random_state
    n_clusters: int

    @abstractmethod
    def _fit(self, views: Views, /) -> None:
        """Set the fitted attributes; ``fit`` calls it."""

    @all_or_nothing
    def fit(self, X: ViewsLike, y: Any = None) -> Self:
        """Cluster the samples.

        Parameters
        ----------
        X : list or dict of tables, Views, or one table (cut by ``views``)
        y : ignored

        Returns
        -------
        self
        """
        refuse_second_table(y)
        cut = (nothing(), integer(1), array())
        check_parameters(self, {"n_clusters": (integer(1),), **self._constraints, "views": cut})
        views = check_views(X, ranges=self.views, estimator=self)
        check_sizes(views.n_samples, self.n_clusters)
        check_magnitude(views)
        with progress_of(self, X):
            self._fit(views)
        return self


class PredictingClusterer(MultiViewClusterer):
    """A published method that labels new rows, too."""

    @abstractmethod
    def _predict(self, views: Views, /) -> IntArray:
        """Return the cluster of every row; ``predict`` calls it with the views and columns of the fit."""

    @overload
    def predict(self, X: ArrayViews) -> IntArray: ...
    @overload
    def predict(self, X: ViewsLike) -> Any: ...
    def predict(self, X: ViewsLike) -> Any:
        """Return the cluster of every new row.

        Parameters
        ----------
        X : as for :meth:`fit`
            New rows, with the views and columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples,), or Series
            Clusters; a Series with the ids if frames came in.
        """
        check_is_fitted(self)
        views = check_views(X, ranges=self.views, estimator=self, reset=False)
        return as_given(self._predict(views), views.ids, views.library)


def check_magnitude(views: Views, /) -> None:
    """Raise an error that names the view whose numbers have no finite squares, or vanishing ones."""
    for name, table in zip(views.names, views.tables, strict=True):
        entries = table.data if sp.issparse(table) else table
        largest = max(float(entries.max(initial=0)), -float(entries.min(initial=0)))
        require_magnitude(largest, name, DOUBLE)


def random_rows(rng: np.random.RandomState, n_rows: int, size: int, n_starts: int, /) -> IntArray:
    """Draw different rows to begin with, for every start."""
    return np.array([rng.choice(n_rows, size, replace=False) for _ in range(n_starts)])


def float_tables(views: Views, /) -> list[Table]:
    """Return the views in double precision, copied only where they were not."""
    return [table.astype(np.float64, copy=False) for table in views.tables]


def given_anchors(anchors: Any, views: Views, /) -> list[FloatArray]:
    """Check anchors from the user, one table per view; an error names the view that does not fit."""
    given: list[FloatArray] = [np.asarray(table, dtype=np.float64) for table in anchors]
    if len(given) != len(views.tables):
        raise ValueError(f"anchors has {len(given)} tables for {len(views.tables)} views: pass one table per view.")
    for name, width, table in zip(views.names, views.widths, given, strict=True):
        if table.ndim != 2 or table.shape[1] != width or len(table) != len(given[0]):
            raise ValueError(
                f"anchors of view {name!r} have shape {table.shape}; expected ({len(given[0])}, {width}): the same "
                "number of anchors in every view, and the columns of the view."
            )
    return given


def check_anchor_number(n_anchors: int, least: int, n_samples: int, /) -> None:
    """Raise an error unless there are enough anchors for the method, and no more than samples."""
    if not least <= n_anchors <= n_samples:
        raise ValueError(f"n_anchors={n_anchors} must lie between {least} and n_samples={n_samples}.")


def contiguous(labels: IntArray, /) -> IntArray:
    """Renumber labels as 0, 1, 2, … in the order of the old ones, so that empty clusters leave no gap."""
    return np.unique(labels, return_inverse=True)[1].astype(np.int64).ravel()


def warn_component_count(estimator: Any, found: int, /) -> None:
    """Say so when the learned graph has another number of components than asked for."""
    if found != estimator.n_clusters:
        warn_caller(
            f"{type(estimator).__name__}: the learned graph has {found} connected components instead of "
            f"n_clusters={estimator.n_clusters}, so labels_ holds {found} clusters. Another n_neighbors or a larger "
            "max_iter may reach the number asked for; n_components_found_ holds the number found.",
            ConvergenceWarning,
        )


def warn_empty_clusters(estimator: Any, found: int, /) -> None:
    """Say so when some clusters stayed empty."""
    if found < estimator.n_clusters:
        warn_caller(
            f"{type(estimator).__name__}: only {found} of n_clusters={estimator.n_clusters} clusters are not empty: "
            "the samples have too few distinct groups, or the start left a cluster without samples.",
            ConvergenceWarning,
        )


def warn_isolated_samples(estimator: Any, graphs: Sequence[sp.csr_array], /) -> None:
    """Say so when samples have no edge in the graph of any view: nothing is known about their clusters."""
    connected = np.zeros(graphs[0].shape[0], dtype=bool)
    for graph in graphs:
        connected |= np.diff(graph.indptr) > 0
        connected[graph.indices] = True
    n_isolated = int(np.count_nonzero(~connected))
    if n_isolated:
        warn_caller(
            f"{type(estimator).__name__}: {n_isolated} of {len(connected)} samples have no nearest neighbors in any "
            f"view, because more than n_neighbors={estimator.n_neighbors} others are equally near (duplicate rows); "
            "their labels are arbitrary. Drop duplicates, or use a larger n_neighbors.",
            ConvergenceWarning,
        )
