"""Refuse a fit for which there is not enough memory or disk space, before it starts.

A fit keeps, per row, its graph (L slices of k weights and anchor numbers), 3K + 1 columns of T and of S, U and its
start, and the results; with a coupling it keeps five factors per slice instead of U. The three stages of a fit (sample,
graph, factorization) hold more for a moment. The factors of `Cost` were fitted to the measured peaks of 54 shapes with
500 to 300,000 rows, 3 to 1,500 columns, 2 to 80 clusters and one to four threads.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp
from joblib import effective_n_jobs

from manyview.anchors.graph import number_type
from manyview.cluster.anchor_graph.candidates import by_lanczos, n_vectors
from manyview.cluster.anchor_graph.context import Settings
from manyview.engine import ENGINES, FitBytes
from manyview.engine.dask import memory_of_workers
from manyview.engine.rows import even_edges
from manyview.kernels.row_graph import ROWS_AT_ONCE
from manyview.views import Views
from manyview.views.arrow import COLUMNS_AT_ONCE, NUMBERS_AT_ONCE, PIECE_ROWS, WHOLE_ROWS
from manyview.views.container import is_elsewhere

Factors = Literal["none", "shared", "coupled"]  # of a factorization, beside the consensus

# files of a control group: its limit, its usage, and the lines of memory.stat that count cached files
GROUP_FILES = {
    "v2": ("memory.max", "memory.current", ("active_file", "inactive_file")),
    "v1": ("memory.limit_in_bytes", "memory.usage_in_bytes", ("total_active_file", "total_inactive_file")),
}


class Cost(NamedTuple):
    """Factors of the estimate, fitted together to the measured peaks."""

    thread: int = 7_000_000  # bytes
    label: int = 25  # bytes
    sample_copies: float = 2.4  # of the sampled rows of all views,
    sampled_graph_copies: float = 2.4  # of their graph,
    numbers_per_anchor: float = 1.3  # and of each of them
    spectrum_copies: float = 3.5  # of A'A,
    lanczos_vectors: int = 4  # or per singular pair, where A'A is not formed
    distance_copies: int = 4  # of the distances of some rows to all,
    bytes_per_neighbor: int = 24  # of a row, in both directions, of every slice
    row_graphs: int = 4  # and of the graphs made of them
    block_copies: float = 1.6  # of the rows at work of all views,
    numbers_per_weight: float = 8.0  # of their graph,
    numbers_per_cluster: int = 18  # and of the factorization with one H,
    coupled_factor_copies: float = 3.2  # or with one per slice
    decoded_number: int = 20  # bytes, while a column of a Parquet file is decoded,
    max_decoded_column: int = 3_300_000  # but no more than so many,
    parquet_reader: int = 25_000_000  # and bytes of the reader


COST = Cost()


def require_room(name: str, settings: Settings, views: Views, estimator: Any, /, *, factors: Factors = "none") -> None:
    """Raise an error if the fit needs more memory or disk space than is free, and say what would work."""
    held = bytes_of_fit(settings, views, estimator, factors=factors)
    needed, scratch = ENGINES[name].need(held)
    free = memory_of_workers() if name == "dask" else available_memory()
    if free is not None and needed > free:
        where = " on the workers" if name == "dask" else ""
        memory, scratch = ENGINES["disk"].need(held)
        in_files = f"engine='disk' needs {_said(memory)} of memory and {_said(scratch)} of scratch space"
        remedy = "Lower block_rows or n_jobs, or spread the rows over machines with engine='dask'."
        if name == "dask":
            remedy = f"Start more workers; {in_files} on one machine."
        elif name == "memory" and memory <= free:
            remedy = f"{in_files}, best with views in .npy or Parquet files."
        raise MemoryError(f"This fit needs about {_said(needed)} of memory and {_said(free)} are free{where}. {remedy}")
    if scratch:
        directory = tempfile.gettempdir() if estimator.scratch is None else estimator.scratch
        space = shutil.disk_usage(directory).free
        if scratch > space:
            raise OSError(
                f"This fit needs about {_said(scratch)} of scratch space and {str(directory)!r} has "
                f"{_said(space)}: name another directory (scratch=), or use engine='dask'."
            )


def bytes_of_fit(settings: Settings, views: Views, estimator: Any, /, *, factors: Factors = "none") -> FitBytes:
    """Estimate the bytes that the stages of a fit hold."""
    n_rows, tables = len(views), views.tables
    n_threads = int(effective_n_jobs(estimator.n_jobs))
    blocks = even_edges(n_rows, estimator.block_rows)
    rows_at_work = min(n_threads, len(blocks)) * max(stop - start for start, stop in blocks)

    # Bytes per row; s is the size of a number that is kept. Of a sparse table the fit only densifies the scores.
    s, m, k, K = np.dtype(settings.dtype).itemsize, settings.n_anchors, settings.neighbors[0], settings.n_clusters
    widths = [
        min(t.shape[1], max(settings.recipe.geometry.word_ranks)) if sp.issparse(t) else t.shape[1] for t in tables
    ]
    columns = max(t.dtype.itemsize for t in tables) * sum(widths)
    n_geometries = 2 if settings.scale == "auto" else 1
    L = n_geometries * (len(tables) + (len(tables) > 1 and not settings.raw))
    graph = L * (k * (number_type(m)().itemsize + s) + s + 1)
    T, results, coupled_factors = s * n_vectors(K), 8 * K + 56, s * 5 * L * K
    if factors != "coupled":
        kept = (2 * T + 4 * s * K if factors == "shared" else T + 2 * s * K) + results
        at_once_in_memory = at_once = float(s * COST.numbers_per_cluster * K)
    else:
        kept = L * k * (4 + s) + T + 2 * coupled_factors + s * (L + 1) * K + results
        at_once_in_memory, at_once = 0.0, COST.coupled_factor_copies * coupled_factors
    n_sampled = min(n_rows, settings.recipe.n_sampled_rows)
    compared = (
        bytes_of_neighbors(n_sampled, len(tables), L, K, settings) if n_rows > settings.recipe.max_drawn_rows else 0
    )
    held = n_sampled * (COST.sample_copies * columns + COST.sampled_graph_copies * graph)
    anchors = n_sampled * COST.numbers_per_anchor * s * m + spectrum_bytes(n_geometries * m, K)

    parquet = [t for t in tables if getattr(t, "slow", False)]
    return FitBytes(
        n_threads=n_threads,
        threads=n_threads * COST.thread,
        sampling=held + max(anchors, compared),
        building=rows_at_work * (COST.numbers_per_weight * s * L * k + COST.block_copies * columns),
        factorizing=rows_at_work * at_once,
        factorizing_in_memory=rows_at_work * at_once_in_memory,
        graphs=n_rows * graph,
        rows=n_rows * (graph + kept),
        labels=COST.label * n_rows,
        tables=sum(map(_size, tables)),
        loaded=sum(_size(t) for t in tables if is_elsewhere(t)),
        decoding=sum(_decoding_bytes(t) for t in parquet),
        reader=COST.parquet_reader if parquet else 0,
    )


def spectrum_bytes(width: int, n_clusters: int, /) -> float:
    """Estimate the bytes of A'A and its eigenvectors, or of the Lanczos vectors where A'A is not formed."""
    rank = n_vectors(n_clusters)
    return 8 * width * (COST.lanczos_vectors * rank if by_lanczos(width, rank) else COST.spectrum_copies * width)


def bytes_of_neighbors(n_rows: int, n_views: int, n_slices: int, n_clusters: int, settings: Settings, /) -> float:
    """Estimate the bytes of distances of some rows to all, of the graphs of nearest rows, and of their vectors."""
    distances = 4 * ROWS_AT_ONCE * (n_views + COST.distance_copies)
    graphs = COST.bytes_per_neighbor * settings.recipe.n_row_neighbors * (n_slices + COST.row_graphs)
    return n_rows * (distances + graphs + 8 * COST.lanczos_vectors * n_vectors(n_clusters, 2))


def _decoding_bytes(table: Any) -> int:
    """Estimate the bytes that reading a Parquet table takes: one piece, and the pages of some columns."""
    n_columns, piece_rows = table.shape[1], max(stop - start for start, stop in table.pieces)
    column = min(COST.decoded_number * piece_rows, COST.max_decoded_column)
    if piece_rows > WHOLE_ROWS:
        return int(n_columns * column)
    at_once = min(max(NUMBERS_AT_ONCE // piece_rows, 1), COLUMNS_AT_ONCE, n_columns)
    return int(table.dtype.itemsize * min(piece_rows, PIECE_ROWS) * n_columns + at_once * column)


def _size(table: Any) -> int:
    if sp.issparse(table):
        return int(table.data.nbytes + table.indices.nbytes + table.indptr.nbytes)
    return int(table.shape[0] * table.shape[1] * table.dtype.itemsize)


def _said(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


def available_memory(root: Path = Path("/"), /) -> int | None:
    """Return the bytes that the system and the limits leave free; None where the system does not say."""
    if not (root / "proc/meminfo").exists():
        return None
    free = _numbers(root / "proc/meminfo")["MemAvailable:"] * 1024
    return max(min([free, *_left_by_limits(root), *_left_by_groups(root)]), 0)


def _left_by_limits(root: Path) -> Iterator[int]:
    """Yield what the limits of this process leave of its address space and data (ulimit)."""
    import resource  # where there is /proc, there is this

    status = _numbers(root / "proc/self/status")
    for limit, taken in ((resource.RLIMIT_AS, "VmSize:"), (resource.RLIMIT_DATA, "VmData:")):
        most, _ = resource.getrlimit(limit)
        if most != resource.RLIM_INFINITY:
            yield most - status[taken] * 1024


def _left_by_groups(root: Path) -> Iterator[int]:
    """Yield what the control groups of this process leave, as containers and batch systems have them."""
    membership = root / "proc/self/cgroup"
    for line in membership.read_text().splitlines() if membership.exists() else ():
        _, controllers, path = line.split(":", 2)
        if controllers in ("", "memory"):
            mount = root / "sys/fs/cgroup" / controllers
            group = mount / path.lstrip("/")
            for folder in (group, *group.parents):  # every one of them limits
                if folder == mount.parent:
                    break
                yield from _left_by_group(folder, *GROUP_FILES["v1" if controllers else "v2"])


def _left_by_group(folder: Path, limit: str, usage: str, files: tuple[str, ...]) -> Iterator[int]:
    try:
        most, taken = (folder / limit).read_text().strip(), int((folder / usage).read_text())
        cached = _numbers(folder / "memory.stat")
    except OSError:  # a group that cannot be seen from inside a container
        return
    if most != "max":
        yield int(most) - taken + sum(cached.get(name, 0) for name in files)


def _numbers(file: Path) -> dict[str, int]:
    """Read lines of a name and a number."""
    pairs = (line.split() for line in file.read_text().splitlines())
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) > 1 and pair[1].isdecimal()}
