"""What a fit will need, before it starts: bytes from the sizes, seconds from a short measurement (`duration.py`).

Per row (s bytes a number, a bytes the number of an anchor, L slices of k weights, r = 3K + 1 columns of T and of S):

    graph L (k (a + s) + 1)     T and S  2 s r     U and its start  2 s K     results  8 K + 2 s K + 56

With a coupling there are five factors in each of the L slices instead of U, and S is a second copy of the graph.

In memory all of it is there at once. On disk it is scratch space, and memory holds a few blocks and the labels.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from joblib import effective_n_jobs

from manyview.cluster.semi_ntf.duration import seconds
from manyview.cluster.semi_ntf.settings import Settings
from manyview.cluster.semi_ntf.shape import Shape, shape_of
from manyview.engine.dask import memory_of_workers
from manyview.engine.room import available_memory
from manyview.engine.rows import even_edges
from manyview.views import Views
from manyview.views.check import is_elsewhere
from manyview.views.geometry import WORD_RANKS

ROW_BYTES_ON_DISK = 60  # labels, and what else has an entry a row in memory
DISK_FACTOR, DASK_FACTOR = 1.1, 1.7  # reading and writing blocks; moving them
DECODED = 300e6  # bytes a second of Parquet that are read and copied to scratch
COLUMN_BYTES, GROUP_ROWS = 14, 100_000  # of a row of a column while a row group is decoded, and rows of a usual one
DASK_SECONDS = 3.2  # some 65 passes that the scheduler takes .05 s for, whatever is in them


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
    shape = shape_of(settings, n_samples, widths)
    rooms = _rooms(settings, shape, taken_over, block_rows=block_rows, n_threads=n_threads)
    took = seconds(settings, shape, n_threads)
    by_engine = {
        "memory": took,
        "disk": DISK_FACTOR * took + source / DECODED,
        "dask": DASK_SECONDS + DASK_FACTOR * took,
    }
    return Estimate({name: Cost(*rooms[name], by_engine[name]) for name in rooms}, available_memory())


def require_room(name: str, settings: Settings, views: Views, estimator: Any, /) -> None:
    """Refuse a fit that would be killed for want of memory, or stop for want of disk, and say what would work."""
    n_threads = int(effective_n_jobs(-1 if estimator.n_jobs is None else estimator.n_jobs))
    # sparse tables are only ever dense as scores
    widths = [min(t.shape[1], max(WORD_RANKS)) if sp.issparse(t) else t.shape[1] for t in views.tables]
    shape = shape_of(settings, len(views), widths)
    rooms = _rooms(settings, shape, _taken_over(views), block_rows=estimator.block_rows, n_threads=n_threads)
    memory, scratch = rooms["disk"]
    in_files = f"engine='disk' needs {_said(memory)} of memory and {_said(scratch)} of scratch space"
    free = memory_of_workers() if name == "dask" else available_memory()
    needed = rooms[name].memory
    if free is not None and needed > free:
        where, instead = {
            "memory": ("", f"{in_files}, best with views in .npy or Parquet files."),
            "disk": ("", "Lower block_rows or n_jobs, or spread the rows over machines with engine='dask'."),
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


def _said(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


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
    settings: Settings, shape: Shape, taken_over: dict[str, int], *, block_rows: int, n_threads: int
) -> dict[str, Room]:
    """Of every engine; on a cluster all workers together."""
    rows = shape.n_rows * _row_bytes(settings, shape)
    fixed = _work_bytes(settings, shape, n_threads, block_rows)
    decoded = COLUMN_BYTES * min(shape.n_rows, GROUP_ROWS) * sum(shape.widths) if taken_over["disk"] else 0
    return {
        "memory": Room(fixed + rows + taken_over["memory"], 0),
        "disk": Room(max(fixed, decoded) + ROW_BYTES_ON_DISK * shape.n_rows, rows + taken_over["disk"]),
        "dask": Room(max(fixed, decoded) + rows + taken_over["dask"], 0),
    }


def _row_bytes(settings: Settings, shape: Shape) -> int:
    item, K, L, k = shape.item, shape.K, shape.L, shape.k
    graph, T = L * (k * (shape.number + item) + 1), item * (3 * K + 1)
    if settings.shared:
        return graph + 2 * T + 2 * item * K + 8 * K + 2 * item * K + 56
    sliced = L * k * (4 + item)  # S as matrices of its own
    return graph + sliced + T + 2 * item * 5 * L * K + 8 * K + item * (L + 1) * K + 56


def _work_bytes(settings: Settings, shape: Shape, n_threads: int, block_rows: int) -> int:
    """Of what is there for a moment: blocks that threads are at work on, sampled rows, M x M matrices."""
    stretches = even_edges(shape.n_rows, block_rows)
    at_work = min(n_threads, len(stretches)) * max(stop - start for start, stop in stretches)
    clusters = shape.K * (12 if settings.shared else 5 * shape.L)
    of_row = 6 * shape.L * shape.k + clusters + 2 * max(shape.widths)
    sample = shape.n_sampled * sum(shape.scores)
    return int(shape.item * (at_work * of_row + 1.4 * sample)) + 6 * 8 * shape.M**2
