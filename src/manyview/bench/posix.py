"""Modules that only POSIX systems have, imported when they are used; their absence is one line."""

from __future__ import annotations

import importlib
from typing import Any


def posix_module(name: str, /) -> Any:
    """Return a module of the standard library that Windows lacks."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise OSError(
            f"Benchmarks run on Linux and macOS only: Python has no module {name} here. Summaries work everywhere."
        ) from None
