"""Write docs/paper.md and its figures from the committed journals.

    python benchmarks/paper/page.py

``article.md`` is the text; ``<<name: arguments>>`` in it stands for a table or a number of the journals. Every number
that was measured comes to the page in this way. Journals that were measured with different sources are refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path

from cells import RESULTS, SHUFFLED, STORED, Cells, Sample, journal_of, read_cells
from findings import marks
from order_audit import (
    BASELINES,
    DATA,
    LEVEL,
    NAMES,
    Finding,
    bounds,
    cell_table,
    change,
    findings,
    flip,
    p_text,
    summary_table,
)
from plots import draw_all
from record import Record
from scipy.stats import spearmanr
from score_tables import agreement_table, impossible, reuters_table, score_table, worst

from manyview.bench import read_journal

PAGE = RESULTS.parent / "paper.md"
MARK = re.compile(r"<<([a-z0-9 ]+)(?:: ([^<>]*))?>>")


class Article:
    """What the marks of the text stand for."""

    def __init__(self, cells: Cells, record: Record) -> None:
        self.cells, self.record = cells, record
        self.rows = {line["at"]["data"]: line for line in record.select("measures", what="rows")}
        self.in_blocks = {name: line["runs"] == line["classes"] for name, line in self.rows.items()}
        self.found = findings(cells, record)
        self.marks: dict[str, Callable[..., str]] = {
            **marks(record, cells),
            "scores": lambda data: "\n".join(score_table(cells, record, data)),
            "agreement": lambda: "\n".join(agreement_table(cells, record)),
            "reuters": lambda: "\n".join(reuters_table(cells, record)),
            "audit": lambda: "\n".join(summary_table(self.found, self.in_blocks)),
            "audit cells": lambda: "\n".join(cell_table(self.found)),
            "energy": lambda: "\n".join(self._energy_table()),
            "carried": lambda: "\n".join(self._carried_table()),
            "blocks": lambda: "\n".join(self._blocks_table()),
            "rounding": self._rounding,
            "rows": lambda: "\n".join(self._rows_table()),
            "impossible": lambda: "; ".join(impossible()),
            "worst": lambda data, method: worst(cells, data, method),
            "value": lambda data, method: str(cells.values(data, method, STORED, "acc")),
            "change": lambda method, where: change(self._of(method, where)),
            "p": lambda method, where: p_text(flip(self._of(method, where))),
            "sure": lambda method: str(sum(one.p < LEVEL for one in self._of(method, "all"))),
            "sets": lambda method, where: str(len(self._of(method, where))),
            "follows": self._follows,
            "ours": lambda data: str(cells.values(data, "AnchorGraphClustering", SHUFFLED, "acc")),
            "one hour": self._one_hour,
            "widest": self._widest,
            "baseline tests": lambda: str(len(self._baselines())),
            "baseline tests sure": lambda: str(sum(one.p < LEVEL for one in self._baselines())),
        }

    def text(self, template: str) -> str:
        """The template with every mark replaced."""
        return MARK.sub(lambda mark: self.marks[mark[1]](*(mark[2].split(" | ") if mark[2] else ())), template)

    def _of(self, method: str, where: str) -> list[Finding]:
        wanted = {"blocks": (True,), "others": (False,), "all": (True, False)}[where]
        method = NAMES.get(method, method)
        return [one for one in self.found if one.method == method and self.in_blocks[one.data] in wanted]

    def _baselines(self) -> list[Finding]:
        return [one for one in self.found if one.method in BASELINES and not math.isnan(one.p)]

    def _widest(self, how: str) -> str:
        """The smallest or largest margin within which a baseline is equivalent, and whose it is."""
        margins = {}
        for method in BASELINES:
            low, high = bounds(self._of(method, "all"))
            margins[method] = max(-low, high)
        method = (min if how == "smallest" else max)(margins, key=margins.__getitem__)
        return f"{margins[method]:.3f} ({method})"

    def _one_hour(self) -> str:
        """How much the plan for a reviewer runs, and for how long."""
        journal = journal_of("one-hour")
        rows = [row for row in read_journal(journal) if row["kind"] == "result"] if journal.exists() else []
        if not rows:
            return "not timed yet"
        seconds = sum(row["measured"].get("wall_seconds", 0.0) for row in rows)
        commits = ", ".join(f"`{name[:10]}`" for name in dict.fromkeys(row["commit"] for row in rows))
        return f"{len(rows)} fits in {seconds / 60:.0f} minutes on our shared machine (commit {commits})"

    def _follows(self, method: str) -> str:
        """Rank correlation between what a shuffle does to the norm of the true classes and to the accuracy."""
        mine = self._of(method, "all")
        ratios = [self.rows[one.data]["norm_ratio"] for one in mine]
        return f"{spearmanr(ratios, [one.difference for one in mine]).statistic:+.2f}"

    def _energy_table(self) -> list[str]:
        lines = [
            "| data | views | orthogonal | lambda | median share of the largest view | samples over 99 % "
            "| correlation of H between views | ACC |",
            "|---|--:|---|--:|--:|--:|--:|--:|",
        ]
        domains = {"dft": "t-product", "identity": "every view"}
        return lines + [
            f"| {fit['at']['data']} | {fit['views']} | {domains[fit['at']['transform']]} | {fit['at']['lam']:g} "
            f"| {100 * fit['share_median']:.1f} % | {100 * fit['over_99']:.0f} % | {fit['correlation']:+.2f} "
            f"| {fit['acc']:.3f} |"
            for fit in self.record.select("measures", what="energy")
        ]

    def _carried_table(self) -> list[str]:
        lines = [
            "| data | axis | ACC as stored | ACC shuffled | ARI between the two partitions |",
            "|---|---|--:|--:|--:|",
        ]
        return lines + [
            f"| {fit['at']['data']} | {fit['at']['axis']} | {fit['acc_stored']:.3f} | {fit['acc_shuffled']:.3f} "
            f"| {fit['ari']:.3f} |"
            for fit in self.record.select("measures", what="carried")
        ]

    def _blocks_table(self) -> list[str]:
        lines = ["| data | ACC, blocks of neighbors | by chance | ACC, classes |", "|---|--:|--:|--:|"]
        for data in ("mnist4", "scene15"):
            fits = self.record.select("measures", what="blocks", data=data)
            shown = (str(Sample(tuple(fit[key] for fit in fits))) for key in ("blocks", "chance", "classes"))
            lines.append(f"| {data} | {' | '.join(shown)} |")
        return lines

    def _rounding(self) -> str:
        pairs: dict[str, list[str]] = {}
        for fit in self.record.select("measures", what="rounding"):
            pairs.setdefault(f"{fit['at']['data']}, {fit['at']['axis']}", []).append(f"{fit['acc']:.3f}")
        return "; ".join(f"{name}: {' and '.join(values)}" for name, values in pairs.items())

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
    return Article(read_cells(), Record())


def page_text() -> str:
    """The page."""
    return article().text(Path(__file__).with_name("article.md").read_text(encoding="utf-8"))


def main() -> None:
    """Write page and figures."""
    PAGE.write_text(page_text(), encoding="utf-8")
    it = article()
    for path in draw_all(it.record, it.found, it.in_blocks, RESULTS):
        print(path.relative_to(RESULTS.parents[1]))
    print(PAGE.relative_to(RESULTS.parents[1]))


if __name__ == "__main__":
    main()
