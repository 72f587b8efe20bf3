"""The library that only a report needs, imported when a report is made."""

from __future__ import annotations

import importlib
from typing import Any

LIBRARIES = ("jinja2",)


def load(module: str, /) -> Any:
    """Import a module of one of `LIBRARIES`; an ImportError names the extra to install."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        library = module.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != library:
            raise  # the library is there, something inside it is not
        message = f'a report needs {library}; install it with: pip install "manyview[report]"'
        raise ImportError(message, name=library) from None


def require_libraries() -> None:
    """Raise ImportError now, and not after a long computation, if a report cannot be written here.

    Examples
    --------
    >>> from manyview.report import require_libraries
    >>> require_libraries()
    """
    for library in LIBRARIES:
        load(library)
