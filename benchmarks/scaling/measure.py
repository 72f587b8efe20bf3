"""One measurement each: they run in a process of their own (`process.in_a_process`) and return a dict."""

from __future__ import annotations

import os
import resource
import signal
import time
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from manyview import FMCNOF, LMVSC, SFMC, AnchorGraphClustering, SemiNTF
from manyview.metrics import adjusted_rand_index
from scaling.data import WIDTHS, K, paths_of, views_of, words
from scaling.process import Result, peak_bytes, timed


def our_methods(n_clusters: int) -> dict[str, Any]:
    """The anchor methods of this package, as they come."""
    methods: dict[str, Any] = {
        method.__name__: method for method in (AnchorGraphClustering, SemiNTF, LMVSC, SFMC, FMCNOF)
    }
    wanted = {"random_state": 0, "n_jobs": -1}  # all cores, as the others use them
    known = {name: wanted.keys() & method().get_params().keys() for name, method in methods.items()}
    return {name: method(n_clusters, **{key: wanted[key] for key in known[name]}) for name, method in methods.items()}


def one_speed(method: str, n_rows: str) -> Result:
    """One method on rows in memory; of ours also the stages."""
    from sklearn.cluster import KMeans, MiniBatchKMeans, SpectralClustering

    views, labels = views_of(int(n_rows))
    ours, stages = our_methods(K), Stages()
    for name in ("AnchorGraphClustering", "SemiNTF"):
        ours[name].set_params(verbose=stages)
    theirs: dict[str, Any] = {
        "KMeans, 20 passes": KMeans(K, n_init=1, max_iter=20, tol=0, random_state=0),
        "MiniBatchKMeans": MiniBatchKMeans(K, n_init=1, random_state=0),
        "SpectralClustering": SpectralClustering(K, affinity="nearest_neighbors", random_state=0),
    }
    X = views if method in ours else np.hstack(views)
    fitted, result = timed(lambda: (ours | theirs)[method].fit(X))
    result |= {"ari": adjusted_rand_index(labels, fitted.labels_), "passes": getattr(fitted, "n_iter_", 0)}
    return result | {"stages": stages.seconds()}


class Stages:
    """Seconds between the first report of every stage and the first of the next."""

    def __init__(self) -> None:
        self.first: dict[str, float] = {}

    def __call__(self, stage: str, done: int, total: int) -> None:
        self.first.setdefault(stage, time.perf_counter())

    def seconds(self) -> dict[str, float]:
        """Of every stage; the last one ends now."""
        edges = [*self.first.values(), time.perf_counter()]
        return {stage: stop - start for stage, (start, stop) in zip(self.first, pairwise(edges), strict=True)}


def one_reuters(method: str) -> Result:
    """One method on words."""
    views, labels = words()
    fitted, result = timed(lambda: our_methods(6)[method].fit(views))
    return result | {"ari": adjusted_rand_index(labels, fitted.labels_)}


def one_disk(engine: str, folder: str, limit: str) -> Result:
    """A fit from Parquet; with a limit, memory beyond it cannot be had."""
    if int(limit):
        resource.setrlimit(resource.RLIMIT_DATA, (int(limit), int(limit)))
    paths = paths_of(Path(folder), len(WIDTHS))
    settings: dict[str, Any] = {"engine": engine, "n_jobs": -1} | ({"scratch": folder} if engine == "disk" else {})
    model, result = timed(lambda: AnchorGraphClustering(K, random_state=0, **settings).fit(paths))
    np.save(Path(folder) / f"labels-{engine}.npy", model.labels_)
    return result | {"peak": peak_bytes()}


def local_cluster(n_workers: int = 3) -> Any:
    """A scheduler and worker processes, which nobody can reach from outside."""
    # a killed worker that is not back in time would be given up by LocalCluster: 15 s are few on a busy machine
    import_module("dask").config.set({"distributed.deploy.lost-worker-timeout": "10 minutes"})
    distributed: Any = import_module("distributed")
    return distributed.LocalCluster(
        processes=True, n_workers=n_workers, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0"
    )


def one_dask(n_rows: str, folder: str) -> Result:
    """A fit in memory, one on three workers with the bytes of an iteration, and one of whose workers one is killed."""
    distributed: Any = import_module("distributed")
    paths, marks = paths_of(Path(folder), len(WIDTHS)), list[int]()
    settings: dict[str, Any] = {"random_state": 0, "tol": 0, "max_iter": 6}
    traffic = Traffic()

    def count(stage: str, done: int, total: int) -> None:
        if stage == "factorization":
            marks.append(traffic.bytes)

    with local_cluster() as cluster, distributed.Client(cluster) as client:

        def kill(stage: str, done: int, total: int) -> None:
            if stage == "factorization" and done == 3:
                os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)

        memory, in_memory = timed(lambda: SemiNTF(K, engine="memory", **settings).fit(paths))
        model, found = timed(lambda: SemiNTF(K, engine="dask", verbose=count, **settings).fit(paths))
        harmed = SemiNTF(K, engine="dask", verbose=kill, **settings).fit(paths)
        same = [
            bool(np.array_equal(memory.labels_, other.labels_) and np.array_equal(memory.factors_, other.factors_))
            for other in (model, harmed)
        ]
    return {
        "seconds": found["seconds"],
        "in_memory": in_memory["seconds"],
        "bytes": float(np.median(np.diff(marks))),
        "same": same[0],
        "same_after_kill": same[1],
    }


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


def one_kept_fit(folder: str, n_rows: str, kill_at: str) -> Result:
    """A fit with a checkpoint that kills itself after an iteration, if told to."""

    def die(stage: str, done: int, total: int) -> None:
        if stage == "factorization" and done and done == int(kill_at):
            os.kill(os.getpid(), signal.SIGKILL)

    views, _ = views_of(int(n_rows))
    model = SemiNTF(K, random_state=0, tol=0, max_iter=30, verbose=die)
    model.fit(views, checkpoint=Path(folder) / "kept", checkpoint_every=3)
    np.save(Path(folder) / "indicator.npy", model.indicator_)
    return {"iterations": model.n_iter_}
