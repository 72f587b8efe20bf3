"""The figures of the page, drawn from the committed results alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from evidence import AXES, LAMBDAS, ORDERS, PAPER, POWERS
from findings import assumption, best_line, grid_lines, joint_draws, swept
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from measure import BINS, FITTED, TRANSFORMS
from measure import LAMBDAS as ENERGY_LAMBDAS
from order_audit import METHODS, Finding
from record import Record
from score_tables import TITLES, published

BLUE, ORANGE, GREEN, PINK, GRAY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#555555"  # Okabe and Ito's
AXIS_COLORS = {"views": BLUE, "samples": ORANGE}
COLORS = "cividis"
SHOWN = {"acc": "ACC", "nmi": "NMI", "purity": "Purity"}


def published_line(axes: Any, data: str, score: str = "acc") -> None:
    """A dashed line at the published score of Semi-NTF."""
    value = float(published()[data]["Semi-NTF"][score].split()[0])
    axes.axhline(value, color=GRAY, lw=1, ls="--")
    axes.text(0.99, value, "published", color=GRAY, ha="right", va="bottom", transform=axes.get_yaxis_transform())


def legend_below(figure: Figure, axes: Any, columns: int = 2) -> None:
    """One legend for all panels."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, fontsize="small", frameon=False)


def sweep_figure(record: Record, parameter: str) -> Figure:
    """Three scores against one parameter, both axes and both orders of the rows (figures 2 and 3 of the paper)."""
    figure = Figure((10.5, 6.2), layout="constrained")
    grid = figure.subplots(len(PAPER), len(SHOWN), squeeze=False)
    for data, row in zip(PAPER, grid, strict=True):
        for (score, title), axes in zip(SHOWN.items(), row, strict=True):
            for axis in AXES:
                for order, line in zip(ORDERS, ("-", ":"), strict=True):
                    found = sorted(swept(record, data, axis, order, parameter).items())
                    y = [one["scores"][score] for _, one in found]
                    label = f"axis {axis}, rows {order}"
                    axes.plot([x for x, _ in found], y, line, color=AXIS_COLORS[axis], marker="o", ms=4, label=label)
            published_line(axes, data, score)
            axes.set(title=f"{TITLES[data]}: {title}", xlabel=parameter, ylim=(0, 1.08))
            axes.grid(alpha=0.3)
    legend_below(figure, grid[0][0], 4)
    return figure


def lambda_figure(record: Record) -> Figure:
    """Heat maps of ACC over lambda and p, rows as stored (figure 4 of the paper)."""
    figure = Figure((9.5, 6.4), layout="constrained")
    grid = figure.subplots(len(PAPER), len(AXES), squeeze=False)
    for data, row in zip(PAPER, grid, strict=True):
        for axis, axes in zip(AXES, row, strict=True):
            axes.set_title(f"{TITLES[data]}: axis {axis}, rows stored", fontsize=9)
            found = {
                (line["at"]["p"], line["at"]["lam"]): line["scores"]["acc"] for line in grid_lines(record, data, axis)
            }
            _map(axes, [[found.get((p, lam), math.nan) for lam in LAMBDAS] for p in POWERS])
            axes.set_yticks(range(len(POWERS)), [f"{p:g}" for p in POWERS])
    figure.colorbar(ScalarMappable(Normalize(0, 1), COLORS), ax=grid.ravel().tolist(), label="ACC")
    return figure


def _map(axes: Any, table: list[list[float]]) -> None:
    axes.imshow(table, cmap=COLORS, vmin=0, vmax=1, aspect="auto", origin="lower")
    for i, line in enumerate(table):
        for j, value in enumerate(line):
            color = "black" if value > 0.6 else "white"
            axes.text(j, i, f"{value:.2f}", ha="center", va="center", fontsize=7, color=color)
    axes.set(xlabel="lambda", ylabel="p")
    axes.set_xticks(range(len(LAMBDAS)), [f"1e{math.log10(lam):.0f}" for lam in LAMBDAS])


def joint_figure(record: Record) -> Figure:
    """ACC of every point of the joint grid, the best and the fixed setting marked."""
    figure = Figure((9.5, 4.6), layout="constrained")
    rng = np.random.default_rng(0)
    for data, axes in zip(PAPER, figure.subplots(1, len(PAPER)), strict=True):
        places = [(axis, order) for axis in AXES for order in ORDERS]
        for place, (axis, order) in enumerate(places):
            draws = joint_draws(record, data, axis, order)
            lines = [line for of in draws for line in of]
            y = [line["scores"]["acc"] for line in lines]
            x = place + rng.uniform(-0.25, 0.25, len(y))
            axes.plot(x, y, ".", color=AXIS_COLORS[axis], alpha=0.35, ms=4)
            best = [best_line(of) for of in draws]
            fixed = record.select("fixed", data=data, axis=axis, order=order)
            for found, marker, label in ((best, "^", "best of the grid, per draw"), (fixed, "D", "fixed setting")):
                values = [line["scores"]["acc"] for line in found]
                name = label if place == 0 else None
                axes.plot([place] * len(values), values, marker, color="black", ms=6, label=name)
        published_line(axes, data)
        axes.set(title=TITLES[data], ylabel="ACC", ylim=(0, 1.05))
        axes.set_xticks(range(len(places)), [f"{axis}\n{order}" for axis, order in places])
    legend_below(figure, axes)
    return figure


def ceiling_figure(record: Record) -> Figure:
    """Fits that start at the true classes, by lambda, between the best classifiers and the published clustering."""
    figure = Figure((9.5, 4.4), layout="constrained")
    for data, axes in zip(PAPER, figure.subplots(1, len(PAPER)), strict=True):
        for axis in AXES:
            lines = sorted(record.select("classes", data=data, axis=axis), key=lambda line: line["at"]["lam"])
            x, y = [line["at"]["lam"] for line in lines], [line["scores"]["acc"] for line in lines]
            axes.semilogx(x, y, "o", color=AXIS_COLORS[axis], ms=4, label=f"from the true classes, axis {axis}")
        for features, color in (("views", GREEN), ("graphs", PINK)):
            best = best_line(record.select("ceiling", data=data, features=features))["scores"]["acc"]
            axes.axhline(best, color=color, label=f"best ten-fold classifier on {features}")
        published_line(axes, data)
        axes.set(title=f"{TITLES[data]}, rows shuffled", xlabel="lambda", ylabel="ACC", ylim=(0, 1.05))
        axes.grid(alpha=0.3)
    legend_below(figure, axes)
    return figure


def convergence_figure(record: Record) -> Figure:
    """Both residuals against the iteration, relative to the largest entry of H (figure 5 of the paper)."""
    figure = Figure((9.5, 4.2), layout="constrained")
    for data, axes in zip(PAPER, figure.subplots(1, len(PAPER), sharey=True), strict=True):
        for line in record.select("theorem", data=data):
            color, axis = AXIS_COLORS[line["at"]["axis"]], line["at"]["axis"]
            for name, style, spoken in (("HQ", "-", "H − Q"), ("QJ", "--", "Q − J")):
                y = np.array(line[name]) / np.array(line["largest"])
                axes.semilogy(np.arange(1, len(y) + 1), y, style, color=color, label=f"axis {axis}: {spoken}")
        axes.set(title=TITLES[data], xlabel="iteration", ylabel="largest entry / largest entry of H")
        axes.grid(alpha=0.3)
    legend_below(figure, axes, 4)
    return figure


def theorem_figure(record: Record) -> Figure:
    """What Theorem 2 assumes to vanish, and what it would be if H moved by rounding alone."""
    figure = Figure((9.5, 4.2), layout="constrained")
    for data, axes in zip(PAPER, figure.subplots(1, len(PAPER), sharey=True), strict=True):
        for line in record.select("theorem", data=data):
            color, axis = AXIS_COLORS[line["at"]["axis"]], line["at"]["axis"]
            k = np.arange(1, len(line["mu"]) + 1)
            axes.semilogy(k[:-1], assumption(line), color=color, label=f"axis {axis}: max(μ, ρ) max |ΔH|")
            step = np.array(line["mu"]) * np.array(line["HQ"])
            axes.semilogy(k, step, "--", color=color, label=f"axis {axis}: largest change of Y1")
        floor = np.array(line["mu"]) * np.finfo(float).eps * np.array(line["largest"])
        axes.semilogy(k, floor, ":", color=GRAY, label="rounding of H, times μ")
        axes.set(title=TITLES[data], xlabel="iteration k")
        axes.grid(alpha=0.3)
    legend_below(figure, axes, 3)
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
    axes.set_yticks(range(len(methods)), methods)
    axes.grid(axis="x", alpha=0.3)
    axes.legend(frameon=False, loc="lower left")
    return figure


def energy_figure(record: Record) -> Figure:
    """Histograms of the largest share of a sample's energy that one view holds."""
    figure = Figure((10.5, 5.2), layout="constrained")
    grid = figure.subplots(len(ENERGY_LAMBDAS), len(FITTED), squeeze=False, sharex=True, sharey=True)
    colors = dict(zip(TRANSFORMS, (ORANGE, BLUE), strict=True))
    for lam, row in zip(ENERGY_LAMBDAS, grid, strict=True):
        for name, axes in zip(FITTED, row, strict=True):
            for fit in record.select("measures", what="energy", data=name, lam=lam):
                heights, transform = np.array(fit["histogram"]) / sum(fit["histogram"]), fit["at"]["transform"]
                label = TRANSFORMS[transform]
                axes.stairs(heights, BINS, fill=True, alpha=0.55, color=colors[transform], label=label)
                axes.axvline(1 / fit["views"], color=GRAY, ls="--", lw=1)
            axes.set_title(f"{name}, lambda = {lam:g}", fontsize=9)
    for axes in grid[-1]:
        axes.set_xlabel("largest share of one view")
    for line in grid:
        line[0].set_ylabel("share of samples")
    legend_below(figure, grid[0][0])
    return figure


def draw_all(record: Record, found: list[Finding], in_blocks: dict[str, bool], folder: Path) -> list[Path]:
    """Write every figure as PNG, with no date in it."""
    drawings: dict[str, Callable[[], Figure]] = {
        "anchors": lambda: sweep_figure(record, "n_anchors"),
        "p": lambda: sweep_figure(record, "p"),
        "lambda": lambda: lambda_figure(record),
        "joint": lambda: joint_figure(record),
        "ceiling": lambda: ceiling_figure(record),
        "convergence": lambda: convergence_figure(record),
        "theorem": lambda: theorem_figure(record),
        "audit": lambda: audit_figure(found, in_blocks),
        "energy": lambda: energy_figure(record),
    }
    files = []
    for name, draw in drawings.items():
        files.append(folder / f"paper-{name}.png")
        draw().savefig(files[-1], dpi=100, metadata={"Software": None})
    return files
