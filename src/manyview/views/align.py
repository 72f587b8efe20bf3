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


def _require_same_ids(ids: Any, other: Any, name: str, other_name: str) -> None:
    for have, have_name, lack, lack_name in ((ids, name, other, other_name), (other, other_name, ids, name)):
        missing = have.difference(lack)
        if len(missing):
            shown = ", ".join(repr(i) for i in missing[:3]) + (", …" if len(missing) > 3 else "")
            raise ValueError(
                f"View {lack_name!r} lacks {len(missing)} of the {len(have)} ids of view {have_name!r} ({shown}): "
                "every view must describe the same samples. Keep the common rows, or reset the index to align by order."
            )
