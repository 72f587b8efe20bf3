"""Optional libraries, imported when they are needed; where one is missing, the error says what to install."""

from importlib import import_module
from typing import Any


def optional(module: str, /, *, extra: str, use: str) -> Any:
    """Import a module of an optional library.

    Examples
    --------
    >>> from manyview.engine.optional import optional
    >>> optional("json.decoder", extra="files", use="Reading").JSONDecodeError.__name__
    'JSONDecodeError'
    """
    try:
        return import_module(module)
    except ImportError as error:
        library = module.partition(".")[0]
        raise ImportError(f"{use} needs {library}: pip install 'manyview[{extra}]'.") from error
