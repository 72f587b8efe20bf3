"""Every number of a table is finite; a row of NaN alone says that the view has nothing to say about the sample."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from manyview.kernels.arrays import BoolArray, Table


def require_finite(table: Table, name: str, /, *, start: int = 0, rows_may_miss: bool = False) -> None:
    """Raise an error that names the view and the first row with a NaN or infinity; ``start`` is the table's first row.

    ``rows_may_miss``: rows that are NaN throughout may pass, but not in a sparse table, where they have no entries.
    """
    values, may_miss = (table.data, False) if sp.issparse(table) else (table, rows_may_miss)
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()) or np.isfinite(values).all():  # the sum is the cheap test; it may overflow
            return
    wrong = ~np.isfinite(values)
    if sp.issparse(table):
        row = int(np.searchsorted(table.indptr, np.argmax(wrong), side="right") - 1)
    else:
        wrong_rows = wrong.any(axis=1) & ~(may_miss & np.isnan(table).all(axis=1))
        if not wrong_rows.any():
            return
        row = int(np.argmax(wrong_rows))
    instead = "make the whole row NaN if the sample lacks this view" if may_miss else "drop the row"
    raise ValueError(f"View {name!r} contains NaN or infinity, first in row {start + row}. Fill it or {instead}.")


def missing_rows(table: Table, /) -> BoolArray:
    """Rows (n,) that are NaN throughout, in a table without any other NaN."""
    if sp.issparse(table) or not table.shape[1]:
        return np.zeros(table.shape[0], dtype=bool)
    return np.asarray(np.isnan(table[:, 0]))
