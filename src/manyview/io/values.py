"""What a file can hold before anyone has decided what is a view and what are labels."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from numpy.typing import NDArray


class RawSparse(NamedTuple):
    """A compressed sparse matrix as it stood in the file: nothing about it is checked yet."""

    data: NDArray[Any]
    indices: NDArray[Any]
    indptr: NDArray[Any]
    shape: tuple[int, ...]
    by_columns: bool


class Cell(NamedTuple):
    """A MATLAB cell array."""

    shape: tuple[int, ...]
    items: tuple[Any, ...]  # of Value; the alias below cannot be recursive here


class RawTable(NamedTuple):
    """One table: an array, a sparse matrix or an Arrow table, with names of rows and columns where the file has them.

    An Arrow table may hold the names of its rows as one of its columns.
    """

    content: Any
    ids: list[str] | None
    columns: list[str] | None


class Unusable(NamedTuple):
    """A struct, text or the like."""

    what: str


Value: TypeAlias = "NDArray[Any] | RawSparse | Cell | RawTable | Unusable"
Variables: TypeAlias = list[tuple[str, Value]]


def describe(value: Value) -> str:
    """Describe a value in a few words for an error message."""
    if isinstance(value, Unusable):
        return value.what
    if isinstance(value, RawTable):
        return "a table"
    size = "x".join(str(n) for n in value.shape) or "a single value"
    if isinstance(value, Cell):
        return f"{size} cell"
    return f"{size} sparse" if isinstance(value, RawSparse) else f"{size} {value.dtype}"
