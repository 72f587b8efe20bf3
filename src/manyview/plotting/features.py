"""FeatureHeatmapDisplay: the features that set clusters apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manyview.plotting import style
from manyview.plotting.style import Display
from manyview.report import sections


@dataclass(kw_only=True, eq=False, repr=False)
class FeatureHeatmapDisplay(Display):
    """Clusters against the features that set them apart most.

    Parameters
    ----------
    effects : ndarray of shape (n_clusters, n_features)
        Mean inside minus mean outside, in standard deviations within clusters.
    features, clusters : list of str
        Their names.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        After :meth:`plot`.

    Examples
    --------
    >>> from manyview import AnchorGraphClustering
    >>> from manyview.datasets import make_views
    >>> from manyview.plotting import FeatureHeatmapDisplay
    >>> data = make_views(n_samples=90, n_clusters=3, random_state=0)
    >>> model = AnchorGraphClustering(n_clusters=3, random_state=0).fit(data.views)
    >>> FeatureHeatmapDisplay.from_estimator(model, data.views, n_features=6).effects.shape
    (3, 6)
    """

    effects: NDArray[np.float64]
    features: list[str]
    clusters: list[str]

    @classmethod
    def from_estimator(cls, model: Any, views: Any, /, *, n_features: int = 20, ax: Any = None) -> Self:
        """Plot the strongest features of every cluster of a fitted model, at most ``n_features`` together.

        Parameters
        ----------
        model : estimator
            Fitted.
        views : as for ``fit``
            The rows of the fit.
        n_features : int, default=20
            How many features to show, over all clusters.
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        FeatureHeatmapDisplay
            The display, drawn.
        """
        found = sections.feature_heatmap(model, views, n_features=n_features)
        names = [f"{view}: {feature}" for view, feature in zip(found["views"], found["features"], strict=True)]
        return cls(
            effects=np.array(found["effects"]), features=names, clusters=[str(k) for k in found["clusters"]]
        ).plot(ax=ax)

    @classmethod
    def from_predictions(
        cls,
        table: ArrayLike,
        labels: ArrayLike,
        /,
        *,
        features: list[str] | None = None,
        n_features: int = 20,
        ax: Any = None,
    ) -> Self:
        """Plot the strongest features of one table (n_samples, n_columns) for given labels.

        Parameters
        ----------
        table : array-like of shape (n_samples, n_columns)
            Numbers.
        labels : array-like of shape (n_samples,)
            Clusters.
        features : list of str, optional
            Names of the columns.
        n_features : int, default=20
            How many features to show, over all clusters.
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        FeatureHeatmapDisplay
            The display, drawn.
        """
        values, known = np.asarray(table, dtype=np.float64), np.asarray(labels)
        found = sections.table_heatmap(values, known, features, n_features=n_features)
        return cls(
            effects=np.array(found["effects"]), features=found["features"], clusters=[str(k) for k in found["clusters"]]
        ).plot(ax=ax)

    def _size(self) -> tuple[float, float]:
        K, F = self.effects.shape
        return (2.6 + 0.42 * K, 0.9 + 0.24 * F)

    def _draw(self, ax: Any) -> None:
        image = {"cmap": style.diverging(), "vmin": -3.0, "vmax": 3.0}  # deviations
        drawn = style.matrix(ax, self.effects.T, rows=self.features, columns=self.clusters, form="+.1f", **image)
        ax.set_xlabel("cluster")
        ax.figure.colorbar(drawn, ax=ax, label="effect in deviations", shrink=0.6)
