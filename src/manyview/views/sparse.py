"""The structure of sparse matrices is verified before compiled code follows its pointers."""

from __future__ import annotations

from typing import Any

import numpy as np

from manyview.kernels.arrays import Table


def verified(matrix: Any, name: str, /) -> Table:
    """Check the structure of a sparse matrix of any format and convert it to CSR; an error names the view.

    SciPy and scikit-learn follow row pointers and column numbers without a check of their own: damaged ones read
    outside of the arrays. The checks compare and never subtract, so that no number can wrap around.
    """
    if matrix.ndim != 2:
        raise ValueError(f"View {name!r} has {matrix.ndim} dimensions; a view is a table (n_samples, n_columns).")
    if matrix.format in ("csr", "csc", "bsr"):
        _verify_compressed(matrix, name)
    elif matrix.format == "coo":
        _verify_coordinates(matrix, name)
    elif matrix.format == "dia" and matrix.data.shape[:1] != matrix.offsets.shape:
        raise _damaged(name, f"{len(matrix.offsets)} diagonals but {len(matrix.data)} rows of numbers")
    if matrix.format == "csr":
        return _trimmed(matrix)
    with np.errstate(all="ignore"):
        converted = matrix.tocsr()
    if matrix.format in ("lil", "dok"):
        _verify_compressed(converted, name)
    return converted


def canonical(table: Table, /) -> Table:
    """Sort the entries of a CSR matrix, and add up those that are stored twice."""
    if table.has_canonical_format:
        return table
    table = table.copy()
    table.sum_duplicates()
    return table


def _verify_compressed(matrix: Any, name: str) -> None:
    indptr, indices, data = matrix.indptr, matrix.indices, matrix.data
    height, width = matrix.shape
    if matrix.format == "bsr":
        height, width = height // matrix.blocksize[0], width // matrix.blocksize[1]
    major, minor, minor_name = (width, height, "row") if matrix.format == "csc" else (height, width, "column")
    for array, what in ((indptr, "indptr"), (indices, "indices")):
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise _damaged(name, f"its {what} is not a vector of integers")
    if len(indptr) != major + 1:
        raise _damaged(name, f"its indptr has {len(indptr)} entries, expected {major + 1}")
    if indptr[0] != 0:
        raise _damaged(name, f"its indptr starts at {indptr[0]}, not at 0")
    if not (indptr[1:] >= indptr[:-1]).all():
        at = int(np.argmin(indptr[1:] >= indptr[:-1]))
        raise _damaged(name, f"its indptr falls from {indptr[at]} to {indptr[at + 1]} at position {at + 1}")
    end = int(indptr[-1])
    if end > len(indices) or end > len(data):
        raise _damaged(name, f"its indptr ends at {end}, but there are {min(len(indices), len(data))} entries")
    _verify_range(indices[:end], minor, minor_name, matrix, name)


def _verify_coordinates(matrix: Any, name: str) -> None:
    row, column = matrix.row, matrix.col
    if not len(row) == len(column) == len(matrix.data):
        raise _damaged(name, f"it has {len(row)} rows, {len(column)} columns and {len(matrix.data)} numbers of entries")
    _verify_range(row, matrix.shape[0], "row", matrix, name)
    _verify_range(column, matrix.shape[1], "column", matrix, name)


def _verify_range(numbers: Any, stop: int, what: str, matrix: Any, name: str) -> None:
    if not len(numbers):
        return
    low, high = int(numbers.min()), int(numbers.max())
    if low < 0 or high >= stop:
        size = matrix.shape[0] if what == "row" else matrix.shape[1]
        raise ValueError(
            f"View {name!r} is a sparse matrix of {size} {what}s with an entry in {what} {low if low < 0 else high}: "
            "it was put together wrongly."
        )


def _trimmed(matrix: Any) -> Table:
    """Drop unused space behind the last entry."""
    end = int(matrix.indptr[-1])
    if end == len(matrix.indices) == len(matrix.data):
        return matrix
    return type(matrix)((matrix.data[:end], matrix.indices[:end], matrix.indptr), shape=matrix.shape)


def _damaged(name: str, what: str) -> ValueError:
    return ValueError(f"View {name!r} is a damaged sparse matrix: {what}. Build it again, for example from coo_array.")
