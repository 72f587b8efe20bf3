"""Parse files in a process of its own, so that a crash, a hang or a flood is an answer and not the end.

Many files can share one such process; when a file ends it, the rest is given to a new one. Requests and answers go
through pipes: nothing is left on disk, and the process ends with its parent.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from manyview.io.values import Cell, RawSparse, RawTable, Unusable, Value, Variables

TIME_LIMIT = 120.0  # seconds for one file
MEMORY_LIMIT = 8 * 2**30  # bytes of address space

# threads of which each reserves address space would use up memory_limit on a large machine
SURROUNDINGS = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "2",
    "MALLOC_ARENA_MAX": "2",
    "ARROW_DEFAULT_MEMORY_POOL": "system",  # the others spend a fifth of the time of a long csv on giving memory back
}
START = "import sys, runpy; sys.path.append(sys.argv[1]); runpy.run_module('_isolated', run_name='__main__')"


class Request(NamedTuple):
    """A file to parse: the kind names the parser, which gets the options."""

    kind: str
    path: Path
    options: Mapping[str, Any] = {}


def parse(
    files: Sequence[Request], /, *, time_limit: float = TIME_LIMIT, memory_limit: int = MEMORY_LIMIT
) -> list[Variables | ValueError]:
    """Give for each file its variables, or the error that says why there are none."""
    answers: list[Variables | ValueError] = []
    while len(answers) < len(files):
        answers += _parse_until_it_ends(files[len(answers) :], time_limit, memory_limit)
    return answers


def parse_or_raise(files: Sequence[Request], /, *, time_limit: float, memory_limit: int) -> list[Variables]:
    """Give the variables of each file or raise the first error."""
    found: list[Variables] = []
    for answer in parse(files, time_limit=time_limit, memory_limit=memory_limit):
        if isinstance(answer, ValueError):
            raise answer
        found.append(answer)
    return found


def _parse_until_it_ends(
    files: Sequence[Request], time_limit: float, memory_limit: int
) -> list[Variables | ValueError]:
    """Give answers for all files, or for those up to the one that ended the process."""
    request = {
        "files": [(kind, os.path.abspath(path), dict(options)) for kind, path, options in files],
        "time_limit": time_limit,
        "memory_limit": memory_limit,
        "parent": os.getpid(),
    }
    command = [sys.executable, "-P", "-W", "ignore", "-c", START, str(Path(__file__).parent)]
    answers: list[Variables | ValueError] = []
    with tempfile.TemporaryFile() as stderr:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=os.environ | SURROUNDINGS,
        )
        # faulthandler's watchdog inside ends a hang; this limit is for a process that the watchdog cannot end
        timer = threading.Timer(time_limit * len(files) + 30.0, process.kill)
        timer.start()
        ready = False
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(json.dumps(request).encode() + b"\n")
                process.stdin.flush()  # and stays open: its end would tell the process that we are gone
            ready = _message(process.stdout) is not None
            for _, path, _ in files if ready else ():
                answers.append(_answer(process.stdout, path))
        except EOFError:
            process.wait()
        finally:
            overtime = not timer.is_alive()
            timer.cancel()
            if len(answers) == len(files) or sys.exc_info()[0] is not None:
                process.kill()  # its work is done, or nobody waits for it
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()  # type: ignore[union-attr]
        if len(answers) < len(files):
            stderr.seek(0)
            end = _end(process.returncode, stderr.read().decode("utf-8", "replace"), ready, overtime)
            path = files[len(answers)].path
            answers.append(ValueError(f"{path}: {end}; the file is damaged, or not what its name says"))
    return answers


def _end(code: int, complaint: str, ready: bool, overtime: bool) -> str:
    """Say how the process ended, in words for the file that it was reading."""
    if not ready:
        raise RuntimeError(f"the process that reads files did not start (exit code {code}): {complaint.strip()[-500:]}")
    if overtime or "Timeout (" in complaint:
        return "reading it took longer than time_limit"
    if code < 0:
        return f"reading it crashed the parser ({signal.Signals(-code).name})"
    return f"reading it ended the parser (exit code {code}) {complaint.strip()[-500:]}"


def _message(pipe: IO[bytes]) -> dict[str, Any] | None:
    """Read one JSON message; None if the process has ended before it."""
    head = pipe.read(8)
    content = pipe.read(int.from_bytes(head, "little")) if len(head) == 8 else b""
    if len(head) < 8 or len(content) < int.from_bytes(head, "little"):
        return None
    message: dict[str, Any] = json.loads(content)
    return message


def _answer(pipe: IO[bytes], path: Path) -> Variables | ValueError:
    found = _message(pipe)
    if found is None:
        raise EOFError
    if "error" in found:
        return ValueError(f"{path}: {found['error']}")
    payloads = [_payload(pipe, about) for about in found["payloads"]]
    return [(name, _value(node, payloads)) for name, node in found["variables"]]


def _payload(pipe: IO[bytes], about: dict[str, Any]) -> Any:
    if "arrow" in about:
        import pyarrow as pa

        try:
            return pa.ipc.open_stream(pipe).read_all()
        except pa.ArrowException as error:
            raise EOFError from error
    array = np.empty(about["shape"], np.dtype(about["dtype"]), order=about["order"])
    if array.nbytes == 0:
        return array
    rest = (array.T if about["order"] == "F" else array).reshape(-1).view(np.uint8).data
    while len(rest):
        n_bytes = pipe.readinto(rest)  # type: ignore[attr-defined]
        if not n_bytes:
            raise EOFError
        rest = rest[n_bytes:]
    return array


def _value(node: dict[str, Any], payloads: list[Any]) -> Value:
    match node["kind"]:
        case "array":
            return payloads[node["key"]]
        case "sparse":
            data, indices, indptr = (payloads[key] for key in node["keys"])
            return RawSparse(data, indices, indptr, tuple(node["shape"]), by_columns=node["by_columns"])
        case "cell":
            return Cell(tuple(node["shape"]), tuple(_value(item, payloads) for item in node["items"]))
        case "table":
            return RawTable(_value(node["content"], payloads), node["ids"], node["columns"])
        case _:
            return Unusable(node["what"])
