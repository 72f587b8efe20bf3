"""ADMM for the orthogonal non-negative factorization of stacked anchor graphs (Algorithm 1 of the paper).

    min ||S - H * Gᵀ||² + lam ||H||_Sp^p      H >= 0,  Hᵀ * H = I          S: V slices (N, m), H: (V, N, K)

with the copies Q (orthogonal) and J (low-rank) of H, multipliers Y1, Y2 and penalties mu, rho:

    G = Sᴴ Q                                         small, (F, m, K)
    Q = polar(2 S G + mu H + Y1)                     in the transformed domain, through K x K Gram matrices
    H = max((mu Q - Y1 + rho J - Y2)/(mu + rho), 0)
    J = prox(H + Y2/rho; lam/rho)                    through small Gram matrices
    Y1 += mu (H - Q);  Y2 += rho (H - J);  mu *= eta;  rho *= eta

A bar over a letter (Sbar, Qbar) marks the domain of the transform along the views. Without a coupling, J and Y2 drop
out. An iteration is two passes over row blocks; only G, the Gram matrices and the residuals cross blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from manyview.cluster.semi_ntf.coupling import Coupling
from manyview.engine import Engine, Rows, add
from manyview.kernels.arrays import FloatArray, Table
from manyview.kernels.polar import inverse_root
from manyview.kernels.tproduct import Transform, to_frequencies, to_views

State = TypeVar("State", bound=tuple[Any, ...])  # a block of rows with its factors


class FactorBlock(NamedTuple):
    """A range of rows and the state of their factors."""

    start: int
    S: tuple[Table, ...]  # V slices (n, m)
    Q: FloatArray  # (V, n, K); between the two passes of an iteration: Bbar (F, n, K)
    H: FloatArray  # (V, n, K)
    J: FloatArray  # (V, n, K), empty without a coupling
    Y1: FloatArray
    Y2: FloatArray

    @property
    def n_rows(self) -> int:
        """Return the number of rows in the block."""
        return int(self.H.shape[1])

    @property
    def factors(self) -> tuple[FloatArray, ...]:
        """Return the arrays that the loop changes, each (V, n, K) or empty."""
        return self.Q, self.H, self.J, self.Y1, self.Y2

    def with_factors(self, factors: tuple[FloatArray, ...], /) -> FactorBlock:
        """Return the same rows in another state."""
        return FactorBlock(self.start, self.S, *factors)


class Penalties(NamedTuple):
    """Penalty weights of an iteration."""

    mu: float
    rho: float


class Options(NamedTuple):
    """Parameters of the loop."""

    transform: Transform
    coupling: Coupling | None
    mu: float
    rho: float
    eta: float
    max_iter: int
    tol: float  # on the entries of H - Q and Q - J, relative to sqrt(K/N), the entry of a balanced indicator
    max_penalty: float = 1e13
    max_condition: float = 1e7  # of Bbar; beyond it one Gram step leaves visible errors in the orthogonality


class Factorization(NamedTuple):
    """Result of the loop: the rows with their factors, the small factor, and the history."""

    rows: Rows[Any]  # blocks with start, n_rows, S and H
    G: FloatArray  # (F, m, K)
    history: dict[str, list[float]]
    n_iter: int
    converged: bool


class Residuals(NamedTuple):
    """Largest entries of H - Q and of Q - J."""

    HQ: float
    QJ: float


class Report(NamedTuple):
    """Sums and residuals of a block after the second pass."""

    G: FloatArray
    small: Any  # Gram matrices of the coupling
    residuals: Residuals


def first_block(start: int, S: tuple[Table, ...], Q: FloatArray, *, H: FloatArray, coupled: bool) -> FactorBlock:
    """Return a block at the start: Q and H as given, J = H, multipliers zero."""
    none = np.zeros((0, 0, 0), dtype=Q.dtype)
    return FactorBlock(
        start, S, Q, H, H.copy() if coupled else none, np.zeros_like(H), np.zeros_like(H) if coupled else none
    )


class Loop(NamedTuple):
    """The small state of the loop, between two iterations."""

    G: FloatArray  # (F, m, K)
    penalties: Penalties
    history: dict[str, list[float]]
    iteration: int

    def converged(self, limit: float, /) -> bool:
        """Return whether both residuals of the last iteration are below the limit."""
        residuals = (self.history["residual_HQ"], self.history["residual_QJ"])
        return self.iteration > 0 and bool(max(values[-1] for values in residuals) <= limit)


def empty_history() -> dict[str, list[float]]:
    """Return the history before the first iteration."""
    return {name: [] for name in ("objective", "residual_HQ", "residual_QJ", "mu", "rho")}


class Keeper(Protocol):
    """Keeps the state between iterations, so that a loop can be taken up again."""

    def resume(self, rows: Rows[State], engine: Engine, loop: Loop, /) -> tuple[Rows[State], Loop]:
        """Return the last state that was kept, or the given start."""

    def keep(self, rows: Rows[State], engine: Engine, loop: Loop, /) -> None:
        """Keep the state after an iteration."""


def factorize(
    rows: Rows[FactorBlock],
    engine: Engine,
    options: Options,
    /,
    *,
    progress: Callable[[int], object] | None = None,
    keeper: Keeper | None = None,
) -> Factorization:
    """Run the loop from the given start, or from where ``keeper`` left it."""
    transform = options.transform
    energy = engine.reduce(lambda block: _energy(block.S, transform), rows, add)
    G = engine.reduce(lambda block: _adjoint(block.S, to_frequencies(transform, block.Q), transform), rows, add)
    n_rows = engine.reduce(lambda block: block.n_rows, rows, add)
    limit = options.tol * np.sqrt(G.shape[2] / n_rows)
    loop = Loop(G, Penalties(options.mu, options.rho), empty_history(), 0)
    if keeper is not None:
        rows, loop = keeper.resume(rows, engine, loop)
    while loop.iteration < options.max_iter and not loop.converged(limit):
        rows, loop = _iterate(rows, engine, loop, options, energy=energy)
        if keeper is not None:
            keeper.keep(rows, engine, loop)
        if progress is not None:
            progress(loop.iteration)
    return Factorization(rows, loop.G, loop.history, loop.iteration, loop.converged(limit))


def _iterate(
    rows: Rows[FactorBlock], engine: Engine, loop: Loop, options: Options, *, energy: FloatArray
) -> tuple[Rows[FactorBlock], Loop]:
    """Do one iteration: two passes, and a third where the slices are coupled."""
    transform, coupling, penalties = options.transform, options.coupling, loop.penalties
    rows, root = _orthogonalizer(rows, engine, loop.G, penalties, options)
    rows, (G, small, residuals) = _project(rows, engine, root, penalties, options)
    norm = 0.0
    if coupling:
        renew, norm = coupling.renew(rows, engine, small, penalties.rho, transform.inverse.shape[0])
        rows, residuals = engine.step(_dual(renew, penalties), rows, _largest)
    loss = float((energy - np.einsum("fmk,fmk->f", G.conj(), G).real) @ transform.energy)
    values = (loss + norm, *residuals, *penalties)
    history = {name: [*past, value] for (name, past), value in zip(loop.history.items(), values, strict=True)}
    grown = Penalties(*(min(value * options.eta, options.max_penalty) for value in penalties))
    return rows, Loop(G, grown, history, loop.iteration + 1)


def _orthogonalizer(
    rows: Rows[FactorBlock], engine: Engine, G: FloatArray, penalties: Penalties, options: Options
) -> tuple[Rows[FactorBlock], FloatArray]:
    """Put Bbar = 2 Sbar Gbar + mu Hbar + Y1bar in place of Q, and find the root that makes it orthogonal."""
    transform = options.transform

    def target(block: FactorBlock) -> tuple[FactorBlock, FloatArray]:
        B = to_frequencies(transform, penalties.mu * block.H + block.Y1)
        B += 2 * _forward(block.S, G, transform)
        return block._replace(Q=B.astype(_domain(block.H, transform), copy=False)), _gram(B)

    rows, BhB = engine.step(target, rows, add)
    root = inverse_root(BhB)
    if root.condition > options.max_condition:  # orthogonalize once more: the second Gram matrix is near the identity

        def again(block: FactorBlock) -> tuple[FactorBlock, FloatArray]:
            Q = block.Q @ root.matrix
            return block._replace(Q=Q), _gram(Q)

        rows, QhQ = engine.step(again, rows, add)
        return rows, inverse_root(QhQ).matrix
    return rows, root.matrix


def _project(
    rows: Rows[FactorBlock], engine: Engine, root: FloatArray, penalties: Penalties, options: Options
) -> tuple[Rows[FactorBlock], Report]:
    """Renew Q and H, and sum the small matrices of the next G-step and of the J-step."""
    transform, coupling = options.transform, options.coupling
    mu, rho = penalties

    def of_block(block: FactorBlock) -> tuple[FactorBlock, Report]:
        Qbar = block.Q @ root.astype(block.Q.dtype, copy=False)
        Q = to_views(transform, Qbar)
        H = mu * Q - block.Y1
        if coupling:
            H += rho * block.J - block.Y2
            H /= mu + rho
        else:
            H /= mu
        np.maximum(H, 0, out=H)
        block = block._replace(Q=Q, H=H)
        G = _adjoint(block.S, Qbar, transform)
        if coupling:
            return block, Report(G, coupling.small(block, rho), Residuals(0.0, 0.0))
        block, residuals = _dual(None, penalties)(block)
        return block, Report(G, 0.0, residuals)

    def combine(first: Report, second: Report) -> Report:
        return Report(first.G + second.G, first.small + second.small, _largest(first.residuals, second.residuals))

    return engine.step(of_block, rows, combine)


def _dual(
    renew: Callable[[FactorBlock], FloatArray] | None, penalties: Penalties
) -> Callable[[FactorBlock], tuple[FactorBlock, Residuals]]:
    """Renew J and the multipliers of a block, and measure its residuals."""
    mu, rho = penalties

    def of_block(block: FactorBlock) -> tuple[FactorBlock, Residuals]:
        difference = block.H - block.Q
        Y1 = block.Y1 + mu * difference
        HQ = float(np.abs(difference).max())
        if renew is None:
            return block._replace(Y1=Y1), Residuals(HQ, 0.0)
        J = renew(block)
        Y2 = block.Y2 + rho * (block.H - J)
        QJ = float(np.abs(block.Q - J).max())
        return block._replace(J=J, Y1=Y1, Y2=Y2), Residuals(HQ, QJ)

    return of_block


def _largest(first: Residuals, second: Residuals) -> Residuals:
    return Residuals(max(first.HQ, second.HQ), max(first.QJ, second.QJ))


def _domain(H: FloatArray, transform: Transform) -> np.dtype[Any]:
    """Return the type of the state in the transformed domain."""
    return np.result_type(H.dtype, np.complex64) if np.iscomplexobj(transform.forward) else H.dtype


def _gram(B: FloatArray) -> FloatArray:
    """Compute BᴴB of every slice, in double precision."""
    return (np.conj(np.swapaxes(B, 1, 2)) @ B).astype(np.result_type(B.dtype, np.float64), copy=False)


def _forward(S: tuple[Table, ...], G: FloatArray, transform: Transform) -> FloatArray:
    """Compute Sbar_f Gbar_f, (F, n, K), without forming Sbar, which would not be sparse."""
    M = transform.forward
    parts = [
        sum(M[f, v] * (S[v] @ G[f].astype(_like(S[v], G), copy=False)) for v in range(len(S)) if M[f, v] != 0)
        for f in range(len(M))
    ]
    return np.stack(parts)


def _adjoint(S: tuple[Table, ...], Q: FloatArray, transform: Transform) -> FloatArray:
    """Compute Sbar_fᴴ Qbar_f, (F, m, K), in double precision."""
    M = transform.forward.conj()
    parts = [sum(M[f, v] * (S[v].T @ Q[f]) for v in range(len(S)) if M[f, v] != 0) for f in range(len(M))]
    return np.stack(parts).astype(np.result_type(Q.dtype, np.float64), copy=False)


def _like(S: Table, G: FloatArray) -> np.dtype[Any]:
    return np.result_type(S.dtype, np.complex64) if np.iscomplexobj(G) else S.dtype


def _energy(S: tuple[Table, ...], transform: Transform) -> FloatArray:
    """Compute ||Sbar_f||² for every frequency, from the V x V inner products of the slices."""
    products = np.array([[(a.multiply(b) if hasattr(a, "multiply") else a * b).sum() for b in S] for a in S])
    return np.einsum("fv,vu,fu->f", transform.forward.conj(), products, transform.forward).real
