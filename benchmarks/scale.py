"""Scale and speed, measured part by part; every measurement has a process of its own.

    python benchmarks/scale.py speed   [--rows 10000 100000 1000000]   beside k-means and the anchor methods
    python benchmarks/scale.py roofline [--rows 1000000]               bytes an iteration moves, beside a plain copy
    python benchmarks/scale.py reuters                                 five sparse views of 18,758 documents
    python benchmarks/scale.py disk    [--rows 10000000]               Parquet under a memory limit, beside memory
    python benchmarks/scale.py dask    [--rows 100000 400000]          three worker processes, bytes an iteration
    python benchmarks/scale.py kill    [--times 20]                    SIGKILL at random iterations, and resume
    python benchmarks/scale.py estimate [--rows 30000 300000]          predicted beside measured
    python benchmarks/scale.py estimate --seed 7 [--times 20]          the same for random shapes

Three views of 20, 50 and 30 float32 columns, K = 10. Tables go to the standard output as Markdown.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from manyview import FMCNOF, LMVSC, SFMC, SemiNTF
from manyview.metrics import adjusted_rand_index

WIDTHS = (20, 50, 30)
K = 10
CHUNK = 100_000
OVERLAP = 0.35  # distance of the cluster centres in units of the noise, a column
LIMIT = 3_000_000_000
ITERATIONS = 60  # and as many copies, in turns: others share the memory of most machines
MOST_SECONDS = 300  # of one measurement
Result = dict[str, Any]


def chunk_of_views(
    start: int, n_rows: int, widths: Sequence[int] = WIDTHS, n_clusters: int = K
) -> tuple[list[Any], Any]:
    """Rows start … start + n of the benchmark's views: the same for any total number of rows."""
    rng = np.random.default_rng(1)
    centres = [OVERLAP * rng.standard_normal((n_clusters, width)) for width in widths]
    rng = np.random.default_rng((2, start))
    labels = rng.integers(0, n_clusters, n_rows)
    return [(c[labels] + rng.standard_normal((n_rows, c.shape[1]))).astype(np.float32) for c in centres], labels


def views_of(n_rows: int, widths: Sequence[int] = WIDTHS, n_clusters: int = K) -> tuple[list[Any], Any]:
    """All rows in memory."""
    views = [np.empty((n_rows, width), np.float32) for width in widths]
    labels = np.empty(n_rows, int)
    for start in range(0, n_rows, CHUNK):
        size = min(CHUNK, n_rows - start)
        parts, labels[start : start + size] = chunk_of_views(start, size, widths, n_clusters)
        for view, part in zip(views, parts, strict=True):
            view[start : start + size] = part
    return views, labels


def paths_of(folder: Path, n_views: int) -> list[str]:
    """Where the views are written."""
    return [str(folder / f"view-{v}.parquet") for v in range(n_views)]


def parquet_of(n_rows: int, folder: Path, widths: Sequence[int] = WIDTHS, n_clusters: int = K) -> list[str]:
    """The same rows in Parquet files, written chunk by chunk."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    paths = paths_of(folder, len(widths))
    schemas = [pa.schema([(f"c{j}", pa.float32()) for j in range(width)]) for width in widths]
    writers = [pq.ParquetWriter(path, schema) for path, schema in zip(paths, schemas, strict=True)]
    for start in range(0, n_rows, CHUNK):
        parts, _ = chunk_of_views(start, min(CHUNK, n_rows - start), widths, n_clusters)
        for writer, part, schema in zip(writers, parts, schemas, strict=True):
            writer.write_table(pa.table(list(part.T), schema=schema))
    for writer in writers:
        writer.close()
    return paths


def peak_bytes() -> int:
    """Largest resident size of this process so far (what getrusage says is inherited from the one that started it)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


def resident_bytes() -> int:
    """Resident size of this process now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def timed(run: Callable[[], Any]) -> tuple[Any, Result]:
    """A result, its seconds, those of the processor, and the peak of memory above what was there before."""
    Path("/proc/self/clear_refs").write_text("5")  # the peak of making the data is forgotten
    before, start, work = resident_bytes(), time.perf_counter(), time.process_time()
    value = run()
    seconds, work = time.perf_counter() - start, time.process_time() - work
    return value, {"seconds": seconds, "work": work, "above": float(max(peak_bytes() - before, 0))}


# one measurement each: they run in a process of their own and print a dict


def our_methods(n_clusters: int) -> dict[str, Any]:
    """The anchor methods of this package, as they come."""
    methods = {"SemiNTF": SemiNTF, "LMVSC": LMVSC, "SFMC": SFMC, "FMCNOF": FMCNOF}
    seeds = {name: {"random_state": 0} if "random_state" in m().get_params() else {} for name, m in methods.items()}
    return {name: method(n_clusters, **seeds[name]) for name, method in methods.items()}


def one_speed(method: str, n_rows: str) -> Result:
    """One method on rows in memory."""
    from sklearn.cluster import KMeans, MiniBatchKMeans, SpectralClustering

    views, labels = views_of(int(n_rows))
    ours = our_methods(K)
    theirs: dict[str, Any] = {
        "KMeans, 20 passes": KMeans(K, n_init=1, max_iter=20, tol=0, random_state=0),
        "MiniBatchKMeans": MiniBatchKMeans(K, n_init=1, random_state=0),
        "SpectralClustering": SpectralClustering(K, affinity="nearest_neighbors", random_state=0),
    }
    X = views if method in ours else np.hstack(views)
    fitted, result = timed(lambda: (ours | theirs)[method].fit(X))
    passes = float(fitted.n_iter_) if hasattr(fitted, "n_iter_") else 0.0
    return result | {"ari": adjusted_rand_index(labels, fitted.labels_), "passes": passes}


def one_iterations(n_rows: str, n_jobs: str) -> Result:
    """Seconds of iterations, and of copying as many bytes as one must move, in turns."""
    views, _ = views_of(int(n_rows))
    r = 2 * K + 1  # columns of S here, checked below
    # of a row: S and U in, U out; the products S (2GR), PR, S'P, and half of P'P
    moved, operations = int(n_rows) * 4 * (r + 2 * K), int(n_rows) * (4 * r * K + 2 * K * K + K * (K + 1))
    copy = Copy(moved // 2, int(n_jobs))
    stamps: list[tuple[float, float]] = []

    def note(stage: str, done: int, total: int) -> None:
        if stage == "factorization":
            before = time.perf_counter()
            copy()
            stamps.append((before, time.perf_counter()))

    model = SemiNTF(K, random_state=0, n_jobs=int(n_jobs), tol=0, max_iter=ITERATIONS, verbose=note).fit(views)
    if model.factors_.shape[1] != r:
        raise SystemExit(f"S has {model.factors_.shape[1]} columns, not {r}: count the bytes again.")
    iterations = [before - after for (_, after), (before, _) in pairwise(stamps[1:])]
    copies = [after - before for before, after in stamps[2:]]
    return {
        "moved": moved,
        "operations": operations,
        "iterations": iterations,
        "copies": copies,
        "arithmetic": product_rate((1024, 1024), (1024, 1024), int(n_jobs)),
    }


class Copy:
    """A plain copy of an array much larger than the caches, by threads."""

    def __init__(self, size: int, n_threads: int) -> None:
        from concurrent.futures import ThreadPoolExecutor

        self.pairs = [(np.ones(size // 8 // n_threads), np.zeros(size // 8 // n_threads)) for _ in range(n_threads)]
        self.pool = ThreadPoolExecutor(n_threads)

    def __call__(self) -> None:
        list(self.pool.map(lambda pair: np.copyto(pair[1], pair[0]), self.pairs))


def product_rate(left: tuple[int, int], right: tuple[int, int], n_threads: int) -> float:
    """Floating-point operations a second of products of this shape, in cache."""
    from concurrent.futures import ThreadPoolExecutor

    from threadpoolctl import threadpool_limits

    A, B = np.ones(left, np.float32), np.ones(right, np.float32)
    best = 0.0
    with threadpool_limits(1), ThreadPoolExecutor(n_threads) as pool:
        for _ in range(10):
            start = time.perf_counter()
            list(pool.map(lambda _: [A @ B for _ in range(10)], range(n_threads)))
            best = max(best, n_threads * 10 * 2 * A.size * right[1] / (time.perf_counter() - start))
    return best


def one_reuters(method: str) -> Result:
    """Five sparse views in the shape of Reuters: 18,758 rows, 0.4 % of the entries."""
    import scipy.sparse as sp

    rng = np.random.default_rng(0)
    labels = rng.integers(0, 6, 18_758)
    views = []
    for width in (21_531, 24_892, 34_251, 15_506, 11_547):
        words = rng.zipf(1.3, (18_758, int(0.004 * width))) % width
        own = rng.random(words.shape) < 0.3
        words = np.where(own, (words * 6 + labels[:, None]) % width, words)
        rows = np.repeat(np.arange(18_758), words.shape[1])
        views.append(sp.csr_array((np.ones(words.size), (rows, words.ravel())), shape=(18_758, width)))
    fitted, result = timed(lambda: our_methods(6)[method].fit(views))
    return result | {"ari": adjusted_rand_index(labels, fitted.labels_)}


def one_disk(engine: str, folder: str, limit: str) -> Result:
    """A fit from Parquet; with a limit, memory beyond it cannot be had."""
    if int(limit):
        resource.setrlimit(resource.RLIMIT_DATA, (int(limit), int(limit)))
    paths = [str(Path(folder) / f"view-{v}.parquet") for v in range(len(WIDTHS))]
    model, result = timed(lambda: SemiNTF(K, random_state=0, engine=engine, scratch=folder).fit(paths))
    np.save(Path(folder) / f"labels-{engine}.npy", model.labels_)
    return result | {"peak": float(peak_bytes()), "iterations": model.n_iter_}


def one_estimate(engine: str, n_rows: str, n_clusters: str, columns: str, n_anchors: str) -> Result:
    """What was needed, by this process or by workers, and what was to be expected; arrays in memory, else Parquet.

    Predicting and writing files are not done before: what they leave in the allocator's hands would be missing later.
    """
    N, clusters, widths = int(n_rows), int(n_clusters), [int(width) for width in columns.split()]
    anchors: Any = n_anchors if n_anchors == "auto" else int(n_anchors)
    model = SemiNTF(clusters, random_state=0, engine=engine, n_anchors=anchors)
    with tempfile.TemporaryDirectory() as folder:
        if engine == "memory":
            views: list[Any] = views_of(N, widths, clusters)[0]
        else:
            in_a_process("one_parquet", folder, n_rows, columns, n_clusters)
            views = paths_of(Path(folder), len(widths))
        if engine != "dask":
            result = timed(lambda: model.fit(views))[1]
        else:
            distributed: Any = import_module("distributed")
            with local_cluster(os.cpu_count() or 1) as cluster, distributed.Client(cluster) as client:
                client.run(import_module, "manyview")
                before = sum(client.run(resident_bytes).values())
                result = timed(lambda: model.fit(views))[1]
                result["above"] = float(sum(client.run(peak_bytes).values()) - before)
    predicted = model.estimate(N, widths, group_rows=CHUNK)[engine]
    return result | {"predicted_seconds": predicted.seconds, "predicted_memory": float(predicted.memory)}


def one_parquet(folder: str, n_rows: str, columns: str, n_clusters: str) -> Result:
    """Nothing but the files."""
    parquet_of(int(n_rows), Path(folder), [int(width) for width in columns.split()], int(n_clusters))
    return {}


def local_cluster(n_workers: int = 3) -> Any:
    """A scheduler and worker processes, which nobody can reach from outside."""
    # a killed worker that is not back in time would be given up by LocalCluster: 15 s are few on a busy machine
    import_module("dask").config.set({"distributed.deploy.lost-worker-timeout": "10 minutes"})
    distributed: Any = import_module("distributed")
    return distributed.LocalCluster(
        processes=True, n_workers=n_workers, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0"
    )


def one_fit_with_checkpoint(folder: str, kill_at: str) -> Result:
    """A fit that kills itself after an iteration, if told to."""

    def die(stage: str, done: int, total: int) -> None:
        if stage == "factorization" and done and done == int(kill_at):
            os.kill(os.getpid(), signal.SIGKILL)

    views, _ = views_of(20_000)
    model = SemiNTF(K, random_state=0, tol=0, max_iter=30, verbose=die)
    model.fit(views, checkpoint=Path(folder) / "kept", checkpoint_every=3)
    np.save(Path(folder) / "indicator.npy", model.indicator_)
    return {"iterations": model.n_iter_}


# the parts


def in_turns(name: str, methods: Sequence[str], times: int, *arguments: Any) -> dict[str, list[Result]]:
    """Measurements of several methods, each in every turn: what disturbs one disturbs the others too."""
    turns = [{method: in_a_process(name, method, *arguments) for method in methods} for _ in range(times)]
    return {method: [turn[method] for turn in turns] for method in methods}


def median_of(found: list[Result]) -> Result:
    """The medians, and all seconds; empty if a measurement was stopped."""
    if not all(found):
        return {}
    medians: Result = {key: float(np.median([one[key] for one in found])) for key in found[0]}
    return medians | {"all": ", ".join(f"{one['seconds']:.2g}" for one in found)}


def speed(options: argparse.Namespace) -> None:
    """SemiNTF beside k-means on the concatenation, in turns, and the anchor methods of this package."""
    rivals = ("KMeans, 20 passes", "SemiNTF")
    others = ("MiniBatchKMeans", "FMCNOF", "LMVSC", "SFMC", "SpectralClustering")
    most = {"SpectralClustering": 10_000, "SFMC": 10_000, "LMVSC": 100_000}
    print(
        "| rows | method | s | processor s | times k-means | and in processor s | peak above input MB | ARI |\n"
        "|---|---|---|---|---|---|---|---|"
    )
    for n_rows in options.rows or (10_000, 100_000, 1_000_000):
        found = {method: median_of(turns) for method, turns in in_turns("one_speed", rivals, 3, n_rows).items()}
        for method in others:
            if n_rows <= most.get(method, n_rows):
                found[method] = median_of([in_a_process("one_speed", method, n_rows)])
        lloyd = found["KMeans, 20 passes"]
        print(f"| {n_rows:,} | (k-means made {lloyd['passes']:.0f} passes) | | | | | | |")
        for method, one in found.items():
            if not one:
                print(f"| {n_rows:,} | {method} | stopped after {MOST_SECONDS} | | | | | |", flush=True)
                continue
            print(
                f"| {n_rows:,} | {method} | {one['seconds']:.2f} ({one['all']}) | {one['work']:.2f} | "
                f"{one['seconds'] / lloyd['seconds']:.1f} | {one['work'] / lloyd['work']:.1f} | "
                f"{one['above'] / 1e6:.0f} | {one['ari']:.3f} |",
                flush=True,
            )


def roofline(options: argparse.Namespace) -> None:
    """How near an iteration comes to the speed of memory, and to that of the arithmetic it cannot do without."""
    print(
        "| rows | threads | ms an iteration | ms a copy | of the copy | fastest of both | copy GB/s | GFlop/s | "
        "square products GFlop/s | of the lower roof |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for n_rows in options.rows or (1_000_000,):
        for n_jobs in (1, 2):
            found = in_a_process("one_iterations", n_rows, n_jobs)
            iterations, copies = np.array(found["iterations"]), np.array(found["copies"])
            took, copied = float(np.median(iterations)), float(np.median(copies))
            roof = max(copied, found["operations"] / found["arithmetic"])
            print(
                f"| {n_rows:,} | {n_jobs} | {took * 1e3:.1f} | {copied * 1e3:.1f} | "
                f"{float(np.median(copies / iterations)):.2f} | {copies.min() / iterations.min():.2f} | "
                f"{found['moved'] / copied / 1e9:.1f} | {found['operations'] / took / 1e9:.0f} | "
                f"{found['arithmetic'] / 1e9:.0f} | {roof / took:.2f} |",
                flush=True,
            )


def reuters(options: argparse.Namespace) -> None:
    """The shape of Reuters, beside the published 420 s."""
    print("| method | s | processor s | peak above input MB | ARI |\n|---|---|---|---|---|")
    print("| Semi-NTF as published | 420 | | | |")
    found = in_turns("one_reuters", ("SemiNTF", "FMCNOF"), 5)
    found |= in_turns("one_reuters", ("LMVSC", "SFMC"), 1)
    for method, one in ((method, median_of(turns)) for method, turns in found.items()):
        if not one:
            print(f"| {method} | stopped after {MOST_SECONDS} | | | |")
            continue
        print(
            f"| {method} | {one['seconds']:.1f} ({one['all']}) | {one['work']:.1f} | {one['above'] / 1e6:.0f} | "
            f"{one['ari']:.3f} |",
            flush=True,
        )


def disk(options: argparse.Namespace) -> None:
    """Parquet under a memory limit; up to a million rows also in memory, and the labels compared."""
    print("| rows | engine | limit GB | s | peak GB | iterations | ARI with memory |\n|---|---|---|---|---|---|---|")
    for n_rows in options.rows or (1_000_000, 10_000_000):
        with tempfile.TemporaryDirectory(dir=options.folder) as name:
            parquet_of(n_rows, Path(name))
            for engine, limit in (("disk", LIMIT), ("memory", 0)):
                if engine == "memory" and n_rows > 1_000_000:
                    continue
                found = in_a_process("one_disk", engine, name, limit)
                both = [Path(name) / f"labels-{e}.npy" for e in ("disk", "memory")]
                agreed = f"{adjusted_rand_index(*map(np.load, both)):.4f}" if both[1].exists() else ""
                print(
                    f"| {n_rows:,} | {engine} | {limit / 1e9 or '-'} | {found['seconds']:.0f} | "
                    f"{found['peak'] / 1e9:.2f} | {found['iterations']} | {agreed} |",
                    flush=True,
                )


class Traffic:
    """Bytes that go through the sockets of this process, in which client and scheduler live."""

    def __init__(self) -> None:
        tcp: Any = import_module("distributed.comm.tcp")
        self.bytes = 0
        write, from_frames = tcp.TCP.write, tcp.from_frames

        async def counted_write(comm: Any, *args: Any, **options: Any) -> Any:
            size = await write(comm, *args, **options)
            self.bytes += int(size or 0)
            return size

        async def counted_from_frames(frames: Any, *args: Any, **options: Any) -> Any:
            self.bytes += sum(len(frame) for frame in ([frames] if isinstance(frames, bytes | bytearray) else frames))
            return await from_frames(frames, *args, **options)

        tcp.TCP.write, tcp.from_frames = counted_write, counted_from_frames


def dask(options: argparse.Namespace) -> None:
    """Three worker processes and a scheduler on this machine; one worker is killed."""
    distributed: Any = import_module("distributed")
    print("| rows | s | s in memory | kB an iteration | same bits | and with a worker killed |")
    print("|---|---|---|---|---|---|")
    with local_cluster() as cluster:
        traffic = Traffic()
        for n_rows in options.rows or (100_000, 400_000):
            with tempfile.TemporaryDirectory(dir=options.folder) as name, distributed.Client(cluster) as client:
                paths = parquet_of(n_rows, Path(name))
                print_dask_row(n_rows, paths, client, traffic)


def print_dask_row(n_rows: int, paths: list[str], client: Any, traffic: Traffic) -> None:
    """One fit as it is, one in which a worker is killed, and one in memory."""
    marks: list[int] = []
    settings: dict[str, Any] = {"random_state": 0, "tol": 0, "max_iter": 6}

    def count(stage: str, done: int, total: int) -> None:
        if stage == "factorization":
            marks.append(traffic.bytes)

    def kill(stage: str, done: int, total: int) -> None:
        if stage == "factorization" and done == 3:
            os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)

    memory, in_memory = timed(lambda: SemiNTF(K, engine="memory", **settings).fit(paths))
    model, found = timed(lambda: SemiNTF(K, engine="dask", verbose=count, **settings).fit(paths))
    harmed = SemiNTF(K, engine="dask", verbose=kill, **settings).fit(paths)
    client.wait_for_workers(3, timeout=300)
    same = [
        bool(np.array_equal(memory.labels_, other.labels_) and np.array_equal(memory.factors_, other.factors_))
        for other in (model, harmed)
    ]
    print(
        f"| {n_rows:,} | {found['seconds']:.1f} | {in_memory['seconds']:.1f} | {np.median(np.diff(marks)) / 1e3:.0f} | "
        f"{same[0]} | {same[1]} |",
        flush=True,
    )


def kill(options: argparse.Namespace) -> None:
    """SIGKILL at random iterations, again and again, until the fit is through; then compare with one in peace."""
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        in_a_process("one_fit_with_checkpoint", name, 0)
        whole = np.load(Path(name) / "indicator.npy")
        moments, equal = random.Random(0), 0
        for _ in range(options.times):
            with tempfile.TemporaryDirectory(dir=options.folder) as other:
                in_a_process("one_fit_with_checkpoint", other, moments.randint(1, 29), check=False)
                in_a_process("one_fit_with_checkpoint", other, 0)
                equal += bool(np.array_equal(whole, np.load(Path(other) / "indicator.npy")))
        print(f"Killed {options.times} times, resumed, equal to the bit: {equal}.")


def usual_shapes(rows: Sequence[int] | None) -> list[tuple[str, int, int, str, str]]:
    """Engine, rows, clusters, columns and anchors: many rows, and one size at a time far from the usual."""
    usual = " ".join(map(str, WIDTHS))
    cases = [("memory", n, K, usual, "auto") for n in rows or (3_000, 30_000, 300_000, 1_000_000)]
    cases += [
        (engine, n, K, usual, "auto") for engine in ("disk", "dask") for n in rows or (30_000, 300_000, 1_000_000)
    ]
    if not rows:
        cases += [("memory", 100_000, 50, usual, "auto"), ("memory", 100_000, 100, "64 64", "auto")]
        cases += [("memory", 100_000, 5, "500 300", "auto"), ("memory", 2_000, K, "5000 3000", "auto")]
        cases += [("memory", 200_000, K, "10 " * 8, "auto"), ("memory", 100_000, K, usual, "2000")]
        cases += [("disk", 200_000, 30, "100 100 100", "auto"), ("dask", 100_000, 30, "100 100 100", "auto")]
    return cases


def random_shapes(times: int, seed: int) -> list[tuple[str, int, int, str, str]]:
    """The same, drawn: nobody can have adjusted anything on them."""
    rng = random.Random(seed)

    def drawn(smallest: float, largest: float) -> int:
        return int(smallest * (largest / smallest) ** rng.random())

    return [
        (
            ("memory", "disk", "dask")[i % 3],
            drawn(1_000, 500_000),
            drawn(2, 40),
            " ".join(str(drawn(4, 400)) for _ in range(rng.randint(1, 5))),
            "auto",
        )
        for i in range(times)
    ]


def estimate(options: argparse.Namespace) -> None:
    """Predicted beside measured, in several shapes."""
    seed = options.seed
    cases = usual_shapes(options.rows) if seed is None else random_shapes(options.times, seed)
    print("| rows | K | columns | anchors | engine | s predicted | s | MB predicted | MB |")
    print("|---|---|---|---|---|---|---|---|---|")
    for engine, n_rows, n_clusters, widths, n_anchors in cases:
        found = in_a_process("one_estimate", engine, n_rows, n_clusters, widths, n_anchors)
        print(
            f"| {n_rows:,} | {n_clusters} | {widths.strip().replace(' ', ', ')} | {n_anchors} | {engine} | "
            f"{found['predicted_seconds']:.1f} | {found['seconds']:.1f} | "
            f"{found['predicted_memory'] / 1e6:.0f} | {found['above'] / 1e6:.0f} |",
            flush=True,
        )


def in_a_process(name: str, *arguments: Any, check: bool = True) -> Result:
    """Run one measurement in a fresh interpreter; nothing comes back from one that takes too long."""
    command = [sys.executable, __file__, "one", "--call", name, *map(str, arguments)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        return {}
    if check and done.returncode:
        raise SystemExit(f"{name} {arguments}: {done.stderr[-2000:]}")
    result: Result = json.loads(done.stdout.splitlines()[-1]) if done.stdout else {}
    return result


def main() -> None:
    """Run the part that is asked for."""
    parts = {part.__name__: part for part in (speed, roofline, reuters, disk, dask, kill, estimate)}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=[*parts, "one"])
    parser.add_argument("--rows", type=int, nargs="+")
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--seed", type=int, help="of random shapes to estimate")
    parser.add_argument("--folder", type=Path, help="where files are written; by default that of temporary files")
    parser.add_argument("--call", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part == "one":
        print(json.dumps(globals()[options.call[0]](*options.call[1:])))
    else:
        parts[options.part](options)


if __name__ == "__main__":
    main()
