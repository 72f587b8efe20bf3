"""What a person sees while a benchmark runs: cells done, running, time left."""

from __future__ import annotations

import importlib.util
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, Protocol

from manyview.bench.cell import Cell


@dataclass
class State:
    """How far a run is."""

    total: int
    reused: int  # found in the journal at the start
    jobs: int
    done: int = 0
    failed: int = 0
    running: dict[str, tuple[str, float]] = field(default_factory=dict)  # key -> title, start

    def headline(self) -> str:
        """Cells done and failed, out of how many."""
        failed = f", {self.failed} failed" if self.failed else ""
        return f"{self.done}/{self.total} cells{failed}, {len(self.running)} running"
