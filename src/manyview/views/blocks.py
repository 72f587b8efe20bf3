"""A stretch of rows of all views: what the engine hands to every function over rows."""

from typing import Any, NamedTuple

import numpy as np

from manyview.kernels.arrays import IntArray, Table
from manyview.views.container import Views


class RowBlock(NamedTuple):
    """Rows start … start + n of every view, as they came in."""

    start: int
    tables: tuple[Table, ...]  # V tables (n, d_v), dense (row-major) or CSR

    @property
    def n_rows(self) -> int:
        """Number of rows in the block."""
        return int(self.tables[0].shape[0])

    def take(self, chosen: IntArray, /) -> "RowBlock":
        """The block's share of the chosen rows, which are numbers among all rows, ascending."""
        first, last = np.searchsorted(chosen, (self.start, self.start + self.n_rows))
        inside = chosen[first:last] - self.start
        return RowBlock(self.start, tuple(table[inside] for table in self.tables))


class BlockMaker:
    """Makes blocks of views, for ``engine.cut``."""

    def __init__(self, views: Views, /) -> None:
        self._tables = views.tables
        self.slow = any(getattr(table, "slow", False) for table in views.tables)  # better copied than made again

    def __call__(self, start: int, stop: int, /) -> RowBlock:
        return RowBlock(start, tuple(_row_major(table[start:stop]) for table in self._tables))

    @staticmethod
    def split(block: RowBlock, start: int, stop: int, /) -> RowBlock:
        """A stretch of rows of a larger block."""
        first, last = start - block.start, stop - block.start
        return RowBlock(start, tuple(table[first:last] for table in block.tables))


def row_blocks(views: Views, /) -> BlockMaker:
    """A maker of blocks, for ``engine.cut``; row-major tables are cut without a copy."""
    return BlockMaker(views)


def some_rows(n_rows: int, n_wanted: int, /, *, seed: int) -> IntArray:
    """Numbers of a seeded choice of rows, ascending; all of them where there are no more than wanted."""
    if n_rows <= n_wanted:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(seed).choice(n_rows, n_wanted, replace=False, shuffle=False))


def _row_major(table: Any) -> Table:
    return np.ascontiguousarray(table) if isinstance(table, np.ndarray) else table
