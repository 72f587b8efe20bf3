"""One pass of the orthogonal non-negative factorization over a block of rows.

    Q = S A + |Z| R                    S: (n, r), Z: (n, K); A: (r, K), R: (K, K)
    W = Q + min(Z, 0)/mu               the largest entry of max(W, 0) - Q is the residual
    Z = max(ahead W, mu W)             ahead >= mu
    SᵀP, PᵀP  with  P = |Z|            what crosses blocks

Rows are kept in *tiles*: (tiles, columns, 128), the last one filled up with zeros, which add nothing. In a tile every
column is one stretch of memory and the whole tile fits into the first cache, so that all of the above is done to it
before the next one comes.
"""

from __future__ import annotations

from ctypes import CDLL
from math import prod
from typing import NamedTuple

import numpy as np

from manyview.kernels import compiled
from manyview.kernels.arrays import FloatArray

TILE = 128  # rows; _compiled.c has the same number
LANES = 16  # numbers that _compiled.c works on at once
COMPILED_K = 100  # 1.3 times as fast as the twin there, 4 times at 10; its sums take 64 K (r + K) bytes of room
LINE = 64  # bytes of memory that travel together


class Swept(NamedTuple):
    """What a pass makes of a block."""

    Z: FloatArray  # (tiles, K, TILE)
    StP: FloatArray  # (r, K) in double precision, like the next
    PtP: FloatArray  # (K, K)
    residual: float


def sweep(
    S: FloatArray,
    Z: FloatArray,
    A: FloatArray,
    R: FloatArray,
    /,
    *,
    mu: float,
    ahead: float,
    in_place: bool = False,
) -> Swept:
    """The pass over tiles S (tiles, r, TILE) and Z (tiles, K, TILE); the new Z may take the place of the old."""
    A, R = (np.ascontiguousarray(factor, dtype=S.dtype) for factor in (A, R))
    if compiled.library is not None and S.dtype == np.float32 and len(R) <= COMPILED_K:
        return _by_compiled(compiled.library, S, Z, A, R, mu, ahead, in_place)
    return _by_products(S, Z, A, R, mu, ahead)


def projected(S: FloatArray, Z: FloatArray, A: FloatArray, R: FloatArray, /) -> FloatArray:
    """Q of the tiles."""
    Q = np.matmul(A.T.astype(S.dtype, copy=False), S)
    Q += np.matmul(R.T.astype(S.dtype, copy=False), np.abs(Z))
    return Q


def gram(X: FloatArray, Y: FloatArray, /) -> FloatArray:
    """XᵀY of tiles, in double precision."""
    return np.matmul(X, Y.swapaxes(1, 2)).sum(axis=0, dtype=np.float64)


def tiled(rows: FloatArray, /) -> FloatArray:
    """Rows (n, columns) as tiles."""
    n, width = rows.shape
    n_tiles = -(-n // TILE)
    tiles = _aligned((n_tiles, width, TILE), rows.dtype)
    whole = n // TILE
    tiles[:whole] = rows[: whole * TILE].reshape(whole, TILE, width).swapaxes(1, 2)
    if whole < n_tiles:
        tiles[whole] = 0
        tiles[whole, :, : n - whole * TILE] = rows[whole * TILE :].T
    return tiles


def untiled(tiles: FloatArray, n_rows: int, /) -> FloatArray:
    """Tiles as rows (n, columns)."""
    return tiles.swapaxes(1, 2).reshape(-1, tiles.shape[1])[:n_rows]


def _by_products(S: FloatArray, Z: FloatArray, A: FloatArray, R: FloatArray, mu: float, ahead: float) -> Swept:
    Q = projected(S, Z, A, R)
    slack = np.minimum(Z, 0) * Z.dtype.type(1 / mu)
    residual = float(np.abs(np.maximum(slack, -Q)).max())
    W = np.add(Q, slack, out=slack)
    Z = np.maximum(ahead * W, mu * W)
    P = np.abs(Z, out=W)
    return Swept(Z, gram(S, P), gram(P, P), residual)


def _by_compiled(
    library: CDLL, S: FloatArray, Z: FloatArray, A: FloatArray, R: FloatArray, mu: float, ahead: float, in_place: bool
) -> Swept:
    n, r, _ = S.shape
    K = len(R)
    S, Z = np.ascontiguousarray(S), np.ascontiguousarray(Z)
    renewed = Z if in_place and Z.flags.writeable else _aligned(Z.shape, Z.dtype)
    room = _aligned((2 * K * TILE + (r + K) * K * LANES,), Z.dtype)
    sums = np.empty((r + K, K))
    inputs, outputs = (a.ctypes.data for a in (S, Z, A, R)), (a.ctypes.data for a in (renewed, room, sums))
    residual = library.sweep(n, r, K, *inputs, mu, ahead, *outputs)
    return Swept(renewed, sums[:r], sums[r:], residual)


def _aligned(shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> FloatArray:
    """An empty array that begins at a line of memory: vectors then never lie across two."""
    size = prod(shape) * dtype.itemsize
    memory = np.empty(size + LINE, np.uint8)
    first = -memory.ctypes.data % LINE
    return memory[first : first + size].view(dtype).reshape(shape)
