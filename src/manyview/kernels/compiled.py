"""The compiled loops of ``_compiled.c``, where the installation has them.

They are built with the package if there is a C compiler, and called through ctypes, which lets other threads run
meanwhile. Each has a twin in NumPy or SciPy beside its caller, which works wherever there is no library.
MANYVIEW_COMPILED=0 in the environment asks for the twins.
"""

from __future__ import annotations

import ctypes
import os
from importlib.util import find_spec

_pointer, _number, _float = ctypes.c_void_p, ctypes.c_int64, ctypes.c_float


def _load() -> ctypes.CDLL | None:
    found = find_spec("manyview.kernels._compiled") if os.environ.get("MANYVIEW_COMPILED") != "0" else None
    if found is None or found.origin is None:
        return None
    loaded = ctypes.CDLL(found.origin)
    loaded.nearest.argtypes = [_pointer, _number, _number, _number, _pointer, _pointer, _pointer]
    loaded.nearest.restype = _number
    loaded.sweep.argtypes = [_number] * 3 + [_pointer] * 4 + [_float] * 2 + [_pointer] * 3
    loaded.sweep.restype = _float
    loaded.sparse_times.argtypes = [_number, *[_pointer] * 4, _number, _pointer]
    loaded.sparse_times.restype = None
    return loaded


library = _load()
