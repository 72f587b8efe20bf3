"""The same ADMM for one slice without coupling: an iteration is one pass over the rows.

    min ||S - H Gᵀ||²      H >= 0,  HᵀH = I            S: (N, r), H: (N, K)

H and its multiplier Y are never non-zero in the same place, so one matrix holds both. With mu the penalty of the step
that comes next,

    U = H - Y/mu,      H = max(U, 0),      Y = mu max(-U, 0),      P = H + Y/mu = |U|

and that step is

    B = 2 S G + mu P,      BᵀB = 4 Gᵀ(SᵀS)G + 2 mu (Gᵀ(SᵀP) + (SᵀP)ᵀG) + mu² PᵀP
    Q = B R,               R = (BᵀB)^(-1/2)
    G = SᵀQ = (SᵀS)(2 G R) + mu (SᵀP) R

with H = max(Q - Y/mu, 0) and Y += mu (H - Q) in the form of U (`kernels/sweep.py`). BᵀB and G are known before the
pass: their parts are sums of the pass before. A row moves S and U in, and U out.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from manyview.cluster.semi_ntf.admm import (
    MAX_PENALTY,
    TRUSTED_CONDITION,
    Factorization,
    Keeper,
    Loop,
    Options,
    Penalties,
    empty_history,
)
from manyview.engine import Engine, Rows, add, concatenate
from manyview.kernels.arrays import FloatArray
from manyview.kernels.polar import inverse_root
from manyview.kernels.sweep import gram, joined, projected, sweep, tiled, tiles_of, untiled


class SharedBlock(NamedTuple):
    """The state of a stretch of rows, in tiles: of one block, or of neighbors that were joined."""

    start: int
    sizes: tuple[int, ...]  # rows of every one; each begins with a tile of its own
    tiles: FloatArray  # of S
    U: FloatArray

    @property
    def n_rows(self) -> int:
        """Rows of all."""
        return sum(self.sizes)

    @property
    def S(self) -> tuple[FloatArray]:
        """The slice (n, r)."""
        return (self._rows(self.tiles),)

    @property
    def H(self) -> FloatArray:
        """The indicator (1, n, K)."""
        return np.maximum(self._rows(self.U), 0)[None]

    @property
    def factors(self) -> tuple[FloatArray]:
        """What the loop changes, as rows (1, n, K)."""
        return (self._rows(self.U)[None],)

    def with_factors(self, factors: tuple[FloatArray, ...], /) -> SharedBlock:
        """The same rows in another state."""
        edges = np.cumsum(self.sizes)[:-1]
        return self._replace(U=joined([tiled(rows) for rows in np.split(factors[0][0], edges)]))

    def apart(self) -> list[SharedBlock]:
        """The blocks that were joined."""
        if len(self.sizes) == 1:
            return [self]
        starts = accumulate(self.sizes, initial=self.start)
        parts = zip(starts, self.sizes, self.parts(self.tiles), self.parts(self.U), strict=False)
        return [SharedBlock(start, (size,), *both) for start, size, *both in parts]

    def _rows(self, tiles: FloatArray) -> FloatArray:
        return concatenate([untiled(t, size) for t, size in zip(self.parts(tiles), self.sizes, strict=True)])

    def parts(self, tiles: FloatArray) -> list[FloatArray]:
        """What belongs to each of the blocks that were joined."""
        return np.split(tiles, np.cumsum([tiles_of(size) for size in self.sizes])[:-1])


def shared_block(start: int, S: FloatArray, H: FloatArray, /) -> SharedBlock:
    """A block at the start: S (n, r), H >= 0 (n, K)."""
    return SharedBlock(start, (len(S),), tiled(S), tiled(H))


def _together(blocks: list[SharedBlock]) -> SharedBlock:
    start, sizes = blocks[0].start, tuple(size for block in blocks for size in block.sizes)
    tiles, U = [block.tiles for block in blocks], [block.U for block in blocks]
    blocks.clear()
    return SharedBlock(start, sizes, joined(tiles), joined(U))


class Report(NamedTuple):
    """What a block reports from a pass."""

    sums: FloatArray  # (r + K, K): SᵀP, and PᵀP below it
    residual: float  # largest entry of H - Q


class Start(NamedTuple):
    """What is known of the rows before the loop."""

    StS: FloatArray  # (r, r)
    StH: FloatArray  # (r, K)
    HtH: FloatArray  # (K, K)
    n_rows: int


def factorize_shared(
    rows: Rows[SharedBlock],
    engine: Engine,
    options: Options,
    /,
    *,
    progress: Callable[[int], None] | None = None,
    keeper: Keeper | None = None,
) -> Factorization:
    """Run the loop from Q = H >= 0 and Y = 0, or from where ``keeper`` left it."""

    def first(block: SharedBlock) -> Start:
        S, H = block.tiles, block.U
        return Start(gram(S, S), gram(S, H), gram(H, H), block.n_rows)

    known = engine.reduce(first, rows, add)
    BtB = _gram_of_target(known.StH, known.StS, known.StH, known.HtH, options.mu)
    penalties = Penalties(options.mu, options.rho)
    loop = Loop(known.StH[None], penalties, empty_history(), 0, False, known.StH, BtB)
    if keeper is not None:
        rows, loop = keeper.resume(rows, engine, loop)
    limit = options.tol * np.sqrt(len(BtB) / known.n_rows)
    rows = engine.join(_together, rows)
    while loop.iteration < options.max_iter and not loop.converged:
        rows, loop = _iterate(rows, engine, loop, options, StS=known.StS, limit=limit)
        if keeper is not None:
            keeper.keep(engine.split(SharedBlock.apart, rows), engine, loop)
        if progress is not None:
            progress(loop.iteration)
    rows = engine.split(SharedBlock.apart, rows)
    return Factorization(rows, loop.G, loop.history, loop.iteration, loop.converged)


def _iterate(
    rows: Rows[SharedBlock], engine: Engine, loop: Loop, options: Options, *, StS: FloatArray, limit: float
) -> tuple[Rows[SharedBlock], Loop]:
    mu = loop.penalties.mu
    after = Penalties(*(min(value * options.eta, MAX_PENALTY) for value in loop.penalties))
    R = _orthogonalizer(rows, engine, loop)
    A = 2 * loop.G[0] @ R
    scaled, shrink, threads, in_place = mu * R, mu / after.mu, engine.threads, engine.may_overwrite

    def of_block(block: SharedBlock) -> tuple[SharedBlock, Report]:
        _, sizes, S, U = block
        U, sums, residual = sweep(S, U, A, scaled, shrink=shrink, parts=sizes, threads=threads, in_place=in_place)
        return block._replace(U=U), Report(sums, residual)

    rows, report = engine.step(of_block, rows, _combine)
    G = StS @ A + mu * loop.StP @ R
    values = (float(np.trace(StS) - (G**2).sum()), report.residual, 0.0, *loop.penalties)
    history = {name: [*past, value] for (name, past), value in zip(loop.history.items(), values, strict=True)}
    StP, PtP = report.sums[: len(StS)], report.sums[len(StS) :]
    BtB = _gram_of_target(G, StS, StP, PtP, after.mu)
    converged = bool(report.residual <= limit)
    return rows, Loop(G[None], after, history, loop.iteration + 1, converged, StP, BtB)


def _orthogonalizer(rows: Rows[SharedBlock], engine: Engine, loop: Loop) -> FloatArray:
    """(BᵀB)^(-1/2); where B is ill-conditioned, with what a second step corrects."""
    root = inverse_root(loop.BtB)
    if root.condition <= TRUSTED_CONDITION:
        return root.matrix
    A, R = 2 * loop.G[0] @ root.matrix, loop.penalties.mu * root.matrix

    def of_block(block: SharedBlock) -> FloatArray:
        Q = projected(block.tiles, block.U, A, R)
        return gram(Q, Q)

    QtQ = engine.reduce(of_block, engine.split(SharedBlock.apart, rows), add)
    return root.matrix @ inverse_root(QtQ).matrix


def _gram_of_target(G: FloatArray, StS: FloatArray, StP: FloatArray, PtP: FloatArray, mu: float) -> FloatArray:
    """BᵀB of the next step."""
    mixed = mu * G.T @ StP
    return 4 * G.T @ StS @ G + 2 * (mixed + mixed.T) + mu**2 * PtP


def _combine(first: Report, second: Report) -> Report:
    return Report(first.sums + second.sums, float(np.maximum(first.residual, second.residual)))
