"""Missing cells inside a dense view: columns without any number go, cells of others are filled if that is asked for."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from manyview.kernels.arrays import BoolArray, FloatArray

IMPUTES = (None, "mean", "median")


def empty_columns(table: FloatArray, /) -> list[int]:
    """Columns without any number, unless that is all of them."""
    if len(table) < 2 or not np.isnan(table[0]).any():
        return []
    empty = np.flatnonzero(np.isnan(table).all(axis=0))
    return [] if len(empty) == table.shape[1] else empty.tolist()


def column_values(table: FloatArray, impute: str, /) -> list[float]:
    """The mean or median of every column, of the cells that are there."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Mean of empty slice|All-NaN slice", RuntimeWarning)
        values = np.nanmean(table, axis=0, dtype=np.float64) if impute == "mean" else np.nanmedian(table, axis=0)
    return np.asarray(values, dtype=np.float64).tolist()


def filled(table: FloatArray, values: Sequence[float], /) -> tuple[FloatArray, int]:
    """The table with missing cells filled, and their number; rows that are missing altogether stay so."""
    missing: BoolArray = np.asarray(np.isnan(table))
    missing &= ~np.all(missing, axis=1, keepdims=True)
    count = int(missing.sum())
    return (np.where(missing, np.asarray(values, table.dtype), table), count) if count else (table, 0)
