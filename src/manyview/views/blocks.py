"""A stretch of rows of all views: what the engine hands to every function over rows."""

from collections.abc import Callable
from typing import NamedTuple

from manyview.kernels.arrays import Table
from manyview.views.container import Views


class RowBlock(NamedTuple):
    """Rows start … start + n of every view, as they came in."""

    start: int
    tables: tuple[Table, ...]  # V tables (n, d_v), dense or CSR

    @property
    def n_rows(self) -> int:
        """Number of rows in the block."""
        return int(self.tables[0].shape[0])


def row_blocks(views: Views, /) -> Callable[[int, int], RowBlock]:
    """A maker of blocks, for ``engine.cut``; dense tables are cut without a copy."""
    return lambda start, stop: RowBlock(start, tuple(table[start:stop] for table in views.tables))
