"""From values as found in a file to checked matrices and labels; every error names the place and what was found."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, csr_matrix

from manyview.io.data import LabelArray, ViewMatrix
from manyview.io.values import Cell, RawSparse, RawTable, Unusable, Value, describe

# columns per entry above which a width looks like a damaged number: as read off the largest index, as stated


def check_matrix(value: Value, where: str, /) -> ViewMatrix:
    """Return the value as a 2-D array or valid sparse matrix of real numbers, before its entries are checked."""
    if isinstance(value, Cell | RawTable | Unusable):
        raise ValueError(f"{where} is {describe(value)}; a view must be a matrix of numbers")
    if isinstance(value, RawSparse):
        return _sparse(value, where)
    if value.dtype.kind not in "biuf":
        raise ValueError(f"{where} is {describe(value)}; a view must hold real numbers")
    if value.ndim != 2:
        raise ValueError(f"{where} has {value.ndim} dimensions, shape {value.shape}; a view must be a matrix")
    if value.size == 0:
        raise ValueError(f"{where} has shape {value.shape}; a view needs at least one sample and one feature")
    return value


def finish_view(matrix: ViewMatrix, where: str, /) -> ViewMatrix:
    """Convert a view to floating-point numbers (N, d), finite except in rows of NaN alone, which the view lacks."""
    dtype = matrix.dtype if matrix.dtype in (np.float32, np.float64) else np.dtype(np.float64)
    if isinstance(matrix, np.ndarray):
        X = np.ascontiguousarray(matrix, dtype=dtype)
        bad = np.argwhere(~np.isfinite(X) & ~np.isnan(X).all(axis=1, keepdims=True))
        if len(bad):
            row, column = bad[0]
            raise ValueError(f"{where} is {X[row, column]} at row {row}, column {column} ({len(bad)} such entries)")
        return X
    S = csr_matrix(matrix, dtype=dtype)
    S.sum_duplicates()
    places = np.flatnonzero(~np.isfinite(S.data))
    if len(places):
        row = int(np.searchsorted(S.indptr, places[0], side="right")) - 1
        raise ValueError(f"{where} is {S.data[places[0]]} in row {row} ({len(places)} such entries)")
    return S


def _sparse(raw: RawSparse, where: str) -> ViewMatrix:
    """Build the matrix once its parts are known to fit: SciPy trusts them, and would read outside its memory."""
    data, indices, indptr, shape, by_columns = raw
    if len(shape) != 2 or min(shape) < 1:
        raise ValueError(f"{where} is sparse of shape {shape}; a view needs at least one sample and one feature")
    if data.dtype.kind not in "biuf":
        raise ValueError(f"{where} is sparse with {data.dtype} entries; a view must hold real numbers")
    major, minor = (shape[1], shape[0]) if by_columns else shape
    if indices.dtype.kind not in "iu" or indptr.dtype.kind not in "iu" or {data.ndim, indices.ndim, indptr.ndim} != {1}:
        raise ValueError(f"{where} is sparse, but its parts are not vectors of indices and entries")
    if minor > 1000 * max(len(data), 1000):
        raise ValueError(f"{where} is sparse of shape {shape} with {len(data)} entries; that looks damaged")
    starts = indptr.astype(np.int64)
    if len(starts) != major + 1 or starts[0] != 0 or np.any(np.diff(starts) < 0):
        raise ValueError(
            f"{where} is sparse of shape {shape}, but its indptr does not rise from 0 in {major + 1} steps"
        )
    n_entries = int(starts[-1])
    if n_entries > min(len(data), len(indices)):
        raise ValueError(
            f"{where} is sparse with {n_entries} entries, of which {min(len(data), len(indices))} are there"
        )
    places = indices[:n_entries].astype(np.int64)  # MATLAB may keep room for more entries than there are
    if n_entries and not 0 <= places.min() <= places.max() < minor:
        raise ValueError(f"{where} is sparse of shape {shape}, but has an index outside of it")
    build = csc_matrix if by_columns else csr_matrix
    return build((data[:n_entries], places, starts), shape=shape)


def is_triples(matrix: ViewMatrix, /) -> bool:
    """Return whether the matrix looks like (row, column, value) lines that count rows and columns from 1."""
    if not isinstance(matrix, np.ndarray) or matrix.shape[1] != 3:
        return False
    places = matrix[:, :2]
    return bool(np.all(np.isfinite(places)) and np.all(places == np.floor(places)) and places.min() >= 1)


def from_triples(triples: NDArray[Any], where: str, /, *, n_samples: int, width: int | None = None) -> csr_matrix:
    """Build the sparse matrix (N, width) of (row, column, value) lines; lines of one place are added up."""
    last_row, last_column = (float(n) for n in triples[:, :2].max(axis=0))
    if last_row > n_samples:
        raise ValueError(f"{where} is a list of triples whose largest row is {last_row:.0f}, for {n_samples} samples")
    if width is None and last_column > 10 * len(triples):
        raise ValueError(
            f"{where} is a list of {len(triples)} triples whose largest column is {last_column:.0f}; "
            "that looks damaged: if it is right, give widths="
        )
    if width is not None and last_column > width:
        raise ValueError(f"{where} is a list of triples whose largest column is {last_column:.0f}, above {width}")
    rows, columns = (triples[:, side].astype(np.int64) - 1 for side in (0, 1))
    shape = (n_samples, int(last_column) if width is None else width)
    return csr_matrix((triples[:, 2], (rows, columns)), shape=shape)


def check_labels(value: Value, where: str, /) -> LabelArray:
    """Count labels (N,) from 0, in the order of the classes found."""
    if isinstance(value, Cell) and all(_is_word(item) for item in value.items):
        value = np.array([item.item() for item in value.items], dtype=np.str_)
    if isinstance(value, Cell):  # one copy of the labels per view
        copies = [check_labels(item, f"{where}, item {i}") for i, item in enumerate(value.items)]
        if any(not np.array_equal(copy, copies[0]) for copy in copies):
            raise ValueError(f"{where} holds {len(copies)} lists of labels that differ; rows of the views do not match")
        return copies[0]
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "biufU":
        raise ValueError(f"{where} is {describe(value)}; labels must be one number or word per sample")
    if value.size == 0 or value.size != max(value.shape, default=0):
        raise ValueError(f"{where} has shape {value.shape}; labels must be a vector with one label per sample")
    flat = value.ravel()
    if flat.dtype.kind == "f" and not (np.all(np.isfinite(flat)) and np.all(flat == np.floor(flat))):
        row = int(np.argmin(np.isfinite(flat) & (flat == np.floor(flat))))
        raise ValueError(f"{where} is {flat[row]} in row {row}; labels must be whole numbers")
    return np.unique(flat, return_inverse=True)[1].astype(np.int64).ravel()


def _is_word(value: Value) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind == "U" and value.size == 1
