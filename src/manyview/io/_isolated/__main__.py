"""Parse the files named in a request, one after the other, and send one answer per file.

The request is a line of JSON on standard input: ``files`` (kind, path and options of each), ``time_limit`` (seconds per
file), ``memory_limit`` (bytes) and ``parent`` (process id). Answers go to standard output. A file that has no answer
when this process is gone is the one that ended it.
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import os
import sys
import time
from typing import Any, BinaryIO

from .answer import Answer, send_json
from .guard import die_with_parent, limit_memory

# modules that are not called like the kind of file that they read
MODULES = {"csv": "csv_file", "feather": "arrow", "parquet": "arrow", "h5ad": "anndata", "h5mu": "anndata"}


def parse(kind: str, path: str, options: dict[str, Any], limit: int) -> Answer | str:
    """Read one file, or tell in words what went wrong."""
    try:
        answer = Answer(limit)
        module = importlib.import_module(f".{MODULES.get(kind, kind)}", __package__)  # when a file asks for it
        getattr(module, f"read_{kind}")(path, answer, **options)
        return answer
    except MemoryError:
        return "cannot be read: it asks for more memory than memory_limit allows"
    except ValueError as error:
        return f"cannot be read: {error}"[:500]
    except Exception as error:  # a parser on a damaged file raises whatever it likes
        return f"cannot be read: {type(error).__name__}: {error}"[:500]


def main(request: dict[str, Any], pipe: BinaryIO) -> None:
    for kind, path, options in request["files"]:
        # a watchdog thread in C: it ends this process even while a parser holds the interpreter
        start = time.monotonic()
        faulthandler.dump_traceback_later(request["time_limit"], exit=True, file=sys.stderr)
        found = parse(kind, path, options, request["memory_limit"])
        faulthandler.cancel_dump_traceback_later()
        if time.monotonic() - start > request["time_limit"]:  # the watchdog may wake up too late for a short limit
            found = "reading it took longer than time_limit"
        if isinstance(found, str):
            send_json({"error": found}, pipe)
        else:
            found.send(pipe)


def start() -> None:
    """Read the request, set the limits and begin; whatever a parser prints goes to standard error."""
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    request = json.loads(sys.stdin.buffer.readline())
    die_with_parent(request["parent"])
    limit_memory(request["memory_limit"])
    send_json({"ready": True}, pipe)
    main(request, pipe)


if __name__ == "__main__":
    start()
