"""MembershipDisplay: how much of every cluster is in every sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manyview.plotting import style
from manyview.plotting.style import Display
from manyview.report import palette


@dataclass(kw_only=True, eq=False, repr=False)
class MembershipDisplay(Display):
    """Memberships as stacked bars, samples sorted by cluster and by their largest membership.

    Parameters
    ----------
    membership : ndarray of shape (n_samples, n_clusters)
        Shares; rows sum to one.
    labels : ndarray of shape (n_samples,)
        Cluster of every sample.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        After :meth:`plot`.

    Examples
    --------
    >>> from manyview import AnchorGraphClustering
    >>> from manyview.datasets import make_views
    >>> from manyview.plotting import MembershipDisplay
    >>> data = make_views(n_samples=90, n_clusters=3, random_state=0)
    >>> model = AnchorGraphClustering(n_clusters=3, random_state=0).fit(data.views)
    >>> MembershipDisplay.from_estimator(model).membership.shape
    (90, 3)
    """

    membership: NDArray[np.float64]
    labels: NDArray[Any]

    @classmethod
    def from_estimator(cls, model: Any, /, *, ax: Any = None) -> Self:
        """Plot the memberships of a fitted model.

        Parameters
        ----------
        model : estimator
            Fitted.
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        MembershipDisplay
            The display, drawn.
        """
        if not hasattr(model, "membership_"):
            raise ValueError(f"{type(model).__name__} has no memberships: it only labels samples.")
        return cls(membership=np.asarray(model.membership_), labels=np.asarray(model.labels_)).plot(ax=ax)

    @classmethod
    def from_predictions(cls, membership: ArrayLike, /, *, ax: Any = None) -> Self:
        """Plot memberships (n_samples, n_clusters) that were computed elsewhere.

        Parameters
        ----------
        membership : array-like of shape (n_samples, n_clusters)
            Shares; rows sum to one.
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        MembershipDisplay
            The display, drawn.
        """
        shares = np.asarray(membership, dtype=np.float64)
        return cls(membership=shares, labels=shares.argmax(axis=1)).plot(ax=ax)

    def _size(self) -> tuple[float, float]:
        return (7.0, 2.8)

    def _draw(self, ax: Any) -> None:
        n, K = self.membership.shape
        order = np.lexsort((-self.membership.max(axis=1), self.labels))
        groups = np.array_split(order, min(n, 2_000))  # columns of the picture
        shares = np.array([self.membership[group].mean(axis=0) for group in groups])
        edges = np.cumsum([0, *(len(group) for group in groups)])
        tops = np.cumsum(shares, axis=1)
        for k, color in enumerate(palette.cluster_colors(K)):
            low = tops[:, k] - shares[:, k]
            ax.stairs(tops[:, k], edges, baseline=low, fill=True, color=color, lw=0, label=str(k))
        ax.set(xlim=(0, n), ylim=(0, 1), xlabel="samples, by cluster", ylabel="membership")
        style.quiet(ax)
        ax.grid(False)
        if K <= 12:
            ax.legend(title="cluster", loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, fontsize=8)
