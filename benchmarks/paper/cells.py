"""Cells of the committed journals, found by what they are: data set, method, grid point, row order, seed.

A journal's rows are keyed by all their inputs, code included. For the page it only matters what a cell measures, so
several journals may hold parts of one table; the first that has a cell is taken.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from manyview.bench import read_journal
from manyview.bench.cell import coordinates

RESULTS = Path(__file__).parents[2] / "docs" / "results"
PLANS = ("quick", "one-hour", "audit", "tables", "tables-slow", "reuters")
SHARED = ("peers.jsonl", "defaults.jsonl")  # journals of other pages whose cells mean the same
STORED, SHUFFLED = "as-stored", "shuffled"
Row = dict[str, Any]
Place = tuple[str, str, str, str]


def journal_of(plan: str, /) -> Path:
    """Where the committed journal of a plan is."""
    return RESULTS / f"paper-{plan}.jsonl"


class Cells:
    """All results at hand; `journals` in order of precedence."""

    def __init__(self, journals: Iterable[Path]) -> None:
        self._cells: dict[Place, dict[int, Row]] = {}
        for path in filter(Path.exists, journals):
            newest = {_place(row): row for row in read_journal(path) if row["kind"] == "result"}
            for (place, seed), row in newest.items():
                self._cells.setdefault(place, {}).setdefault(seed, row)

    def rows(self, data: str, method: str, order: str, grid: Mapping[str, Any] | None = None) -> list[Row]:
        """Rows of all seeds, failed ones too."""
        by_seed = self._cells.get((data, method, order, _point(grid or {})), {})
        return [by_seed[seed] for seed in sorted(by_seed)]

    def values(self, data: str, method: str, order: str, metric: str, grid: Mapping[str, Any] | None = None) -> Sample:
        """A metric over the seeds that did not fail."""
        good = [row for row in self.rows(data, method, order, grid) if row["status"] == "ok"]
        return Sample(tuple({**row["measured"], **row["result"]["scores"]}[metric] for row in good))

    def points(self, data: str, method: str, order: str) -> list[dict[str, Any]]:
        """The grid points that have run."""
        return [json.loads(point) for d, m, o, point in self._cells if (d, m, o) == (data, method, order)]


def _place(row: Row) -> tuple[Place, int]:
    at = coordinates(row["inputs"])
    return (at["data"], at["method"], at["order"], _point(at["grid"])), at["seed"]


def _point(grid: Mapping[str, Any]) -> str:
    return json.dumps(grid, sort_keys=True)


def read_cells() -> Cells:
    """The committed journals of the plans, then those they share."""
    return Cells([*map(journal_of, PLANS), *(RESULTS / name for name in SHARED)])


@dataclass(frozen=True)
class Sample:
    """Values over seeds."""

    values: tuple[float, ...]

    @property
    def n(self) -> int:
        """How many."""
        return len(self.values)

    @property
    def mean(self) -> float:
        """Their mean; NaN without any."""
        return fmean(self.values) if self.values else math.nan

    @property
    def sd(self) -> float:
        """Their standard deviation; 0 below two."""
        return stdev(self.values) if self.n > 1 else 0.0

    def __str__(self) -> str:
        if not self.values:
            return "–"
        return f"{self.mean:.3f}" + (f" ± {self.sd:.3f}" if self.n > 1 else "")
