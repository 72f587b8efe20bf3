"""Geometry of sparse counts: words, links, sets.

    phi(x) = unit( sign(x) sqrt|x| * idf ),   idf_j = log((1 + N) / (1 + df_j)) + 1
    scores = unit( (phi(x) - mean) C )        C: leading right singular vectors of the centred phi

Everything is sparse until the few scores; nothing is densified beyond a block.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from manyview.engine import Engine, Rows, add
from manyview.kernels.arrays import FloatArray, IntArray, Table
from manyview.kernels.leading import leading_pairs
from manyview.kernels.spectral import unit_rows
from manyview.views.blocks import RowBlock

SAMPLED_ROWS = 5_000  # rows on which the components are measured


@dataclass(frozen=True)
class WordWeights:
    """phi: damped counts, rare words up, rows to unit length. Several tables count as one long document."""

    views: tuple[int, ...]
    idf: FloatArray  # (d,)

    def __call__(self, block: RowBlock, /) -> Table:
        parts = [sp.csr_array(block.tables[v]) for v in self.views]
        x = parts[0].copy() if len(parts) == 1 else sp.hstack(parts, format="csr")
        x.data = np.sign(x.data) * np.sqrt(np.abs(x.data)) * self.idf[x.indices]
        length = np.sqrt(np.bincount(_row_of_entry(x), weights=x.data**2, minlength=x.shape[0]))
        x.data /= np.where(length > 0, length, 1)[_row_of_entry(x)]
        return x


def _row_of_entry(x: Table) -> IntArray:
    return np.repeat(np.arange(x.shape[0]), np.diff(x.indptr))


@dataclass(frozen=True)
class PrincipalScores:
    """The first scores of the weighted words, rows to unit length."""

    words: WordWeights
    components: FloatArray  # (d, r)
    shift: FloatArray  # (r,) mean of phi in the components

    def __call__(self, block: RowBlock, /) -> FloatArray:
        return unit_rows(self.words(block) @ self.components - self.shift)

    def first(self, rank: int) -> PrincipalScores:
        """The same scores, fewer of them."""
        return PrincipalScores(self.words, self.components[:, :rank], self.shift[:rank])


def principal_scores(
    views: tuple[int, ...], non_zeros: FloatArray, rows: Rows[RowBlock], engine: Engine, /, *, rank: int, seed: int
) -> PrincipalScores:
    """Fit on the named views together; ``non_zeros`` counts the rows in which each of their columns occurs."""
    n_rows = engine.reduce(lambda block: block.n_rows, rows, add)
    words = WordWeights(views, np.log((1 + n_rows) / (1 + non_zeros)) + 1)
    width = len(non_zeros)
    if n_rows > SAMPLED_ROWS:
        chosen = np.sort(np.random.default_rng(seed).permutation(n_rows)[:SAMPLED_ROWS])
        rows, n_rows = engine.map(lambda block: block.take(chosen), rows), SAMPLED_ROWS
    rank = max(min(rank, n_rows - 2, width - 1), 1)
    phi = engine.map(words, rows)  # kept for the passes below: as sparse as the data
    mean = engine.reduce(lambda x: np.asarray(x.sum(axis=0)).ravel(), phi, add) / n_rows

    def gram_times(V: FloatArray) -> FloatArray:
        """(phi - mean)'(phi - mean) V, block by block."""
        return engine.reduce(lambda x: np.asarray(x.T @ (x @ V)), phi, add) - n_rows * np.outer(mean, mean @ V)

    C = leading_pairs(gram_times, width, rank, seed=seed).vectors
    return PrincipalScores(words, C, mean @ C)
