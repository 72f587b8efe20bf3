"""Run a plan: cells that the journal lacks, each in a process of its own, a row for each as soon as it is done."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import tempfile
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import manyview
from manyview.bench.cell import Cell, cells_of, coordinates
from manyview.bench.compare import latest
from manyview.bench.journal import JOURNAL_NAME, Journal, Row, read_journal
from manyview.bench.memory import MemoryWatch
from manyview.bench.plan import Limits, Plan, read_plan
from manyview.bench.process import CellProcess, Outcome
from manyview.bench.progress import Progress, Quiet, default_screen
from manyview.bench.version import CHANGED, code_version, copy_package, git_commit

CODE_NAME, MARK = ".code-", "copied-by-manyview-bench"  # a folder is ours if it has the mark


@dataclass(frozen=True)
class RunReport:
    """Counts of a run; made by `run_plan`.

    Attributes
    ----------
    journal : Path
        Where the rows are.
    cells : int
        In the plan.
    reused : int
        Of them found in the journal.
    ran : int
        Of them run now.
    failed : int
        Of all of them, found or run.

    Examples
    --------
    >>> from pathlib import Path
    >>> from manyview.bench import RunReport
    >>> RunReport(Path("journal.jsonl"), cells=12, reused=10, ran=2, failed=0).ran
    2
    """

    journal: Path
    cells: int
    reused: int
    ran: int
    failed: int


def run_plan(
    plan_path: str | os.PathLike[str],
    out_dir: str | os.PathLike[str],
    *,
    jobs: int = 1,
    data_dir: str | os.PathLike[str] | None = None,
    retry_failed: bool = False,
    share: Iterable[str | os.PathLike[str]] = (),
    progress: bool = True,
) -> RunReport:
    """Run the cells of a plan that are not in the journal yet.

    Killed at any moment and called again, it goes on where it was. A cell that crashes, runs out of time or memory,
    raises, or lacks its data is a row of the journal with ``status: "failed: ..."``; the run goes on.

    Parameters
    ----------
    plan_path : path
        A TOML file, see `read_plan`.
    out_dir : path
        Folder of the journal; made if needed. One run at a time may write to it.
    jobs : int, default=1
        Cells that run at the same time.
    data_dir : path or None, default=None
        Where the plan's relative data files are looked for first; then in the folder of the plan.
    retry_failed : bool, default=False
        Run failed cells again. Without it only those are repeated that reached a limit lower than the plan's, or
        lacked a package that is installed now.
    share : paths, default=()
        Journals of other runs, or their folders. A cell that one of them holds, with the same inputs, data and code,
        is taken over instead of run.
    progress : bool, default=True
        Show cells done, running and time left on standard error.

    Returns
    -------
    RunReport

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from manyview.bench import run_plan
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "plan.toml").write_text('''
    ... methods = ["concat-kmeans-l2"]
    ... data = [{name = "easy", maker = "make_views", params = {n_samples = 60, n_clusters = 2, random_state = 0}}]
    ... ''')
    >>> report = run_plan(folder / "plan.toml", folder / "out", progress=False)
    >>> report.cells, report.ran, report.failed
    (1, 1, 0)
    >>> run_plan(folder / "plan.toml", folder / "out", progress=False).ran
    0
    """
    if jobs < 1:
        raise ValueError(f"jobs must be at least 1, not {jobs}")
    plan, out = read_plan(plan_path), Path(out_dir).resolve()
    out.mkdir(parents=True, exist_ok=True)
    with Journal(out / JOURNAL_NAME) as journal, _code_in(out) as code:
        cells = cells_of(plan, code=code_version(code / "manyview"), data_dir=Path(data_dir) if data_dir else None)
        lines = read_journal(journal.path)
        _note_plan(journal, lines, plan, cells)
        own = latest(lines)
        known = {key: row for place in share for key, row in latest(read_journal(place)).items()} | own
        settled = {
            cell.key: known[cell.key]
            for cell in cells
            if cell.key in known and _settled(known[cell.key], plan.limits, retry_failed)
        }
        for row in [row for key, row in settled.items() if key not in own]:
            journal.append(row)
        screen = default_screen() if progress else Quiet()
        follow = Progress(cells, settled.values(), jobs=jobs, screen=screen)
        try:
            _run_cells([cell for cell in cells if cell.key not in settled], journal, plan, jobs, follow, code)
        finally:
            screen.close()
    return RunReport(journal.path, len(cells), len(settled), len(cells) - len(settled), follow.failed)


@contextlib.contextmanager
def _code_in(out: Path) -> Iterator[Path]:
    """Copy the package for the cells; the copy of a killed run is removed, files of users stay."""
    for left in out.glob(f"{CODE_NAME}*"):
        _remove_copy(left)
    folder = Path(tempfile.mkdtemp(prefix=CODE_NAME, dir=out))
    (folder / MARK).touch()
    try:
        copy_package(folder)
        yield folder
    finally:
        _remove_copy(folder)


def _remove_copy(folder: Path) -> None:
    if folder.is_symlink() or not (folder / MARK).is_file():
        return
    shutil.rmtree(folder / "manyview", ignore_errors=True)
    if not (folder / "manyview").exists():
        (folder / MARK).unlink()
    with contextlib.suppress(OSError):  # not empty: somebody else put a file there
        folder.rmdir()


def _note_plan(journal: Journal, lines: list[Row], plan: Plan, cells: list[Cell]) -> None:
    """Write into the journal which rows belong together, and in which order they are shown."""
    listed = [{"key": cell.key, **coordinates(cell.inputs)} for cell in cells]
    note = {"kind": "plan", "name": plan.name, "metrics": list(plan.metrics), "cells": listed}
    if note != next((line for line in reversed(lines) if line["kind"] == "plan"), None):
        journal.append(note)


def _settled(row: Row, limits: Limits, retry_failed: bool) -> bool:
    """Return whether a row stands, so that its cell is not run again."""
    status, old = row["status"], row["limits"]
    if status == "ok":
        return True
    more_time = status.startswith("failed: time limit") and limits.seconds > old["seconds"]
    more_memory = status.startswith("failed: memory limit") and limits.memory_gb > old["memory_gb"]
    package = status.removeprefix("failed: not installed: ").split(".")[0]
    installed = package != status.split(".")[0] and importlib.util.find_spec(package) is not None
    return not (retry_failed or more_time or more_memory or installed or CHANGED in status)


def _run_cells(cells: list[Cell], journal: Journal, plan: Plan, jobs: int, progress: Progress, code: Path) -> None:
    waiting, running = deque(cells), list[CellProcess]()
    watch, resident, next_watch = MemoryWatch(), Counter[str | int](), 0.0

    # not an input: a commit that changes a page gives no other results
    commit = git_commit(Path(manyview.__file__).parent)

    def write(cell: Cell, outcome: Outcome) -> None:
        known = {"key": cell.key, "inputs": cell.inputs, "limits": asdict(plan.limits), "commit": commit}
        row = {"kind": "result", **known, **outcome}
        journal.append(row)
        progress.finished(cell, row)

    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                cell = waiting.popleft()
                started = _start(cell, plan, code)
                if isinstance(started, dict):
                    write(cell, started)
                else:
                    running.append(started)
                    progress.started(cell)
            progress.tick()
            time.sleep(0.02)
            if time.monotonic() >= next_watch:
                resident, next_watch = watch.resident(), time.monotonic() + 0.1
            for process in [process for process in running if process.finished(resident)]:
                running.remove(process)
                write(process.cell, process.outcome())
    finally:
        for process in running:
            process.kill()
            process.close()


def _start(cell: Cell, plan: Plan, code: Path) -> CellProcess | Outcome:
    """Start a process, or return the outcome of a cell that cannot run."""
    reason = cell.absent
    if reason is None:
        try:
            return CellProcess(cell, limits=plan.limits, folder=plan.folder, code=code)
        except OSError as error:  # no process, no file descriptor, no disk
            reason = f"could not be started: {error}"
    return {"status": f"failed: {reason}", "result": None, "measured": {}}
