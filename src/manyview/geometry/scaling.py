"""Scalings of one view: each is a fitted map from a block of raw rows to a block of comparable rows.

A scaled view may pass through its principal scores, the strong ones held back (partial whitening):

    y = scaling(x);      Y - mean = U diag(s) V';      z = (y - mean) V diag(s_1/s)^(1/4)

Columns that say the same thing add up in every distance, and their common direction drowns the others. Equal variance
in all directions would raise the noise instead; the fourth root is between the two. Views of words are not whitened:
there the strong directions are the topics.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from manyview.engine import Engine, Rows, add
from manyview.kernels.arrays import BoolArray, FloatArray, Table
from manyview.kernels.spectral import Pairs, leading_pairs, unit_rows
from manyview.views.blocks import RowBlock, some_rows

Scaling = Callable[[Table], Table]


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
    """Map x to sqrt(x) / ||sqrt(x)||, for histograms and other non-negative shares.

    A constant column would turn all rows in its direction, so it is left out; one of zeros changes nothing.
    """

    kept: BoolArray | None = None  # columns; None: all

    def __call__(self, table: Table, /) -> FloatArray:
        x = dense(table) if self.kept is None else dense(table)[:, self.kept]
        return unit_rows(np.sqrt(np.maximum(x, 0)))


@dataclass(frozen=True)
class PartiallyWhitened:
    """Scale a table, and map it to its partially whitened principal scores."""

    scaling: Scaling
    components: FloatArray  # (d, r)
    shift: FloatArray  # (r,)
    unit: bool  # rows to unit length again, where the scaling had made them so

    def __call__(self, table: Table, /) -> FloatArray:
        scores: FloatArray = dense(self.scaling(table)).astype(self.components.dtype, copy=False) @ self.components
        scores -= self.shift
        return unit_rows(scores) if self.unit else scores


SCALINGS = (Unchanged, DividedByMaximum, UnitRows, Standardized, Centered, Hellinger, PartiallyWhitened)


def partially_whitened(
    scalings: Any,
    kinds: tuple[str, ...],
    rows: Rows[RowBlock],
    engine: Engine,
    /,
    *,
    n_rows: int,
    seed: int,
    rank: int = 60,
    n_sampled_rows: int = 20_000,
    max_product_width: int = 1_000,
) -> Any:
    """Whiten the scalings [geometry][view] of dense views partially, as measured in one pass over sampled rows."""
    at = [v for v, kind in enumerate(kinds) if kind != "sparse counts"]
    maps = {(g, v): of_view[v] for g, of_view in enumerate(scalings) for v in at}
    if n_rows > n_sampled_rows:
        chosen = some_rows(n_rows, n_sampled_rows, seed=seed)
        rows = engine.map(lambda block: block.take(chosen), rows)
    moments = _moments(maps, rows, engine, max_product_width) if maps else {}
    fitted = {
        key: _fit(
            maps[key],
            key[1],
            *moments[key],
            rows,
            engine,
            unit=kinds[key[1]] == "principal scores",
            seed=seed,
            rank=rank,
        )
        for key in maps
    }
    return tuple(
        tuple(fitted.get((g, v), scaling) for v, scaling in enumerate(of_view)) for g, of_view in enumerate(scalings)
    )


def _moments(
    maps: dict[tuple[int, int], Scaling], rows: Rows[RowBlock], engine: Engine, max_product_width: int
) -> dict[tuple[int, int], tuple[int, FloatArray, FloatArray]]:
    """Sum the rows and products Y'Y of every table; no products where the table is wide."""

    def of_table(y: FloatArray) -> tuple[int, FloatArray, FloatArray]:
        products = y.T @ y if y.shape[1] <= max_product_width else np.zeros((0, 0))
        return len(y), y.sum(axis=0, dtype=np.float64), products.astype(np.float64, copy=False)

    def of_block(block: RowBlock) -> tuple[tuple[int, FloatArray, FloatArray], ...]:
        return tuple(of_table(dense(scaling(block.known(v)))) for (_, v), scaling in maps.items())

    return dict(zip(maps, engine.reduce(of_block, rows, add), strict=True))


def _fit(
    scaling: Scaling,
    v: int,
    n_rows: int,
    total: FloatArray,
    products: FloatArray,
    rows: Rows[RowBlock],
    engine: Engine,
    *,
    unit: bool,
    seed: int,
    rank: int,
) -> Scaling:
    if len(total) == 0:  # every column is constant
        return scaling
    mean = total / n_rows

    def times(V: FloatArray) -> FloatArray:
        """Compute (Y - mean)'(Y - mean) V, block by block."""

        def of_block(block: RowBlock) -> FloatArray:
            y = dense(scaling(block.known(v)))
            return np.asarray(y.T @ (y @ V))

        return engine.reduce(of_block, rows, add) - n_rows * np.outer(mean, mean @ V)

    if len(products):
        values, vectors = np.linalg.eigh(products - n_rows * np.outer(mean, mean))
        pairs = Pairs(values[::-1][:rank], vectors[:, ::-1][:, :rank])
    else:
        pairs = leading_pairs(times, len(mean), rank, seed=seed)
    kept = pairs.values > 1e-12 * max(float(pairs.values.max(initial=0)), np.finfo(float).tiny)
    if not kept.any():  # a table without any spread: nothing to whiten
        return scaling
    components = pairs.vectors[:, kept] * (pairs.values[0] / pairs.values[kept]) ** (1 / 8)  # the fourth root of s
    return PartiallyWhitened(scaling, components, mean @ components, unit)
