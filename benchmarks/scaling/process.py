"""What a measurement needs: a process of its own, clocks, and the memory of the process."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

COMMAND = Path(__file__).resolve().parents[1] / "scale.py"
MAX_SECONDS = 600  # of one measurement, with making its data
Result = dict[str, Any]


def in_a_process(name: str, *arguments: Any, check: bool = True) -> Result:
    """Run one measurement in a fresh interpreter; nothing comes back from one that takes too long."""
    command = [sys.executable, str(COMMAND), "one", "--call", name, *map(str, arguments)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=MAX_SECONDS)
    except subprocess.TimeoutExpired:
        return {}
    if check and done.returncode:
        raise SystemExit(f"{name} {arguments}: {done.stderr[-2000:]}")
    result: Result = json.loads(done.stdout.splitlines()[-1]) if done.stdout else {}
    return result


def in_turns(name: str, methods: Sequence[str], times: int, *arguments: Any) -> dict[str, list[Result]]:
    """Measurements of several methods, each in every turn: what disturbs one disturbs the others too."""
    turns = [{method: in_a_process(name, method, *arguments) for method in methods} for _ in range(times)]
    return {method: [turn[method] for turn in turns] for method in methods}


def peak_bytes() -> int:
    """Largest resident size of this process so far (what getrusage says is inherited from the one that started it)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


def resident_bytes() -> int:
    """Resident size of this process now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def timed(run: Callable[[], Any]) -> tuple[Any, Result]:
    """A result, its seconds, those of the processor, and the peak of memory above what was there before."""
    Path("/proc/self/clear_refs").write_text("5")  # the peak of making the data is forgotten
    before, start, work = resident_bytes(), time.perf_counter(), time.process_time()
    value = run()
    seconds, work = time.perf_counter() - start, time.process_time() - work
    return value, {"seconds": seconds, "work": work, "above": max(peak_bytes() - before, 0)}
