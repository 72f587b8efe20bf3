"""All processes of a cell, wherever they went.

A process that starts a session of its own leaves the process group of its cell, and one whose parent ended belongs to
nobody. But they inherit the environment, in which every cell has a tag, and Linux shows both environment and parents
in /proc. Elsewhere there is only the process group.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path
from typing import NamedTuple

TAG = "MANYVIEW_BENCH_CELL"
PROC = Path("/proc")


class Process(NamedTuple):
    """What the system knows about a process."""

    parent: int
    group: int
    started: int  # in ticks since the system was started
    pages: int  # resident


def processes() -> dict[int, Process]:
    """Return all processes by number; none where there is no /proc."""
    found = {}
    for entry in os.listdir(PROC) if PROC.exists() else ():
        with contextlib.suppress(OSError):  # it ended while we looked
            if entry.isdigit():
                stat = (PROC / entry / "stat").read_text()
                fields = stat.rpartition(")")[2].split()  # a program's name may hold spaces and brackets
                found[int(entry)] = Process(*(int(fields[i]) for i in (1, 2, 19, 21)))
    return found


def tag_of(pid: int, /) -> str | None:
    """Return the tag of the cell that a process belongs to."""
    try:
        environment = (PROC / str(pid) / "environ").read_bytes()
    except OSError:  # it ended, or is of somebody else
        return None
    prefix = TAG.encode() + b"="
    values = [entry.removeprefix(prefix) for entry in environment.split(b"\0") if entry.startswith(prefix)]
    return values[0].decode(errors="replace") if values else None


def kill_family(tag: str, /) -> None:
    """Kill all processes with this tag and their descendants, except the process that calls."""
    for _ in range(100):  # rounds: a process that forks while we look has its children killed in the next one
        family = _family(tag)
        if not family:
            return
        for pid in family:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)  # a killed process needs a moment to be gone


def _family(tag: str) -> set[int]:
    """Find the running processes with this tag and their descendants, except this one."""
    known = processes()
    family = {pid for pid in known if tag_of(pid) == tag}
    young = family
    while young:
        young = {pid for pid, process in known.items() if process.parent in young} - family
        family = family | young
    # a killed process has no memory any more, but stays in the table until its parent asks for it
    return {pid for pid in family - {os.getpid()} if known[pid].pages}
