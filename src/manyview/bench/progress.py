"""Display of the progress of a benchmark: cells done, running, time left."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from statistics import fmean
from typing import Any, Protocol

from manyview.bench.cell import Cell, cell_title
from manyview.bench.journal import Row


class Screen(Protocol):
    """A display of progress."""

    def log(self, line: str, standing: str, *, failed: bool) -> None:
        """Show that a cell is done, and how the run stands."""

    def update(self, line: str, *, done: int, total: int) -> None:
        """Show how the whole run stands; called a few times a second."""

    def close(self) -> None:
        """End the display."""


class Quiet:
    """No display."""

    def log(self, line: str, standing: str, *, failed: bool) -> None:
        """Show nothing."""

    def update(self, line: str, *, done: int, total: int) -> None:
        """Show nothing."""

    def close(self) -> None:
        """Do nothing."""


class Plain(Quiet):
    """A line for every finished cell on standard error: for log files, and where rich is not installed."""

    def log(self, line: str, standing: str, *, failed: bool) -> None:
        """Print all."""
        print(f"{line}; {standing}", file=sys.stderr, flush=True)


class Live:
    """A bar that moves, by rich; only failures leave a line."""

    def __init__(self) -> None:
        console, bars, table = (importlib.import_module(f"rich.{name}") for name in ("console", "progress", "table"))
        bar = bars.BarColumn(bar_width=20)
        one_line = table.Column(no_wrap=True, overflow="ellipsis", ratio=1)  # what the bar leaves of the width
        text = bars.TextColumn("{task.description}", markup=False, table_column=one_line)
        self._bar: Any = bars.Progress(bar, text, console=console.Console(stderr=True), transient=True, expand=True)
        self._task = self._bar.add_task("", total=None)
        self._bar.start()

    def log(self, line: str, standing: str, *, failed: bool) -> None:
        """Print the line above the bar if it is a failure."""
        if failed:
            self._bar.console.print(line, markup=False, highlight=False)

    def update(self, line: str, *, done: int, total: int) -> None:
        """Move the bar."""
        self._bar.update(self._task, completed=done, total=total, description=line)

    def close(self) -> None:
        """Take the bar away."""
        self._bar.stop()


def default_screen() -> Screen:
    """Return a live bar on a terminal where rich is installed, else lines."""
    return Live() if sys.stderr.isatty() and importlib.util.find_spec("rich") else Plain()


class Progress:
    """Follows a run, from what the scheduler tells it."""

    EVERY = 0.5  # seconds between updates

    def __init__(self, cells: Iterable[Cell], rows: Iterable[Row], *, jobs: int, screen: Screen) -> None:
        self.jobs, self.screen = jobs, screen
        self.running: dict[str, tuple[Cell, float]] = {}
        self.pending = {cell.key: cell for cell in cells}
        self.done, self.failed = 0, 0
        self.total = len(self.pending)
        self._seconds: defaultdict[tuple[str, ...], list[float]] = defaultdict(list)
        self._next_update = 0.0
        for row in rows:
            if row["key"] in self.pending:
                self._count(row)

    def started(self, cell: Cell) -> None:
        """Note that a process was started."""
        self.running[cell.key] = cell, time.monotonic()

    def finished(self, cell: Cell, row: Row) -> None:
        """Note that a row was written."""
        self.running.pop(cell.key, None)
        self._count(row)
        seconds = row["measured"].get("wall_seconds", 0.0)
        line = f"[{self.done}/{self.total}] {cell_title(cell.inputs)}: {row['status']} ({seconds:.1f} s)"
        self.screen.log(line, self._standing(), failed=row["status"] != "ok")

    def tick(self) -> None:
        """Time passes."""
        now = time.monotonic()
        if now >= self._next_update:
            self._next_update = now + self.EVERY
            failed = f", {self.failed} failed" if self.failed else ""
            names = "; ".join(cell_title(cell.inputs) for cell, _ in self.running.values())
            line = f"{self.done}/{self.total} cells{failed}; {self._standing()}: {names}"
            self.screen.update(line, done=self.done, total=self.total)

    def time_left(self) -> float | None:
        """Estimate the seconds until the last cell from similar cells that are done; None before there is one."""
        if not self._seconds:
            return None
        now, left = time.monotonic(), 0.0
        for key, cell in self.pending.items():
            expected = self._expected(cell)
            started = self.running[key][1] if key in self.running else now
            left += max(0.0, expected - (now - started))
        return left / max(1, min(self.jobs, len(self.pending)))

    def _standing(self) -> str:
        left = self.time_left()
        running = f"{len(self.running)} running"
        return running if left is None else f"{running}, {_spoken(left)} left"

    def _count(self, row: Row) -> None:
        self.pending.pop(row["key"], None)
        self.done += 1
        self.failed += row["status"] != "ok"
        if "wall_seconds" in row["measured"]:
            for alike in _kinds(row["inputs"]):
                self._seconds[alike].append(row["measured"]["wall_seconds"])

    def _expected(self, cell: Cell) -> float:
        if cell.absent:
            return 0.0
        known = (self._seconds[alike] for alike in _kinds(cell.inputs) if alike in self._seconds)
        return fmean(next(known))


def _kinds(inputs: dict[str, Any]) -> list[tuple[str, ...]]:
    """List the groups whose times predict a cell's time, best first; the last has all cells."""
    data, method = inputs["data"]["name"], inputs["method"]["name"]
    return [("both", data, method), ("method", method), ("data", data), ()]


def _spoken(seconds: float) -> str:
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 1.5 * size:
            return f"about {seconds / size:.0f} {unit}"
    return f"about {seconds:.0f} s"
