"""Fits of Algorithm 1 (SemiNTF.paper) behind docs/paper.md, one journal per question.

    python benchmarks/paper/evidence.py SET ... [--only mnist4 ...] [--draws 0 ...] [--minutes 5] [--data FOLDER]

fixed     the paper's anchors and p, lambda = 1e3: both axes, both orders, five draws; the preset on nine other sets
sweeps    one parameter at a time and lambda x p, over the paper's grids (its figures 2 to 4)
joint     anchors x lambda x p together, both axes, both orders, three draws
classes   started at the true classes, rows shuffled, lambda 1e-3 ... 1e6
reached   the settings that come near the published numbers on rows as stored, and what a shuffle leaves of them
subsets   the two subsets of Reuters, rows shuffled

Draw 0 is the file as it is. Algorithm 1 has no randomness, but follows noise of a millionth in its input, so that one
fit is one draw: draw d > 0 has such noise, the same in both orders. Shuffled rows have another permutation in every
draw. A journal is continued: what it holds is not measured again. About an hour on one core for everything.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from runs import DATA, RESULTS, Point, drawn, fitted, load, present, run, scores

from manyview import SemiNTF

PAPER: dict[str, dict[str, Any]] = {  # best anchors and p of the paper, which prints no lambda
    "mnist4": {"n_anchors": 24, "p": 0.7, "lam": 1e3},
    "scene15": {"n_anchors": 31, "p": 0.1, "lam": 1e3},
}
OWN_COPIES: dict[str, dict[str, Any]] = {  # the paper's other two, where a copy is registered
    "nus": {"n_anchors": 28, "p": 0.2, "lam": 1e3},
    "awa": {"n_anchors": 68, "p": 0.1, "lam": 1e3},
}
OTHERS = ("tcga_breast", "3sources", "webkb203", "msrcv1_5", "orl4", "ngs", "bbcsport", "prokaryotic", "hw4")
AXES, ORDERS = ("views", "samples"), ("stored", "shuffled")
LAMBDAS = (1e2, 1e3, 1e4, 1e5, 1e6)
POWERS = tuple(round(0.1 * i, 1) for i in range(1, 11))
ANCHORS = {
    "mnist4": (12, 16, 20, 24, 28, 32, 50, 100),
    "scene15": (23, 27, 31, 35, 39, 43, 50, 100),
}
JOINT = {  # anchors (the paper's fewest, best, most), lambda, p (the paper's best on either set)
    "mnist4": list(itertools.product((12, 24, 100), LAMBDAS, (0.1, 0.7))),
    "scene15": list(itertools.product((31, 100), (1e2, 1e3, 1e5), (0.1,))),
}
FROM_CLASSES = (-3, -2, -1, 0, 1, 2, 3, 4, 5, 6)  # powers of ten
REACHED: dict[str, dict[str, Any]] = {
    "mnist4": {"axis": "samples", "n_anchors": 24, "p": 0.7, "lam": 3e4, "scale": "z"},
    "scene15": {"axis": "samples", "n_anchors": 31, "p": 0.1, "lam": 1e5, "scale": "none"},
}
READINGS = list(itertools.product(("float32", "float64"), ("text", "minima", "reciprocal", "minima, reciprocal")))


def fixed(names: tuple[str, ...]) -> Iterator[Point]:
    """The preset, five draws."""
    preset = PAPER | OWN_COPIES
    for data, axis, draw, order in itertools.product((*preset, *OTHERS), AXES, range(5), ORDERS):
        if data in names:
            yield {"data": data, "axis": axis, "order": order, "draw": draw, **preset.get(data, {})}


def sweeps(names: tuple[str, ...]) -> Iterator[Point]:
    """Anchors and p in both orders, lambda x p on rows as stored, smaller lambdas than the paper's along the views."""
    for data, axis in itertools.product(PAPER, AXES):
        if data not in names:
            continue
        grid = [PAPER[data] | {"lam": lam, "p": p} for lam, p in itertools.product(LAMBDAS, POWERS)]
        anchors = [PAPER[data] | {"n_anchors": m} for m in ANCHORS[data]]
        powers = [PAPER[data] | {"p": p} for p in POWERS]
        small = [PAPER[data] | {"lam": lam} for lam in (1e-3, 1e-1, 1e1)] if axis == "views" else []
        for order, points in (("stored", [*grid, *anchors, *small]), ("shuffled", [*anchors, *powers, *small])):
            for point in points:
                yield {"data": data, "axis": axis, "order": order, "draw": 0, **point}


def joint(names: tuple[str, ...]) -> Iterator[Point]:
    """Draw after draw, so that a stopped run holds whole grids."""
    for draw, data, order, axis in itertools.product(range(3), PAPER, ORDERS, AXES):
        for m, lam, p in JOINT[data] if data in names else ():
            at = {"data": data, "axis": axis, "order": order, "draw": draw}
            yield {**at, "n_anchors": m, "lam": lam, "p": p}


def classes(names: tuple[str, ...]) -> Iterator[Point]:
    """Q starts at the true classes, see the head of cluster/semi_ntf/tensor.py."""
    for data, axis, draw, power in itertools.product(PAPER, AXES, range(2), FROM_CLASSES):
        if data in names:
            at = {"data": data, "axis": axis, "order": "shuffled", "draw": draw}
            yield {**at, **PAPER[data], "lam": 10.0**power, "start": "classes"}


def reached(names: tuple[str, ...]) -> Iterator[Point]:
    """Six draws in both orders; and the file as stored by every precision and every way to write DAS."""
    for data, draw, order in itertools.product(REACHED, range(6), ORDERS):
        if data in names:
            yield {"data": data, "order": order, "draw": draw, **REACHED[data]}
    for data, (precision, rule) in itertools.product(REACHED, READINGS):
        if data in names:
            yield {"data": data, "order": "stored", "draw": 0, **REACHED[data], "precision": precision, "das": rule}


def subsets(names: tuple[str, ...]) -> Iterator[Point]:
    """The preset on shuffled subsets, without noise: the tables are sparse counts."""
    for data, axis, draw in itertools.product(("reuters1200", "reuters600_full"), AXES, range(3)):
        if data in names:
            yield {"data": data, "axis": axis, "order": "shuffled", "draw": draw, "noise": False}


SETS = {of.__name__: of for of in (fixed, sweeps, joint, classes, reached, subsets)}
EVERYTHING = (*PAPER, *OWN_COPIES, *OTHERS, "reuters1200", "reuters600_full")


class Measured:
    """Fits points; data are read once."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.name = folder, ""

    def __call__(self, at: Point) -> dict[str, Any]:
        """Scores of one fit."""
        if at["data"] != self.name:
            self.name, (self.views, self.labels) = at["data"], load(at["data"], self.folder)
        views, labels = drawn(self.views, self.labels, at["order"], at["draw"], noise=at.get("noise", True))
        given = ("n_anchors", "lam", "p", "scale", "axis")
        options: dict[str, Any] = {str(name): at[name] for name in given if name in at}
        if at.get("start") == "classes":
            options |= {"start": labels, "random_state": 0}
        if at.get("scale") == "z":
            views = [(view - view.mean(axis=0)) / view.std(axis=0) for view in views]
            options["scale"] = "none"
        if "das" in at:
            views = [view.astype(at["precision"]) for view in views]
            options["anchors"] = das_rows(views, at["n_anchors"], at["das"])
        model = fitted(SemiNTF.paper(int(labels.max()) + 1, n_jobs=1, **options), views)
        return {"scores": scores(labels, model.labels_), "converged": bool(model.converged_)}


def das_rows(views: list[NDArray[Any]], n_anchors: int, rule: str) -> NDArray[np.intp]:
    """Anchors by DAS as the text has it, with the columns' minima always subtracted, or times 1 / max for / max."""
    x = np.hstack(views)
    if "minima" in rule or (x < 0).any():
        x = x - x.min(axis=0)
    theta, rows = x.sum(axis=1, dtype=np.float64), list[int]()
    for _ in range(n_anchors):
        theta = theta * (1 / theta.max()) if "reciprocal" in rule else theta / theta.max()
        rows.append(int(np.argmax(theta)))
        theta = theta * (1 - theta)
    return np.sort(rows)


def main() -> None:
    """Measure and append."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", choices=SETS, help="which questions")
    parser.add_argument("--only", nargs="+", choices=EVERYTHING, default=EVERYTHING, help="only these data sets")
    parser.add_argument("--draws", nargs="+", type=int, default=range(10), help="only these draws")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after this time")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the .npz")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the journals")
    options = parser.parse_args()
    here = tuple(name for name in options.only if present(name, options.data))
    end = time.monotonic() + 60 * options.minutes
    for name in options.sets:
        points = (at for at in SETS[name](here) if at["draw"] in options.draws)
        run(options.out / f"paper-{name}.jsonl", points, Measured(options.data), end)


if __name__ == "__main__":
    main()
