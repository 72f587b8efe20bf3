"""A cell's process, seen from the parent: start it, watch its limits, read what it left.

Whatever the child does (crash, hang, fill the memory, exit early) becomes an outcome; nothing here raises for it.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from manyview.bench.cell import Cell
from manyview.bench.environments import clean_variables
from manyview.bench.family import TAG, kill_family
from manyview.bench.plan import Limits
from manyview.bench.posix import posix_module

# every library that starts threads reads one of these at import
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "LOKY_MAX_CPU_COUNT",
)

Outcome = dict[str, Any]


class CellProcess:
    """One running cell; `code` is the folder with the package it runs, `folder` the one of the plan."""

    def __init__(self, cell: Cell, *, limits: Limits, folder: Path, code: Path) -> None:
        self.cell, self.limits = cell, limits
        self.tag = secrets.token_hex(16)  # in the environment of all its processes
        self.peak = 0  # bytes resident in all its processes, as far as it was seen
        self.failure: str | None = None
        # nameless files: nothing is left behind when parent and child are killed
        self._exchange = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115
        self._noise = tempfile.TemporaryFile("w+b")  # noqa: SIM115
        fcntl = posix_module("fcntl")
        fcntl.fcntl(self._noise, fcntl.F_SETFL, os.O_APPEND)  # so that it can be emptied while the child writes
        sys_path = [str(code), *sys.path, str(folder)]
        self._places = {os.path.dirname(cell.file)} | set(sys_path) if cell.file else set(sys_path)
        job = {
            "inputs": cell.inputs,
            "file": cell.file,
            "folder": str(folder),
            "seconds": limits.seconds,
            "sys_path": sys_path if cell.python is None else None,
        }
        json.dump(job, self._exchange)
        self._exchange.flush()
        self._exchange.seek(0)
        self._started = time.monotonic()
        try:
            self._process = self._start(code)
        except OSError:
            self._exchange.close()
            self._noise.close()
            raise

    def _start(self, code: Path) -> subprocess.Popen[bytes]:
        descriptor = self._exchange.fileno()
        threads = dict.fromkeys(THREAD_VARIABLES, str(self.cell.inputs["threads"]))
        python = self.cell.python or sys.executable
        inherited = dict(os.environ) if self.cell.python is None else clean_variables()
        path = os.pathsep.join([str(code), *filter(None, [inherited.get("PYTHONPATH")])])
        return subprocess.Popen(
            [python, "-P", "-X", "faulthandler", "-m", "manyview.bench.worker", str(descriptor)],
            stdin=subprocess.PIPE,  # held open as the child's lifeline, never written to
            stdout=subprocess.DEVNULL,
            stderr=self._noise,
            pass_fds=[descriptor],
            env=inherited | threads | {"PYTHONPATH": path, "PYTHONHASHSEED": "0", TAG: self.tag},
            start_new_session=True,  # its own process group, so that it can be killed with all it started
        )

    @property
    def group(self) -> int:
        """Process group of the child, and of all it starts that does not leave it."""
        return self._process.pid

    @property
    def seconds(self) -> float:
        """Return the wall time since the start."""
        return time.monotonic() - self._started

    def finished(self, resident: Counter[str | int]) -> bool:
        """Return whether the child ended, after killing it if it is beyond a limit; `resident`: bytes of every cell."""
        self.peak = max(self.peak, resident[self.tag] + resident[self.group])
        if self._process.poll() is not None:
            return True
        if self.seconds > self.limits.seconds:
            self.failure = f"time limit of {self.limits.seconds:g} s"
        elif self.peak > self.limits.memory_gb * 1e9:
            self.failure = f"memory limit of {self.limits.memory_gb:g} GB"
        if self.failure is not None:
            self.kill()
            return True
        if (
            os.fstat(self._noise.fileno()).st_size > 1 << 20
        ):  # bytes; the rest of a chattering method's output is dropped
            self._noise.truncate(0)
        return False

    def kill(self) -> None:
        """End the child and everything it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.group, signal.SIGKILL)
        kill_family(self.tag)
        self._process.wait()

    def outcome(self) -> Outcome:
        """Return status, result and measures of a finished child, and close its files."""
        seconds = self.seconds
        self.kill()  # the child is gone, but perhaps not what it started
        try:
            outcome = self._read()
        finally:
            self.close()
        measured = outcome["measured"]
        measured["peak_mb"] = round(max(self.peak / 1e6, measured.get("peak_mb", 0.0)), 1)
        measured["wall_seconds"] = round(seconds, 3)
        measured["traceback"] = last_words(measured["traceback"] or "", self._places) or None
        return {**outcome, "status": without_places(outcome["status"], self._places)}

    def _read(self) -> Outcome:
        if self.failure is None and self._process.returncode == 0:
            self._exchange.seek(0)
            with contextlib.suppress(ValueError):
                outcome: Outcome = json.load(self._exchange)
                if "status" in outcome:  # else it is still the job: the method ended the process
                    return outcome
        reason = self.failure or _how_it_ended(self._process.returncode)
        return {"status": f"failed: {reason}", "result": None, "measured": {"traceback": self._last_words()}}

    def _last_words(self) -> str:
        self._noise.seek(0)
        return last_words(self._noise.read().decode(errors="replace"), self._places)

    def close(self) -> None:
        """Close the parent's ends."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._exchange.close()
        self._noise.close()


def last_words(text: str, places: Iterable[str], /) -> str:
    """Return the beginning and end of a failed child's output, without the paths of this machine.

    Examples
    --------
    >>> from manyview.bench.process import last_words
    >>> last_words('File "/home/me/toys.py", line 3', ["/home/me"])
    'File "toys.py", line 3'
    """
    text = without_places(text, places)  # before it is cut: half a path would not be recognized
    # a crash says first where it was, an exception last what it was
    return text if len(text) <= 2000 else f"{text[:1000]}\n...\n{text[-1000:]}"


def without_places(text: str, places: Iterable[str], /) -> str:
    """Make paths below one of the folders relative to it, so that a row reads the same on every machine.

    Examples
    --------
    >>> from manyview.bench.process import without_places
    >>> without_places("/home/me/data/x.mat: damaged", ["/home/me", "/home/me/data", ""])
    'x.mat: damaged'
    """
    for place in sorted(filter(None, places), key=len, reverse=True):
        text = text.replace(place.rstrip("/") + "/", "")
    return text


def _how_it_ended(returncode: int) -> str:
    if returncode >= 0:
        return f"ended without a result (exit code {returncode})"
    name = signal.Signals(-returncode).name
    return f"crashed with {name}" + (" (perhaps the system was out of memory)" if name == "SIGKILL" else "")
