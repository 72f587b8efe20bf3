"""Memory of processes, as the system counts it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

from manyview.bench.family import processes, tag_of
from manyview.bench.posix import posix_module

_PROC = Path("/proc")


class MemoryWatch:
    """Looks at the memory of all cells, again and again.

    On Linux every process counts for the tag that it carries, see `family`. One without a tag counts for its process
    group, as all do elsewhere.
    """

    def __init__(self) -> None:
        self._tags: dict[tuple[int, int], str | None] = {}  # by number and start, for numbers are used again

    def resident(self) -> Counter[str | int]:
        """Return the resident bytes of every tag and group."""
        return self._from_proc() if (_PROC / "self" / "stat").exists() else _from_ps()

    def _from_proc(self) -> Counter[str | int]:
        page, resident, tags = os.sysconf("SC_PAGE_SIZE"), Counter[str | int](), {}
        for pid, process in processes().items():
            key = pid, process.started
            tags[key] = self._tags[key] if key in self._tags else tag_of(pid)
            resident[tags[key] or process.group] += process.pages * page
        self._tags = tags
        return resident


def _from_ps() -> Counter[str | int]:
    listing = subprocess.run(["ps", "-A", "-o", "pgid=,rss="], capture_output=True, text=True, check=True).stdout
    resident = Counter[str | int]()
    for line in listing.splitlines():
        group, kilobytes = line.split()
        resident[int(group)] += int(kilobytes) * 1024
    return resident


def own_peak() -> int:
    """Return the most bytes this process ever held resident."""
    status = _PROC / "self" / "status"
    if status.exists():
        # not ru_maxrss: on Linux that starts from the parent's own peak
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    resource = posix_module("resource")
    peak = int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return peak if sys.platform == "darwin" else peak * 1024
