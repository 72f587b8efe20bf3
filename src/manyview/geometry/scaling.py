"""Scalings of one view: each is a fitted map from a block of raw rows to a block of comparable rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from manyview.kernels.arrays import BoolArray, FloatArray, Table
from manyview.kernels.spectral import unit_rows


def dense(table: Table, /) -> FloatArray:
    """Return a block as a dense float array."""
    return table.toarray() if sp.issparse(table) else np.asarray(table)


@dataclass(frozen=True)
class Unchanged:
    """Leave x as it is."""

    def __call__(self, table: Table, /) -> Table:
        return table


@dataclass(frozen=True)
class DividedByMaximum:
    """Divide x by the maximum of the whole view, as the scripts of this literature do."""

    maximum: float

    def __call__(self, table: Table, /) -> Table:
        return table / (self.maximum if self.maximum > 0 else 1.0)  # a reciprocal rounds twice: other anchors


@dataclass(frozen=True)
class UnitRows:
    """Divide rows by their length ||x||, so that only their direction counts; a zero row stays zero."""

    def __call__(self, table: Table, /) -> Table:
        if not sp.issparse(table):
            return unit_rows(np.asarray(table))
        length = np.sqrt(np.asarray(table.multiply(table).sum(axis=1)).ravel())
        return sp.diags_array(1 / np.where(length > 0, length, 1)).tocsr() @ table


@dataclass(frozen=True)
class Standardized:
    """Standardize columns to (x - mean) / sd and clip outliers. Constant columns are left out.

    A sparse block is only divided by sd: the mean shifts samples and anchors alike and cancels in every distance.
    """

    mean: FloatArray
    deviation: FloatArray
    varies: BoolArray
    clip: float = np.inf

    def __call__(self, table: Table, /) -> Table:
        if sp.issparse(table) and np.isinf(self.clip):
            return table[:, self.varies] @ sp.diags_array(1 / self.deviation[self.varies])
        z = _less(table, self.mean, self.varies)
        z /= self.deviation[self.varies].astype(z.dtype, copy=False)
        return np.clip(z, -self.clip, self.clip, out=z) if np.isfinite(self.clip) else z


@dataclass(frozen=True)
class Centered:
    """Subtract the mean from the columns that vary; for principal scores, scale rows to unit length."""

    mean: FloatArray
    varies: BoolArray
    unit: bool = False

    def __call__(self, table: Table, /) -> FloatArray:
        centered = _less(table, self.mean, self.varies)
        return unit_rows(centered) if self.unit else centered


def _less(table: Table, mean: FloatArray, varies: BoolArray) -> FloatArray:
    """Subtract the mean from the columns that vary; single precision stays: a rounded mean shifts all rows alike."""
    x = dense(table)
    if x.dtype == np.float32:
        mean = mean.astype(np.float32)
    return x - mean if varies.all() else x[:, varies] - mean[varies]


@dataclass(frozen=True)
class Hellinger:
    """Map x to sqrt(x) / ||sqrt(x)||, for histograms and other non-negative shares."""

    def __call__(self, table: Table, /) -> FloatArray:
        return unit_rows(np.sqrt(np.maximum(dense(table), 0)))
