"""MapDisplay: samples in two dimensions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manyview.plotting import style
from manyview.report import palette, sections


@dataclass(kw_only=True, eq=False, repr=False)
class MapDisplay:
    """Samples in two dimensions, colored by cluster or by a quantity.

    Parameters
    ----------
    points : ndarray of shape (n_samples, 2)
        Where the samples lie.
    colors : ndarray of shape (n_samples,)
        Labels, which get the colors of clusters, or numbers of type float, which get a scale.
    method : str, default=""
        How the layout was made; stands below the plot.
    title : str, default=""
        What the colors mean.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        After :meth:`plot`.

    Examples
    --------
    >>> from manyview import AnchorGraphClustering
    >>> from manyview.datasets import make_views
    >>> from manyview.plotting import MapDisplay
    >>> data = make_views(n_samples=90, n_clusters=3, random_state=0)
    >>> model = AnchorGraphClustering(n_clusters=3, random_state=0).fit(data.views)
    >>> display = MapDisplay.from_estimator(model, data.views)
    >>> display.points.shape
    (90, 2)
    """

    points: NDArray[Any]
    colors: NDArray[Any]
    method: str = ""
    title: str = ""

    @classmethod
    def from_estimator(
        cls, model: Any, views: Any = None, /, *, color: ArrayLike | None = None, title: str = "cluster", ax: Any = None
    ) -> Self:
        """Lay out the samples of a fitted model and plot them; the layout is that of the report.

        Parameters
        ----------
        model : estimator
            Fitted.
        views : as for ``fit``, optional
            The rows of the fit; needed where the model has no embedding of at least three columns.
        color : array-like of shape (n_samples,), optional
            Labels or numbers to color by; the clusters by default.
        title : str, default="cluster"
            What the colors mean.
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        MapDisplay
            The display, drawn.
        """
        placed = sections.map_points(model, views)
        colors = np.asarray(model.labels_)[placed.rows] if color is None else np.asarray(color)[placed.rows]
        return cls(points=placed.points, colors=colors, method=placed.method, title=title).plot(ax=ax)

    @classmethod
    def from_predictions(
        cls, points: ArrayLike, labels: ArrayLike, /, *, title: str = "cluster", ax: Any = None
    ) -> Self:
        """Plot samples (n_samples, 2) that are placed already, colored by labels or numbers.

        Parameters
        ----------
        points : array-like of shape (n_samples, 2)
            Where the samples lie.
        labels : array-like of shape (n_samples,)
            Labels, or numbers of type float.
        title : str, default="cluster"
            What the colors mean.
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        MapDisplay
            The display, drawn.
        """
        return cls(points=np.asarray(points, dtype=np.float64), colors=np.asarray(labels), title=title).plot(ax=ax)

    def plot(self, ax: Any = None, *, size: float | None = None) -> Self:
        """Draw; ``size`` is the area of a point, smaller for more samples by default.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure by default.
        size : float, optional
            Area of a point, in square points.

        Returns
        -------
        MapDisplay
            The display, drawn.
        """
        self.ax_ = ax = style.axes(ax, size=(5.6, 5.0))
        area = float(np.clip(9_000 / len(self.points), 0.4, 22)) if size is None else size
        options = {"s": area, "lw": 0, "alpha": 0.85, "rasterized": len(self.points) > 5_000}
        x, y = self.points.T
        if self.colors.dtype.kind == "f":
            drawn = ax.scatter(x, y, c=self.colors, cmap=style.sequential(), **options)
            ax.figure.colorbar(drawn, ax=ax, label=self.title, shrink=0.6)
        else:
            known, codes = np.unique(self.colors, return_inverse=True)
            shown = palette.cluster_colors(len(known))
            ax.scatter(x, y, c=np.array(shown)[codes], **options)
            if len(known) <= 20:
                for label, color in zip(known.tolist(), shown, strict=True):
                    ax.scatter([], [], color=color, label=str(label), s=26)
                ax.legend(title=self.title, loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
        style.bare(ax)
        ax.set_aspect("equal", adjustable="datalim")
        if self.method:
            ax.set_xlabel(self.method, fontsize=7, color=style.SOFT, wrap=True)
        self.figure_ = ax.figure
        return self
