"""Limits of the parsing process: its memory, and its life, which ends with that of its parent."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import threading


def limit_memory(limit: int) -> None:
    """Allow `limit` bytes of address space, where the system can enforce it."""
    try:
        import resource
    except ImportError:  # Windows
        return
    # a parser has nothing to write but a complaint
    for what, bound in ((resource.RLIMIT_AS, limit), (resource.RLIMIT_FSIZE, 2**20)):
        hard = resource.getrlimit(what)[1]
        soft = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
        # macOS refuses a limit below what is already mapped; the time limit still holds there
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(what, (soft, hard))


def die_with_parent(parent: int) -> None:
    """End this process when the parent is gone, however it went.

    The kernel does so on Linux, even while a parser holds the interpreter. Elsewhere the end of standard input, which
    the parent keeps open, is the sign.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if sys.platform != "win32" and os.getppid() != parent:
        os._exit(1)
    threading.Thread(target=_wait_for_end, daemon=True).start()


def _wait_for_end() -> None:
    while os.read(0, 1024):
        pass
    os._exit(1)
