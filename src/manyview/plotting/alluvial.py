"""AlluvialDisplay: how the samples of one clustering spread over another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manyview.metrics.labels import check_same_samples
from manyview.plotting import style
from manyview.plotting.style import Display
from manyview.report import palette

WIDTH = 0.06  # of a block


class Flow(NamedTuple):
    """Samples that go from one group to another."""

    left: int
    right: int
    n_samples: int


@dataclass(kw_only=True, eq=False, repr=False)
class AlluvialDisplay(Display):
    """Two clusterings of the same samples side by side, with a band for every overlap.

    Parameters
    ----------
    counts : ndarray of shape (n_left, n_right)
        Samples in every pair of groups.
    left, right : list of str
        Names of the groups.
    titles : tuple of str
        Names of the two clusterings.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        After :meth:`plot`.

    Examples
    --------
    >>> from manyview.plotting import AlluvialDisplay
    >>> display = AlluvialDisplay.from_predictions([0, 0, 1, 1], [1, 1, 0, 1])
    >>> [tuple(flow) for flow in display.flows]
    [(0, 1, 2), (1, 0, 1), (1, 1, 1)]
    """

    counts: NDArray[np.int_]
    left: list[str]
    right: list[str]
    titles: tuple[str, str] = ("first", "second")

    @classmethod
    def from_estimator(
        cls, first: Any, second: Any, /, *, titles: tuple[str, str] | None = None, ax: Any = None
    ) -> Self:
        """Compare two models that were fitted on the same samples.

        Parameters
        ----------
        first, second : estimator
            Fitted; on the left and on the right.
        titles : tuple of str, optional
            What stands above the two; the names of the methods by default.
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        AlluvialDisplay
            The display, drawn.
        """
        names = (type(first).__name__, type(second).__name__) if titles is None else titles
        return cls.from_predictions(first.labels_, second.labels_, titles=names, ax=ax)

    @classmethod
    def from_predictions(
        cls, first: ArrayLike, second: ArrayLike, /, *, titles: tuple[str, str] = ("first", "second"), ax: Any = None
    ) -> Self:
        """Compare two labelings of the same samples.

        Parameters
        ----------
        first, second : array-like of shape (n_samples,)
            Labels; on the left and on the right.
        titles : tuple of str, default=("first", "second")
            What stands above the two.
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        AlluvialDisplay
            The display, drawn.
        """
        check_same_samples(first, second, names=("first", "second"))
        one, two = np.asarray(first), np.asarray(second)
        if one.shape != two.shape or one.ndim != 1:
            raise ValueError(
                f"The labelings have shapes {one.shape} and {two.shape}: give one label per sample to both."
            )
        left, rows = np.unique(one, return_inverse=True)
        right, columns = np.unique(two, return_inverse=True)
        counts = np.zeros((len(left), len(right)), dtype=int)
        np.add.at(counts, (rows, columns), 1)
        names = [str(name) for name in left.tolist()], [str(name) for name in right.tolist()]
        return cls(counts=counts, left=names[0], right=names[1], titles=titles).plot(ax=ax)

    @property
    def flows(self) -> list[Flow]:
        """Return the overlaps that are not empty, from left to right."""
        return [Flow(int(i), int(j), int(self.counts[i, j])) for i, j in np.argwhere(self.counts)]

    def _size(self) -> tuple[float, float]:
        return (5.6, 4.6)

    def _draw(self, ax: Any) -> None:
        """Draw; a band has the color of the group on the left."""
        n, colors = self.counts.sum(), palette.cluster_colors(len(self.left))
        order = self._right_order()
        left = self._blocks(ax, self.counts.sum(axis=1) / n, self.left, range(len(self.left)), x=0.0, colors=colors)
        right = self._blocks(ax, self.counts.sum(axis=0) / n, self.right, order, x=1.0, colors=None)
        rank = {j: place for place, j in enumerate(order)}
        for flow in sorted(self.flows, key=lambda flow: (flow.left, rank[flow.right])):
            height = flow.n_samples / n
            self._band(ax, left[flow.left], right[flow.right], height, colors[flow.left])
            left[flow.left] -= height
            right[flow.right] -= height
        for x, title in zip((0.0, 1.0), self.titles, strict=True):
            ax.text(x, 1.03, title, ha="center", va="bottom", fontsize=10)
        style.bare(ax)
        ax.set(xlim=(-0.16, 1.16), ylim=(min([0.0, *left, *right]) - 0.02, 1.1))

    def _right_order(self) -> list[int]:
        """Order groups on the right by where their samples come from, so that bands cross little."""
        places = np.arange(len(self.left)) @ self.counts / np.maximum(self.counts.sum(axis=0), 1)
        return [int(j) for j in np.argsort(places, kind="stable")]

    def _blocks(
        self, ax: Any, heights: NDArray[np.float64], names: list[str], order: Any, *, x: float, colors: list[str] | None
    ) -> list[float]:
        """Draw one column of blocks from the top, and return where each begins."""
        rectangle = style.load("matplotlib.patches").Rectangle
        tops, top = [0.0] * len(names), 1.0
        for k in order:
            color = style.SOFT if colors is None else colors[k]
            ax.add_patch(rectangle((x - WIDTH / 2, top - heights[k]), WIDTH, heights[k], color=color, lw=0))
            side = (x - WIDTH, "right") if x == 0 else (x + WIDTH, "left")
            ax.text(side[0], top - heights[k] / 2, names[k], ha=side[1], va="center", fontsize=8, color=style.INK)
            tops[k] = top
            top -= heights[k] + 0.02  # a gap, as a share of all samples
        return tops

    def _band(self, ax: Any, start: float, end: float, height: float, color: str) -> None:
        t = np.linspace(0, 1, 40)
        ease = t * t * (3 - 2 * t)
        x = WIDTH / 2 + t * (1 - WIDTH)
        upper = start + (end - start) * ease
        ax.fill_between(x, upper - height, upper, color=color, alpha=0.45, lw=0)
