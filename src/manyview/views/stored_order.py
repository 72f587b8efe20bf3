"""Tables on disk are read in the order in which they are: their ids are compared, never sorted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def require_same_order(tables: Sequence[Any], names: Sequence[str]) -> None:
    """Raise an error where files hold ids that are not the same, row by row."""
    stored = [(name, table) for name, table in zip(names, tables, strict=True) if hasattr(table, "ids")]
    known = [(name, table) for name, table in stored if table.ids() is not None]
    for name, table in known[1:]:
        first_name, first = known[0]
        found = _first_difference(first.ids(), table.ids())
        if found is not None:
            row, one, other = found
            raise ValueError(
                f"Row {row} has the id {one} in view {first_name!r} and {other} in view {name!r}: write the files in "
                "the same order (or without an index, to match rows by position)."
            )


def _first_difference(first: Any, second: Any) -> tuple[int, Any, Any] | None:
    """Row and ids where two streams of ids, cut in any way, differ; None if they do not as far as both go."""
    row, a, b = 0, next(first, None), next(second, None)
    while a is not None and b is not None:
        size = min(len(a[0]), len(b[0]))
        heads = [[level[:size] for level in ids] for ids in (a, b)]
        same = np.logical_and.reduce([x == y for x, y in zip(*heads, strict=False)]) & (len(a) == len(b))
        if not np.all(same):
            at = int(np.argmin(np.broadcast_to(same, size)))
            one, other = ([level[at] for level in ids] for ids in heads)
            return row + at, one[0] if len(one) == 1 else one, other[0] if len(other) == 1 else other
        row += size
        a, b = (tuple(level[size:] for level in ids) for ids in (a, b))
        a = a if len(a[0]) else next(first, None)
        b = b if len(b[0]) else next(second, None)
    return None
