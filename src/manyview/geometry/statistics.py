"""Column statistics of a view, gathered block by block: sums, extremes, counts, correlations.

The extremes are checked at once: squared distances of a view's numbers must neither overflow nor vanish, or an error
names the view. It may be in any unit: only numbers at the ends of the floating-point range are refused. Single
precision is used for tables of that type, and for the scores and distances of more than 5,000 rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from manyview.engine import Engine, Rows, add
from manyview.kernels.arrays import BoolArray, FloatArray, IntArray, Table
from manyview.views.blocks import RowBlock


class Columns(NamedTuple):
    """First statistics of one view."""

    n_rows: int  # that the view has
    n_missing: int
    n_filled: int  # rows with a non-zero
    dtype: np.dtype[Any]  # of the table
    non_zeros: FloatArray  # (d,) rows in which the column is not zero
    total: FloatArray  # (d,)
    low: FloatArray  # (d,)
    high: FloatArray  # (d,)

    @property
    def mean(self) -> FloatArray:
        """Compute the column means."""
        return self.total / self.n_rows

    @property
    def density(self) -> float:
        """Compute the share of entries that are not zero."""
        return float(self.non_zeros.sum() / max(self.n_rows * len(self.total), 1))


def filled_rows(table: Table, /) -> BoolArray:
    """Return which rows have a non-zero."""
    if sp.issparse(table):
        stored = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
        return np.bincount(stored[table.data != 0], minlength=table.shape[0]) > 0
    return np.asarray((table != 0).any(axis=1))


def _columns(table: Table, n_missing: int) -> Columns:
    if sp.issparse(table):
        filled, width = int(filled_rows(table).sum()), table.shape[1]
        non_zeros: IntArray = np.bincount(table.indices[table.data != 0], minlength=width)
        full = np.bincount(table.indices, minlength=width) == table.shape[0]  # no entry left out
        low, high = np.where(full, np.inf, 0.0), np.where(full, -np.inf, 0.0)
        np.minimum.at(low, table.indices, table.data)
        np.maximum.at(high, table.indices, table.data)
        total = np.bincount(table.indices, weights=table.data, minlength=width)
    else:
        filled, non_zeros = _filled(table)
        low, high = table.min(axis=0, initial=np.inf), table.max(axis=0, initial=-np.inf)
        with np.errstate(over="ignore"):  # numbers that large are refused by their magnitude
            total = table.sum(axis=0, dtype=np.float64)
    floats = (np.asarray(part, dtype=np.float64) for part in (non_zeros, total, low, high))
    return Columns(table.shape[0], n_missing, filled, table.dtype, *floats)


def _filled(table: FloatArray) -> tuple[int, IntArray]:
    """Count the rows with a non-zero, and those in which each column is not zero; few dense tables have a zero."""
    if np.count_nonzero(table) == table.size:
        return len(table) if table.shape[1] else 0, np.full(table.shape[1], len(table))
    other = table != 0
    return int(other.any(axis=1).sum()), np.count_nonzero(other, axis=0)


def _merge(first: Columns, second: Columns) -> Columns:
    return Columns(
        first.n_rows + second.n_rows,
        first.n_missing + second.n_missing,
        first.n_filled + second.n_filled,
        first.dtype,
        first.non_zeros + second.non_zeros,
        first.total + second.total,
        np.minimum(first.low, second.low),
        np.maximum(first.high, second.high),
    )


def column_statistics(rows: Rows[RowBlock], engine: Engine, /) -> list[Columns]:
    """Compute the first statistics of every view, in one pass."""

    def of_block(block: RowBlock) -> list[Columns]:
        n_missing = block.missing.sum(axis=1)
        return [_columns(block.known(v), int(n)) for v, n in enumerate(n_missing)]

    def merge(first: list[Columns], second: list[Columns]) -> list[Columns]:
        return [_merge(a, b) for a, b in zip(first, second, strict=True)]

    return engine.reduce(of_block, rows, merge)


class Spread(NamedTuple):
    """Second statistics of one dense view."""

    deviation: FloatArray  # (d,) standard deviations
    varies: BoolArray  # (d,) not constant, up to rounding
    correlation: float  # mean of N r² over pairs of columns: 1 for independent columns, 0 for principal scores
    n_pairs: int


def spread(v: int, columns: Columns, rows: Rows[RowBlock], engine: Engine, /) -> Spread:
    """Compute the deviations of view v about its means, and how correlated its columns are."""
    return spreads({v: columns}, rows, engine)[v]


def spreads(
    columns: dict[int, Columns], rows: Rows[RowBlock], engine: Engine, /, *, n_correlated: int = 128
) -> dict[int, Spread]:
    """Compute the spread of several views in one pass, and how correlated at most ``n_correlated`` columns are."""
    if not columns:
        return {}
    some = {v: _some_columns(len(c.total), n_correlated) for v, c in columns.items()}

    def of_block(block: RowBlock) -> tuple[tuple[FloatArray, FloatArray], ...]:
        return tuple(_products(block.known(v), c.mean, some[v]) for v, c in columns.items())

    sums = engine.reduce(of_block, rows, add)
    return {v: _spread(c, some[v], *of_view) for (v, c), of_view in zip(columns.items(), sums, strict=True)}


def _some_columns(width: int, n_wanted: int) -> IntArray:
    return np.unique(np.linspace(0, width - 1, min(width, n_wanted)).astype(int))


def _products(table: Table, mean: FloatArray, some: IntArray) -> tuple[FloatArray, FloatArray]:
    """Compute a block's share of the squared deviations and of the products of some columns."""
    centered = (table.toarray() if sp.issparse(table) else table) - mean  # in double precision, as the mean is
    if len(some) == len(mean):
        products = centered.T @ centered
        return products.diagonal(), products
    chosen = centered[:, some]
    return np.einsum("nd,nd->d", centered, centered), chosen.T @ chosen


def _spread(columns: Columns, some: IntArray, squares: FloatArray, products: FloatArray) -> Spread:
    deviation = np.sqrt(squares / columns.n_rows)
    magnitude = np.maximum(np.abs(columns.low), np.abs(columns.high))
    varies = (
        (columns.low < columns.high)
        & (deviation > 1e-12 * max(deviation.max(initial=0), 0))
        & (deviation > 1e-12 * magnitude)
    )
    correlation, n_pairs = _mean_squared_correlation(products, varies[some], columns.n_rows)
    return Spread(deviation, varies, correlation, n_pairs)


def _mean_squared_correlation(products: FloatArray, varies: BoolArray, n_rows: int) -> tuple[float, int]:
    products = products[np.ix_(varies, varies)]
    d = len(products)
    if d < 4:
        return np.inf, 0
    scale = np.sqrt(np.diagonal(products))
    r = products / scale / scale[:, None]
    n_pairs = d * (d - 1) // 2
    return n_rows * float((r**2).sum() - d) / (2 * n_pairs), n_pairs


class Range(NamedTuple):
    """Smallest and largest magnitude that the largest entry of a view may have."""

    low: float
    high: float


DOUBLE = Range(1e-150, 1e150)  # their squares, times 10^8 rows, are finite and not zero
SINGLE = Range(1e-30, 1e30)  # double numbers, whose scores are in single precision
SINGLE_TABLE = Range(1e-30, 1e15)  # squares of single numbers, times 10^8 rows, are finite


def magnitude_range(table_type: Any, work_type: Any, /) -> Range:
    """Return the range for a table of one type whose scores are of another."""
    if np.dtype(table_type) == np.float32:
        return SINGLE_TABLE
    return SINGLE if np.dtype(work_type) == np.float32 else DOUBLE


def require_magnitude(largest: float, name: str, allowed: Range, /, *, where: str = "") -> None:
    """Raise an error that names a view whose largest magnitude is out of range; ``where`` says where it stands."""
    if largest > allowed.high:
        raise ValueError(
            f"View {name!r} has a number as large as {largest:.0e}{where}; squared distances need numbers below "
            f"{allowed.high:.0e}. Divide the view by a constant, or drop the row."
        )
    if 0 < largest < allowed.low:
        raise ValueError(
            f"View {name!r} has no number larger than {largest:.0e}; squared distances need some above "
            f"{allowed.low:.0e}. Multiply the view by a constant."
        )


def require_columns(columns: Columns, name: str, dtype: str, /) -> None:
    """Check the magnitudes of a view before a fit."""
    largest = np.maximum(np.abs(columns.low), np.abs(columns.high))  # (d,)
    where = f" in column {int(largest.argmax())}" if len(largest) else ""
    require_magnitude(float(largest.max(initial=0)), name, magnitude_range(columns.dtype, dtype), where=where)


def require_rows(block: RowBlock, names: tuple[str, ...], dtype: str, /) -> None:
    """Check the magnitudes of rows to predict; only large ones are refused, because a row may be all zero."""
    for name, table in zip(names, block.tables, strict=True):
        entries = table.data if sp.issparse(table) else table
        high = magnitude_range(table.dtype, dtype).high
        largest = np.fmax(np.fmax.reduce(entries, axis=None, initial=0), -np.fmin.reduce(entries, axis=None, initial=0))
        if largest > high:
            rows, columns = (abs(table) > high).nonzero()
            where = f" in row {block.start + rows[0]}, column {columns[0]}"
            require_magnitude(float(largest), name, Range(0, high), where=where)


def require_reach(squares: FloatArray, name: str, /, *, first: int) -> None:
    """Check that squared lengths (n,) of scaled rows leave room for sums over views, else name the view and the row."""
    far = ~(squares < np.finfo(squares.dtype).max / 1024)
    if far.any():
        raise ValueError(
            f"View {name!r}: row {first + int(far.argmax())} is so far from the rows of the fit that its distances "
            "are not finite. Check its numbers, or drop the row."
        )


def require_scaled_columns(extremes: FloatArray, name: str, dtype: str, /) -> None:
    """Check that no row of a fit can fail `require_reach`, from the scaled extremes (2, d) of the columns."""
    reach = np.abs(extremes).max(axis=0, initial=0)  # (d,)
    # a map to principal scores lengthens a row by at most (10^12)^(1/8) < 32
    if not np.square(reach).sum() < np.finfo(dtype).max / 1024**2:
        raise ValueError(
            f"View {name!r}: a number in column {int(reach.argmax())} is {reach.max():.0e} times as large as a usual "
            "row, and leaves no distances between the others. Check the column, or drop the row."
        )
