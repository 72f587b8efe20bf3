"""The figures of the page, drawn from the committed results alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from cells import SHUFFLED, STORED, Cells
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from measure import BINS, FITTED, LAMBDAS, TRANSFORMS
from order_audit import METHODS, NAMES, Finding
from score_tables import TITLES

BLUE, ORANGE, GREEN, PINK, GRAY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#555555"  # Okabe and Ito's
COLORS = "cividis"
DATA = ("mnist4", "scene15")
BEST = {"mnist4": (24, 0.7), "scene15": (31, 0.1)}  # the paper's anchors and p
# label, journal's name of the sweep, row order, color, marker, line
ALGORITHM_1 = (
    ("Algorithm 1, axis samples, rows as stored", "{what}, samples, {data}", STORED, ORANGE, "o", "-"),
    ("Algorithm 1, axis samples, rows shuffled", "{what}, samples, {data}", SHUFFLED, ORANGE, "o", ":"),
    ("Algorithm 1, axis views, rows as stored", "{what}, views, {data}", STORED, BLUE, "s", "-"),
)
Energy = list[dict[str, Any]]


def sweep_figure(cells: Cells, what: str, parameter: str, ours: tuple[str, str]) -> Figure:
    """ACC against one parameter; `ours`: label and journal's name of our sweep, on shuffled rows."""
    lines = (*ALGORITHM_1, (ours[0] + ", rows shuffled", ours[1], SHUFFLED, GREEN, "^", "-"))
    figure = Figure((9.5, 4.2), layout="constrained")
    panels = figure.subplots(1, len(DATA))
    for data, axes in zip(DATA, panels, strict=True):
        for label, name, order, color, marker, line in lines:
            method = name.format(what=what, data=data)
            points = sorted(cells.points(data, method, order), key=lambda point: point[parameter])
            y = [cells.values(data, method, order, "acc", point).mean for point in points]
            x = [point[parameter] for point in points]
            axes.plot(x, y, line, color=color, marker=marker, ms=5, label=label)
        published = {"mnist4": 0.990, "scene15": 0.758}[data]
        axes.axhline(published, color=GRAY, lw=1, ls="--")
        axes.text(
            0.99, published, "published best", color=GRAY, ha="right", va="bottom", transform=axes.get_yaxis_transform()
        )
        axes.set(title=TITLES[data], xlabel=parameter, ylabel="ACC", ylim=(0, 1.08))
        if parameter == "n_anchors":
            axes.set_xscale("log")
            axes.set_xticks([15, 25, 50, 100, 200, 500], ["15", "25", "50", "100", "200", "500"])
            axes.minorticks_off()
        axes.grid(alpha=0.3)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize="small", frameon=False)
    return figure


def lambda_figure(cells: Cells) -> Figure:
    """Heat maps of ACC over lambda and p."""
    columns = (
        ("Algorithm 1, axis samples\nrows as stored", "lambda, samples, {data}", STORED),
        ("Algorithm 1, axis views\nrows as stored", "lambda, views, {data}", STORED),
        ('SemiNTF, coupling="clusters"\nrows shuffled', "lambda, clusters", SHUFFLED),
    )
    figure = Figure((10.5, 5.8), layout="constrained")
    grid = figure.subplots(len(DATA), len(columns), squeeze=False)
    for i, data in enumerate(DATA):
        for j, (title, name, order) in enumerate(columns):
            grid[i][j].set_title(f"{TITLES[data]}: {title}", fontsize=9)
            _map(grid[i][j], cells, data, name.format(data=data), order)
    figure.colorbar(ScalarMappable(Normalize(0, 1), COLORS), ax=grid.ravel().tolist(), label="ACC")
    return figure


def _map(axes: Any, cells: Cells, data: str, method: str, order: str) -> None:
    points = cells.points(data, method, order)
    if not points:
        return axes.set_axis_off()
    lams, ps = (sorted({point[name] for point in points}) for name in ("lam", "p"))
    table = [[cells.values(data, method, order, "acc", {"lam": lam, "p": p}).mean for lam in lams] for p in ps]
    axes.imshow(table, cmap=COLORS, vmin=0, vmax=1, aspect="auto", origin="lower")
    for i, line in enumerate(table):
        for j, value in enumerate(line):
            if not math.isnan(value):
                axes.text(
                    j,
                    i,
                    f"{value:.2f}",
                    ha="center",
                    va="center",
                    fontsize=8,
                    color="black" if value > 0.6 else "white",
                )
    axes.set(xlabel="lambda", ylabel="p", xticks=range(len(lams)), yticks=range(len(ps)))
    axes.set_xticklabels([f"1e{math.log10(lam):.0f}" for lam in lams])
    axes.set_yticklabels([f"{p:g}" for p in ps])


def convergence_figure(cells: Cells) -> Figure:
    """Both residuals against the iteration, relative to sqrt(K / N), the size of an entry of H."""
    fits = (
        ("Algorithm 1, axis samples", "convergence, samples, {data}", STORED, ORANGE),
        ("Algorithm 1, axis views", "convergence, views, {data}", STORED, BLUE),
        ("SemiNTF, default", "convergence, shared", SHUFFLED, GREEN),
        ('SemiNTF, coupling="clusters"', "convergence, clusters", SHUFFLED, PINK),
    )
    figure = Figure((9.5, 4.4), layout="constrained")
    panels = figure.subplots(1, len(DATA), sharey=True)
    for data, axes in zip(DATA, panels, strict=True):
        for label, name, order, color in fits:
            for row in cells.rows(data, name.format(data=data), order)[:1]:
                history = row["result"]["recorded"]["history_"]
                entry = math.sqrt(row["result"]["n_clusters"] / row["result"]["n_samples"])
                for residual, line, spoken in (("residual_HQ", "-", "H − Q"), ("residual_QJ", "--", "Q − J")):
                    y = np.array(history[residual], dtype=float) / entry
                    if not y.any():  # a shared H has no J
                        continue
                    axes.semilogy(np.arange(1, len(y) + 1), y, line, color=color, label=f"{label}: {spoken}")
        axes.set(title=TITLES[data], xlabel="iteration")
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("largest entry / sqrt(K / N)")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize="small", frameon=False)
    return figure


def audit_figure(found: list[Finding], in_blocks: dict[str, bool]) -> Figure:
    """A line per method, a mark per data set: accuracy on shuffled rows minus accuracy on rows as stored."""
    figure = Figure((8.5, 4.6), layout="constrained")
    axes = figure.subplots()
    methods = [method for method in METHODS if any(one.method == method for one in found)]
    for blocks, color, marker, label in (
        (True, ORANGE, "o", "classes are blocks of rows"),
        (False, BLUE, "s", "other files"),
    ):
        here = [one for one in found if in_blocks[one.data] is blocks]
        height = [methods.index(one.method) + (-0.13 if blocks else 0.13) for one in here]
        axes.plot([one.difference for one in here], height, marker, color=color, alpha=0.75, ms=6, label=label)
    axes.axvline(0, color=GRAY, lw=1)
    axes.set(xlabel="ACC on shuffled rows − ACC on rows as stored", ylim=(len(methods) - 0.5, -0.5))
    axes.set_yticks(range(len(methods)), [NAMES.get(method, method) for method in methods])
    axes.grid(axis="x", alpha=0.3)
    axes.legend(frameon=False, loc="lower left")
    return figure


def energy_figure(fits: Energy) -> Figure:
    """Histograms of the largest share of a sample's energy that one view holds."""
    names = [name for name in FITTED if any(fit["data"] == name for fit in fits)]
    figure = Figure((10.5, 5.2), layout="constrained")
    grid = figure.subplots(len(LAMBDAS), len(names), squeeze=False, sharex=True, sharey=True)
    colors = dict(zip(TRANSFORMS, (ORANGE, BLUE), strict=True))
    for i, lam in enumerate(LAMBDAS):
        for j, name in enumerate(names):
            axes = grid[i][j]
            for fit in (fit for fit in fits if (fit["data"], fit["lam"]) == (name, lam)):
                heights = np.array(fit["histogram"]) / sum(fit["histogram"])
                label = TRANSFORMS[fit["transform"]]
                axes.stairs(heights, BINS, fill=True, alpha=0.55, color=colors[fit["transform"]], label=label)
                axes.axvline(1 / fit["views"], color=GRAY, ls="--", lw=1)
            axes.set_title(f"{name}, lambda = {lam:g}", fontsize=9)
    for axes in grid[-1]:
        axes.set_xlabel("largest share of one view")
    for line in grid:
        line[0].set_ylabel("share of samples")
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
    return figure


def draw_all(cells: Cells, found: list[Finding], in_blocks: dict[str, bool], fits: Energy, folder: Path) -> list[Path]:
    """Write every figure as PNG, with no date in it."""
    drawings: dict[str, Callable[[], Figure]] = {
        "anchors": lambda: sweep_figure(
            cells, "anchors", "n_anchors", ("SemiNTF, default", "anchors, default, {data}")
        ),
        "p": lambda: sweep_figure(cells, "p", "p", ('SemiNTF, coupling="clusters"', "p, clusters")),
        "lambda": lambda: lambda_figure(cells),
        "convergence": lambda: convergence_figure(cells),
        "audit": lambda: audit_figure(found, in_blocks),
        "energy": lambda: energy_figure(fits),
    }
    files = []
    for name, draw in drawings.items():
        files.append(folder / f"paper-{name}.png")
        draw().savefig(files[-1], dpi=110, metadata={"Software": None})
    return files
