"""What the baselines ask of their input: numbers that can be squared, double precision, rows to start from, anchors."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from manyview.geometry.magnitude import DOUBLE, require_magnitude
from manyview.kernels.arrays import FloatArray, IntArray, Table
from manyview.views import Views


def check_magnitude(views: Views, /) -> None:
    """Raise an error that names the view whose numbers have no finite squares, or vanishing ones."""
    for name, table in zip(views.names, views.tables, strict=True):
        entries = table.data if sp.issparse(table) else table
        largest = max(float(entries.max(initial=0)), -float(entries.min(initial=0)))
        require_magnitude(largest, name, DOUBLE)


def random_rows(rng: np.random.RandomState, n_rows: int, size: int, n_starts: int, /) -> IntArray:
    """Different rows to start from, for every start."""
    return np.array([rng.choice(n_rows, size, replace=False) for _ in range(n_starts)])


def float_tables(views: Views, /) -> list[Table]:
    """The views in double precision; a copy only where they were not."""
    return [table.astype(np.float64, copy=False) for table in views.tables]


def given_anchors(anchors: Any, views: Views, /) -> list[FloatArray]:
    """Anchors from the user, one table per view; an error names the view that does not fit."""
    given: list[FloatArray] = [np.asarray(table, dtype=np.float64) for table in anchors]
    if len(given) != len(views.tables):
        raise ValueError(f"anchors has {len(given)} tables for {len(views.tables)} views: pass one table per view.")
    for name, width, table in zip(views.names, views.widths, given, strict=True):
        if table.ndim != 2 or table.shape[1] != width or len(table) != len(given[0]):
            raise ValueError(
                f"anchors of view {name!r} have shape {table.shape}; expected ({len(given[0])}, {width}): the same "
                "number of anchors in every view, and the columns of the view."
            )
    return given


def check_anchor_number(n_anchors: int, least: int, n_samples: int, /) -> None:
    """There must be enough anchors for the method, and no more than samples."""
    if not least <= n_anchors <= n_samples:
        raise ValueError(f"n_anchors={n_anchors} must lie between {least} and n_samples={n_samples}.")
