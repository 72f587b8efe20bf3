"""The look that all plots share with the report, and matplotlib, imported when a plot is drawn."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from manyview.report import palette

INK, SOFT, LINE = "#1c2128", "#57606a", "#d6dadf"
LINES = ("#2a6496", "#d9622b", "#57606a")


def load(module: str, /) -> Any:
    """Import a module of matplotlib; an ImportError names the extra to install."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "matplotlib":
            raise  # the library is there, something inside it is not
        message = 'a plot needs matplotlib; install it with: pip install "manyview[plots]"'
        raise ImportError(message, name="matplotlib") from None


def axes(ax: Any, /, *, size: tuple[float, float] = (6.0, 4.5)) -> Any:
    """Return the axes that the caller gave, or new ones."""
    if ax is None:
        _, ax = load("matplotlib.pyplot").subplots(figsize=size, layout="constrained")
    return ax


def bare(ax: Any, /) -> None:
    """Take away the frame and the ticks, where positions have no unit."""
    ax.set(xticks=[], yticks=[])
    for spine in ax.spines.values():
        spine.set_visible(False)


def quiet(ax: Any, /) -> None:
    """Keep two spines and a faint grid."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(LINE)
    ax.tick_params(color=LINE, labelcolor=SOFT)
    ax.grid(color=LINE, lw=0.6, alpha=0.7)
    ax.set_axisbelow(True)


def sequential() -> Any:
    """Return the color map of quantities."""
    return load("matplotlib.colors").LinearSegmentedColormap.from_list("manyview", palette.SEQUENTIAL)


def diverging() -> Any:
    """Return the color map of effects: blue below zero, orange above."""
    return load("matplotlib.colors").LinearSegmentedColormap.from_list("manyview-effects", palette.DIVERGING)


def shades() -> Any:
    """Return the color map of shares, from white to blue."""
    return load("matplotlib.colors").LinearSegmentedColormap.from_list("manyview-shares", ["#f7f8f9", "#4a86bd"])


def matrix(
    ax: Any, values: NDArray[np.float64], /, *, rows: list[str], columns: list[str], form: str, **image: Any
) -> Any:
    """Draw a labeled matrix with its numbers, where there is room for them."""
    drawn = ax.imshow(values, aspect="auto", **image)
    ax.set_xticks(range(len(columns)), columns, rotation=0 if _short(columns) else 90)
    ax.set_yticks(range(len(rows)), rows)
    ax.tick_params(length=0, labelcolor=SOFT)
    for spine in ax.spines.values():
        spine.set_visible(False)
    if values.shape[1] <= 14 and values.shape[0] <= 45:
        for i, j in np.ndindex(*values.shape):
            if np.isfinite(values[i, j]):
                r, g, b, _ = drawn.cmap(drawn.norm(values[i, j]))
                ink = INK if 0.3 * r + 0.59 * g + 0.11 * b > 0.5 else "white"
                ax.text(j, i, format(values[i, j], form), ha="center", va="center", fontsize=7.5, color=ink)
    return drawn


def _short(names: list[str]) -> bool:
    return sum(len(name) for name in names) <= 48 and max((len(name) for name in names), default=0) <= 12


@dataclass(kw_only=True, eq=False, repr=False)
class Display(ABC):
    """A plot with its numbers; every kind says how it is drawn."""

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        Display
            This display, with ``ax_`` and ``figure_``.
        """
        self.ax_ = axes(ax, size=self._size())
        self._draw(self.ax_)
        self.figure_ = self.ax_.figure
        return self

    @abstractmethod
    def _size(self) -> tuple[float, float]:
        """Return the width and height of a new figure, in inches."""

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Draw on the axes."""
