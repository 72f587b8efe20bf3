"""Distances are sums of squares: numbers whose squares are not finite are told before they are squared."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from manyview.kernels.arrays import Table

LARGEST = {np.dtype(np.float64): 1e150, np.dtype(np.float32): 1e18}  # of which a sum of squares is still a number


def require_magnitude(table: Table, name: str, /) -> None:
    """Raise an error that names the view and its largest number where squares would not be finite."""
    entries = table.data if sp.issparse(table) else table
    limit = LARGEST[entries.dtype]
    with np.errstate(invalid="ignore"):
        largest = max(
            float(np.fmax.reduce(entries, axis=None, initial=0)), -float(np.fmin.reduce(entries, axis=None, initial=0))
        )
    if limit < largest < np.inf:
        precision = " in single precision" if entries.dtype == np.float32 else ""
        raise ValueError(
            f"View {name!r} has numbers as large as {largest:.0e}, whose squares are not finite{precision}: divide it "
            "by a constant."
        )
