"""What a fit needs, before it starts: bytes (`footprint.py`), and seconds from a short measurement (`duration.py`)."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from joblib import effective_n_jobs

from manyview.cluster.semi_ntf.duration import duration
from manyview.cluster.semi_ntf.engines import client_is_active
from manyview.cluster.semi_ntf.footprint import decoding, footprint
from manyview.cluster.semi_ntf.settings import Settings
from manyview.cluster.semi_ntf.shape import Shape, shape_of
from manyview.engine.dask import memory_of_workers, seconds_of_a_pass
from manyview.engine.room import available_memory
from manyview.geometry.fit import WORD_RANKS
from manyview.views import Views
from manyview.views.check import is_elsewhere

DISK_FACTOR, DASK_FACTOR = 1.1, 1.7  # reading and writing blocks; moving them
DECODED = 300e6  # bytes a second of Parquet that are read and copied to scratch
PASSES, PASS_SECONDS = 100, 0.05  # empty ones that take a scheduler as long as a usual fit; of one, with none to ask


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
    settings: Settings,
    n_samples: int,
    view_widths: Sequence[int],
    /,
    *,
    group_rows: int | None,
    block_rows: int,
    n_jobs: int | None,
) -> Estimate:
    """Needs of a fit in memory, from disk and on a cluster with as many threads as here."""
    widths = [int(width) for width in view_widths]
    if n_samples < 1 or not widths or min(widths) < 1:
        raise ValueError(f"estimate needs rows and columns; got n_samples={n_samples}, view_widths={widths}.")
    n_threads = int(effective_n_jobs(-1 if n_jobs is None else n_jobs))
    source = n_samples * sum(widths) * np.dtype(np.float32).itemsize
    taken_over = {"memory": 0, "disk": source if group_rows else 0, "dask": source}
    shape = shape_of(settings, n_samples, widths)
    decoded = decoding(sum(widths), min(n_samples, group_rows)) if group_rows else 0
    rooms = _rooms(settings, shape, taken_over, decoded, block_rows=block_rows, n_threads=n_threads)
    took = duration(settings, shape, n_threads)
    a_pass = seconds_of_a_pass(n_samples, block_rows) if client_is_active() else PASS_SECONDS
    seconds = {
        "memory": took.sample + took.rows,
        "disk": took.sample + DISK_FACTOR * took.rows + taken_over["disk"] / DECODED,
        "dask": PASSES * a_pass + took.sample + DASK_FACTOR * took.rows,
    }
    return Estimate({name: Cost(*rooms[name], seconds[name]) for name in rooms}, available_memory())


def require_room(name: str, settings: Settings, views: Views, estimator: Any, /) -> None:
    """Refuse a fit that would be killed for want of memory, or stop for want of disk, and say what would work."""
    n_threads = int(effective_n_jobs(-1 if estimator.n_jobs is None else estimator.n_jobs))
    # sparse tables are only ever dense as scores
    widths = [min(t.shape[1], max(WORD_RANKS)) if sp.issparse(t) else t.shape[1] for t in views.tables]
    shape = shape_of(settings, len(views), widths, source=max(t.dtype.itemsize for t in views.tables))
    rooms = _rooms(
        settings, shape, _taken_over(views), _decoded(views), block_rows=estimator.block_rows, n_threads=n_threads
    )
    memory, scratch = rooms["disk"]
    in_files = f"engine='disk' needs {_said(memory)} of memory and {_said(scratch)} of scratch space"
    free = memory_of_workers() if name == "dask" else available_memory()
    needed = rooms[name].memory
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


def _decoded(views: Views) -> int:
    """Bytes while the tables in Parquet are read."""
    slow = [table for table in views.tables if getattr(table, "slow", False)]
    return sum(decoding(t.shape[1], _longest(t), source=t.dtype.itemsize) for t in slow)


def _longest(table: Any) -> int:
    return max(stop - start for start, stop in table.pieces)


def _size(table: Any) -> int:
    if sp.issparse(table):
        return int(table.data.nbytes + table.indices.nbytes + table.indptr.nbytes)
    return int(table.shape[0] * table.shape[1] * table.dtype.itemsize)


def _rooms(
    settings: Settings, shape: Shape, taken_over: dict[str, int], decoded: int, *, block_rows: int, n_threads: int
) -> dict[str, Room]:
    """Of every engine; on a cluster all workers together."""
    need = footprint(settings, shape, block_rows=block_rows, n_threads=n_threads)
    return {
        "memory": Room(need.in_memory() + taken_over["memory"], 0),
        "disk": Room(need.on_disk(shape.n_rows, decoded), need.rows + taken_over["disk"]),
        "dask": Room(need.on_workers(decoded) + taken_over["dask"], 0),
    }
