"""The geometry of a data set: which scalings every view gets, decided from the data alone.

``scale="auto"`` gives every view two geometries, because no single one is right for all data:

* sparse counts (fewer than a tenth of the entries non-zero): principal scores of weighted words, few and many;
* columns that are already principal scores (less correlated than independent columns can be): centered, unit rows;
* other measurements: standardized and clipped at 3; and the Hellinger geometry if nothing is negative, else centered.

Dense views of both kinds then pass through their partially whitened principal scores (``scaling.py``).

In each geometry the views also form one joint table, in which every view has the same mean squared row length;
sparse views enter it as ONE document per row, so that a view counts in a row by how much it says there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import scipy.sparse as sp

from manyview.engine import Engine, Rows, add
from manyview.geometry.scaling import (
    Centered,
    DividedByMaximum,
    Hellinger,
    PartiallyWhitened,
    Standardized,
    Unchanged,
    UnitRows,
    partially_whitened,
)
from manyview.geometry.statistics import (
    Columns,
    Spread,
    column_statistics,
    filled_rows,
    require_columns,
    require_scaled_columns,
    spreads,
)
from manyview.geometry.text import PrincipalScores, principal_scores
from manyview.kernels.arrays import BoolArray, FloatArray, IntArray, Table
from manyview.views.blocks import RowBlock, Scores, some_rows

Scale = Literal["auto", "standard", "rows", "max", "none"]
SCALES: tuple[str, ...] = get_args(Scale)

Scaling = Callable[[Table], Table] | PrincipalScores
Scalings = tuple[tuple[Scaling, ...], ...]  # [geometry][view]


@dataclass(frozen=True)
class GeometryOptions:
    """Constants of ``scale="auto"``, a part of the recipe."""

    max_density: float = 0.1  #: share of non-zeros below which a view counts as sparse counts
    word_ranks: tuple[int, int] = (30, 80)  #: principal scores of sparse counts in the two geometries
    clip: float = 3.0  #: standard deviations, of standardized columns
    n_correlated_columns: int = 128  #: columns that tell principal scores from measurements
    min_filled_rows: int = 20  #: with fewer, an empty row is data, not absence
    n_whitened_scores: int = 60  #: principal scores of a dense view that are kept at most
    n_whitening_rows: int = 20_000  #: rows on which these scores are found,
    n_word_rows: int = 5_000  #: on which those of sparse counts are,
    n_measured_rows: int = 5_000  #: and on which the length of rows is measured


DEFAULT_OPTIONS = GeometryOptions()


@dataclass(frozen=True)
class Geometry:
    """Fitted scalings, which map a block of raw rows to comparable tables."""

    scalings: Scalings
    lengths: FloatArray  # (geometries, V) root mean squared row length of every table
    kinds: tuple[str, ...]  # per view: "sparse counts", "principal scores", "measurements"; or the chosen scale
    words: tuple[PrincipalScores, ...]  # per geometry: joint table of the sparse views, if there are several
    empty_rows_absent: BoolArray  # (V,) an all-zero row of the view is absent, not at the origin
    left_out: tuple[int, ...] = ()  # views that nothing after the scaling may see
    names: tuple[str, ...] = ()  # of the views, for errors

    @property
    def used(self) -> list[int]:
        """List the views that count."""
        return [v for v in range(len(self.kinds)) if v not in self.left_out]

    @property
    def n_geometries(self) -> int:
        """Count the scaled copies of every view."""
        return len(self.scalings)

    def table(self, block: RowBlock, g: int, v: int, /) -> Table:
        """Scale view v by geometry g, to a mean squared row length of one."""
        return _apply(self.scalings[g][v], block, v) / self.lengths[g, v]

    def word_table(self, block: RowBlock, g: int, /) -> FloatArray:
        """Score the sparse views as one document per row; it weighs as much as they do together."""
        return _scores_of(self.words[g], block) * math.sqrt(len(self.words[g].words.views))

    def joint_table(self, block: RowBlock, g: int, /) -> Table:
        """Put all views of a block into one table; several sparse views enter as one document per row."""
        sparse = self.words[g].words.views if self.words else ()
        present = self.present(block)
        tables: list[Table] = [self.word_table(block, g)] if self.words else []
        for v in self.used:
            if v not in sparse:
                table = self.table(block, g, v)
                tables.append(table if present[v].all() else table * present[v][:, None])
        return side_by_side(tables)

    @property
    def has_words(self) -> bool:
        """Return whether some view is scored as words."""
        return any(isinstance(scaling, PrincipalScores) for scaling in self.scalings[-1])

    def scored(self, block: RowBlock, /) -> RowBlock:
        """Add the scores of a block's words: the costly part, which all geometries share."""
        if block.scores is not None or not self.has_words:
            return block
        return block._replace(scores=_raw_scores((*self.scalings[-1], *self.words[-1:]), block))

    def present(self, block: RowBlock, /) -> BoolArray:
        """Return which views (V, n) are present in which rows."""
        present = ~block.missing
        for v in np.flatnonzero(self.empty_rows_absent):
            present[v] &= filled_rows(block.tables[v])
        return present


def side_by_side(tables: list[Table], /) -> Table:
    """Put tables beside one another; the result is CSR if one of them is sparse."""
    if any(sp.issparse(table) for table in tables):
        return sp.hstack(tables, format="csr")
    return np.hstack(tables)


def _apply(scaling: Scaling, block: RowBlock, v: int) -> Table:
    if isinstance(scaling, PrincipalScores):
        return _scores_of(scaling, block)
    return scaling(block.table(v))


def _raw_scores(widest: Iterable[Scaling], block: RowBlock) -> Scores:
    return {scaling.words.views: scaling.raw(block) for scaling in widest if isinstance(scaling, PrincipalScores)}


def _scores_of(scaling: PrincipalScores, block: RowBlock) -> FloatArray:
    known = (block.scores or {}).get(scaling.words.views)
    return scaling(block) if known is None else scaling.of_raw(known)


def fit_geometry(
    rows: Rows[RowBlock],
    engine: Engine,
    /,
    *,
    scale: str = "auto",
    equalize: bool = True,
    whiten: bool = True,
    seed: int = 0,
    dtype: str = "float64",
    left_out: tuple[int, ...] = (),
    names: tuple[str, ...] = (),
    options: GeometryOptions = DEFAULT_OPTIONS,
) -> Geometry:
    """Decide and fit the geometry of all views.

    ``equalize=False`` leaves the tables at the scale that their scaling gives them (as the paper does). ``whiten``
    allows partial whitening of dense views, ``dtype`` is the precision of scores, ``names`` are for errors.
    """
    columns = column_statistics(rows, engine)
    n_rows = columns[0].n_rows + columns[0].n_missing
    names = names or tuple(f"view {v}" for v in range(len(columns)))
    _require_rows(columns, names, may_miss=equalize)
    for name, c in zip(names, columns, strict=True):
        require_columns(c, name, dtype)
    dense = {v: c for v, c in enumerate(columns) if _needs_spread(scale, c, options.max_density)}
    known = spreads(dense, rows, engine, n_correlated=options.n_correlated_columns)
    scores: dict[tuple[int, ...], PrincipalScores] = {}
    if scale == "auto":
        documents = _documents(columns, known, left_out)
        if documents:
            rank, sampled = max(options.word_ranks), options.n_word_rows
            scores = principal_scores(
                documents, rows, engine, n_rows, rank=rank, seed=seed, dtype=dtype, n_sampled_rows=sampled
            )
        chosen = [
            _dense(c, known[v], options.clip) if v in known else _words(scores[v,], options.word_ranks)
            for v, c in enumerate(columns)
        ]
    else:
        chosen = [(scale, (_explicit(scale, c, known.get(v)),)) for v, c in enumerate(columns)]
    kinds = tuple(kind for kind, _ in chosen)
    scalings: Scalings = tuple(zip(*(maps for _, maps in chosen), strict=True))
    sparse = tuple(v for v, kind in enumerate(kinds) if kind == "sparse counts" and v not in left_out)
    words = tuple(scores[sparse].first(rank) for rank in options.word_ranks) if len(sparse) > 1 else ()
    if scale == "auto" and whiten:
        scalings = partially_whitened(
            scalings,
            kinds,
            rows,
            engine,
            n_rows=n_rows,
            seed=seed,
            rank=options.n_whitened_scores,
            n_sampled_rows=options.n_whitening_rows,
        )
    if scale == "auto":
        scalings = tuple(tuple(_in_precision(scaling, dtype) for scaling in of_view) for of_view in scalings)
    absent = np.array([options.min_filled_rows < c.n_filled < c.n_rows for c in columns])
    absent &= scale == "auto" and len(columns) > 1  # with one view, an empty row has nowhere else to go
    lengths: FloatArray = np.ones((len(scalings), len(kinds)))
    if equalize:
        lengths = _row_lengths(scalings, rows, engine, n_rows, seed, options.n_measured_rows)
    _require_near_columns(scalings, lengths, columns, names, dtype)
    return Geometry(scalings, lengths.astype(dtype), kinds, words, absent, left_out, names)


def _require_rows(columns: list[Columns], names: tuple[str, ...], *, may_miss: bool) -> None:
    for name, c in zip(names, columns, strict=True):
        if c.n_rows == 0:
            raise ValueError(f"View {name!r} is NaN in every row: leave it out.")
        if c.n_missing and not may_miss:
            raise ValueError(f"View {name!r} is NaN in {c.n_missing} rows: Algorithm 1 needs every view of every row.")


def _require_near_columns(
    scalings: Scalings, lengths: FloatArray, columns: list[Columns], names: tuple[str, ...], dtype: str
) -> None:
    for of_views, of_lengths in zip(scalings, lengths, strict=True):
        for scaling, length, c, name in zip(of_views, of_lengths, columns, names, strict=True):
            if not isinstance(scaling, PrincipalScores):
                scaled = scaling.scaling if isinstance(scaling, PartiallyWhitened) else scaling
                require_scaled_columns(scaled(np.stack([c.low, c.high])) / length, name, dtype)


def _needs_spread(scale: str, columns: Columns, max_density: float) -> bool:
    sparse_counts = columns.density < max_density and len(columns.total) > 2
    return scale == "standard" or (scale == "auto" and not sparse_counts)


def _documents(
    columns: list[Columns], known: dict[int, Spread], left_out: tuple[int, ...]
) -> dict[tuple[int, ...], FloatArray]:
    """List every sparse view by itself, and all that count together, with the row count of each column."""
    sparse = [v for v in range(len(columns)) if v not in known]
    documents: dict[tuple[int, ...], FloatArray] = {(v,): columns[v].non_zeros for v in sparse}
    together = [v for v in sparse if v not in left_out]
    if len(together) > 1:
        documents[tuple(together)] = np.concatenate([columns[v].non_zeros for v in together])
    return documents


def _words(scores: PrincipalScores, ranks: tuple[int, int]) -> tuple[str, tuple[Scaling, ...]]:
    few, many = (scores.first(rank) for rank in ranks)
    return "sparse counts", (few, many)


def _dense(columns: Columns, s: Spread, clip: float) -> tuple[str, tuple[Scaling, ...]]:
    non_negative = bool(columns.low.min() >= 0)
    if not non_negative and s.n_pairs and s.correlation < 1 - 3 * np.sqrt(2 / s.n_pairs):
        unit = Centered(columns.mean, s.varies, unit=True)
        return "principal scores", (unit, unit)
    standardized = Standardized(columns.mean, s.deviation, s.varies, clip)
    pulls = (columns.low == columns.high) & (columns.low > 0)
    hellinger = Hellinger(~pulls if pulls.any() else None)
    second = hellinger if non_negative else Centered(columns.mean, s.varies)
    return "measurements", (standardized, second)


def _explicit(scale: str, columns: Columns, s: Spread | None) -> Scaling:
    if s is not None:
        return Standardized(columns.mean, s.deviation, s.varies)
    options: dict[str, Any] = {
        "rows": UnitRows(),
        "max": DividedByMaximum(float(columns.high.max(initial=0))),
        "none": Unchanged(),
    }
    return options[scale]


def _in_precision(scaling: Scaling, dtype: str) -> Scaling:
    """Convert the map from scaled columns to scores, by far the larger part, to the precision that is asked for."""
    if not isinstance(scaling, PartiallyWhitened):
        return scaling
    return replace(scaling, components=scaling.components.astype(dtype), shift=scaling.shift.astype(dtype))


def _row_lengths(
    scalings: Scalings, rows: Rows[RowBlock], engine: Engine, n_rows: int, seed: int, n_measured: int
) -> FloatArray:
    """Measure the root mean squared row length of every table, over some rows; 1 for a table of zeros."""
    chosen = some_rows(n_rows, n_measured, seed=seed)

    def of_block(block: RowBlock) -> tuple[FloatArray, IntArray]:
        block = block.take(chosen) if n_rows > n_measured else block
        squares = [[_squares(scaling, block, v) for v, scaling in enumerate(maps)] for maps in scalings]
        return np.array(squares), (~block.missing).sum(axis=1)

    squares, counts = engine.reduce(of_block, rows, add)
    lengths = np.sqrt(squares / np.maximum(counts, 1))
    return np.where(lengths > 0, lengths, 1.0)


def _squares(scaling: Scaling, block: RowBlock, v: int) -> float:
    """Sum of squares of a table; scores of words have unit rows."""
    if isinstance(scaling, PrincipalScores):
        return int(block.known(v).shape[0])
    table = scaling(block.known(v))
    return float(np.square(table.data if sp.issparse(table) else table, dtype=np.float64).sum())
