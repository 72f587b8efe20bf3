"""Every number of a table is finite; a row of NaN alone says that the view has nothing to say about the sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from manyview.kernels.arrays import BoolArray, Table


def require_finite(
    table: Table,
    name: str,
    /,
    *,
    start: int = 0,
    rows_may_miss: bool = False,
    columns: Sequence[str] | None = None,
    ids: Any = None,
) -> None:
    """Raise an error that names the view, row, column and count of cells that are NaN or infinite.

    ``start`` is the number of the table's first row; ``rows_may_miss`` lets rows pass that are NaN throughout, but not
    in a sparse table, where they have no entries.
    """
    values, may_miss = (table.data, False) if sp.issparse(table) else (table, rows_may_miss)
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()) or np.isfinite(values).all():  # the sum is the cheap test; it may overflow
            return
    wrong = ~np.isfinite(values)
    if sp.issparse(table):
        places = np.flatnonzero(wrong)
        rows, found = np.searchsorted(table.indptr, places, side="right") - 1, table.indices[places]
    else:
        absent = np.isnan(table).all(axis=1)
        rows, found = np.nonzero(wrong & ~(may_miss & absent)[:, None])
        if not len(rows):
            return
        if not may_miss and absent[rows[0]] and not absent.all():
            raise _lacking(name, absent, int(rows[0]), start, ids)
    row, column = int(rows[0]), int(found[0])
    label = column if columns is None else repr(columns[column])
    sample = "" if ids is None else f" of sample {ids[row]!r}"
    count = f"{len(rows)} such cells in {len(np.unique(found))} columns" if len(rows) > 1 else "no other such cell"
    instead = "make the whole row NaN if the sample lacks this view" if may_miss else "drop the row"
    raise ValueError(
        f"View {name!r} contains NaN or infinity, first in row {start + row}. Fill it or {instead}, or choose "
        f"Views.from_tables(X, impute='mean'). It is column {label}{sample}; {count}."
    )


def missing_rows(table: Table, /) -> BoolArray:
    """Rows (n,) that are NaN throughout, in a table without any other NaN."""
    if sp.issparse(table) or not table.shape[1]:
        return np.zeros(table.shape[0], dtype=bool)
    return np.asarray(np.isnan(table[:, 0]))


def _lacking(name: str, absent: BoolArray, row: int, start: int, ids: Any) -> ValueError:
    sample = "" if ids is None else f" (sample {ids[row]!r})"
    count = int(absent.sum())
    samples = "1 sample lacks" if count == 1 else f"{count} samples lack"
    return ValueError(
        f"View {name!r} contains NaN or infinity, first in row {start + row}. Fill it or drop the row: {samples} this "
        f"view altogether{sample}, and the estimator needs every view of every sample; join='inner' keeps the complete "
        "ones."
    )
