"""The row-order audit: what a shuffle of the rows does to a method's accuracy, and how sure that is.

One data set:     Algorithm 1         paired t, 5 pairs of fits on data with noise of a millionth (measure.py)
                  random methods      Welch's t, 5 seeds on rows as stored against 5 shuffles
                  the others          one-sample t of 5 shuffles against the one value on rows as stored
Many data sets:   differences d_i     exact sign-flip test: share of the 2^n sums ±d_1 ... ±d_n as large as |Σ d_i|
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from cells import SHUFFLED, STORED, Cells, Row, Sample
from scipy.special import stdtr

METHODS = (
    "SemiNTF.paper samples", "SemiNTF.paper views", "SemiNTF", "AMGL", "MVGL", "CSMSC", "GMC", "LMVSC", "SMSC", "SFMC",
    "FMCNOF",
)  # fmt: skip
NAMES = {
    "SemiNTF.paper samples": "Algorithm 1, axis samples",
    "SemiNTF.paper views": "Algorithm 1, axis views",
    "SemiNTF": "SemiNTF, default",
}
DATA = (
    "tcga_breast", "msrcv1_5", "orl4", "ngs", "bbcsport", "hw4", "mnist4", "scene15", "3sources", "webkb203",
    "prokaryotic",
)  # fmt: skip
PAIRED = {"SemiNTF.paper samples": "samples", "SemiNTF.paper views": "views"}  # one fit is one draw: see measure.py
Pairs = dict[tuple[str, str], dict[str, list[float]]]  # by data set and axis
LEVEL = 0.05
SHUFFLES = 5
NO_SPREAD = 1e-9  # one row more or less changes ACC by far more


@dataclass(frozen=True)
class Finding:
    """One method on one data set."""

    data: str
    method: str
    stored: Sample
    shuffled: Sample
    t: float
    p: float  # NaN where nothing varies
    same: int  # shuffles that gave the very partition of the rows as stored

    @property
    def difference(self) -> float:
        """What the shuffle changes."""
        return self.shuffled.mean - self.stored.mean


def findings(cells: Cells, pairs: Pairs) -> list[Finding]:
    """Every method and data set that has both orders."""
    found = []
    for method, data in itertools.product(METHODS, DATA):
        before, after = (_first(cells, data, method, order) for order in (STORED, SHUFFLED))
        if before and len(after) == SHUFFLES:
            stored, shuffled = (
                Sample(tuple(row["result"]["scores"]["acc"] for row in rows)) for rows in (before, after)
            )
            t, p = order_test(stored.values, shuffled.values)
            if method in PAIRED:
                stored, shuffled, t, p = _paired(pairs[data, PAIRED[method]])
            found.append(Finding(data, method, stored, shuffled, t, p, same_partitions(before, after)))
    return found


def _first(cells: Cells, data: str, method: str, order: str) -> list[Row]:
    """The first seeds of a cell; Algorithm 1 stands under another name where it has the paper's own setting."""
    tuned = f"Algorithm 1, {method.rpartition(' ')[2]}, {data}"
    rows = cells.rows(data, method, order) or cells.rows(data, tuned, order)
    return [row for row in rows if row["status"] == "ok"][:SHUFFLES]


def _paired(pair: dict[str, list[float]]) -> tuple[Sample, Sample, float, float]:
    stored, shuffled = pair["stored"], pair["shuffled"]
    differences = [after - before for before, after in zip(stored, shuffled, strict=True)]
    return Sample(tuple(stored)), Sample(tuple(shuffled)), *order_test([0.0], differences)


def order_test(stored: Sequence[float], shuffled: Sequence[float]) -> tuple[float, float]:
    """t and two-sided p of Welch's test, which for one value on one side is the one-sample test; NaN without spread."""
    a, b = Sample(tuple(stored)), Sample(tuple(shuffled))
    parts = [(one.sd**2 / one.n, one.n - 1) for one in (a, b) if one.n > 1]
    variance = sum(part for part, _ in parts)
    if math.sqrt(variance) < NO_SPREAD:
        return math.nan, math.nan
    t = (b.mean - a.mean) / math.sqrt(variance)
    freedom = variance**2 / sum(part**2 / n for part, n in parts)
    return t, float(2 * stdtr(freedom, -abs(t)))


def sign_flip(differences: Sequence[float]) -> float:
    """Exact two-sided p of the hypothesis that differences are as likely up as down."""
    reached = abs(sum(differences)) - 1e-12
    signs = itertools.product((1, -1), repeat=len(differences))
    sums = [abs(sum(s * d for s, d in zip(sign, differences, strict=True))) for sign in signs]
    return fmean(value >= reached for value in sums)


def same_partitions(stored: list[Row], shuffled: list[Row]) -> int:
    """Shuffles whose clusters are those of the rows as stored; random methods with the same seed."""
    known = {row["inputs"]["seed"]: row["result"]["partition"] for row in stored}
    alone = next(iter(known.values())) if len(known) == 1 else None
    return sum(row["result"]["partition"] == known.get(row["inputs"]["seed"], alone) for row in shuffled)


def summary_table(found: list[Finding], in_blocks: dict[str, bool]) -> list[str]:
    """A line per method: files whose classes are blocks of rows, and the others."""
    lines = [
        "| method | files in class blocks | ACC as stored | shuffled | difference | p | other files | difference | p "
        f"| p < {LEVEL} | same partition |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for method in METHODS:
        mine = [one for one in found if one.method == method]
        blocks, others = ([one for one in mine if in_blocks[one.data] is wanted] for wanted in (True, False))
        if not mine:
            continue
        sure = sum(one.p < LEVEL for one in mine)
        same, runs = sum(one.same for one in mine), sum(one.shuffled.n for one in mine)
        lines.append(
            f"| {NAMES.get(method, method)} | {len(blocks)} | {fmean(one.stored.mean for one in blocks):.3f} "
            f"| {fmean(one.shuffled.mean for one in blocks):.3f} | {change(blocks)} | {p_text(flip(blocks))} "
            f"| {len(others)} | {change(others)} | {p_text(flip(others))} | {sure} of {len(mine)} | {same} of {runs} |"
        )
    return lines


def change(found: list[Finding]) -> str:
    """Mean difference."""
    return f"{fmean(one.difference for one in found):+.3f}" if found else "–"


def flip(found: list[Finding]) -> float:
    """The sign-flip test over data sets."""
    return sign_flip([one.difference for one in found]) if found else math.nan


def cell_table(found: list[Finding]) -> list[str]:
    """A line per data set and method."""
    lines = [
        "| data | method | ACC as stored | ACC shuffled | difference | t | p | same partition |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for data in DATA:
        for one in (one for one in found if one.data == data):
            t = "–" if math.isnan(one.t) else f"{one.t:.1f}"
            lines.append(
                f"| {data} | {NAMES.get(one.method, one.method)} | {one.stored} | {one.shuffled} "
                f"| {one.difference:+.3f} | {t} | {p_text(one.p)} | {one.same} of {one.shuffled.n} |"
            )
    return lines


def p_text(p: float) -> str:
    """A probability with three decimals."""
    return "–" if math.isnan(p) else "< 0.001" if p < 0.001 else f"{p:.3f}"
