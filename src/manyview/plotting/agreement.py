"""ViewAgreementDisplay: how far the views agree with each other and with the result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manyview.metrics import adjusted_rand_index
from manyview.plotting import style
from manyview.plotting.style import Display
from manyview.report import sections


@dataclass(kw_only=True, eq=False, repr=False)
class ViewAgreementDisplay(Display):
    """Adjusted Rand index between the clusters that the views would choose by themselves.

    Parameters
    ----------
    ari : ndarray of shape (n, n)
        Adjusted Rand indices; NaN where two views have no sample in common.
    names : list of str
        What the rows and columns are.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        After :meth:`plot`.

    Examples
    --------
    >>> from manyview import AnchorGraphClustering
    >>> from manyview.datasets import make_views
    >>> from manyview.plotting import ViewAgreementDisplay
    >>> data = make_views(n_samples=90, n_clusters=3, random_state=0)
    >>> model = AnchorGraphClustering(n_clusters=3, random_state=0).fit(data.views)
    >>> ViewAgreementDisplay.from_estimator(model, data.views).names
    ['view_0', 'view_1', 'view_2', 'result']
    """

    ari: NDArray[np.float64]
    names: list[str]

    @classmethod
    def from_estimator(cls, model: Any, views: Any, /, *, ax: Any = None) -> Self:
        """Let the views of a fitted model vote on the rows of the fit, and plot how far they agree.

        Parameters
        ----------
        model : estimator
            Fitted.
        views : as for ``fit``
            The rows of the fit.
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        ViewAgreementDisplay
            The display, drawn.
        """
        found = sections.view_agreement(model, views)
        return cls(ari=np.array(found["ari"], dtype=np.float64), names=found["names"]).plot(ax=ax)

    @classmethod
    def from_predictions(cls, labels: Mapping[str, ArrayLike], /, *, ax: Any = None) -> Self:
        """Compare several labelings of the same samples, by name.

        Parameters
        ----------
        labels : dict of name to array-like of shape (n_samples,)
            Labelings of the same samples.
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        ViewAgreementDisplay
            The display, drawn.
        """
        columns = [np.asarray(column) for column in labels.values()]
        ari = np.array([[adjusted_rand_index(first, second) for second in columns] for first in columns])
        return cls(ari=ari, names=[str(name) for name in labels]).plot(ax=ax)

    def _size(self) -> tuple[float, float]:
        return (0.9 + 0.8 * len(self.names), 0.8 + 0.65 * len(self.names))

    def _draw(self, ax: Any) -> None:
        image = {"cmap": style.shades(), "vmin": 0, "vmax": 1}
        style.matrix(ax, self.ari, rows=self.names, columns=self.names, form=".2f", **image)
        ax.set_title("agreement of views (adjusted Rand index)", fontsize=10)
