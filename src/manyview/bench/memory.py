"""How much memory processes hold: the system's own figures."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections import Counter
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")
_PROC = Path("/proc")


def resident_by_group() -> Counter[int]:
    """Resident bytes of every process group."""
    return _from_proc() if (_PROC / "self" / "stat").exists() else _from_ps()


def _from_proc() -> Counter[int]:
    resident: Counter[int] = Counter()
    for entry in os.listdir(_PROC):
        if entry.isdigit():
            try:
                stat = (_PROC / entry / "stat").read_text()
            except OSError:  # it ended while we looked
                continue
            fields = stat.rpartition(")")[2].split()  # a program's name may hold spaces and brackets
            resident[int(fields[2])] += int(fields[21]) * _PAGE
    return resident


def _from_ps() -> Counter[int]:
    listing = subprocess.run(["ps", "-A", "-o", "pgid=,rss="], capture_output=True, text=True, check=True).stdout
    resident: Counter[int] = Counter()
    for line in listing.splitlines():
        group, kilobytes = line.split()
        resident[int(group)] += int(kilobytes) * 1024
    return resident


def own_peak() -> int:
    """Most bytes this process ever held resident."""
    status = _PROC / "self" / "status"
    if status.exists():
        # not ru_maxrss: on Linux that starts from the parent's own peak
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
