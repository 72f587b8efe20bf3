"""The geometry of a data set: which scalings every view gets, decided from the data alone.

``scale="auto"`` gives every view two geometries, because no single one is right for all data:

* sparse counts (fewer than a tenth of the entries non-zero): principal scores of weighted words, few and many;
* columns that are already principal scores (less correlated than independent columns can be): centred, unit rows;
* other measurements: standardised and clipped at 3; and the Hellinger geometry if nothing is negative, else centred.

Dense views of both kinds then pass through their tempered principal scores (``tempering.py``).

In each geometry the views also form one joint table, in which every view has the same mean squared row length;
sparse views enter it as ONE document per row, so that a view counts in a row by how much it says there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from manyview.engine import Engine, Rows, add
from manyview.kernels.arrays import BoolArray, FloatArray, Table
from manyview.views.blocks import RowBlock
from manyview.views.scaling import Centred, DividedByMaximum, Hellinger, Standardised, Unchanged, UnitRows
from manyview.views.statistics import Columns, Spread, column_statistics, filled_rows, spreads
from manyview.views.tempering import tempered
from manyview.views.text import PrincipalScores, principal_scores

SCALES = ("auto", "standard", "rows", "max", "none")
SPARSE = 0.1
WORD_RANKS = (30, 80)
CLIP = 3.0
FEWEST_FILLED_ROWS = 20  # with fewer, an empty row is data, not absence

Scaling = Callable[[Table], Table] | PrincipalScores
Scalings = tuple[tuple[Scaling, ...], ...]  # [geometry][view]


@dataclass(frozen=True)
class Geometry:
    """Fitted scalings: from a block of raw rows to comparable tables."""

    scalings: Scalings
    lengths: FloatArray  # (geometries, V) root mean squared row length of every table
    kinds: tuple[str, ...]  # per view: "sparse counts", "principal scores", "measurements"; or the chosen scale
    words: tuple[PrincipalScores, ...]  # per geometry: joint table of the sparse views, if there are several
    empty_rows_absent: BoolArray  # (V,) an all-zero row of the view is absent, not at the origin

    @property
    def n_geometries(self) -> int:
        """How many scaled copies every view has."""
        return len(self.scalings)

    def table(self, block: RowBlock, g: int, v: int, /) -> Table:
        """View v in geometry g, mean squared row length one."""
        return _apply(self.scalings[g][v], block, v) / self.lengths[g, v]

    def word_table(self, block: RowBlock, g: int, /) -> FloatArray:
        """The sparse views as one document per row; it weighs as much as they do together."""
        return self.words[g](block) * np.sqrt(len(self.words[g].words.views))

    def present(self, block: RowBlock, /) -> BoolArray:
        """Which views (V, n) have anything to say about which rows."""
        return np.stack(
            [
                filled_rows(table) if absent else np.ones(block.n_rows, dtype=bool)
                for table, absent in zip(block.tables, self.empty_rows_absent, strict=True)
            ]
        )


def _apply(scaling: Scaling, block: RowBlock, v: int) -> Table:
    return scaling(block) if isinstance(scaling, PrincipalScores) else scaling(block.tables[v])


def fit_geometry(
    rows: Rows[RowBlock], engine: Engine, /, *, scale: str = "auto", equalise: bool = True, seed: int = 0
) -> Geometry:
    """Decide and fit the geometry of all views.

    ``equalise=False`` leaves the tables at the scale that their scaling gives them (as the paper does).
    """
    columns = column_statistics(rows, engine)
    known = spreads({v: c for v, c in enumerate(columns) if _needs_spread(scale, c)}, rows, engine)
    if scale == "auto":
        chosen = [_automatic(v, c, known.get(v), rows, engine, seed) for v, c in enumerate(columns)]
    else:
        chosen = [(scale, (_explicit(scale, c, known.get(v)),)) for v, c in enumerate(columns)]
    kinds = tuple(kind for kind, _ in chosen)
    scalings: Scalings = tuple(zip(*(maps for _, maps in chosen), strict=True))
    sparse = tuple(v for v, kind in enumerate(kinds) if kind == "sparse counts")
    words: tuple[PrincipalScores, ...] = ()
    if len(sparse) > 1:
        non_zeros = np.concatenate([columns[v].non_zeros for v in sparse])
        fitted = principal_scores(sparse, non_zeros, rows, engine, rank=max(WORD_RANKS), seed=seed)
        words = tuple(fitted.first(rank) for rank in WORD_RANKS)
    if scale == "auto":
        scalings = tempered(scalings, kinds, rows, engine, n_rows=columns[0].n_rows, seed=seed)
    absent = np.array([FEWEST_FILLED_ROWS < c.n_filled < c.n_rows for c in columns])
    absent &= scale == "auto" and len(columns) > 1  # with one view, an empty row has nowhere else to go
    lengths = _row_lengths(scalings, rows, engine) if equalise else np.ones((len(scalings), len(columns)))
    return Geometry(scalings, lengths, kinds, words, absent)


def _needs_spread(scale: str, columns: Columns) -> bool:
    sparse_counts = columns.density < SPARSE and len(columns.total) > 2
    return scale == "standard" or (scale == "auto" and not sparse_counts)


def _automatic(
    v: int, columns: Columns, s: Spread | None, rows: Rows[RowBlock], engine: Engine, seed: int
) -> tuple[str, tuple[Scaling, ...]]:
    if s is None:
        scores = principal_scores((v,), columns.non_zeros, rows, engine, rank=max(WORD_RANKS), seed=seed)
        few, many = (scores.first(rank) for rank in WORD_RANKS)
        return "sparse counts", (few, many)
    non_negative = bool(columns.low.min() >= 0)
    if not non_negative and s.n_pairs and s.correlation < 1 - 3 * np.sqrt(2 / s.n_pairs):
        unit = Centred(columns.mean, s.varies, unit=True)
        return "principal scores", (unit, unit)
    standardised = Standardised(columns.mean, s.deviation, s.varies, CLIP)
    second = Hellinger() if non_negative else Centred(columns.mean, s.varies)
    return "measurements", (standardised, second)


def _explicit(scale: str, columns: Columns, s: Spread | None) -> Scaling:
    if s is not None:
        return Standardised(columns.mean, s.deviation, s.varies)
    options: dict[str, Any] = {
        "rows": UnitRows(),
        "max": DividedByMaximum(float(columns.high.max(initial=0))),
        "none": Unchanged(),
    }
    return options[scale]


def _row_lengths(scalings: Scalings, rows: Rows[RowBlock], engine: Engine) -> FloatArray:
    """Root mean squared row length of every table; 1 for a table without any length."""

    def of_block(block: RowBlock) -> tuple[FloatArray, int]:
        squares = [[_squares(_apply(scaling, block, v)) for v, scaling in enumerate(maps)] for maps in scalings]
        return np.array(squares), block.n_rows

    squares, n_rows = engine.reduce(of_block, rows, add)
    lengths = np.sqrt(squares / n_rows)
    return np.where(lengths > 0, lengths, 1.0)


def _squares(table: Table) -> float:
    return float(np.square(table.data if sp.issparse(table) else table, dtype=np.float64).sum())
