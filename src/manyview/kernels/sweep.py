"""One pass of the orthogonal non-negative factorization over a stretch of rows.

    Q = S A + |U| R                    S: (n, r), U: (n, K); A: (r, K), R: (K, K)
    W = Q + min(U, 0)                  the largest entry of max(W, 0) - Q is the residual
    U = max(W, shrink W)               shrink <= 1
    SᵀP, PᵀP  with  P = |U|            what crosses blocks

Rows are kept in *tiles*: (tiles, columns, 64), the last one filled up with zeros, which add nothing. In a tile every
column is one stretch of memory, and a few tiles fit into the first cache: all of the above is done to them before the
next ones come.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from ctypes import addressof, c_char
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manyview.kernels import compiled
from manyview.kernels.arrays import FloatArray
from manyview.kernels.compiled import Library

TILE = 64  # rows; _compiled.c has the same number
COMPILED_K = 100  # with 16 lanes 2.5 times as fast as the twin there, with 8 1.5 times; sums take 64 K (r + K) bytes
LINE = 64  # bytes of memory that travel together


class Swept(NamedTuple):
    """What a pass makes of its tiles."""

    U: FloatArray  # (tiles, K, TILE)
    sums: FloatArray  # (r + K, K) in double precision: SᵀP, and PᵀP below it
    residual: float


def sweep(
    S: FloatArray,
    U: FloatArray,
    A: FloatArray,
    R: FloatArray,
    /,
    *,
    shrink: float,
    parts: Sequence[int] = (),
    threads: int = 1,
    in_place: bool = False,
) -> Swept:
    """The pass over tiles S (tiles, r, TILE) and U (tiles, K, TILE); the new U may take the place of the old.

    ``parts`` are numbers of rows, with tiles of their own, that are summed up first; their sums are then added by
    :func:`tree_sum`. Without them all tiles are one part. Threads take one part after the other.
    """
    A, R = (np.ascontiguousarray(factor, dtype=S.dtype) for factor in (A, R))
    parts = parts or (len(S) * TILE,)
    threads = min(threads, len(parts))
    renewed = U if in_place and U.flags.writeable else _aligned(U.shape, U.dtype)
    if compiled.library is not None and S.dtype == np.float32 and len(R) <= COMPILED_K:
        return _by_compiled(compiled.library, S, U, A, R, shrink, parts, threads, renewed)
    edges = np.cumsum([tiles_of(n_rows) for n_rows in parts])[:-1]

    def of_part(s: FloatArray, u: FloatArray, out: FloatArray) -> tuple[FloatArray, float]:
        return _by_products(s, u, A, R, shrink, out)

    with ThreadPoolExecutor(threads) as pool:
        reports = pool.map(of_part, *(np.split(tiles, edges) for tiles in (S, U, renewed)))
        sums, residuals = zip(*reports, strict=True)
    return Swept(renewed, tree_sum(np.array(sums)), float(np.max(residuals)))


def projected(S: FloatArray, U: FloatArray, A: FloatArray, R: FloatArray, /) -> FloatArray:
    """Q of the tiles."""
    Q = np.matmul(A.T.astype(S.dtype, copy=False), S)
    Q += np.matmul(R.T.astype(S.dtype, copy=False), np.abs(U))
    return Q


def gram(X: FloatArray, Y: FloatArray, /) -> FloatArray:
    """XᵀY of tiles, in double precision."""
    return np.matmul(X, Y.swapaxes(1, 2)).sum(axis=0, dtype=np.float64)


def tree_sum(values: FloatArray, /) -> FloatArray:
    """The sum over the first axis, neighbors first, then neighbors of these sums, …: the tree of `engine.fold`."""
    while len(values) > 1:
        n_pairs = len(values) // 2
        pairs = values[: 2 * n_pairs]
        values = np.concatenate([pairs[::2] + pairs[1::2], values[2 * n_pairs :]])
    return values[0]


def tiled(rows: FloatArray, /) -> FloatArray:
    """Rows (n, columns) as tiles."""
    n, width = rows.shape
    n_tiles = tiles_of(n)
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


def tiles_of(n_rows: int, /) -> int:
    """How many tiles hold the rows."""
    return -(-n_rows // TILE)


def joined(stretches: list[FloatArray], /) -> FloatArray:
    """Tiles one after the other; the list loses them on the way, so that no more memory is needed than for them.

    The longer, the better: the system maps large arrays in huge pages.
    """
    end = sum(map(len, stretches))
    tiles = _aligned((end, *stretches[0].shape[1:]), stretches[0].dtype)
    while stretches:
        stretch = stretches.pop()
        begin = end - len(stretch)
        tiles[begin:end], end = stretch, begin
    return tiles


def _by_products(
    S: FloatArray, U: FloatArray, A: FloatArray, R: FloatArray, shrink: float, out: FloatArray
) -> tuple[FloatArray, float]:
    Q = projected(S, U, A, R)
    slack = np.minimum(U, 0)
    residual = float(np.abs(np.maximum(slack, -Q)).max())
    W = np.add(Q, slack, out=slack)
    np.maximum(W, shrink * W, out=out)
    P = np.abs(out, out=W)
    return np.concatenate([gram(S, P), gram(P, P)]), residual


def _by_compiled(
    library: Library,
    S: FloatArray,
    U: FloatArray,
    A: FloatArray,
    R: FloatArray,
    shrink: float,
    parts: Sequence[int],
    threads: int,
    renewed: FloatArray,
) -> Swept:
    r, K = A.shape
    sums = np.empty((len(parts), r + K, K))
    arrays = (np.array(parts, np.int64), np.ascontiguousarray(S), np.ascontiguousarray(U), renewed, A, R, sums)
    residual = library.sweep(threads, len(parts), r, K, shrink, *map(_address, arrays))
    if residual < 0:
        raise MemoryError(f"No memory for the sums of a pass over {K} clusters.")
    return Swept(renewed, sums[0], residual)


def _address(array: NDArray[Any]) -> int:
    """Where the numbers are; twice as fast as asking the array, but for those that are read-only."""
    return addressof(c_char.from_buffer(array.data)) if array.flags.writeable else int(array.ctypes.data)


def _aligned(shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> FloatArray:
    """An empty array that begins at a line of memory: vectors then never lie across two."""
    size = prod(shape) * dtype.itemsize
    memory = np.empty(size + LINE, np.uint8)
    first = -_address(memory) % LINE
    return memory[first : first + size].view(dtype).reshape(shape)
