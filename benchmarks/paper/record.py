"""The journals that runs.py writes, read for the page: one code for all of one kind, or none is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any

from cells import RESULTS, Sample
from runs import Journal

ALGORITHM_1 = ("fixed", "sweeps", "joint", "classes", "reached", "subsets", "theorem", "ceiling", "cost", "measures")
BASELINES = ("gaps",)
EARLIER = ("earlier",)  # the sweeps with anchors chosen as in the program of SFMC, until they are measured again
Line = dict[str, Any]


class MixedSources(ValueError):
    """Journals of one page that were measured with different sources."""


class Record:
    """Lines by journal."""

    def __init__(self, folder: Path = RESULTS) -> None:
        self.lines: dict[str, list[Line]] = {}
        self.codes: dict[str, list[dict[str, str]]] = {}
        for name in (*ALGORITHM_1, *BASELINES, *EARLIER):
            journal = Journal(folder / f"paper-{name}.jsonl")
            self.lines[name], self.codes[name] = list(journal.results.values()), journal.codes
        for kind in (ALGORITHM_1, BASELINES):
            sources = {name: {code["sources"] for code in self.codes[name]} for name in kind}
            if len(set().union(*sources.values())) > 1:
                told = "; ".join(f"{name}: {', '.join(sorted(of))[:12]}" for name, of in sources.items())
                raise MixedSources(f"The journals of the page were measured with different sources: {told}")

    @property
    def sweeps(self) -> str:
        """The journal of the sweeps: today's, or the earlier one."""
        return "sweeps" if self.lines["sweeps"] else "earlier"

    def select(self, journal: str, **where: Any) -> list[Line]:
        """Lines whose point has these values; None stands for a name that it must not have."""
        return [
            line for line in self.lines[journal] if all(line["at"].get(name) == value for name, value in where.items())
        ]

    def sample(self, journal: str, score: str = "acc", **where: Any) -> Sample:
        """A score over the lines of a point, draw after draw."""
        return Sample(tuple(line["scores"][score] for line in self.select(journal, **where)))

    def means(self, journal: str, key: Callable[[Line], Any], score: str = "acc", **where: Any) -> dict[Any, float]:
        """Mean of a score by what `key` says of a line."""
        groups: dict[Any, list[float]] = {}
        for line in self.select(journal, **where):
            groups.setdefault(key(line), []).append(line["scores"][score])
        return {name: fmean(values) for name, values in groups.items()}

    def commit(self, journal: str) -> str:
        """The commits that a journal names."""
        names = list(dict.fromkeys(code["commit"][:10] for code in self.codes[journal]))
        return ", ".join(f"`{name}`" for name in names)
