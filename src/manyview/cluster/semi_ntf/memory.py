"""Refuse a fit for which there is not enough memory or disk space, before it starts.

There is one formula for each engine. A row keeps its graph (L slices of k weights and anchor numbers), 3K + 1 columns
of T and of S, U and its start, and the results; with a coupling, five factors in every slice instead of U. The three
stages of a fit (sample, graph, factorization) hold more for a moment: the factors below were fitted to the measured
peaks of 54 shapes with 500 to 300,000 rows, 3 to 1,500 columns, 2 to 80 clusters and one to four threads.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from math import hypot
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from joblib import effective_n_jobs

from manyview.anchors.search import number_type
from manyview.cluster.semi_ntf.graphs import SAMPLED_ROWS
from manyview.cluster.semi_ntf.settings import Settings
from manyview.engine.dask import memory_of_workers
from manyview.engine.room import available_memory
from manyview.engine.rows import even_edges
from manyview.views import Views
from manyview.views.arrow import COLUMNS_AT_ONCE, NUMBERS_AT_ONCE, PIECE_ROWS, WHOLE_ROWS
from manyview.views.check import is_elsewhere
from manyview.views.geometry import WORD_RANKS

BYTES_PER_THREAD = 7_000_000
BYTES_PER_LABEL = 25
BYTES_PER_DECODED_NUMBER, MAX_BYTES_PER_DECODED_COLUMN, PARQUET_READER_BYTES = 20, 3_300_000, 25_000_000
COPIES_OF_SAMPLE, COPIES_OF_SAMPLED_GRAPH, NUMBERS_PER_SAMPLED_ANCHOR, COPIES_OF_SPECTRUM = 2.4, 2.4, 1.3, 3.5
COPIES_OF_BLOCK, NUMBERS_PER_WEIGHT, NUMBERS_PER_CLUSTER, COPIES_OF_COUPLED_FACTORS = 1.6, 8.0, 18, 3.2
DISK_OVERHEAD_FACTOR = 1.06


class Tables(NamedTuple):
    """Bytes of the input that each engine copies, and bytes that reading Parquet takes."""

    memory: int = 0
    disk: int = 0
    dask: int = 0
    decoding: int = 0


class Need(NamedTuple):
    """Bytes of memory and of scratch space that a fit takes; with Dask, on all workers together."""

    memory: int
    scratch: int = 0


class Stages(NamedTuple):
    """Bytes that a fit keeps for all rows, and bytes that each stage holds for a moment."""

    graph: int
    rows: int
    sampling: float
    building: float
    reading: float
    factorizing: float


def require_room(name: str, settings: Settings, views: Views, estimator: Any, /) -> None:
    """Raise an error if the fit needs more memory or disk space than is free, and say what would work."""
    # The fit only densifies the scores of a sparse table.
    widths = [min(t.shape[1], max(WORD_RANKS)) if sp.issparse(t) else t.shape[1] for t in views.tables]
    number_bytes = max(t.dtype.itemsize for t in views.tables)
    needs = estimate_needs(settings, len(views), widths, tables_of(views), estimator, number_bytes=number_bytes)
    memory, scratch = needs["disk"]
    in_files = f"engine='disk' needs {_said(memory)} of memory and {_said(scratch)} of scratch space"
    free = memory_of_workers() if name == "dask" else available_memory()
    needed = needs[name].memory
    if free is not None and needed > free:
        smaller = "Lower block_rows or n_jobs, or spread the rows over machines with engine='dask'."
        from_files = f"{in_files}, best with views in .npy or Parquet files."
        where, instead = {
            "memory": ("", from_files if memory <= free else smaller),
            "disk": ("", smaller),
            "dask": (" on the workers", f"Start more workers; {in_files} on one machine."),
        }[name]
        raise MemoryError(
            f"This fit needs about {_said(needed)} of memory and {_said(free)} are free{where}. {instead}"
        )
    if name == "disk":
        directory = tempfile.gettempdir() if estimator.scratch is None else estimator.scratch
        space = shutil.disk_usage(directory).free
        if scratch > space:
            raise OSError(
                f"This fit needs about {_said(scratch)} of scratch space and {str(directory)!r} has "
                f"{_said(space)}: name another directory (scratch=), or use engine='dask'."
            )


def estimate_needs(
    settings: Settings, n_rows: int, widths: Sequence[int], tables: Tables, estimator: Any, /, *, number_bytes: int = 4
) -> dict[str, Need]:
    """Estimate what each engine needs for views of these widths."""
    n_threads = int(effective_n_jobs(-1 if estimator.n_jobs is None else estimator.n_jobs))
    blocks = even_edges(n_rows, estimator.block_rows)
    rows_at_work = min(n_threads, len(blocks)) * max(stop - start for start, stop in blocks)
    need = _stages(settings, n_rows, widths, rows_at_work, number_bytes)
    threads, decoding = n_threads * BYTES_PER_THREAD, tables.decoding
    reader = PARQUET_READER_BYTES if decoding else 0
    # The allocator gives back only a part between two stages: the peak lies between the largest stage and their sum.
    in_memory = threads + hypot(need.sampling, need.graph + need.building, need.rows + need.reading)
    labels = BYTES_PER_LABEL * n_rows
    on_disk = threads + hypot(decoding, need.sampling, need.building, labels + need.factorizing)
    on_workers = threads + hypot(n_threads * decoding, need.graph + need.building, need.rows + need.factorizing)
    return {
        "memory": Need(int(in_memory) + tables.memory),
        "disk": Need(int(DISK_OVERHEAD_FACTOR * on_disk) + reader, need.rows + tables.disk),
        "dask": Need(int(on_workers) + n_threads * reader + tables.dask),
    }


def tables_of(views: Views, /) -> Tables:
    """Count the bytes that engines copy: memory loads files, disk decodes Parquet once, and workers hold everything."""
    sizes = [_size(table) for table in views.tables]
    slow = [table for table in views.tables if getattr(table, "slow", False)]
    return Tables(
        memory=sum(size for size, table in zip(sizes, views.tables, strict=True) if is_elsewhere(table)),
        disk=sum(sizes) if slow else 0,
        dask=sum(sizes),
        decoding=sum(decoding(t.shape[1], max(b - a for a, b in t.pieces), t.dtype.itemsize) for t in slow),
    )


def decoding(n_columns: int, group_rows: int, number_bytes: int = 4, /) -> int:
    """Estimate the bytes that reading Parquet with such row groups takes: one piece, and pages of some columns."""
    column = min(BYTES_PER_DECODED_NUMBER * group_rows, MAX_BYTES_PER_DECODED_COLUMN)
    if group_rows > WHOLE_ROWS:
        return n_columns * column
    at_once = min(max(NUMBERS_AT_ONCE // group_rows, 1), COLUMNS_AT_ONCE, n_columns)
    return number_bytes * min(group_rows, PIECE_ROWS) * n_columns + at_once * column


def _stages(settings: Settings, n_rows: int, widths: Sequence[int], rows_at_work: int, number_bytes: int) -> Stages:
    """Estimate the bytes of every stage; s is the size of a number that is kept per row."""
    s, m, k, K = np.dtype(settings.dtype).itemsize, settings.n_anchors, settings.neighbours[0], settings.n_clusters
    n_geometries = 2 if settings.scale == "auto" else 1
    L = n_geometries * (len(widths) + (len(widths) > 1 and not settings.paper))
    graph, columns = L * (k * (number_type(m)().itemsize + s) + 1), number_bytes * sum(widths)
    T, results, coupled_factors = s * (3 * K + 1), 8 * K + 56, s * 5 * L * K
    if settings.shared:
        kept = 2 * T + 4 * s * K + results
        reading = factorizing = s * NUMBERS_PER_CLUSTER * K
    else:
        kept = L * k * (4 + s) + T + 2 * coupled_factors + s * (L + 1) * K + results
        reading, factorizing = 0, COPIES_OF_COUPLED_FACTORS * coupled_factors
    sampled = COPIES_OF_SAMPLE * columns + NUMBERS_PER_SAMPLED_ANCHOR * s * m + COPIES_OF_SAMPLED_GRAPH * graph
    return Stages(
        graph=n_rows * graph,
        rows=n_rows * (graph + kept),
        sampling=min(n_rows, SAMPLED_ROWS) * sampled + COPIES_OF_SPECTRUM * 8 * (n_geometries * m) ** 2,
        building=rows_at_work * (NUMBERS_PER_WEIGHT * s * L * k + COPIES_OF_BLOCK * columns),
        reading=rows_at_work * reading,
        factorizing=rows_at_work * factorizing,
    )


def _size(table: Any) -> int:
    if sp.issparse(table):
        return int(table.data.nbytes + table.indices.nbytes + table.indptr.nbytes)
    return int(table.shape[0] * table.shape[1] * table.dtype.itemsize)


def _said(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"
