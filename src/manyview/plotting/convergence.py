"""ConvergenceDisplay: the course of an iteration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from manyview.plotting import style
from manyview.plotting.style import Display
from manyview.report import sections


@dataclass(kw_only=True, eq=False, repr=False)
class ConvergenceDisplay(Display):
    """Residuals with their limit, or the objective where a method has no residuals, per iteration.

    Parameters
    ----------
    series : dict of str to list of float
        One number per iteration, by title.
    limit : float, optional
        What the residuals must fall below.
    log : bool, default=True
        Whether the scale is logarithmic.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        After :meth:`plot`.

    Examples
    --------
    >>> from manyview import SemiNTF
    >>> from manyview.datasets import make_views
    >>> from manyview.plotting import ConvergenceDisplay
    >>> data = make_views(n_samples=90, n_clusters=3, random_state=0)
    >>> model = SemiNTF(n_clusters=3, random_state=0).fit(data.views)
    >>> list(ConvergenceDisplay.from_estimator(model).series)
    ['max |H − Q|']
    """

    series: Mapping[str, list[float]]
    limit: float | None = None
    log: bool = True

    @classmethod
    def from_estimator(cls, model: Any, /, *, ax: Any = None) -> Self:
        """Plot the history of a fitted model.

        Parameters
        ----------
        model : estimator
            Fitted.
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        ConvergenceDisplay
            The display, drawn.
        """
        found = sections.convergence(model)
        if found is None:
            raise ValueError(f"{type(model).__name__} keeps no history: it does not iterate, or not in one loop.")
        residuals = {one["title"]: one["values"] for one in found["series"] if one["residual"]}
        chosen = residuals or {one["title"]: one["values"] for one in found["series"]}
        return cls(series=chosen, limit=found["limit"], log=bool(residuals)).plot(ax=ax)

    @classmethod
    def from_predictions(
        cls, values: ArrayLike, /, *, title: str = "objective", log: bool = False, ax: Any = None
    ) -> Self:
        """Plot numbers (n_iterations,) of another program.

        Parameters
        ----------
        values : array-like of shape (n_iterations,)
            One number per iteration.
        title : str, default="objective"
            What the numbers are.
        log : bool, default=False
            Whether the scale is logarithmic.
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        ConvergenceDisplay
            The display, drawn.
        """
        return cls(series={title: np.asarray(values, dtype=np.float64).tolist()}, log=log).plot(ax=ax)

    def _size(self) -> tuple[float, float]:
        return (6.4, 3.4)

    def _draw(self, ax: Any) -> None:
        for number, (title, values) in enumerate(self.series.items()):
            shown = np.array(values)
            if self.log:
                shown = np.where(shown > 0, shown, np.nan)  # a log axis has no zero: leave a gap there
            color = style.LINES[number % len(style.LINES)]
            ax.plot(range(1, len(shown) + 1), shown, "o-", ms=3, lw=1.6, color=color, label=title)
        if self.limit is not None:
            ax.axhline(self.limit, color=style.SOFT, ls="--", lw=1, label="limit")
        style.quiet(ax)
        ax.set(xlabel="iteration", yscale="log" if self.log else "linear")
        ax.xaxis.set_major_locator(style.load("matplotlib.ticker").MaxNLocator(integer=True))
        ax.legend(frameon=False)
