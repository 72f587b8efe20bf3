"""The child process of one cell: takes a job, runs it, and hands the outcome back, whatever happens inside.

Run by the parent as ``python -m manyview.bench.worker FD``: the open file FD holds the job as JSON and takes the
outcome. Standard input is the lifeline: it ends when the parent dies, and then this process and all it started end too.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info

from manyview.bench.experiment import run
from manyview.bench.family import TAG, kill_family
from manyview.bench.imports import module_of
from manyview.bench.memory import own_peak
from manyview.bench.sources import data_checksum
from manyview.bench.version import CHANGED, method_digest
from manyview.datasets import DataNotPresent


def main() -> None:
    """Run the job in the file whose descriptor is the only argument."""
    with os.fdopen(int(sys.argv[1]), "r+", encoding="utf-8") as exchange:
        job = json.load(exchange)
        _tie_to_parent(job["seconds"])
        if job["sys_path"] is None:  # this Python has packages of its own
            sys.path.append(job["folder"])
        else:
            sys.path[:] = job["sys_path"]
        outcome = _outcome(job)
        exchange.seek(0)
        exchange.truncate()
        json.dump(outcome, exchange, allow_nan=False)
    _end_family()
    os._exit(0)  # threads that a method left running, or a crash while libraries shut down, are no part of the result


def _tie_to_parent(seconds: float) -> None:
    lifeline = os.dup(0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    threading.Thread(target=_end_with_parent, args=(lifeline,), daemon=True).start()
    # the thread cannot run while a method holds the interpreter's lock; the alarm needs no lock
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds + 10)  # later than the parent, which ends this process itself
    with contextlib.suppress(OSError):  # if memory runs out, the system shall take this process, not the parent
        Path("/proc/self/oom_score_adj").write_text("1000")


def _end_with_parent(lifeline: int) -> None:
    while os.read(lifeline, 1):
        pass
    _end_family()
    os.killpg(0, signal.SIGKILL)


def _end_family() -> None:
    """Kill all descendants; those that dropped the environment are found only while this process lives."""
    if TAG in os.environ:
        kill_family(os.environ[TAG])


def _outcome(job: Mapping[str, Any]) -> dict[str, Any]:
    result, trace, measured = None, None, dict[str, Any]()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("default")
        try:
            _check_unchanged(job)
            result = run(job["inputs"], job["file"], measured)
            status = "ok"
        except (Exception, SystemExit) as error:
            status, trace = f"failed: {_reason(error)}", traceback.format_exc(limit=-4)
    return {
        "status": status,
        "result": result,
        "measured": {
            **measured,
            "peak_mb": own_peak() / 1e6,
            "warnings": sorted({f"{one.category.__name__}: {_one_line(one.message)}" for one in heard})[:100],
            "traceback": trace,
            "platform": f"{platform.system()} {platform.machine()}",
            "blas": sorted({f"{one['internal_api']} {one['version']}" for one in threadpool_info()}),
        },
    }


def _check_unchanged(job: Mapping[str, Any]) -> None:
    """Check that module and data still have the digests of the key, so that no other result goes by it."""
    inputs, folder = job["inputs"], job["folder"]
    method = inputs["method"]
    source = method_digest(method["estimator"], folder=folder, elsewhere="environment" in method)
    if method["source"] != source:
        raise RuntimeError(f"the module {module_of(method['estimator'])} was {CHANGED}; start it again")
    if inputs["data"]["checksum"] != data_checksum(inputs["data"], job["file"], folder=folder):
        raise RuntimeError(f"the data were {CHANGED}; start it again")


def _reason(error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError):
        return f"not installed: {_one_line(error.name)}"
    if isinstance(error, DataNotPresent):
        return f"data not present: {_one_line(error)}"
    if isinstance(error, MemoryError):
        return f"out of memory: {_one_line(error)}".rstrip(": ")
    return f"{type(error).__name__}: {_one_line(error)}".rstrip(": ")


def _one_line(message: object) -> str:
    text = " ".join(str(message).split())
    return text if len(text) <= 300 else text[:297] + "..."


if __name__ == "__main__":
    main()
