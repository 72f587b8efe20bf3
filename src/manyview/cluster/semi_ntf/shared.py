"""The same ADMM for one slice without coupling: an iteration is one pass over the rows.

    min ||S - H Gᵀ||²      H >= 0,  HᵀH = I            S: (N, r), H: (N, K)

H and its multiplier Y are never non-zero in the same place, so one matrix holds both. With mu the penalty of the step
that comes next,

    Z = mu H - Y,      H = max(Z, 0)/mu,      Y = max(-Z, 0),      P = mu H + Y = |Z|

and that step is

    B = 2 S G + P,         BᵀB = 4 Gᵀ(SᵀS)G + 2 (Gᵀ(SᵀP) + (SᵀP)ᵀG) + PᵀP
    Q = B R,               R = (BᵀB)^(-1/2)
    G = SᵀQ = (SᵀS)(2 G R) + (SᵀP) R

with H = max(Q - Y/mu, 0) and Y += mu (H - Q) in the form of Z (`kernels/sweep.py`). BᵀB and G are known before the
pass: their parts are sums of the pass before. A row moves S and Z in, and Z out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from manyview.cluster.semi_ntf.admm import (
    LARGEST_PENALTY,
    TRUSTED_CONDITION,
    Factorization,
    Keeper,
    Loop,
    Options,
    Penalties,
    empty_history,
)
from manyview.engine import Engine, Rows, add
from manyview.kernels.arrays import FloatArray
from manyview.kernels.polar import inverse_root
from manyview.kernels.sweep import gram, projected, sweep, tiled, untiled


class SharedBlock(NamedTuple):
    """The state of a stretch of rows, in tiles."""

    start: int
    n_rows: int
    tiles: FloatArray  # of S
    Z: FloatArray  # with mu = 1 where the loop begins and where it has ended

    @property
    def S(self) -> tuple[FloatArray]:
        """The slice (n, r)."""
        return (untiled(self.tiles, self.n_rows),)

    @property
    def H(self) -> FloatArray:
        """The indicator (1, n, K)."""
        return np.maximum(untiled(self.Z, self.n_rows), 0)[None]

    @property
    def factors(self) -> tuple[FloatArray]:
        """What the loop changes, as rows (1, n, K)."""
        return (untiled(self.Z, self.n_rows)[None],)

    def with_factors(self, factors: tuple[FloatArray, ...], /) -> SharedBlock:
        """The same rows in another state."""
        return self._replace(Z=tiled(factors[0][0]))


def shared_block(start: int, S: FloatArray, H: FloatArray, /) -> SharedBlock:
    """A block at the start: S (n, r), H >= 0 (n, K)."""
    return SharedBlock(start, len(S), tiled(S), tiled(H))


class Report(NamedTuple):
    """What a block reports from a pass."""

    StP: FloatArray  # (r, K)
    PtP: FloatArray  # (K, K)
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
        S, H = block.tiles, block.Z
        return Start(gram(S, S), gram(S, H), gram(H, H), block.n_rows)

    mu = options.mu
    known = engine.reduce(first, rows, add)
    StP = mu * known.StH
    BtB = _gram_of_target(known.StH, known.StS, StP, mu**2 * known.HtH)
    loop = Loop(known.StH[None], Penalties(mu, options.rho), empty_history(), 0, False, StP, BtB)
    rows = engine.map(_scaled(mu), rows)
    if keeper is not None:
        rows, loop = keeper.resume(rows, engine, loop)
    limit = options.tol * np.sqrt(len(BtB) / known.n_rows)
    while loop.iteration < options.max_iter and not loop.converged:
        rows, loop = _iterate(rows, engine, loop, options, StS=known.StS, limit=limit)
        if keeper is not None:
            keeper.keep(rows, engine, loop)
        if progress is not None:
            progress(loop.iteration)
    rows = engine.map(_scaled(1 / loop.penalties.mu), rows)
    return Factorization(rows, loop.G, loop.history, loop.iteration, loop.converged)


def _scaled(factor: float) -> Callable[[SharedBlock], SharedBlock]:
    return lambda block: block if factor == 1 else block._replace(Z=block.Z * factor)


def _iterate(
    rows: Rows[SharedBlock], engine: Engine, loop: Loop, options: Options, *, StS: FloatArray, limit: float
) -> tuple[Rows[SharedBlock], Loop]:
    mu = loop.penalties.mu
    after = Penalties(*(min(value * options.eta, LARGEST_PENALTY) for value in loop.penalties))
    R = _orthogonaliser(rows, engine, loop)
    A = 2 * loop.G[0] @ R
    in_place = engine.gives_up

    def of_block(block: SharedBlock) -> tuple[SharedBlock, Report]:
        Z, StP, PtP, residual = sweep(block.tiles, block.Z, A, R, mu=mu, ahead=after.mu, in_place=in_place)
        return block._replace(Z=Z), Report(StP, PtP, residual)

    rows, report = engine.step(of_block, rows, _combine)
    G = StS @ A + loop.StP @ R
    values = (float(np.trace(StS) - (G**2).sum()), report.residual, 0.0, *loop.penalties)
    history = {name: [*past, value] for (name, past), value in zip(loop.history.items(), values, strict=True)}
    BtB = _gram_of_target(G, StS, report.StP, report.PtP)
    converged = bool(report.residual <= limit)
    return rows, Loop(G[None], after, history, loop.iteration + 1, converged, report.StP, BtB)


def _orthogonaliser(rows: Rows[SharedBlock], engine: Engine, loop: Loop) -> FloatArray:
    """(BᵀB)^(-1/2); where B is ill-conditioned, with what a second step corrects."""
    root = inverse_root(loop.BtB)
    if root.condition <= TRUSTED_CONDITION:
        return root.matrix
    A = 2 * loop.G[0] @ root.matrix

    def of_block(block: SharedBlock) -> FloatArray:
        Q = projected(block.tiles, block.Z, A, root.matrix)
        return gram(Q, Q)

    return root.matrix @ inverse_root(engine.reduce(of_block, rows, add)).matrix


def _gram_of_target(G: FloatArray, StS: FloatArray, StP: FloatArray, PtP: FloatArray) -> FloatArray:
    """BᵀB of the next step."""
    mixed = G.T @ StP
    return 4 * G.T @ StS @ G + 2 * (mixed + mixed.T) + PtP


def _combine(first: Report, second: Report) -> Report:
    return Report(first.StP + second.StP, first.PtP + second.PtP, max(first.residual, second.residual))
