"""The compiled loops of ``_compiled.c``, where the installation has them.

They are built with the package if there is a C compiler, and called through ctypes, which lets other threads run
meanwhile. Each has a twin in NumPy or SciPy beside its caller, which works wherever there is no library.
MANYVIEW_COMPILED=0 in the environment asks for the twins.
"""

from __future__ import annotations

import ctypes
import os
import warnings
from importlib.util import find_spec
from typing import Any, NamedTuple

_pointer, _number, _float = ctypes.c_void_p, ctypes.c_int64, ctypes.c_float
INTERFACE = 2  # changes with the arguments of a function; _compiled.c has the same number
LANES = 16  # numbers that the widest version processes at once; multiples of it suit all versions


class Library(NamedTuple):
    """The loops in one version: for processors that work on so many numbers at once."""

    lanes: int
    nearest: Any
    search: Any
    sparse_times: Any


def _load() -> list[Library]:
    found = find_spec("manyview.kernels._compiled") if os.environ.get("MANYVIEW_COMPILED") != "0" else None
    if found is None or found.origin is None:
        return []
    try:
        loaded = ctypes.CDLL(found.origin)
        if loaded.interface() == INTERFACE:
            return [_version(loaded, lanes) for lanes in (16, 8, 4) if lanes <= loaded.lanes()]
        reason = "they are of another version"
    except (OSError, AttributeError) as error:
        reason = str(error)
    warnings.warn(
        f"The compiled loops of manyview cannot be used ({reason}); NumPy does the same, slower. Install the package "
        "again to build them.",
        RuntimeWarning,
        stacklevel=2,
    )
    return []


def _version(loaded: ctypes.CDLL, lanes: int) -> Library:
    def function(name: str, result: Any, *arguments: Any) -> Any:
        loop = loaded[f"{name}{lanes}"]
        loop.argtypes, loop.restype = arguments, result
        return loop

    return Library(
        lanes,
        nearest=function("nearest", _number, _pointer, _number, _number, _number, _pointer, _pointer, _pointer),
        search=function("search", _number, *[_number] * 5, _float, *[_pointer] * 7),
        sparse_times=function("sparse_times", None, _number, *[_pointer] * 4, _number, _pointer),
    )


versions = _load()  # those that this processor can run, its best one first
library = versions[0] if versions else None
