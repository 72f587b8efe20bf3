"""The parts of the benchmark: which cases there are, and a record of each as soon as it is measured."""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from manyview.metrics import adjusted_rand_index
from scaling.data import parquet_of
from scaling.process import Result, in_a_process, in_turns

LIMIT = 3_000_000_000  # bytes that a fit from disk may allocate
LLOYD = "KMeans, 20 passes"
OURS = "AnchorGraphClustering"
BEFORE = "SemiNTF"  # its name in records from before the two methods were separated
MAX_ROWS = {"SpectralClustering": 10_000, "SFMC": 10_000, "LMVSC": 100_000}  # beyond, minutes to hours
Options = argparse.Namespace


def speed(options: Options) -> Iterator[Result]:
    """Ours beside k-means on the concatenation, three times in turns, and the anchor methods of this package."""
    others = ("SemiNTF", "MiniBatchKMeans", "FMCNOF", "LMVSC", "SFMC", "SpectralClustering")
    for n_rows in options.rows or (10_000, 100_000, 1_000_000):
        found = in_turns("one_speed", (LLOYD, OURS), 3, n_rows)
        for method in (method for method in others if n_rows <= MAX_ROWS.get(method, n_rows)):
            found |= in_turns("one_speed", (method,), 1, n_rows)
        yield from ({"rows": n_rows, "method": method} | summed_up(turns) for method, turns in found.items())


def summed_up(turns: list[Result]) -> Result:
    """All seconds, and of everything else the turn with the median of them; nothing if one was stopped."""
    if not all(turns):
        return {"seconds": []}
    middle = sorted(turns, key=lambda one: float(one["seconds"]))[len(turns) // 2]
    return middle | {"seconds": [one["seconds"] for one in turns]}


def reuters(options: Options) -> Iterator[Result]:
    """The shape of Reuters; the two fastest five times in turns."""
    found = in_turns("one_reuters", (OURS, "FMCNOF"), 5) | in_turns("one_reuters", ("LMVSC", "SFMC"), 1)
    yield from ({"method": method} | summed_up(turns) for method, turns in found.items())


def disk(options: Options) -> Iterator[Result]:
    """Parquet under a memory limit; up to a million rows also in memory, and the labels compared."""
    for n_rows in options.rows or (1_000_000, 10_000_000):
        with tempfile.TemporaryDirectory(dir=options.folder) as name:
            parquet_of(n_rows, Path(name))
            record = {"rows": n_rows, "limit": LIMIT} | in_a_process("one_disk", "disk", name, LIMIT)
            if n_rows <= 1_000_000:
                record["in_memory"] = in_a_process("one_disk", "memory", name, 0)
                both = [np.load(Path(name) / f"labels-{engine}.npy") for engine in ("disk", "memory")]
                record["ari_with_memory"] = adjusted_rand_index(*both)
            yield record


def dask(options: Options) -> Iterator[Result]:
    """Three worker processes and a scheduler on this machine; one worker is killed."""
    for n_rows in options.rows or (200_000, 400_000, 800_000, 1_600_000):
        with tempfile.TemporaryDirectory(dir=options.folder) as name:
            parquet_of(n_rows, Path(name))
            yield {"rows": n_rows} | in_a_process("one_dask", n_rows, name)


def kill(options: Options) -> Iterator[Result]:
    """SIGKILL at a random iteration, resume, and compare with a fit in peace."""
    moments = random.Random(0)
    (n_rows,) = options.rows or (20_000,)
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        in_a_process("one_kept_fit", name, n_rows, 0)
        whole = np.load(Path(name) / "indicator.npy")
        for _ in range(options.times or 20):
            moment = moments.randint(1, 29)
            with tempfile.TemporaryDirectory(dir=options.folder) as other:
                in_a_process("one_kept_fit", other, n_rows, moment, check=False)
                died = not (Path(other) / "indicator.npy").exists()
                in_a_process("one_kept_fit", other, n_rows, 0)
                equal = bool(np.array_equal(whole, np.load(Path(other) / "indicator.npy")))
            yield {"iteration": moment, "died": died, "equal": equal}


PARTS: Sequence[Callable[[Options], Iterator[Result]]] = (speed, reuters, disk, dask, kill)
