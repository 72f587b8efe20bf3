"""Geometry of sparse counts: words, links, sets.

    phi(x) = unit( sign(x) sqrt|x| * idf ),   idf_j = log((1 + N) / (1 + df_j)) + 1
    scores = unit( (phi(x) - mean) C )        C: leading right singular vectors of the centered phi

Everything is sparse until the few scores; nothing is densified beyond a block. Of many rows only a sample is used, and
there are fewer of these than words: C then comes from the eigenvectors U of the rows' products, which are short.

    Y = phi - mean      Y Y' = U diag(l) U'      C = Y' U diag(l)^(-1/2)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from manyview.engine import Engine, Rows, add, concatenate
from manyview.kernels.arrays import FloatArray, Table
from manyview.kernels.compiled import LANES
from manyview.kernels.sparse import times
from manyview.kernels.spectral import leading_pairs, unit_rows
from manyview.views.blocks import RowBlock, some_rows

SAMPLED_ROWS = 5_000  # rows on which the components are measured


@dataclass(frozen=True)
class WordWeights:
    """Map counts to phi: damped, rare words weighted up, rows of unit length. Several tables are one long document."""

    views: tuple[int, ...]
    idf: FloatArray  # (d,), in the precision of what comes out

    def __call__(self, block: RowBlock, /) -> Table:
        parts = [sp.csr_array(block.table(v)) for v in self.views]
        x = parts[0] if len(parts) == 1 else sp.hstack(parts, format="csr")
        n, dtype, counts = x.shape[0], self.idf.dtype, np.diff(x.indptr)
        data = x.data if x.data.itemsize <= dtype.itemsize else x.data.astype(dtype)
        damped = np.sqrt(data) if data.min(initial=0) >= 0 else np.sign(data) * np.sqrt(np.abs(data))
        weighted = damped * self.idf[x.indices]
        length = np.sqrt(np.bincount(np.repeat(np.arange(n), counts), weights=weighted**2, minlength=n))
        weighted /= np.repeat(np.where(length > 0, length, 1).astype(weighted.dtype, copy=False), counts)
        return sp.csr_array((weighted.astype(dtype, copy=False), x.indices, x.indptr), shape=x.shape)


@dataclass(frozen=True)
class PrincipalScores:
    """Map words to their first principal scores, with rows of unit length."""

    words: WordWeights
    components: FloatArray  # (d, r)
    shift: FloatArray  # (r,) mean of phi in the components

    def __call__(self, block: RowBlock, /) -> FloatArray:
        return self.of_raw(self.raw(block))

    def raw(self, block: RowBlock, /) -> FloatArray:
        """Compute scores before rows are scaled to unit length: the first of them are those of a lower rank."""
        return times(self.words(block), self.components) - self.shift

    def of_raw(self, raw: FloatArray, /) -> FloatArray:
        """Compute the scores from raw scores of this or a higher rank."""
        return unit_rows(raw[:, : len(self.shift)])

    def first(self, rank: int) -> PrincipalScores:
        """Return the map to the first ``rank`` of the scores."""
        return PrincipalScores(self.words, self.components[:, :rank], self.shift[:rank])


def principal_scores(
    documents: dict[tuple[int, ...], FloatArray],
    rows: Rows[RowBlock],
    engine: Engine,
    n_rows: int,
    /,
    *,
    rank: int,
    seed: int,
    dtype: str = "float64",
) -> dict[tuple[int, ...], PrincipalScores]:
    """Fit scores of several kinds of documents: each is some views together, with the row count of each column."""
    all_words = [
        WordWeights(views, (np.log((1 + n_rows) / (1 + non_zeros)) + 1).astype(dtype, copy=False))
        for views, non_zeros in documents.items()
    ]
    if n_rows <= SAMPLED_ROWS:
        fitted = [_from_all_rows(words, rows, n_rows, engine, rank, seed) for words in all_words]
    else:
        chosen = some_rows(n_rows, SAMPLED_ROWS, seed=seed)
        parts = list(engine.map(lambda block: block.take(chosen).tables, rows))
        sample = RowBlock(0, tuple(concatenate(tables) for tables in zip(*parts, strict=True)))
        all_words.sort(key=lambda words: -len(words.idf))  # the longest work first: threads then end together
        fitted = list(engine.map(lambda words: _from_few_rows(words, sample, rank, seed), all_words))
    return {scores.words.views: scores for scores in fitted}


def _possible(rank: int, n_rows: int, width: int) -> int:
    return max(min(rank, n_rows - 2, width - 1), 1)


def _from_all_rows(
    words: WordWeights, rows: Rows[RowBlock], n_rows: int, engine: Engine, rank: int, seed: int
) -> PrincipalScores:
    """Find the components through products with words, Y'Y V, block by block."""
    width = len(words.idf)
    phi = engine.map(words, rows)  # kept for the passes below: as sparse as the data
    mean = engine.reduce(lambda x: np.asarray(x.sum(axis=0)).ravel(), phi, add) / n_rows

    def gram_times(V: FloatArray) -> FloatArray:
        return engine.reduce(lambda x: np.asarray(x.T @ (x @ V)), phi, add) - n_rows * np.outer(mean, mean @ V)

    C = leading_pairs(gram_times, width, _possible(rank, n_rows, width), seed=seed).vectors
    return _scores(words, C, mean)


def _from_few_rows(words: WordWeights, sample: RowBlock, rank: int, seed: int) -> PrincipalScores:
    """Find the components through products with rows, Y Y'U."""
    phi = words(sample)
    n, width = phi.shape
    transposed = phi.T.tocsr()  # (d, n)
    mean = np.asarray(phi.sum(axis=0, dtype=np.float64)).ravel() / n
    m = np.asarray(phi @ mean)  # (n,), and its mean is mean'mean

    def gram_times(U: FloatArray) -> FloatArray:
        total = U.sum(axis=0)
        product = times(phi, times(transposed, U.astype(phi.dtype, copy=False))).astype(np.float64, copy=False)
        return product - np.outer(m, total) - (m @ U - m.mean() * total)

    values, U = leading_pairs(
        gram_times, n, _possible(rank, n, width), seed=seed, n_steps=2, oversampling=LANES, exact=False
    )
    spread = values > 1e-12 * values[0]
    scale = np.where(spread, 1 / np.sqrt(np.where(spread, values, 1)), 0)  # 0 for a direction in which nothing varies
    C = times(transposed, U.astype(phi.dtype, copy=False))  # as many rows as words: nothing is copied
    C -= np.outer(mean.astype(phi.dtype), U.sum(axis=0).astype(phi.dtype))
    C *= scale.astype(phi.dtype)
    return _scores(words, C, mean)


def _scores(words: WordWeights, C: FloatArray, mean: FloatArray) -> PrincipalScores:
    dtype = words.idf.dtype
    C = C.astype(dtype, copy=False)
    return PrincipalScores(words, C, mean.astype(dtype, copy=False) @ C)
