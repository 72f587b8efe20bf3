"""The same ADMM for one slice without coupling: an iteration is one pass over the rows.

    min ||S - H Gᵀ||²      H >= 0,  HᵀH = I            S: (N, r), H: (N, K)

H and its multiplier Y are never non-zero in the same place, so one matrix holds both. After a step with penalty nu

    W = Q - Y/nu,      H = max(W, 0),      Y = nu max(-W, 0)

and the next step, with penalty mu, needs

    P = mu H + Y = max(mu W, -nu W)
    B = 2 S G + P,         BᵀB = 4 Gᵀ(SᵀS)G + 2 (Gᵀ(SᵀP) + (SᵀP)ᵀG) + PᵀP
    Q = B (BᵀB)^(-1/2),    W = Q - Y/mu,      G = SᵀQ

BᵀB is known before the pass: its parts are sums of the pass before. A row moves S and W in, and W out.
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


class SharedBlock(NamedTuple):
    """The state of a stretch of rows."""

    start: int
    S: tuple[FloatArray]  # (n, r)
    W: FloatArray  # (1, n, K)

    @property
    def n_rows(self) -> int:
        """Number of rows in the block."""
        return int(self.W.shape[1])

    @property
    def H(self) -> FloatArray:
        """The indicator (1, n, K)."""
        return np.maximum(self.W, 0)


class Report(NamedTuple):
    """What a block reports from a pass."""

    G: FloatArray  # (r, K), SᵀQ
    StP: FloatArray  # (r, K)
    PtP: FloatArray  # (K, K)
    residual: float  # largest entry of H - Q


class Start(NamedTuple):
    """What does not change, and the number of rows."""

    StS: FloatArray  # (r, r)
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
    """Run the loop from W = Q = H >= 0, or from where ``keeper`` left it."""
    mu = options.mu

    def first(block: SharedBlock) -> tuple[Start, Report]:
        S, Q = block.S[0], block.W[0]
        return Start(_double(S.T @ S), block.n_rows), Report(_double(S.T @ Q), *_ahead(S, _target(Q, mu, mu)), 0.0)

    known, report = engine.reduce(first, rows, lambda a, b: (add(a[0], b[0]), _combine(a[1], b[1])))
    BtB = _gram(known.StS, report)
    loop = Loop(report.G[None], Penalties(mu, options.rho), empty_history(), 0, False, BtB)
    if keeper is not None:
        rows, loop = keeper.resume(rows, engine, loop)
    limit = options.tol * np.sqrt(len(BtB) / known.n_rows)
    while loop.iteration < options.max_iter and not loop.converged:
        rows, loop = _iterate(rows, engine, loop, options, StS=known.StS, limit=limit)
        if keeper is not None:
            keeper.keep(rows, engine, loop)
        if progress is not None:
            progress(loop.iteration)
    return Factorization(rows, loop.G, loop.history, loop.iteration, loop.converged)


def _iterate(
    rows: Rows[SharedBlock], engine: Engine, loop: Loop, options: Options, *, StS: FloatArray, limit: float
) -> tuple[Rows[SharedBlock], Loop]:
    mu = loop.penalties.mu
    nu = loop.history["mu"][-1] if loop.iteration else mu
    after = Penalties(*(min(value * options.eta, LARGEST_PENALTY) for value in loop.penalties))
    root = _orthogonaliser(rows, engine, loop, nu)

    def of_block(block: SharedBlock) -> tuple[SharedBlock, Report]:
        S, W = block.S[0], block.W[0]
        Q = _times_root(S, W, loop.G[0], root, mu, nu)
        slack = (W - np.abs(W)) * (nu / mu / 2)  # -Y/mu; a minimum with a number would take longer
        residual = float(np.abs(np.maximum(slack, -Q)).max())
        W = Q + slack
        return block._replace(W=W[None]), Report(_double(S.T @ Q), *_ahead(S, _target(W, after.mu, mu)), residual)

    rows, report = engine.step(of_block, rows, _combine)
    loss = float(np.trace(StS) - (report.G**2).sum())
    values = (loss, report.residual, 0.0, *loop.penalties)
    history = {name: [*past, value] for (name, past), value in zip(loop.history.items(), values, strict=True)}
    BtB = _gram(StS, report)
    return rows, Loop(report.G[None], after, history, loop.iteration + 1, bool(report.residual <= limit), BtB)


def _orthogonaliser(rows: Rows[SharedBlock], engine: Engine, loop: Loop, nu: float) -> FloatArray:
    """(BᵀB)^(-1/2); where B is ill-conditioned, with what a second step corrects."""
    root = inverse_root(loop.BtB)
    if root.condition <= TRUSTED_CONDITION:
        return root.matrix

    def gram(block: SharedBlock) -> FloatArray:
        Q = _times_root(block.S[0], block.W[0], loop.G[0], root.matrix, loop.penalties.mu, nu)
        return _double(Q.T @ Q)

    return root.matrix @ inverse_root(engine.reduce(gram, rows, add)).matrix


def _target(W: FloatArray, mu: float, nu: float) -> FloatArray:
    """P = mu H + Y."""
    return np.maximum(mu * W, -nu * W)


def _times_root(S: FloatArray, W: FloatArray, G: FloatArray, root: FloatArray, mu: float, nu: float) -> FloatArray:
    """B R = S (2 G R) + P R."""
    product = S @ (2 * G @ root).astype(S.dtype, copy=False)
    product += _target(W, mu, nu) @ root.astype(W.dtype, copy=False)
    return product


def _ahead(S: FloatArray, P: FloatArray) -> tuple[FloatArray, FloatArray]:
    """SᵀP and PᵀP, for the next step."""
    return _double(S.T @ P), _double(P.T @ P)


def _gram(StS: FloatArray, report: Report) -> FloatArray:
    """BᵀB of the next step."""
    G, StP, PtP, _ = report
    mixed = G.T @ StP
    return 4 * G.T @ StS @ G + 2 * (mixed + mixed.T) + PtP


def _combine(first: Report, second: Report) -> Report:
    G, StP, PtP = (a + b for a, b in zip(first[:3], second[:3], strict=True))
    return Report(G, StP, PtP, max(first.residual, second.residual))


def _double(matrix: FloatArray) -> FloatArray:
    return matrix.astype(np.float64, copy=False)
