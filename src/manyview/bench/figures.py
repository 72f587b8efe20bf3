"""A summary as figures: methods side by side, and what a parameter does.

Needs matplotlib, which is imported here only, and only when a figure is drawn.
"""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from manyview.bench.summary import Entry, Summary

PANEL = (3.6, 0.32)  # inches: width of a panel, height of a line in it
MARKERS = {"as-stored": {"ms": 9, "mfc": "white"}, "shuffled": {"ms": 5, "mfc": "C0"}}


def draw_figures(summary: Summary, folder: Path, /) -> list[Path]:
    """Write all figures that a summary allows; grids of more than two parameters have none."""
    files = []
    for metric in summary.metrics:
        entries = [entry for entry in summary.entries if entry.metric == metric and entry.mean is not None]
        plain = [entry for entry in entries if not entry.grid]
        if plain:
            files.append(_save(_side_by_side(plain, metric), folder / f"scores-{metric}.svg"))
        for method in _names(entry.method for entry in entries if len(entry.grid) in (1, 2)):
            swept = [entry for entry in entries if entry.method == method]
            figure = _curves(swept, metric) if len(swept[0].grid) == 1 else _maps(swept, metric)
            files.append(_save(figure, folder / f"sweep-{re.sub(r'[^A-Za-z0-9.-]+', '-', method)}-{metric}.svg"))
    return files


def _side_by_side(entries: list[Entry], metric: str) -> Any:
    """Draw a panel per data set, a line per method.

    Hollow points are stored rows, filled ones shuffled; whiskers are one standard deviation.
    """
    methods = _names(entry.label for entry in entries)
    figure, panels = _panels(_names(entry.data for entry in entries), height=1.0 + PANEL[1] * len(methods))
    for data, axes in panels.items():
        for order, style in MARKERS.items():
            here = [entry for entry in entries if entry.data == data and entry.order == order]
            axes.errorbar(
                [entry.mean for entry in here],
                [methods.index(entry.label) for entry in here],
                xerr=[entry.sd or 0.0 for entry in here],
                fmt="o",
                color="C0",
                label=order,
                **style,
            )
        axes.set(title=data, xlabel=metric, yticks=range(len(methods)), ylim=(len(methods) - 0.5, -0.5))
        axes.set_yticklabels(methods)
        axes.grid(axis="x", alpha=0.3)
    return _with_legend(figure, panels)


def _curves(entries: list[Entry], metric: str) -> Any:
    """Draw one swept parameter: a panel per data set, a curve per row order, bands of one sd."""
    (name, _), *_ = entries[0].grid
    figure, panels = _panels(_names(entry.data for entry in entries), height=2.8)
    for data, axes in panels.items():
        for order in _names(entry.order for entry in entries):
            here = [entry for entry in entries if entry.data == data and entry.order == order]
            values = [entry.grid[0][1] for entry in here]
            x = values if _numeric(values) else [str(value) for value in values]
            mean, sd = [entry.mean or 0.0 for entry in here], [entry.sd or 0.0 for entry in here]
            axes.plot(x, mean, marker="o", label=order)
            axes.fill_between(
                x,
                [m - s for m, s in zip(mean, sd, strict=True)],
                [m + s for m, s in zip(mean, sd, strict=True)],
                alpha=0.2,
            )
            if _spans_decades(values):
                axes.set_xscale("log")
        axes.set(title=data, xlabel=name, ylabel=metric)
        axes.grid(alpha=0.3)
    return _with_legend(figure, panels)


def _maps(entries: list[Entry], metric: str) -> Any:
    """Draw two swept parameters: a heat map for each data set and row order."""
    (first, _), (second, _) = entries[0].grid
    across, down = (_names(entry.grid[i][1] for entry in entries) for i in (0, 1))
    titles = _names(f"{entry.data}, {entry.order}" for entry in entries)
    figure, panels = _panels(titles, height=1.2 + PANEL[1] * len(down))
    means = [entry.mean or 0.0 for entry in entries]
    for title, axes in panels.items():
        table = [[math.nan] * len(across) for _ in down]
        for entry in entries:
            if f"{entry.data}, {entry.order}" == title:
                table[down.index(entry.grid[1][1])][across.index(entry.grid[0][1])] = entry.mean or 0.0
        image = axes.imshow(table, aspect="auto", vmin=min(means), vmax=max(means))
        axes.set(title=title, xlabel=first, ylabel=second, xticks=range(len(across)), yticks=range(len(down)))
        axes.set_xticklabels([str(value) for value in across], rotation=45)
        axes.set_yticklabels([str(value) for value in down])
        figure.colorbar(image, ax=axes, label=metric)
    return figure


def _panels(titles: list[str], *, height: float) -> tuple[Any, dict[str, Any]]:
    columns = min(3, len(titles))
    rows = math.ceil(len(titles) / columns)
    figure = importlib.import_module("matplotlib.figure").Figure(
        (PANEL[0] * columns + 1.0, height * rows), layout="constrained"
    )
    grid = figure.subplots(rows, columns, squeeze=False, sharey=True).ravel()
    for unused in grid[len(titles) :]:
        unused.set_visible(False)
    return figure, dict(zip(titles, grid, strict=False))


def _with_legend(figure: Any, panels: dict[str, Any]) -> Any:
    handles, labels = next(iter(panels.values())).get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), fontsize="small")
    return figure


def _save(figure: Any, path: Path) -> Path:
    # the same numbers shall give the same bytes: no date, no random ids
    with importlib.import_module("matplotlib").rc_context({"svg.hashsalt": "manyview"}):
        figure.savefig(path, metadata={"Date": None})
    return path


def _names(values: Iterable[Any]) -> list[Any]:
    """List different values in order of appearance."""
    seen: list[Any] = []
    for value in values:
        if value not in seen:
            seen.append(value)
    return seen


def _numeric(values: list[Any]) -> bool:
    return all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)


def _spans_decades(values: list[Any]) -> bool:
    return bool(values) and _numeric(values) and min(values) > 0 and max(values) / min(values) >= 100
