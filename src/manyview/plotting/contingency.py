"""ContingencyDisplay: known classes against clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manyview.metrics.labels import check_same_samples
from manyview.plotting import style
from manyview.plotting.style import Display
from manyview.report import sections


@dataclass(kw_only=True, eq=False, repr=False)
class ContingencyDisplay(Display):
    """Known classes against clusters, each cluster below the class it is matched to.

    Parameters
    ----------
    counts : ndarray of shape (n_classes, n_clusters)
        Samples.
    classes, clusters : list of str
        Their names.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        After :meth:`plot`.

    Examples
    --------
    >>> from manyview.plotting import ContingencyDisplay
    >>> display = ContingencyDisplay.from_predictions(["a", "a", "b", "b"], [1, 1, 0, 1])
    >>> display.clusters, display.counts.tolist()
    (['1', '0'], [[2, 0], [1, 1]])
    >>> display.plot().ax_.get_xlabel()  # once more, or with ax= into axes of a figure of yours
    'cluster'
    """

    counts: NDArray[np.int_]
    classes: list[str]
    clusters: list[str]

    @classmethod
    def from_estimator(cls, model: Any, y_true: ArrayLike, /, *, ax: Any = None) -> Self:
        """Compare the labels of a fitted model with known classes.

        Parameters
        ----------
        model : estimator
            Fitted.
        y_true : array-like of shape (n_samples,)
            Known classes, integers or strings.
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        ContingencyDisplay
            The display, drawn.
        """
        return cls.from_predictions(y_true, model.labels_, ax=ax)

    @classmethod
    def from_predictions(cls, y_true: ArrayLike, labels: ArrayLike, /, *, ax: Any = None) -> Self:
        """Compare labels with known classes.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Known classes, integers or strings.
        labels : array-like of shape (n_samples,)
            Clusters.
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        ContingencyDisplay
            The display, drawn.
        """
        check_same_samples(y_true, labels, names=("y_true", "labels"))
        table = sections.matched_contingency(np.asarray(y_true), np.asarray(labels))
        return cls(
            counts=np.array(table["counts"]),
            classes=[str(name) for name in table["classes"]],
            clusters=[str(name) for name in table["clusters"]],
        ).plot(ax=ax)

    def _size(self) -> tuple[float, float]:
        rows, columns = self.counts.shape
        return (1.6 + 0.5 * columns, 1.1 + 0.38 * rows)

    def _draw(self, ax: Any) -> None:
        """Draw; the colors are shares of a class."""
        shares = self.counts / np.maximum(self.counts.sum(axis=1, keepdims=True), 1)
        image = {"cmap": style.shades(), "vmin": 0, "vmax": 1}
        style.matrix(ax, shares, rows=self.classes, columns=self.clusters, form="", **image)
        for text, count in zip(ax.texts, self.counts.ravel(), strict=False):
            text.set_text(str(count) if count else "")
        ax.set(xlabel="cluster", ylabel="class")
