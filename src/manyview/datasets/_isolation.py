"""Parse files in a process of its own, so that a crash, a hang or a flood is an answer and not the end.

Many files can share one such process; when a file ends it, the rest is given to a new one.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manyview.datasets._values import Cell, RawSparse, Unusable, Value, Variables

TIME_LIMIT = 120.0  # seconds for one file
MEMORY_LIMIT = 8 * 2**30  # bytes of address space

START = "import sys, runpy; sys.path.append(sys.argv[1]); runpy.run_module('_isolated', run_name='__main__')"


def parse(
    files: Sequence[tuple[str, Path]], /, *, time_limit: float = TIME_LIMIT, memory_limit: int = MEMORY_LIMIT
) -> list[Variables | ValueError]:
    """Per (kind, path) pair its variables, or why there are none; kind is "mat5", "mat73" or "parquet"."""
    answers: list[Variables | ValueError] = []
    while len(answers) < len(files):
        answers += _parse_until_it_ends(files[len(answers) :], time_limit, memory_limit)
    return answers


def parse_one(kind: str, path: Path, /, *, time_limit: float, memory_limit: int) -> Variables:
    """Parse one file or raise ValueError."""
    (answer,) = parse([(kind, path)], time_limit=time_limit, memory_limit=memory_limit)
    if isinstance(answer, ValueError):
        raise answer
    return answer


def _parse_until_it_ends(
    files: Sequence[tuple[str, Path]], time_limit: float, memory_limit: int
) -> list[Variables | ValueError]:
    """Answers for all files, or for those up to the one that ended the process."""
    with tempfile.TemporaryDirectory(prefix="manyview-") as name:
        folder = Path(name)
        request = {
            "files": [(kind, str(path.resolve())) for kind, path in files],
            "time_limit": time_limit,
            "memory_limit": memory_limit,
        }
        (folder / "request.json").write_text(json.dumps(request), "utf-8")
        end = _run(folder, time_limit * len(files) + 30.0)
        answers: list[Variables | ValueError] = []
        for i, (_, path) in enumerate(files):
            if not (folder / f"{i}.json").exists():
                return [*answers, ValueError(f"{path}: {end}; the file is damaged, or not what its name says")]
            answers.append(_answer(folder, i, path))
        return answers


def _run(folder: Path, patience: float) -> str:
    """Run the program to its end; how it ended, in words for the file that it was reading."""
    command = [sys.executable, "-P", "-W", "ignore", "-c", START, str(Path(__file__).parent), str(folder)]
    with open(folder / "stderr", "wb") as stderr:
        try:
            # faulthandler's watchdog inside ends a hang; this limit is for a process that the watchdog cannot end
            code = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr, timeout=patience
            ).returncode
        except subprocess.TimeoutExpired:
            return "reading it took longer than time_limit"
    if (folder / "overtime").exists() and (folder / "overtime").stat().st_size:
        return "reading it took longer than time_limit"
    if code < 0:
        return f"reading it crashed the parser ({signal.Signals(-code).name})"
    complaint = (folder / "stderr").read_text("utf-8", "replace").strip()[-500:]
    if not (folder / "ready").exists():
        raise RuntimeError(f"the process that reads files did not start (exit code {code}): {complaint}")
    return f"reading it ended the parser (exit code {code}) {complaint}"


def _answer(folder: Path, i: int, path: Path) -> Variables | ValueError:
    found = json.loads((folder / f"{i}.json").read_text("utf-8"))
    if "error" in found:
        return ValueError(f"{path}: cannot be read: {found['error']}")
    with np.load(folder / f"{i}.npz", allow_pickle=False) as stored:
        arrays = dict(stored)
    return [(name, _value(node, arrays)) for name, node in found["variables"]]


def _value(node: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Value:
    match node["kind"]:
        case "array":
            return arrays[node["key"]]
        case "sparse":
            data, indices, indptr = (arrays[key] for key in node["keys"])
            return RawSparse(data, indices, indptr, tuple(node["shape"]), by_columns=True)
        case "cell":
            return Cell(tuple(node["shape"]), tuple(_value(item, arrays) for item in node["items"]))
        case _:
            return Unusable(node["what"])
