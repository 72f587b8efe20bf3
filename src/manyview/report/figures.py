"""Figures of a report as PNG bytes. Needs matplotlib; drawn by Agg, so no display and no global state."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manyview.report.libraries import load
from manyview.report.summary import Convergence

BLUE, ORANGE, GRAY = "#2a6f97", "#c8553d", "#555555"


def convergence_png(convergence: Convergence, /) -> bytes:
    """Both residuals with the limit they must reach, and the objective, per iteration."""
    figure = load("matplotlib.figure").Figure(figsize=(7.2, 5.4), dpi=120, layout="constrained")
    load("matplotlib.backends.backend_agg").FigureCanvasAgg(figure)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    _residuals(upper, convergence)
    _objective(lower, convergence)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})  # the same bytes for the same numbers
    return buffer.getvalue()


def _residuals(axes: Any, convergence: Convergence) -> None:
    iterations = range(1, convergence["n_iter"] + 1)
    axes.plot(iterations, _positive(convergence["residual_HQ"]), "o-", ms=3, color=BLUE, label="max |H − Q|")
    if convergence["coupled"]:
        axes.plot(iterations, _positive(convergence["residual_QJ"]), "s-", ms=3, color=ORANGE, label="max |Q − J|")
    else:
        axes.plot([], [], color=ORANGE, label="max |Q − J| = 0: one shared H, there is no J")
    axes.axhline(convergence["limit"], color=GRAY, ls="--", lw=1, label="limit, tol · √(K/N)")
    end = "converged" if convergence["converged"] else "stopped by max_iter, NOT converged"
    axes.set(yscale="log", ylabel="residual (log scale)", title=f"{convergence['n_iter']} iterations, {end}")
    axes.grid(alpha=0.3, which="both")
    axes.legend(frameon=False)


def _objective(axes: Any, convergence: Convergence) -> None:
    """The objective at Q (and J), whose negative entries vanish only as the residuals do: it may rise."""
    values = np.asarray(convergence["objective"])
    logarithmic = bool((values > 0).all())
    axes.plot(range(1, convergence["n_iter"] + 1), values, "o-", ms=3, color=BLUE)
    scale = "log" if logarithmic else "linear"
    where = "Q and J" if convergence["coupled"] else "Q"
    axes.set(yscale=scale, xlabel="iteration", ylabel=f"objective at {where}\n({scale} scale)")
    axes.set_title(f"from {values.min():.5g} to {values.max():.5g}", loc="right", fontsize="small", color=GRAY)
    ticker = load("matplotlib.ticker")
    axes.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
    if logarithmic and values.max() < 10 * values.min():  # less than a decade: powers of ten would leave no tick
        axes.yaxis.set_major_locator(ticker.MaxNLocator(4))
        axes.yaxis.set_minor_locator(ticker.NullLocator())
        axes.yaxis.set_major_formatter(ticker.ScalarFormatter(useOffset=False))
    axes.grid(alpha=0.3)


def _positive(values: list[float]) -> list[float]:
    """A log axis has no zero: leave a gap there."""
    return [value if value > 0 else float("nan") for value in values]


def image_png(image: ArrayLike, /, *, largest: float) -> bytes:
    """A small gray image, one pixel an entry: 0 is white, `largest` black."""
    buffer = io.BytesIO()
    pixels = np.asarray(image, dtype=np.float64)
    load("matplotlib.image").imsave(
        buffer, pixels, cmap="Grays", vmin=0, vmax=largest, format="png", metadata={"Software": None}
    )
    return buffer.getvalue()
