"""Spectral embedding of the rows of a tall matrix A through its small Gram matrix.

    A = U diag(s) W'        A'A = W diag(s²) W'        U = A W diag(1/s)

A'A is (M, M) for any number of rows, and a row that was not there before has an embedding too: a W diag(1/s). Leading
eigenpairs of a large symmetric operator that is only known through products, by block power iteration:

    V <- M V (V'M M V)^(-1/2), a few times;      V = qr(V);      V'MV = E diag(l) E';      vectors V E, values l

M may be a sum over row blocks that nobody ever forms. Between the products the small Gram matrix keeps the columns
apart; a QR factorization of tall V costs more than the product itself.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse.linalg

from manyview.kernels.arrays import FloatArray, Table
from manyview.kernels.polar import inverse_root


class Basis(NamedTuple):
    """Right singular vectors and values of A, largest first."""

    W: FloatArray  # (M, r)
    s: FloatArray  # (r,)


def right_basis(AtA: FloatArray, rank: int, /) -> Basis:
    """Compute the leading right singular pairs of A, from A'A; at most ``rank`` of them, none with s = 0."""
    M = len(AtA)
    rank = min(rank, M)
    eigenvalues, W = scipy.linalg.eigh(AtA, subset_by_index=(M - rank, M - 1), driver="evr")
    kept = eigenvalues > 1e-12 * max(eigenvalues[-1], np.finfo(float).tiny)
    return Basis(_fix_signs(W[:, kept][:, ::-1]), np.sqrt(eigenvalues[kept][::-1]))


def right_basis_of(A: Table, rank: int, /) -> Basis:
    """Return the same of a sparse A (n, M) without forming A'A: by Lanczos iterations from a fixed start."""

    def times(x: FloatArray) -> FloatArray:
        return np.asarray(A.T @ (A @ x))

    M = A.shape[1]
    operator = scipy.sparse.linalg.LinearOperator((M, M), matvec=times, dtype=np.float64)
    start = np.random.default_rng(0).standard_normal(M)
    eigenvalues, W = scipy.sparse.linalg.eigsh(operator, rank, which="LA", v0=start, tol=1e-7)
    order = np.argsort(-eigenvalues, kind="stable")
    kept = order[eigenvalues[order] > 1e-12 * max(eigenvalues.max(), np.finfo(float).tiny)]
    return Basis(_fix_signs(W[:, kept]), np.sqrt(eigenvalues[kept]))


def _fix_signs(W: FloatArray) -> FloatArray:
    """Make the largest entry of every eigenvector positive, so that runs can be compared."""
    largest = W[np.abs(W).argmax(axis=0), np.arange(W.shape[1])]
    return W * np.where(largest < 0, -1, 1)


def diffusion_scale(s: FloatArray, steps: float, /) -> FloatArray:
    """Return the column scale from A W = U diag(s) to U diag(lambda^steps), lambda = s²/s_1²."""
    return (s / s[0]) ** (2 * steps) / s


def unit_rows(x: FloatArray, /) -> FloatArray:
    """Divide rows by their length; a zero row stays zero."""
    length = np.sqrt(np.einsum("nd,nd->n", x, x))[:, None]
    return x / np.where(length > 0, length, 1)


class Pairs(NamedTuple):
    """Eigenvalues, largest first, and their eigenvectors."""

    values: FloatArray  # (r,)
    vectors: FloatArray  # (d, r)


def leading_pairs(
    times: Callable[[FloatArray], FloatArray],
    width: int,
    rank: int,
    /,
    *,
    seed: int,
    n_steps: int = 5,
    oversampling: int = 10,
    exact: bool = True,
) -> Pairs:
    """Compute the ``rank`` leading eigenpairs of the (width, width) operator V -> M V.

    The small Gram matrices leave V orthonormal to half the digits; where that will do, ``exact=False`` saves the QR.
    """
    V: FloatArray = np.random.default_rng(seed).standard_normal((width, min(rank + oversampling, width)))
    for _ in range(n_steps):
        V = times(V)
        V = V @ inverse_root(V.T @ V).matrix
    if exact:
        V, _ = np.linalg.qr(V)
    small = V.T @ times(V)
    values, E = np.linalg.eigh((small + small.T) / 2)
    return Pairs(values[::-1][:rank], V @ E[:, ::-1][:, :rank])
