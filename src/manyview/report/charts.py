"""Line charts for the page, as coordinates: the template draws them, the style sheet colors them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np


class Tick(NamedTuple):
    """A number on an axis."""

    at: float
    text: str


class Line(NamedTuple):
    """One line with its points and error bars."""

    title: str
    path: str
    points: list[tuple[float, float]]
    bars: list[tuple[float, float, float]]  # x, lower end, upper end


class Frame(NamedTuple):
    """A chart and the plot inside of it; between them is room for the numbers."""

    width: float = 640.0
    height: float = 250.0
    left: float = 56.0
    right: float = 628.0
    top: float = 12.0
    bottom: float = 206.0


class Chart(NamedTuple):
    """All coordinates of a chart."""

    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float
    lines: list[Line]
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    limit: float | None  # a horizontal line
    marked: float | None  # a vertical line


def line_chart(
    x: Sequence[float],
    lines: Sequence[tuple[str, Sequence[float], Sequence[float] | None]],
    /,
    *,
    log: bool = False,
    limit: float | None = None,
    marked: float | None = None,
) -> Chart:
    """Lay out lines (title, values, errors) over x; a log scale leaves out what is not positive."""
    known = [value for _, values, _ in lines for value in values if not log or value > 0]
    known += [] if limit is None or (log and limit <= 0) else [limit]
    for _, values, errors in lines:
        if errors is not None and not log:
            known += [v + sign * e for v, e in zip(values, errors, strict=True) for sign in (-1, 1)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    scale = math.log10 if log else float
    bottom, top = scale(low), scale(high)
    if top - bottom < 1e-12 * max(abs(top), 1):
        bottom, top = bottom - 0.5, top + 0.5
    margin = 0.06 * (top - bottom)
    bottom, top = bottom - margin, top + margin
    shown = [*x] if marked is None else [*x, marked]
    first, last = float(min(shown)), float(max(shown))
    if first == last:
        first, last = first - 0.5, last + 0.5

    frame = Frame()

    def px(value: float) -> float:
        return round(frame.left + (value - first) / (last - first) * (frame.right - frame.left), 2)

    def py(value: float) -> float:
        return round(frame.bottom - (scale(value) - bottom) / (top - bottom) * (frame.bottom - frame.top), 2)

    drawn = []
    for title, values, errors in lines:
        kept = [(a, b) for a, b in zip(x, values, strict=True) if not log or b > 0]
        points = [(px(a), py(b)) for a, b in kept]
        bars = (
            [] if errors is None else [(px(a), py(b - e), py(b + e)) for a, b, e in zip(x, values, errors, strict=True)]
        )
        drawn.append(Line(title, " ".join(f"{a},{b}" for a, b in points), points, bars))
    return Chart(
        *frame,
        drawn,
        _x_ticks(first, last, px, marked),
        _y_ticks(bottom, top, py, log=log),
        None if limit is None or (log and limit <= 0) else py(limit),
        None if marked is None else px(marked),
    )


def _x_ticks(first: float, last: float, px: Any, marked: float | None) -> list[Tick]:
    """Choose round numbers, and the marked one in place of those that it would touch."""
    found = [Tick(px(value), f"{value:g}") for value in ticks(first, last, integers=True) if first <= value <= last]
    if marked is None:
        return found
    own = Tick(px(marked), f"{marked:g}")
    return sorted([own, *(tick for tick in found if abs(tick.at - own.at) > 30)])


def _y_ticks(bottom: float, top: float, py: Any, *, log: bool) -> list[Tick]:
    if log and top - bottom >= 1:
        powers = range(math.ceil(bottom), math.floor(top) + 1)
        step = max(len(powers) // 5, 1)
        if len(powers) > 2:
            return [Tick(py(10.0**power), f"1e{power}") for power in powers[::step]]
        between = [factor * 10.0**power for power in range(powers[0] - 1, powers[-1] + 1) for factor in (1, 2, 5)]
        return [Tick(py(value), f"{value:.0e}") for value in between if bottom <= math.log10(value) <= top]
    low, high = (10.0**bottom, 10.0**top) if log else (bottom, top)
    return [
        Tick(py(value), f"{value:.5g}") for value in ticks(low, high) if low <= value <= high and (not log or value > 0)
    ]


def ticks(low: float, high: float, /, *, integers: bool = False, wanted: int = 5) -> list[float]:
    """Return about as many round numbers between two numbers as wanted."""
    raw = (high - low) / wanted
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw * 0.999)
    if integers:
        step = max(round(step), 1)
    return [float(round(value, 12)) for value in np.arange(math.ceil(low / step), math.floor(high / step) + 1) * step]
