"""Parse the files named in a request, one after the other, and leave one answer per file.

Request: JSON with ``files`` ([kind, path] pairs), ``time_limit`` (seconds per file) and ``memory_limit`` (bytes).
Answer i: ``i.json`` with the tree of values or the error, and ``i.npz`` with the arrays. A file that has no answer when
this process is gone is the one that ended it.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import sys
from pathlib import Path
from typing import Any

from .hdf5 import read_mat73
from .mat5 import read_mat5
from .parquet import read_parquet
from .tree import Tree

READERS = {"mat5": read_mat5, "mat73": read_mat73, "parquet": read_parquet}


def limit_memory(limit: int) -> None:
    """No address space and no answer file beyond `limit` bytes, where the system can enforce it."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for what in (resource.RLIMIT_AS, resource.RLIMIT_FSIZE):
        hard = resource.getrlimit(what)[1]
        soft = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        # macOS refuses a limit below what is already mapped; the time limit still holds there
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(what, (soft, hard))


def answer(kind: str, path: str, arrays: Path) -> dict[str, Any]:
    """The file's tree of values, its arrays written to `arrays`; or what went wrong."""
    try:
        tree = Tree()
        READERS[kind](path, tree)
        tree.save(arrays)
        return {"variables": tree.variables}
    except MemoryError:
        return {"error": "it asks for more memory than memory_limit allows"}
    except Exception as error:  # a parser on a damaged file raises whatever it likes
        return {"error": f"{type(error).__name__}: {error}"}


def main(folder: Path) -> None:
    request = json.loads((folder / "request.json").read_text("utf-8"))
    limit_memory(request["memory_limit"])
    (folder / "ready").touch()
    with open(folder / "overtime", "w") as overtime:
        for i, (kind, path) in enumerate(request["files"]):
            # a watchdog thread in C: it ends this process even while a parser holds the interpreter
            faulthandler.dump_traceback_later(request["time_limit"], exit=True, file=overtime)
            found = answer(kind, path, folder / f"{i}.npz")
            faulthandler.cancel_dump_traceback_later()
            (folder / f"{i}.part").write_text(json.dumps(found), "utf-8")
            (folder / f"{i}.part").rename(folder / f"{i}.json")


if __name__ == "__main__":
    main(Path(sys.argv[-1]))
