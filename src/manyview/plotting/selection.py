"""SelectionDisplay: how the number of clusters was chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manyview.plotting import style
from manyview.plotting.style import Display
from manyview.report import sections


@dataclass(kw_only=True, eq=False, repr=False)
class SelectionDisplay(Display):
    """Score and stability by number of clusters, with the chosen one marked.

    Parameters
    ----------
    n_clusters : ndarray of shape (n_candidates,)
        Candidates.
    score, error : ndarray of shape (n_candidates,)
        Score of every candidate and its standard error.
    stability : ndarray of shape (n_candidates,), optional
        Stability under subsampling.
    chosen : int, optional
        The number that was chosen.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        After :meth:`plot`.

    Examples
    --------
    >>> from manyview import AnchorGraphClustering
    >>> from manyview.datasets import make_views
    >>> from manyview.plotting import SelectionDisplay
    >>> data = make_views(n_samples=90, n_clusters=3, random_state=0)
    >>> model = AnchorGraphClustering(n_clusters="auto", random_state=0).fit(data.views)
    >>> SelectionDisplay.from_estimator(model).chosen
    3
    """

    n_clusters: NDArray[Any]
    score: NDArray[np.float64]
    error: NDArray[np.float64]
    stability: NDArray[np.float64] | None = None
    chosen: int | None = None

    @classmethod
    def from_estimator(cls, model: Any, /, *, ax: Any = None) -> Self:
        """Plot the curve of a model that was fitted with ``n_clusters="auto"``.

        Parameters
        ----------
        model : estimator
            Fitted.
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        SelectionDisplay
            The display, drawn.
        """
        found = sections.chosen(model)
        if found is None or not found["curve"]:
            raise ValueError('The model did not choose its number of clusters: fit it with n_clusters="auto".')
        column = {name: np.array([point[name] for point in found["curve"]]) for name in found["curve"][0]}
        return cls(
            n_clusters=column["n_clusters"].astype(int),
            score=column["score"],
            error=column["error"],
            stability=column["stability"],
            chosen=found["n_clusters"],
        ).plot(ax=ax)

    @classmethod
    def from_predictions(
        cls, n_clusters: ArrayLike, score: ArrayLike, /, *, error: ArrayLike | None = None, ax: Any = None
    ) -> Self:
        """Plot scores of numbers of clusters that were computed elsewhere.

        Parameters
        ----------
        n_clusters : array-like of shape (n_candidates,)
            Candidates.
        score : array-like of shape (n_candidates,)
            Score of every candidate.
        error : array-like of shape (n_candidates,), optional
            Standard error of every score.
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        SelectionDisplay
            The display, drawn.
        """
        values = np.asarray(score, dtype=np.float64)
        errors = np.zeros_like(values) if error is None else np.asarray(error, dtype=np.float64)
        return cls(n_clusters=np.asarray(n_clusters), score=values, error=errors).plot(ax=ax)

    def _size(self) -> tuple[float, float]:
        return (6.4, 3.6)

    def _draw(self, ax: Any) -> None:
        line = {"marker": "o", "ms": 3.5, "lw": 1.6}
        ax.errorbar(self.n_clusters, self.score, self.error, color=style.LINES[0], capsize=2, label="score", **line)
        if self.stability is not None:
            ax.plot(self.n_clusters, self.stability, color=style.LINES[1], label="stability", **line)
        if self.chosen is not None:
            ax.axvline(self.chosen, color=style.LINES[2], ls="--", lw=1, label=f"chosen: {self.chosen}")
        style.quiet(ax)
        ax.xaxis.set_major_locator(style.load("matplotlib.ticker").MaxNLocator(integer=True))
        ax.set(xlabel="number of clusters", ylabel="score")
        ax.legend(frameon=False)
