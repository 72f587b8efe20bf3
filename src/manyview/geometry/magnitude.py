"""Range of numbers whose squared distances neither overflow nor vanish; outside of it an error names the view.

A view may be in any unit: only numbers at the ends of the floating-point range are refused. Single precision is used
for tables of that type, and for the scores and distances of more than 5,000 rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from manyview.geometry.statistics import Columns
from manyview.kernels.arrays import FloatArray
from manyview.views.blocks import RowBlock


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
