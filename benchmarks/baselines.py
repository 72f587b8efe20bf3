"""Seconds and peak memory of the eight baselines, from the journals of the paper's tables, into docs/baselines.md.

    python benchmarks/baselines.py

mnist4: the defaults, rows as stored (``paper-tables.jsonl``, MVGL ``paper-tables-slow.jsonl``), means over seeds. The
shape of Reuters: one run each (``paper-reuters.jsonl``). Run ``benchmarks/paper/redo.py`` to measure them again.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from statistics import fmean
from typing import Any

from reference import filled

from manyview.bench import read_journal

ROOT = Path(__file__).parents[1]
RESULTS, PAGE = ROOT / "docs" / "results", ROOT / "docs" / "baselines.md"
JOURNALS = ("paper-tables.jsonl", "paper-tables-slow.jsonl", "paper-reuters.jsonl")
METHODS = ("LMVSC", "FMCNOF", "SFMC", "AMGL", "CSMSC", "GMC", "SMSC", "MVGL")
NOT_RUN = dict.fromkeys(("AMGL", "SMSC", "GMC", "MVGL"), "not run: all pairs of rows") | {"CSMSC": "not run: 20 GB"}
Row = dict[str, Any]


def main() -> None:
    """Write the table into the page."""
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), "cost", table(rows_of(JOURNALS))), encoding="utf-8")


def rows_of(journals: Iterable[str]) -> list[Row]:
    """Results of the journals."""
    rows = [row for name in journals for row in read_journal(RESULTS / name) if row["kind"] == "result"]
    return [row for row in rows if row["status"] == "ok"]


def table(rows: list[Row]) -> list[str]:
    """Markdown lines, a method each."""
    lines = [
        "| method | mnist4, processor s | peak MB | ACC | Reuters shape, processor s | peak MB |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for method in METHODS:
        small, large = (_of(rows, *at) for at in ((method, "mnist4"), (f"{method}, seconds", "reuters-shape")))
        acc = fmean(row["result"]["scores"]["acc"] for row in small)
        costs = _cost(large) if large else f"{NOT_RUN[method]} | "
        lines.append(f"| {method} | {_cost(small)} | {acc:.3f} | {costs} |")
    return lines


def _of(rows: list[Row], method: str, data: str) -> list[Row]:
    return [row for row in rows if (row["inputs"]["method"]["name"], row["inputs"]["data"]["name"]) == (method, data)]


def _cost(rows: list[Row]) -> str:
    seconds, peak = (fmean(row["measured"][name] for row in rows) for name in ("cpu_seconds", "peak_mb"))
    return f"{seconds:.1f} | {peak:.0f}"


if __name__ == "__main__":
    main()
