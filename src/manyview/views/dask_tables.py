"""Dask arrays and data frames as views: they stay on the cluster and are checked where they are read."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from manyview.engine.optional import optional
from manyview.kernels.arrays import FloatArray, float_type
from manyview.views.arrow import PIECE_ROWS
from manyview.views.blocks import require_finite
from manyview.views.stored import StoredTable


def is_dask(item: Any, /) -> bool:
    """Return whether an item of the input is a Dask collection."""
    return hasattr(item, "__dask_graph__")


def checked_array(collection: Any, name: str, /) -> Any:
    """Return a Dask array of float32 or float64 whose chunks raise an error if their numbers are not finite.

    The lengths of a data frame's partitions are counted for it: one pass over the files' metadata or rows.
    """
    array = collection.to_dask_array(lengths=True) if hasattr(collection, "to_dask_array") else collection
    if getattr(array, "ndim", 0) != 2:
        raise ValueError(f"View {name!r} is a Dask collection that is no table (n_samples, n_columns).")
    if array.dtype.kind not in "fiub":
        raise ValueError(f"View {name!r} holds {array.dtype}, not numbers: convert or drop such columns.")
    if np.isnan(array.shape).any():
        raise ValueError(f"View {name!r} has chunks of unknown length: call compute_chunk_sizes() on it first.")
    if array.name.startswith(_finite_rows_of_a_view.__name__):  # it has been here before
        return array
    array = array.rechunk({1: -1})
    return array.map_blocks(_finite_rows_of_a_view, name, dtype=float_type(array.dtype))


def as_dask(table: StoredTable, /) -> Any:
    """Turn a table on disk into a Dask array, which the workers read piece by piece."""
    try:
        pickle.dumps(table)
    except (TypeError, pickle.PicklingError) as error:  # an Arrow data set of tables in memory
        raise TypeError(
            f"View {table.name!r} cannot be sent to workers ({error}): write it to Parquet files."
        ) from error
    array = optional("dask.array", extra="distributed", use="The Dask engine")
    delayed = optional("dask", extra="distributed", use="The Dask engine").delayed
    read = delayed(_read, pure=True)
    source = delayed(table, pure=True)
    stretches = [
        (first, min(first + PIECE_ROWS, stop))
        for start, stop in table.pieces
        for first in range(start, stop, PIECE_ROWS)
    ]
    chunks = [
        array.from_delayed(read(source, start, stop), (stop - start, table.shape[1]), table.dtype)
        for start, stop in stretches
    ]
    return array.concatenate(chunks)


def _read(table: StoredTable, start: int, stop: int) -> FloatArray:
    rows: FloatArray = table[start:stop]
    return rows


def _finite_rows_of_a_view(chunk: Any, name: str, block_info: Any = None) -> FloatArray:
    if not isinstance(chunk, np.ndarray):
        raise TypeError(f"View {name!r} has chunks of {type(chunk).__name__}: only dense Dask arrays can be read.")
    rows = np.ascontiguousarray(chunk, dtype=float_type(chunk.dtype))
    if block_info:
        require_finite(rows, name, start=int(block_info[0]["array-location"][0][0]), rows_may_miss=True)
    return rows
