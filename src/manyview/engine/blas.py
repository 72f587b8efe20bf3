"""One thread for BLAS while row blocks are worked on: the blocks are the parallelism, and its sums keep their bits."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import threadpoolctl
from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_inside = 0
_limit: Any = None
_known: tuple[int, ThreadpoolController] | None = None  # made when so many modules were there


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread while any thread of this process is inside: the last one out lifts the limit."""
    global _inside, _limit
    with _lock:
        _inside += 1
        if _inside == 1:
            _take_control()
            _limit = _controller().limit(limits=1)
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _take_control()
                _limit.restore_original_limits()
                _take_control()  # from ourselves


def one_openmp_thread() -> None:
    """Limit OpenMP to one thread in the calling thread for good: k-means of a worker thread then keeps its bits."""
    _controller().select(user_api="openmp").limit(limits=1)


def _take_control() -> None:
    """Let this thread set the limit: since threadpoolctl 3.8 only the thread that set one can change it for OpenBLAS.

    Whoever had control gets it back with the next limit that he sets.
    """
    openblas: Any = getattr(threadpoolctl, "OpenBLASController", None)
    if hasattr(openblas, "clear_controlling_thread"):
        openblas.clear_controlling_thread(force=True)


def _controller() -> ThreadpoolController:
    """Of the libraries that are loaded now; looking for them takes longer than a short step, and imports bring them."""
    global _known
    if _known is None or _known[0] != len(sys.modules):
        _known = len(sys.modules), ThreadpoolController()
    return _known[1]
