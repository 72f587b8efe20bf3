"""Objects named by import strings: ``package.module:Class`` or ``package.module:Class.method``."""

from __future__ import annotations

import functools
import importlib
from typing import Any


def is_import_string(text: str, /) -> bool:
    """Return whether the text has the form of an import string, without an import.

    Examples
    --------
    >>> from manyview.bench.imports import is_import_string
    >>> is_import_string("sklearn.cluster:KMeans"), is_import_string("KMeans"), is_import_string("a-b:c")
    (True, False, False)
    """
    module, colon, name = text.partition(":")
    return bool(colon) and all(part.isidentifier() for part in (*module.split("."), *name.split(".")))


def module_of(text: str, /) -> str | None:
    """Return the module of an import string; None for a plain name."""
    module, colon, _ = text.partition(":")
    return module if colon else None


def import_object(text: str, /, *, default_module: str) -> Any:
    """Import the object that an import string names; a plain name is looked up in `default_module`."""
    module, _, name = text.rpartition(":")
    return functools.reduce(getattr, name.split("."), importlib.import_module(module or default_module))
