"""Write docs/paper.md and its figures from the committed journals.

    python benchmarks/paper/page.py

``article.md`` is the text; ``<<name: arguments>>`` in it stands for a table or a number of the journals. Every number
that was measured comes to the page in this way.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cells import RESULTS, SHUFFLED, STORED, Cells, Sample, read_cells
from order_audit import DATA, LEVEL, NAMES, Finding, cell_table, change, findings, flip, p_text, summary_table
from plots import draw_all
from scipy.stats import spearmanr
from score_tables import agreement_table, impossible, reuters_table, score_table, worst

PAGE = RESULTS.parent / "paper.md"
MARK = re.compile(r"<<([a-z ]+)(?:: ([^<>]*))?>>")
Facts = list[dict[str, Any]]
ORDERS = {"stored": STORED, "shuffled": SHUFFLED}


class Article:
    """What the marks of the text stand for."""

    def __init__(self, cells: Cells, rows: dict[str, dict[str, float]], **facts: Facts) -> None:
        self.cells, self.rows, self.facts = cells, rows, facts
        self.in_blocks = {name: facts["runs"] == facts["classes"] for name, facts in rows.items()}
        self.found = findings(cells, {(pair["data"], pair["axis"]): pair for pair in facts["jitter"]})
        self.marks: dict[str, Callable[..., str]] = {
            "scores": lambda data: "\n".join(score_table(cells, data)),
            "agreement": lambda: "\n".join(agreement_table(cells)),
            "reuters": lambda: "\n".join(reuters_table(cells)),
            "audit": lambda: "\n".join(summary_table(self.found, self.in_blocks)),
            "audit cells": lambda: "\n".join(cell_table(self.found)),
            "energy": lambda: "\n".join(self._energy_table()),
            "carried": lambda: "\n".join(self._carried_table()),
            "corner": self._corner,
            "blocks": lambda: "\n".join(self._blocks_table()),
            "rounding": self._rounding,
            "rows": lambda: "\n".join(self._rows_table()),
            "impossible": lambda: "; ".join(impossible()),
            "worst": lambda data, method: worst(cells, data, method, method),
            "value": self._value,
            "best": self._best,
            "range": self._range,
            "unfinished": self._unfinished,
            "draws": self._draws,
            "change": lambda method, where: change(self._of(method, where)),
            "p": lambda method, where: p_text(flip(self._of(method, where))),
            "sure": lambda method, level: str(sum(one.p < float(level) for one in self._of(method, "all"))),
            "sets": lambda method, where: str(len(self._of(method, where))),
            "same": lambda method: str(sum(one.same for one in self._of(method, "all"))),
            "shuffles": lambda method: str(sum(one.shuffled.n for one in self._of(method, "all"))),
            "follows": self._follows,
            "baseline tests": lambda: str(len(self._baselines())),
            "baseline tests sure": lambda: str(sum(one.p < LEVEL for one in self._baselines())),
        }

    def text(self, template: str) -> str:
        """The template with every mark replaced."""
        return MARK.sub(lambda mark: self.marks[mark[1]](*(mark[2].split(" | ") if mark[2] else ())), template)

    def _of(self, method: str, where: str) -> list[Finding]:
        wanted = {"blocks": (True,), "others": (False,), "all": (True, False)}[where]
        return [one for one in self.found if one.method == method and self.in_blocks[one.data] in wanted]

    def _baselines(self) -> list[Finding]:
        return [one for one in self.found if one.method not in NAMES and not math.isnan(one.p)]

    def _follows(self, method: str) -> str:
        """Rank correlation between what a shuffle does to the norm of the true classes and to the accuracy."""
        mine = self._of(method, "all")
        ratios = [self.rows[one.data]["norm_ratio"] for one in mine]
        return f"{spearmanr(ratios, [one.difference for one in mine]).statistic:+.2f}"

    def _value(self, data: str, method: str, order: str, metric: str) -> str:
        return str(self.cells.values(data, method, ORDERS[order], metric))

    def _swept(self, data: str, method: str, order: str) -> dict[str, float]:
        points = self.cells.points(data, method, ORDERS[order])
        return {
            ", ".join(f"{name} = {value:g}" for name, value in point.items()): self.cells.values(
                data, method, ORDERS[order], "acc", point
            ).mean
            for point in points
        }

    def _best(self, data: str, method: str, order: str) -> str:
        swept = self._swept(data, method, order)
        if not swept:
            return "not run"
        point = max(swept, key=swept.__getitem__)
        return f"{swept[point]:.3f} ({point})"

    def _range(self, data: str, method: str, order: str) -> str:
        values = self._swept(data, method, order).values()
        return "not run" if not values else f"{min(values):.3f} to {max(values):.3f}"

    def _draws(self, data: str, axis: str, order: str) -> str:
        """Algorithm 1 over the noisy copies of a data set."""
        pair = next(pair for pair in self.facts["jitter"] if (pair["data"], pair["axis"]) == (data, axis))
        return str(Sample(tuple(pair[order])))

    def _unfinished(self) -> str:
        """How many fits of Algorithm 1 in the figure of the residuals ended without meeting the stop condition."""
        at = [(data, f"convergence, {axis}, {data}") for data in ("mnist4", "scene15") for axis in ("samples", "views")]
        rows = [row for data, method in at for row in self.cells.rows(data, method, STORED)]
        return f"{sum(not row['result']['recorded']['converged_'] for row in rows)} of {len(rows)}"

    def _energy_table(self) -> list[str]:
        lines = [
            "| data | views | orthogonal | lambda | median share of the largest view | samples over 99 % "
            "| correlation of H between views | ACC |",
            "|---|--:|---|--:|--:|--:|--:|--:|",
        ]
        domains = {"dft": "t-product", "identity": "every view"}
        return lines + [
            f"| {fit['data']} | {fit['views']} | {domains[fit['transform']]} | {fit['lam']:g} "
            f"| {100 * fit['share_median']:.1f} % | {100 * fit['over_99']:.0f} % | {fit['correlation']:+.2f} "
            f"| {fit['acc']:.3f} |"
            for fit in self.facts["energy"]
        ]

    def _carried_table(self) -> list[str]:
        lines = [
            "| data | axis | ACC as stored | ACC shuffled | ARI between the two partitions |",
            "|---|---|--:|--:|--:|",
        ]
        return lines + [
            f"| {fit['data']} | {fit['axis']} | {fit['acc_stored']:.3f} | {fit['acc_shuffled']:.3f} "
            f"| {fit['ari']:.3f} |"
            for fit in self.facts["carried"]
        ]

    def _corner(self, data: str, order: str) -> str:
        """Accuracy along the views with the paper's most anchors and smallest lambda."""
        return str(Sample(tuple(next(fit for fit in self.facts["corner"] if fit["data"] == data)[order])))

    def _blocks_table(self) -> list[str]:
        lines = ["| data | ACC, blocks of neighbors | by chance | ACC, classes |", "|---|--:|--:|--:|"]
        return lines + [
            f"| {fit['data']} | "
            + " | ".join(str(Sample(tuple(fit[key]))) for key in ("blocks", "chance", "classes"))
            + " |"
            for fit in self.facts["blocks"]
        ]

    def _rounding(self) -> str:
        return "; ".join(
            f"{fit['data']}, axis {fit['axis']}: {fit['acc_float32']:.3f} and {fit['acc_float64']:.3f}"
            for fit in self.facts["rounding"]
        )

    def _rows_table(self) -> list[str]:
        lines = [
            "| data | rows | classes | runs of equal class | norm along samples, shuffled / stored |",
            "|---|--:|--:|--:|--:|",
        ]
        return lines + [
            f"| {name} | {facts['rows']} | {facts['classes']} | {facts['runs']} | {facts['norm_ratio']:.2f} |"
            for name, facts in sorted(self.rows.items(), key=lambda item: DATA.index(item[0]))
        ]


def article() -> Article:
    """The article over the committed results."""
    names = ("rows", "energy", "carried", "corner", "blocks", "rounding", "jitter")
    return Article(read_cells(), **{name: json.loads((RESULTS / f"paper-{name}.json").read_text()) for name in names})


def page_text() -> str:
    """The page."""
    return article().text(Path(__file__).with_name("article.md").read_text(encoding="utf-8"))


def main() -> None:
    """Write page and figures."""
    PAGE.write_text(page_text(), encoding="utf-8")
    it = article()
    for path in draw_all(it.cells, it.found, it.in_blocks, it.facts["energy"], RESULTS):
        print(path.relative_to(RESULTS.parents[1]))
    print(PAGE.relative_to(RESULTS.parents[1]))


if __name__ == "__main__":
    main()
