"""A stretch of rows of all views: what the engine hands to every function over rows."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from manyview.kernels.arrays import BoolArray, FloatArray, IntArray, Table
from manyview.views.container import Views
from manyview.views.finite import missing_rows

Scores = dict[tuple[int, ...], FloatArray]  # (n, r) each, scores of the words of some views together


class RowBlock(NamedTuple):
    """Rows start … start + n of every view, as they came in."""

    start: int
    tables: tuple[Table, ...]  # V tables (n, d_v), dense (row-major) or CSR; NaN throughout where the view is missing
    scores: Scores | None = None  # of its words, where they are known already (geometry.py)

    @property
    def n_rows(self) -> int:
        """Number of rows in the block."""
        return int(self.tables[0].shape[0])

    @property
    def missing(self) -> BoolArray:
        """Which views (V, n) have nothing but NaN in which rows; a row that has no view at all is an error."""
        missing = np.stack([missing_rows(table) for table in self.tables])
        nowhere = missing.all(axis=0)
        if nowhere.any():
            raise ValueError(f"Row {self.start + int(nowhere.argmax())} is NaN in every view: drop it.")
        return missing

    def table(self, v: int, /) -> Table:
        """A view with zeros where it is missing."""
        missing = missing_rows(self.tables[v])
        return np.where(missing[:, None], 0, self.tables[v]) if missing.any() else self.tables[v]

    def known(self, v: int, /) -> Table:
        """The rows of a view that are not missing."""
        missing = missing_rows(self.tables[v])
        return self.tables[v][~missing] if missing.any() else self.tables[v]

    def take(self, chosen: IntArray, /) -> "RowBlock":
        """The block's share of the chosen rows, which are numbers among all rows, ascending."""
        first, last = np.searchsorted(chosen, (self.start, self.start + self.n_rows))
        inside = chosen[first:last] - self.start
        whole = np.array_equal(inside, np.arange(self.n_rows))
        return self if whole else self._part(inside, start=self.start)

    def between(self, start: int, stop: int, /) -> "RowBlock":
        """A stretch of its rows, by their numbers among all rows."""
        return self._part(slice(start - self.start, stop - self.start), start=start)

    def _part(self, rows: IntArray | slice, *, start: int) -> "RowBlock":
        scores = None if self.scores is None else {views: known[rows] for views, known in self.scores.items()}
        return RowBlock(start, tuple(table[rows] for table in self.tables), scores)


class BlockMaker:
    """Makes blocks of views, for ``engine.cut``."""

    def __init__(self, views: Views, /) -> None:
        self._tables = views.tables
        self.slow = any(getattr(table, "slow", False) for table in views.tables)  # better copied than made again

    def __call__(self, start: int, stop: int, /) -> RowBlock:
        return RowBlock(start, tuple(_cut(table, start, stop) for table in self._tables))

    @staticmethod
    def split(block: RowBlock, start: int, stop: int, /) -> RowBlock:
        """A stretch of rows of a larger block."""
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
    """Numbers of a seeded choice of rows, ascending; all of them where there are no more than wanted."""
    if n_rows <= n_wanted:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(seed).choice(n_rows, n_wanted, replace=False, shuffle=False))


def _cut(table: Any, start: int, stop: int) -> Table:
    """Rows of a table, without a copy where it is row-major or CSR."""
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
