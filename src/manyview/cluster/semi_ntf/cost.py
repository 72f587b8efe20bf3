"""What a fit will need, before it starts: bytes from the shapes, seconds from a short measurement on this machine.

Per row (s bytes a number, a bytes the number of an anchor, L slices of k weights, r = 3K + 1 columns of T and of S):

    graph L (k (a + s) + 1)     T and S  2 s r     W  3 s K  (its start, two generations)     results  8 K + 2 s K + 56

With a coupling there are five factors in each of the L slices instead of W, and S is a second copy of the graph.

In memory all of it is there at once. On disk it is scratch space, and memory holds a few blocks and the labels.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

from manyview.anchors.graph import AnchorGraph, SliceAnchors
from manyview.anchors.search import number_type
from manyview.cluster.semi_ntf.settings import Settings
from manyview.engine.dask import memory_of_workers
from manyview.engine.room import available_memory
from manyview.kernels.arrays import FloatArray
from manyview.views import Views
from manyview.views.blocks import RowBlock
from manyview.views.check import is_elsewhere
from manyview.views.geometry import CLIP, Geometry, Scaling
from manyview.views.scaling import Centred, Standardised

FIXED_BYTES = 50_000_000  # sample, anchors, Gram matrices
WORK_BYTES = 2_200  # of a row in a block that a thread is at work on
ROW_BYTES_ON_DISK = 60  # labels, and what else has an entry a row in memory
GEOMETRIES = 2
SAMPLED_ROWS = 20_000
# in units of a row's products with all anchors:
SAMPLE_ALONE, SAMPLE_AT_ONCE = 18, 30  # anchors, weights and start of a draw, a sampled row, by one and by all threads
MOST_AT_ONCE = 4  # threads that these have work for
SAMPLE_AT_LEAST = 1_500  # rows whose time a draw takes in any case
OTHER_PASSES = 2.1  # statistics, start and labels, a row
ITERATION = 0.02  # a row and slice
USUAL_ITERATIONS = 35
DISK_FACTOR, DASK_FACTOR = 1.15, 1.5  # reading and writing blocks; moving and scheduling them
CALIBRATION_ROWS, CALIBRATIONS = 4096, 3


@dataclass(frozen=True)
class Cost:
    """Needs of one engine."""

    memory: int  # bytes, peak of the process beyond the input in memory; with "dask" of all workers together
    scratch: int  # bytes on disk
    seconds: float


@dataclass(frozen=True)
class Estimate:
    """Needs of every engine, and how much memory there is."""

    engines: dict[str, Cost]
    available: int | None  # bytes of memory that are free now; None: not known on this system

    def __getitem__(self, engine: str) -> Cost:
        return self.engines[engine]

    def __str__(self) -> str:
        lines = [
            f"{name:8}{cost.memory / 1e9:10.2f} GB memory{cost.scratch / 1e9:10.2f} GB scratch{cost.seconds:10.0f} s"
            for name, cost in self.engines.items()
        ]
        return "\n".join(lines)


class Room(NamedTuple):
    """Bytes that a fit takes."""

    memory: int
    scratch: int


def estimate(
    settings: Settings, n_samples: int, view_widths: Sequence[int], /, *, block_rows: int, n_jobs: int | None
) -> Estimate:
    """Needs of a fit in memory, from disk and on a cluster with as many threads as here."""
    widths = [int(width) for width in view_widths]
    if n_samples < 1 or not widths or min(widths) < 1:
        raise ValueError(f"estimate needs rows and columns; got n_samples={n_samples}, view_widths={widths}.")
    n_threads = int(effective_n_jobs(-1 if n_jobs is None else n_jobs))
    source = n_samples * sum(widths) * np.dtype(settings.dtype).itemsize
    taken_over = {"memory": 0, "disk": source, "dask": source}
    rooms = _rooms(settings, n_samples, len(widths), taken_over, block_rows=block_rows, n_threads=n_threads)
    seconds = _seconds(settings, n_samples, widths, n_threads)
    factors = {"memory": 1, "disk": DISK_FACTOR, "dask": DASK_FACTOR}
    return Estimate({name: Cost(*rooms[name], seconds * factors[name]) for name in rooms}, available_memory())


def require_room(name: str, settings: Settings, views: Views, estimator: Any, /) -> None:
    """Refuse a fit that would be killed for want of memory, or stop for want of disk, and say what would work."""
    n_threads = int(effective_n_jobs(-1 if estimator.n_jobs is None else estimator.n_jobs))
    rooms = _rooms(
        settings,
        len(views),
        len(views.tables),
        _taken_over(views),
        block_rows=estimator.block_rows,
        n_threads=n_threads,
    )
    memory, scratch = rooms["disk"]
    in_files = f"engine='disk' needs {_gb(memory)} of memory and {_gb(scratch)} of scratch space"
    free = memory_of_workers() if name == "dask" else available_memory()
    needed = rooms[name].memory
    if free is not None and needed > free:
        where, instead = {
            "memory": ("", f"{in_files}, best with views in .npy or Parquet files."),
            "disk": ("", "Lower block_rows or n_jobs, or spread the rows over machines with engine='dask'."),
            "dask": (" on the workers", f"Start more workers; {in_files} on one machine."),
        }[name]
        raise MemoryError(f"This fit needs about {_gb(needed)} of memory and {_gb(free)} are free{where}. {instead}")
    if name == "disk":
        directory = tempfile.gettempdir() if estimator.scratch is None else estimator.scratch
        space = shutil.disk_usage(directory).free
        if scratch > space:
            raise OSError(
                f"This fit needs about {_gb(scratch)} of scratch space and {str(directory)!r} has "
                f"{_gb(space)}: name another directory (scratch=), or use engine='dask'."
            )


def _gb(size: float) -> str:
    return f"{size / 1e9:.1f} GB"


def _taken_over(views: Views) -> dict[str, int]:
    """Bytes of the input that an engine copies: what is elsewhere, what is slow to read again, everything."""
    sizes = [_size(table) for table in views.tables]
    return {
        "memory": sum(size for size, table in zip(sizes, views.tables, strict=True) if is_elsewhere(table)),
        "disk": sum(sizes) if any(getattr(table, "slow", False) for table in views.tables) else 0,
        "dask": sum(sizes),
    }


def _size(table: Any) -> int:
    if sp.issparse(table):
        return int(table.data.nbytes + table.indices.nbytes + table.indptr.nbytes)
    return int(table.shape[0] * table.shape[1] * table.dtype.itemsize)


def _rooms(
    settings: Settings, n_samples: int, n_views: int, taken_over: dict[str, int], *, block_rows: int, n_threads: int
) -> dict[str, Room]:
    """Of every engine; on a cluster all workers together."""
    rows = n_samples * _row_bytes(settings, n_views)
    fixed = FIXED_BYTES + n_threads * min(block_rows, n_samples) * WORK_BYTES
    return {
        "memory": Room(fixed + rows + taken_over["memory"], 0),
        "disk": Room(fixed + ROW_BYTES_ON_DISK * n_samples, rows + taken_over["disk"]),
        "dask": Room(fixed + rows + taken_over["dask"], 0),
    }


def _n_slices(settings: Settings, n_views: int) -> int:
    geometries = GEOMETRIES if settings.scale == "auto" else 1
    return geometries * (n_views + (n_views > 1 and not settings.paper))


def _row_bytes(settings: Settings, n_views: int) -> int:
    item, K = np.dtype(settings.dtype).itemsize, settings.n_clusters
    L = _n_slices(settings, n_views)
    k, number = settings.neighbours[0], number_type(settings.n_anchors)().itemsize
    graph, T = L * (k * (number + item) + 1), item * (3 * K + 1)
    if settings.shared:
        return graph + 2 * T + 3 * item * K + 8 * K + 2 * item * K + 56
    sliced = L * k * (4 + item)  # S as matrices of its own
    return graph + sliced + T + 2 * item * 5 * L * K + 8 * K + item * (L + 1) * K + 56


def _seconds(settings: Settings, n_samples: int, widths: list[int], n_threads: int) -> float:
    graph, products = _row_seconds(settings, widths, n_threads)
    iterations = min(settings.max_iter, USUAL_ITERATIONS) * (1 if settings.shared else _n_slices(settings, len(widths)))
    sample = settings.n_draws * (SAMPLE_ALONE + SAMPLE_AT_ONCE / min(n_threads, MOST_AT_ONCE)) * products
    every = graph + (OTHER_PASSES + ITERATION * iterations) * products
    return sample * (SAMPLE_AT_LEAST + min(n_samples, SAMPLED_ROWS)) + every * n_samples / n_threads


def _row_seconds(settings: Settings, widths: list[int], n_threads: int) -> tuple[float, float]:
    """Of a row's graph, and of its products with all anchors: measured on blocks of random numbers."""
    rng = np.random.default_rng(0)
    tables: list[FloatArray] = [
        rng.standard_normal((CALIBRATION_ROWS, width)).astype(settings.dtype) for width in widths
    ]
    clipped: tuple[Scaling, ...] = tuple(
        Standardised(np.zeros(w), np.ones(w), np.ones(w, dtype=bool), CLIP) for w in widths
    )
    centred: tuple[Scaling, ...] = tuple(Centred(np.zeros(w), np.ones(w, dtype=bool)) for w in widths)
    maps = (clipped, centred) if settings.scale == "auto" else (clipped,)
    kinds, nowhere = ("measurements",) * len(widths), np.zeros(len(widths), dtype=bool)
    geometry = Geometry(maps, np.ones((len(maps), len(widths))), kinds, (), nowhere)
    m, dtype = settings.n_anchors, np.dtype(settings.dtype)
    anchors = tuple(SliceAnchors(rng.standard_normal((m, w)), np.ones(m, dtype=bool)) for w in widths)
    joint = len(widths) > 1 and not settings.paper
    graph = AnchorGraph(geometry, (anchors,) * len(maps), (), m, settings.neighbours, joint, settings.dtype)
    ready = len(maps) * [of_view.ready(x, dtype=dtype) for of_view, x in zip(anchors, tables, strict=True)]
    block = RowBlock(0, tuple(tables))

    def products() -> None:
        room = np.empty((CALIBRATION_ROWS, m), dtype)
        for part in ready:
            part.distances(slice(None), out=room)

    of_graph, of_products = (_seconds_of(work, n_threads) for work in (lambda: graph(block), products))
    return of_graph / CALIBRATION_ROWS, of_products / CALIBRATION_ROWS


def _seconds_of(work: Callable[[], Any], n_threads: int) -> float:
    """Of a thread while all are at work."""
    seconds = []
    with ThreadpoolController().limit(limits=1), ThreadPoolExecutor(n_threads) as pool:
        for _ in range(1 + CALIBRATIONS):
            start = time.perf_counter()
            wait([pool.submit(work) for _ in range(n_threads)])
            seconds.append(time.perf_counter() - start)
    return float(np.median(seconds[1:]))
