"""Blocks of rows, which the engine hands to every function; missing rows, and the rule that all numbers are finite.

A row of NaN alone means that the view does not describe the sample.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from manyview.engine import Engine, Rows, concatenate, edges
from manyview.kernels.arrays import BoolArray, FloatArray, IntArray, Table
from manyview.views.frames import shown

if TYPE_CHECKING:
    from manyview.views.container import Views

Scores = dict[tuple[int, ...], FloatArray]  # (n, r) each, scores of the words of some views together


class RowBlock(NamedTuple):
    """Rows start … start + n of every view, as they came in."""

    start: int
    tables: tuple[Table, ...]  # V tables (n, d_v), dense (row-major) or CSR; NaN throughout where the view is missing
    scores: Scores | None = None  # of its words, where they are known already (geometry.py)

    @property
    def n_rows(self) -> int:
        """Return the number of rows in the block."""
        return int(self.tables[0].shape[0])

    @property
    def missing(self) -> BoolArray:
        """Return which views (V, n) are NaN in which rows; a row without any view is an error."""
        missing = np.stack([missing_rows(table) for table in self.tables])
        nowhere = missing.all(axis=0)
        if nowhere.any():
            raise ValueError(f"Row {self.start + int(nowhere.argmax())} is NaN in every view: drop it.")
        return missing

    def table(self, v: int, /) -> Table:
        """Return a view with zeros where it is missing."""
        missing = missing_rows(self.tables[v])
        return np.where(missing[:, None], 0, self.tables[v]) if missing.any() else self.tables[v]

    def known(self, v: int, /) -> Table:
        """Return the rows of a view that are not missing."""
        missing = missing_rows(self.tables[v])
        return self.tables[v][~missing] if missing.any() else self.tables[v]

    def take(self, chosen: IntArray, /) -> RowBlock:
        """Return the block's share of the chosen rows, which are ascending numbers among all rows."""
        first, last = np.searchsorted(chosen, (self.start, self.start + self.n_rows))
        inside = chosen[first:last] - self.start
        whole = np.array_equal(inside, np.arange(self.n_rows))
        return self if whole else self._part(inside, start=self.start)

    def between(self, start: int, stop: int, /) -> RowBlock:
        """Return the rows from ``start`` to ``stop``, numbered among all rows."""
        return self._part(slice(start - self.start, stop - self.start), start=start)

    def _part(self, rows: IntArray | slice, *, start: int) -> RowBlock:
        scores = None if self.scores is None else {views: known[rows] for views, known in self.scores.items()}
        return RowBlock(start, tuple(table[rows] for table in self.tables), scores)


class BlockMaker:
    """Makes blocks of views, for ``engine.partition``."""

    def __init__(self, views: Views, /) -> None:
        self._tables = views.tables
        self.slow = any(getattr(table, "slow", False) for table in views.tables)  # better copied than made again

    def __call__(self, start: int, stop: int, /) -> RowBlock:
        return RowBlock(start, tuple(_cut(table, start, stop) for table in self._tables))

    @staticmethod
    def split(block: RowBlock, start: int, stop: int, /) -> RowBlock:
        """Return some rows of a larger block."""
        return block.between(start, stop)


def row_blocks(views: Views, /) -> BlockMaker:
    """Make blocks of rows, for ``engine.partition``; row-major tables are cut without a copy.

    Parameters
    ----------
    views : Views
        Checked.

    Returns
    -------
    BlockMaker
        A function of the first row and the row after the last.

    Examples
    --------
    >>> import numpy as np
    >>> from manyview.views import check_views, row_blocks
    >>> make = row_blocks(check_views([np.ones((5, 2)), np.ones((5, 3))]))
    >>> make(1, 4).n_rows
    3
    """
    return BlockMaker(views)


def some_rows(n_rows: int, n_wanted: int, /, *, seed: int) -> IntArray:
    """Draw row numbers with a seed, ascending; all of them if there are no more than wanted."""
    if n_rows <= n_wanted:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(seed).choice(n_rows, n_wanted, replace=False, shuffle=False))


def picked_rows(chosen: IntArray, rows: Rows[RowBlock], engine: Engine, /) -> list[RowBlock]:
    """Collect the chosen rows (ascending) as a few blocks in the caller's process, wherever the rows are stored."""
    parts = list(engine.map(lambda block: block.take(chosen), rows))
    in_place = all(part.start + part.n_rows == following.start for part, following in pairwise(parts))
    if in_place and np.array_equal(chosen, np.arange(len(chosen))):
        return parts  # all rows: the blocks are there already
    tables = [concatenate(parts_of_view) for parts_of_view in zip(*(part.tables for part in parts), strict=True)]
    known = [part.scores for part in parts if part.scores is not None]
    scores = {views: concatenate([of_part[views] for of_part in known]) for views in known[0]} if known else None
    whole = RowBlock(0, tuple(tables), scores)
    return [whole.between(start, stop) for start, stop in edges(len(chosen), 4096)]  # rows, so that threads share them


def _cut(table: Any, start: int, stop: int) -> Table:
    """Return rows of a table, without a copy where it is row-major or CSR."""
    if isinstance(table, np.ndarray):
        return np.ascontiguousarray(table[start:stop])
    if not isinstance(table, sp.csr_array):
        return table[start:stop]
    ends = table.indptr[start : stop + 1]
    inside = slice(ends[0], ends[-1])
    rows = sp.csr_array((len(ends) - 1, table.shape[1]), dtype=table.dtype)
    # put in afterward: the constructor copies what is a small part of something larger
    rows.data, rows.indices, rows.indptr = table.data[inside], table.indices[inside], ends - ends[0]
    rows.has_canonical_format = table.has_canonical_format
    return rows


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
    sample = "" if ids is None else f" of sample {shown(ids[row])}"
    count = f"{len(rows)} such cells in {len(np.unique(found))} columns" if len(rows) > 1 else "no other such cell"
    instead = "make the whole row NaN if the sample lacks this view" if may_miss else "drop the row"
    raise ValueError(
        f"View {name!r} contains NaN or infinity, first in row {start + row}. Fill it or {instead}, or choose "
        f"Views.from_tables(X, impute='mean'). It is column {label}{sample}; {count}."
    )


def missing_rows(table: Table, /) -> BoolArray:
    """Find the rows (n,) that are NaN throughout, in a table without any other NaN."""
    if sp.issparse(table) or not table.shape[1]:
        return np.zeros(table.shape[0], dtype=bool)
    return np.asarray(np.isnan(table[:, 0]))


def _lacking(name: str, absent: BoolArray, row: int, start: int, ids: Any) -> ValueError:
    sample = "" if ids is None else f" (first {shown(ids[row])})"
    count = int(absent.sum())
    samples = "1 sample lacks" if count == 1 else f"{count} samples lack"
    return ValueError(
        f"View {name!r} contains NaN or infinity, first in row {start + row}. Fill it or drop the row: {samples} this "
        f"view altogether{sample}, and the estimator needs every view of every sample; join='inner' keeps the complete "
        "ones."
    )


def empty_columns(table: FloatArray, /) -> list[int]:
    """Find the columns without any number, unless that is all of them."""
    if len(table) < 2 or not np.isnan(table[0]).any():
        return []
    empty = np.flatnonzero(np.isnan(table).all(axis=0))
    return [] if len(empty) == table.shape[1] else empty.tolist()


def constant_columns(table: FloatArray, /, *, n_first: int = 64) -> list[int]:
    """Find columns with the same number in all rows that have one; ``n_first`` rows rule out most."""
    if len(table) < 2 or not table.shape[1]:
        return []
    start = int(np.argmax(~np.isnan(table[:, 0])))
    at = np.flatnonzero(np.isfinite(table[start]))
    for rows in (slice(start, start + n_first), slice(None)):
        cells = table[rows][:, at]
        at = at[((cells == table[start, at]) | np.isnan(cells)).all(axis=0)]
    return at.tolist()


def column_values(table: FloatArray, impute: str, /) -> list[float]:
    """Compute the mean or median of every column over its known cells."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Mean of empty slice|All-NaN slice", RuntimeWarning)
        values = np.nanmean(table, axis=0, dtype=np.float64) if impute == "mean" else np.nanmedian(table, axis=0)
    return np.asarray(values, dtype=np.float64).tolist()


def filled(table: FloatArray, values: Sequence[float], /) -> tuple[FloatArray, int]:
    """Fill the missing cells of a table and count them; rows that are missing altogether stay so."""
    missing: BoolArray = np.asarray(np.isnan(table))
    missing &= ~np.all(missing, axis=1, keepdims=True)
    count = int(missing.sum())
    return (np.where(missing, np.asarray(values, table.dtype), table), count) if count else (table, 0)
