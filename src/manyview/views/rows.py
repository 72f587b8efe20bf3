"""Rows of a table in another order; the number -1 makes a row that is missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from manyview.kernels.arrays import IntArray, float_type
from manyview.views.frames import frame_of


def taken(table: Any, rows: IntArray, ids: NDArray[Any] | None, /) -> Any:
    """Rows of any table in memory; -1 is a row of NaN, in a sparse table an empty one.

    A pandas DataFrame gets the ids as its index.
    """
    frame = frame_of(table)
    if frame is not None:
        part = frame.take(rows)
        return part if frame.library != "pandas" or ids is None else part.set_axis(ids, axis=0)
    there = rows >= 0
    if there.all():
        return table[rows]
    if sp.issparse(table):
        places = np.flatnonzero(there)
        shape = (len(rows), table.shape[0])
        choose = sp.csr_array((np.ones(len(places), table.dtype), (places, rows[there])), shape=shape)
        return sp.csr_array(choose @ table)
    part = np.full((len(rows), table.shape[1]), np.nan, dtype=float_type(table.dtype))
    part[there] = table[rows[there]]
    return part
