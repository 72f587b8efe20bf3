"""Seconds of a fit, before it starts: operations from the shapes, their speed from a short measurement.

Four things are measured: the graph of a few rows, k-means for the anchors of some, a row's share in A'A, and a product
of matrices, which gives the time of an operation. The number of operations of every other stage is a formula in the
sizes with one factor. Factors of stages over all rows were found by measuring fits of 33 shapes (1,000 to 300,000 rows,
5 to 5,000 columns, 3 to 100 clusters, 100 to 2,000 anchors), those of the sample by 20 random ones: `docs/scale.md`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from manyview.anchors.graph import AnchorGraph, SliceAnchors
from manyview.anchors.selection import kmeans_groups
from manyview.cluster.semi_ntf.settings import Settings
from manyview.cluster.semi_ntf.shape import Shape
from manyview.cluster.semi_ntf.start import READING_ROWS, READING_ROWS_PER_CLUSTER
from manyview.engine.blas import one_blas_thread
from manyview.geometry.fit import CLIP, Geometry
from manyview.geometry.partial_whitening import FORMED_WIDTH, PartiallyWhitened
from manyview.geometry.scaling import Centered, Standardized
from manyview.views.blocks import RowBlock

USUAL_ITERATIONS = 35
# operations, each in the unit that stands behind it
STATISTICS = 500  # a number of the input
WIDE = 8_000  # a number of the sample in a view whose products Y'Y are too large to form
SCORES = 25  # a number and score of it, a draw
EIGENVECTORS = 1.05  # M³
READINGS = 55_000  # a row on which they are clustered, times K^1.5
MASSES = 10_000  # a sampled row and its anchors in all slices
ONCE, DRAW = 6e9, 1e10  # a fit, and a draw, in any case
WALK = 105  # a row, its anchors in all slices, and 3K + 1 vectors
SWEEP = 0.75  # a row, entry of 14 K x K, and iteration, in single precision
COUPLED = 32  # the same of coupled slices
ANCHORS, ANCHOR_GROWTH = 1.05, 0.5  # of the time that k-means takes for random numbers; its power of the rows
ANCHOR_ROWS = 5_000  # on which that is measured
AGAIN = 1.25  # of several views one may be noise, and the sample then takes up to twice as long: between the two
CALIBRATIONS, CALIBRATION_ROWS, CALIBRATION_NUMBERS = 8, 2048, 4_000_000
GRAM_ROWS, GRAM_OPERATIONS = 4096, 4e9  # rows of a block of the sample; fewer where that would take too long
PRODUCTS, PRODUCT = 24, 256  # so many, of so many rows and columns: long enough for the system to spread threads


class Duration(NamedTuple):
    """Seconds of a fit in memory: of what is decided on the sample, beside the caller, and of passes over all rows."""

    sample: float
    rows: float


class Operations(NamedTuple):
    """All but anchors, graph and the sums that spectra come from: what one thread does, and all together."""

    spectra: int
    alone: float
    sample: float
    rows: float


def duration(settings: Settings, shape: Shape, n_threads: int, /) -> Duration:
    """Of a fit in memory."""
    one = _seconds_of(_products, n_threads) / (2 * PRODUCT**3 * PRODUCTS)
    row = _row_seconds(settings, shape, n_threads) / n_threads
    count = operations(settings, shape)
    spectra = count.spectra * shape.n_sampled * _gram_seconds(settings, shape, n_threads) / n_threads
    a_draw = row * shape.n_sampled + ANCHORS * _anchor_seconds(settings, shape, n_threads)
    again = AGAIN if len(shape.widths) > 1 and not settings.paper else 1.0
    more_rows = shape.n_rows if shape.n_rows > shape.n_sampled else 0
    return Duration(
        again * (one * (count.alone + count.sample / n_threads) + spectra + settings.n_draws * a_draw),
        one * count.rows / n_threads + row * more_rows,
    )


def operations(settings: Settings, shape: Shape, /) -> Operations:
    """From the sizes."""
    N, S, G, L, M, k, K = shape.n_rows, shape.n_sampled, shape.geometries, shape.L, shape.M, shape.k, shape.K
    draws, precision = settings.n_draws, shape.item / 8
    read = draws * (2 if len(shape.widths) > 1 else 1)  # all slices, and the joint tables alone
    spectra = read + (N > S)
    wide = sum(width for width in shape.widths if width > FORMED_WIDTH) if settings.scale == "auto" else 0
    scored = sum(w * d for w, d in zip(shape.widths, shape.scores, strict=True)) if settings.scale == "auto" else 0
    read_rows = min(S, max(READING_ROWS, READING_ROWS_PER_CLUSTER * K))
    iterations = min(settings.max_iter, USUAL_ITERATIONS)
    if settings.shared:
        factorization = SWEEP * 2 * precision * (14 * K * K + 50)
    else:
        factorization = COUPLED * precision * L * (2 * K * k + 10 * K * K)
    return Operations(
        spectra=spectra,
        alone=EIGENVECTORS * spectra * M**3 + DRAW * draws + ONCE,
        sample=precision * S * G * (WIDE * wide + SCORES * draws * scored)
        + MASSES * read * S * L * k
        + READINGS * (read + 1) * read_rows * K**1.5,  # and once more for how stable the clusters are
        rows=N * (STATISTICS * sum(shape.widths) + WALK * L * k * (3 * K + 1) + factorization * iterations),
    )


def _products() -> None:
    A = np.ones((PRODUCT, PRODUCT))
    for _ in range(PRODUCTS):
        A @ A


def _anchor_seconds(settings: Settings, shape: Shape, n_threads: int) -> float:
    """Of k-means on the sampled rows, once a geometry, measured on some rows of random numbers."""
    n_rows, n_scores = min(shape.n_sampled, ANCHOR_ROWS), sum(shape.scores)
    if not isinstance(settings.anchors, str) or settings.anchors != "kmeans" or shape.m >= n_rows:
        return 0.0
    table = np.random.default_rng(0).standard_normal((n_rows, n_scores)).astype(settings.dtype)

    def work() -> Any:
        return kmeans_groups(table, np.arange(n_rows), shape.m, seed=0)

    at_once = min(n_threads, shape.geometries)
    seconds = _seconds_of(work, at_once, times=2) * shape.geometries / at_once
    return seconds * (shape.n_sampled / n_rows) ** ANCHOR_GROWTH


def _gram_seconds(settings: Settings, shape: Shape, n_threads: int) -> float:
    """Of a row's share in A'A."""
    n_rows = int(min(max(GRAM_OPERATIONS / shape.M**2, 256), GRAM_ROWS, shape.n_sampled))
    entries = shape.L * shape.k
    columns = np.random.default_rng(0).integers(0, shape.M, n_rows * entries, dtype=np.int32)
    weights = np.full(n_rows * entries, 1 / entries, settings.dtype)
    rows = sp.csr_array((weights, columns, np.arange(0, len(columns) + 1, entries)), shape=(n_rows, shape.M))

    def work() -> Any:
        A = rows.toarray()
        return A.T @ A

    return _seconds_of(work, n_threads, times=2) / n_rows


def _row_seconds(settings: Settings, shape: Shape, n_threads: int) -> float:
    """Of a row's graph, measured on blocks of random numbers."""
    rng = np.random.default_rng(0)
    n_rows = min(max(CALIBRATION_NUMBERS // sum(shape.widths), 64), CALIBRATION_ROWS)
    m, dtype = shape.m, np.dtype(settings.dtype)

    def random(*sizes: int) -> Any:
        return rng.standard_normal(sizes).astype(dtype)

    def scaling(kind: int, width: int, rank: int) -> Any:
        zeros, ones, all_columns = np.zeros(width), np.ones(width), np.ones(width, dtype=bool)
        scale = Centered(zeros, all_columns) if kind else Standardized(zeros, ones, all_columns, CLIP)
        if settings.scale != "auto":
            return scale
        return PartiallyWhitened(scale, random(width, rank), np.zeros(rank, dtype), unit=False)

    views = tuple(zip(shape.widths, shape.scores, strict=True))
    maps = tuple(tuple(scaling(kind, *view) for view in views) for kind in range(shape.geometries))
    kinds, nowhere = ("measurements",) * len(views), np.zeros(len(views), dtype=bool)
    geometry = Geometry(maps, np.ones((len(maps), len(views)), dtype), kinds, (), nowhere)
    anchors = tuple(SliceAnchors(random(m, rank), np.ones(m, dtype=bool)) for rank in shape.scores)
    joint = len(views) > 1 and not settings.paper
    graph = AnchorGraph(geometry, (anchors,) * len(maps), (), m, settings.neighbors, joint, settings.dtype)
    block = RowBlock(0, tuple(random(n_rows, width) for width in shape.widths))
    return _seconds_of(lambda: graph(block), n_threads) / n_rows


def _seconds_of(work: Callable[[], Any], n_threads: int, *, times: int = CALIBRATIONS) -> float:
    """Of a thread while all are at work; the fastest time, because it takes many to tell a usual one."""
    seconds = []
    with one_blas_thread(), ThreadPoolExecutor(n_threads) as pool:
        for _ in range(times + 1):  # the first time is for nothing
            start = time.perf_counter()
            for done in [pool.submit(work) for _ in range(n_threads)]:
                done.result()
            seconds.append(time.perf_counter() - start)
    return min(seconds[1:])
