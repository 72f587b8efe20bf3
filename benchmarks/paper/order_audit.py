"""The row-order audit: what a shuffle of the rows does to a method's accuracy, how sure that is, and how small.

One data set:     Algorithm 1         paired t, 5 pairs of fits that differ in the order alone (evidence.py, fixed)
                  random methods      Welch's t, 5 seeds on rows as stored against 5 shuffles
                  the others          one-sample t of 5 shuffles against the one value on rows as stored
Many data sets:   differences d_i     exact sign-flip test: share of the 2^n sums ±d_1 ... ±d_n as large as |Σ d_i|
                  equivalence         90 % interval of the mean difference, t over data sets. Two one-sided tests at 5 %
                                      find a method equivalent within any margin that contains this interval
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from cells import SHUFFLED, STORED, Cells, Row, Sample
from record import Record
from scipy.special import stdtr, stdtrit

BASELINES = ("AMGL", "MVGL", "CSMSC", "GMC", "LMVSC", "SMSC", "SFMC", "FMCNOF")
NAMES = {"samples": "Algorithm 1, axis samples", "views": "Algorithm 1, axis views"}
METHODS = (*NAMES.values(), *BASELINES)
DATA = (
    "tcga_breast", "msrcv1_5", "orl4", "ngs", "bbcsport", "hw4", "mnist4", "scene15", "3sources", "webkb203",
    "prokaryotic",
)  # fmt: skip
ORDERS = ("stored", "shuffled")
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
    same: int | None  # shuffles that gave the very partition of the rows as stored; None where it was not kept

    @property
    def difference(self) -> float:
        """What the shuffle changes."""
        return self.shuffled.mean - self.stored.mean


def findings(cells: Cells, record: Record) -> list[Finding]:
    """Every method and data set that has both orders."""
    found = []
    for (axis, name), data in itertools.product(NAMES.items(), DATA):
        stored, shuffled = (record.sample("fixed", data=data, axis=axis, order=order) for order in ORDERS)
        if stored.n == shuffled.n == SHUFFLES:
            found.append(Finding(data, name, stored, shuffled, *_paired(stored, shuffled), None))
    for method, data in itertools.product(BASELINES, DATA):
        before, after = (_first(cells, data, method, order) for order in (STORED, SHUFFLED))
        if before and len(after) == SHUFFLES:
            stored, shuffled = (
                Sample(tuple(row["result"]["scores"]["acc"] for row in rows)) for rows in (before, after)
            )
            test = order_test(stored.values, shuffled.values)
            found.append(Finding(data, method, stored, shuffled, *test, same_partitions(before, after)))
    return found


def _first(cells: Cells, data: str, method: str, order: str) -> list[Row]:
    """The first seeds of a cell."""
    return [row for row in cells.rows(data, method, order) if row["status"] == "ok"][:SHUFFLES]


def _paired(stored: Sample, shuffled: Sample) -> tuple[float, float]:
    return order_test([0.0], [after - before for before, after in zip(stored.values, shuffled.values, strict=True)])


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


def interval(differences: Sequence[float], level: float = LEVEL) -> tuple[float, float]:
    """The interval of the mean that two one-sided t-tests at `level` leave; it has confidence 1 - 2 level."""
    of = Sample(tuple(differences))
    half = float(stdtrit(of.n - 1, 1 - level)) * of.sd / math.sqrt(of.n)
    return of.mean - half, of.mean + half


def same_partitions(stored: list[Row], shuffled: list[Row]) -> int:
    """Shuffles whose clusters are those of the rows as stored; random methods with the same seed."""
    known = {row["inputs"]["seed"]: row["result"]["partition"] for row in stored}
    alone = next(iter(known.values())) if len(known) == 1 else None
    return sum(row["result"]["partition"] == known.get(row["inputs"]["seed"], alone) for row in shuffled)


def summary_table(found: list[Finding], in_blocks: dict[str, bool]) -> list[str]:
    """A line per method, on files whose classes are blocks of rows and on the others."""
    lines = [
        "| method | sorted files | ACC as stored | shuffled | difference | p | other files | difference "
        f"| p < {LEVEL} | 90 % interval, all files | equivalent within | same partition |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for method in METHODS:
        mine = [one for one in found if one.method == method]
        blocks, others = ([one for one in mine if in_blocks[one.data] is wanted] for wanted in (True, False))
        if not blocks:
            continue
        low, high = bounds(mine)
        lines.append(
            f"| {method} | {len(blocks)} | {fmean(one.stored.mean for one in blocks):.3f} "
            f"| {fmean(one.shuffled.mean for one in blocks):.3f} | {change(blocks)} | {p_text(flip(blocks))} "
            f"| {len(others)} | {change(others)} | {sum(one.p < LEVEL for one in mine)} of {len(mine)} "
            f"| {low:+.3f} to {high:+.3f} | ± {max(-low, high):.3f} | {_same(mine)} |"
        )
    return lines


def _same(found: list[Finding]) -> str:
    kept = [one for one in found if one.same is not None]
    return f"{sum(one.same or 0 for one in kept)} of {sum(one.shuffled.n for one in kept)}" if kept else "–"


def change(found: list[Finding]) -> str:
    """Mean difference."""
    return f"{fmean(one.difference for one in found):+.3f}" if found else "–"


def bounds(found: list[Finding]) -> tuple[float, float]:
    """Interval of the mean difference over data sets."""
    return interval([one.difference for one in found])


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
                f"| {data} | {one.method} | {one.stored} | {one.shuffled} "
                f"| {one.difference:+.3f} | {t} | {p_text(one.p)} | {_same([one])} |"
            )
    return lines


def p_text(p: float) -> str:
    """A probability with three decimals."""
    return "–" if math.isnan(p) else "< 0.001" if p < 0.001 else f"{p:.3f}"
