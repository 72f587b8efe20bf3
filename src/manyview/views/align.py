"""Alignment of DataFrames by index: rows are matched by id, never by chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def aligned_rows(tables: Sequence[Any], names: Sequence[str]) -> tuple[list[Any], Any]:
    """Bring the rows of all DataFrames with an index into the order of the first.

    Tables without an index (arrays, sparse matrices, polars) are taken by position. Ids that occur twice, or
    that one view has and another lacks, are errors: guessing would mix up samples without a word.
    """
    indexed = [(v, table.index) for v, table in enumerate(tables) if hasattr(table, "iloc")]
    if not indexed:
        return list(tables), None
    first, ids = indexed[0]
    aligned = list(tables)
    for v, index in indexed:
        if not index.is_unique:
            twice = index[index.duplicated()].tolist()[0]
            raise ValueError(
                f"View {names[v]!r} has the id {twice!r} more than once: ids must be unique to align rows."
            )
        if index.equals(ids):
            continue
        _require_same_ids(ids, index, names[first], names[v])
        aligned[v] = tables[v].loc[ids]
    return aligned, np.asarray(ids)


def require_same_order(tables: Sequence[Any], names: Sequence[str]) -> None:
    """Tables on disk are read as they are: where their files hold ids, these must be the same, row by row."""
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


def _require_same_ids(ids: Any, other: Any, name: str, other_name: str) -> None:
    for have, have_name, lack, lack_name in ((ids, name, other, other_name), (other, other_name, ids, name)):
        missing = have.difference(lack)
        if len(missing):
            shown = ", ".join(repr(i) for i in missing[:3]) + (", …" if len(missing) > 3 else "")
            raise ValueError(
                f"View {lack_name!r} lacks {len(missing)} of the {len(have)} ids of view {have_name!r} ({shown}): "
                "every view must describe the same samples. Keep the common rows, reset the index to align by order, "
                "or say that samples lack a view (SemiNTF alone): reindex(ids) makes rows of NaN."
            )
