"""Faults that `run.py` draws. Each happens at a place or moment that a seed chooses, and then looks at what is left.

A fault is a function of the stage, an empty folder and a random generator. It returns what happened in a few words; an
AssertionError says what should not have happened.
"""

import os
import resource
import signal
import sys
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

import manyview
from manyview.datasets import load, make_views, register, registered
from manyview.io import read_views, write_views
from recipes import QUICK

NOBODY = 65534  # a user who is not root; root may write everywhere
WHOLE = ["labels.csv", "model.manyview", "result.parquet", "run.json"]
FORMATS = ("csv", "npz", "mat", "parquet")


class Stage(NamedTuple):
    """What all faults act on: data, and results of undisturbed runs."""

    data: Path
    views: list
    labels: bytes  # labels.csv of `manyview cluster`
    duration: float  # of that command, in seconds
    membership: np.ndarray  # of the factorization


def prepare(folder):
    """Write data, and run what will be disturbed once without."""
    made = make_views(n_samples=150, n_clusters=3, random_state=0)
    write_views(made, folder / "data.npz")
    out = folder / "undisturbed"
    start = time.monotonic()
    assert code_of(child(lambda: cluster(folder / "data.npz", out))) == 0
    duration = time.monotonic() - start
    views = list(made.views.values())
    membership = factorize(views).membership_
    return Stage(folder / "data.npz", views, (out / "labels.csv").read_bytes(), duration, membership)


def cluster(data, out):
    """Run the command, which ends this process or returns its code."""
    sys.argv = ["manyview", "cluster", str(data), "-k", "3", "--jobs", "1", "-q", "--no-report", "--out", str(out)]
    from manyview.cli import main

    try:
        main()
    except SystemExit as end:
        return end.code or 0
    return 0


def factorize(views, checkpoint=None, verbose=False):
    """Run a factorization of nine iterations, which keeps a checkpoint after each."""
    model = manyview.SemiNTF(
        3, n_anchors=30, block_rows=40, max_iter=9, tol=0.0, recipe=QUICK, random_state=0, n_jobs=1, verbose=verbose
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(views, checkpoint=checkpoint, checkpoint_every=1)


def child(work, log=os.devnull):
    """Start a process that does this work and exits with its code; what it prints goes to the log."""
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
            os.dup2(file, 1)
            os.dup2(file, 2)
            code = work()
            sys.stderr.flush()
        except OSError:
            code = 71
        finally:
            os._exit(code or 0)
    return pid


def code_of(pid):
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def small_files(size):
    """Let no file of this process grow beyond this size, as on a disk that is full."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def require_whole_or_absent(stage, out):
    """Check that a result folder is as the undisturbed one, or not there; say which."""
    if not out.exists():
        return "no folder"
    names = sorted(path.name for path in out.iterdir())
    assert names == WHOLE, names
    assert (out / "labels.csv").read_bytes() == stage.labels, "other labels"
    return "whole folder"


def require_next_run(stage, out):
    """Check that the next run is not disturbed by what the last one left, and leaves nothing itself."""
    if not out.exists():
        code = code_of(child(lambda: cluster(stage.data, out), log=out.parent / "log"))
        assert code == 0, (out.parent / "log").read_text()[-500:]
    assert require_whole_or_absent(stage, out) == "whole folder"
    hidden = [path.name for path in out.parent.iterdir() if path.name.startswith(".")]
    assert hidden == [], hidden


def cluster_is_killed(stage, folder, rng):
    out = folder / "r"
    pid = child(lambda: cluster(stage.data, out))
    time.sleep(rng.uniform(0, stage.duration))
    os.kill(pid, signal.SIGKILL)
    code_of(pid)
    found = require_whole_or_absent(stage, out)
    require_next_run(stage, out)
    return found


def disk_is_full_for_a_result(stage, folder, rng):
    size = int(2 ** rng.uniform(0, 16))
    out = folder / "r"

    def work():
        small_files(size)
        return cluster(stage.data, out)

    code = code_of(child(work, log=folder / "log"))
    said = (folder / "log").read_text()  # its first bytes: this file cannot grow either
    assert code in (0, 2), (code, said)
    found = require_whole_or_absent(stage, out)
    assert found == ("no folder" if code else "whole folder"), (code, found)
    assert said == "" if code == 0 else "manyview: cannot cluster: ".startswith(said[:26]), said
    require_next_run(stage, out)
    return "one line and no folder" if code else found


def disk_is_full_for_a_checkpoint(stage, folder, rng):
    size, kept = int(2 ** rng.uniform(0, 16)), folder / "kept"
    kept.mkdir()
    (kept / "state-of-mine.bin").write_bytes(b"not yours")

    def work():
        small_files(size)
        factorize(stage.views, kept)

    code = code_of(child(work))
    assert code in (0, 71), code
    np.testing.assert_array_equal(factorize(stage.views, kept).membership_, stage.membership)
    assert (kept / "state-of-mine.bin").read_bytes() == b"not yours"
    return "an OSError, then the same bits" if code else "room enough, the same bits"


def fit_with_a_checkpoint_is_killed(stage, folder, rng):
    kept, last = folder / "kept", rng.integers(1, 10)
    moment = rng.uniform(0, 0.01)

    def wait_for_death(name, done, total):
        if (name, done) == ("factorization", last):
            signal.setitimer(signal.ITIMER_REAL, max(moment, 1e-6))  # its signal ends the process at any instruction

    code = code_of(child(lambda: factorize(stage.views, kept, wait_for_death) and None))
    np.testing.assert_array_equal(factorize(stage.views, kept).membership_, stage.membership)
    return "the same bits" if code < 0 else "was faster, the same bits"


def folder_is_read_only(stage, folder, rng):
    os.chmod(folder, 0o555)
    out = folder / "r"

    def work():
        if os.getuid() == 0:
            os.setuid(NOBODY)
        return cluster(stage.data, out)

    log = folder.with_name(folder.name + ".log")
    code = code_of(child(work, log=log))
    said = log.read_text()
    assert (code, "cannot write to" in said, said.count("\n")) == (2, True, 1), (code, said[-500:])
    assert list(folder.iterdir()) == []
    return "one line before the work"


def several_register(stage, folder, rng):
    os.environ["MANYVIEW_DATA"] = str(folder)
    n_processes, n_names = int(rng.integers(2, 5)), int(rng.integers(3, 12))

    def work(process):
        for i in range(n_names):
            register(f"{process}-{i}", stage.data)

    codes = [code_of(pid) for pid in [child(lambda p=p: work(p)) for p in range(n_processes)]]
    assert codes == [0] * n_processes, codes
    assert len(registered()) == n_processes * n_names, len(registered())
    assert load("0-0").n_samples == 150
    return "all names are there"


def two_save_one_model(stage, folder, rng):
    models = [manyview.GMC(n_clusters=k).fit(stage.views) for k in (2, 3)]
    path = folder / "model.manyview"

    def work(model):
        for _ in range(20):
            model.save(path)

    pids = [child(lambda model=model: work(model)) for model in models]
    while not path.exists():
        time.sleep(0.001)
    for _ in range(int(rng.integers(5, 30))):
        assert manyview.load(path).n_clusters in (2, 3)  # whole at any moment
    if rng.random() < 0.5:
        os.kill(pids[0], signal.SIGKILL)
    assert code_of(pids[0]) in (0, -9)
    assert code_of(pids[1]) == 0
    assert manyview.load(path).n_clusters in (2, 3)
    return "one of the two, whole"


def two_cluster_into_one_folder(stage, folder, rng):
    out = folder / "r"
    first = child(lambda: cluster(stage.data, out))
    time.sleep(rng.uniform(0, 0.3))
    second = child(lambda: cluster(stage.data, out))
    codes = sorted([code_of(first), code_of(second)])
    assert codes == [0, 2], codes
    require_next_run(stage, out)
    return "one writes it, the other says so"


def file_is_damaged(stage, folder, rng):
    kind = FORMATS[rng.integers(len(FORMATS))]
    place = folder / ("views" if kind in ("csv", "parquet") else f"views.{kind}")
    write_views(read_views(stage.data), place, **({"tables": kind} if place.suffix == "" else {}))
    path = place if place.is_file() else sorted(place.iterdir())[0]
    path.write_bytes(damaged(path.read_bytes(), rng))
    try:
        views = read_views(place).views
    except ValueError as error:
        return named(error, place)
    assert len({len(view) for view in views.values()}) == 1
    assert all(np.isfinite(view[~np.isnan(view).all(axis=1)]).all() for view in views.values())
    return "read as data"


def model_is_damaged(stage, folder, rng):
    path = manyview.GMC(n_clusters=3).fit(stage.views).save(folder / "model.manyview")
    path.write_bytes(damaged(path.read_bytes(), rng))
    try:
        manyview.load(path)
    except manyview.ModelFileError as error:
        return named(error, path)
    raise AssertionError("a damaged model was loaded")


def checkpoint_is_damaged(stage, folder, rng):
    kept = folder / "kept"
    factorize(stage.views, kept)
    paths = [path for path in sorted(kept.iterdir()) if path.stat().st_size]
    path = paths[rng.integers(len(paths))]
    path.write_bytes(damaged(path.read_bytes(), rng))
    try:
        found = factorize(stage.views, kept).membership_
    except OSError as error:
        return named(error, kept)
    np.testing.assert_array_equal(found, stage.membership)
    return "the same bits"


def named(error, path):
    """Check that an error says which file or folder it is about."""
    assert str(path) in str(error), str(error)[:500]
    return "an error that names it"


def damaged(content, rng):
    """Change some bytes, cut the end off, or put something in."""
    at = int(rng.integers(len(content)))
    match rng.integers(3):
        case 0:
            changed = np.frombuffer(content, np.uint8).copy()
            changed[rng.integers(len(changed), size=rng.integers(1, 9))] ^= np.uint8(rng.integers(1, 256))
            changed[at] ^= 1  # two changes of one byte may have made it what it was
            return changed.tobytes() if changed.tobytes() != content else content[:at]
        case 1:
            return content[:at]
        case _:
            return content[:at] + rng.bytes(int(rng.integers(1, 100))) + content[at:]


def worker_is_killed(stage, folder, rng, client):
    """Kill a Dask worker at a random moment of a fit; of these faults the only one that needs a cluster."""
    victim = rng.choice(sorted(client.run(os.getpid).values()))
    moment = rng.integers(1, 9)

    def kill(name, done, total):
        if (name, done) == ("factorization", moment):
            os.kill(victim, signal.SIGKILL)

    from dask import array

    views = [array.from_array(view, chunks=(40, -1)) for view in stage.views]
    np.testing.assert_array_equal(np.asarray(factorize(views, verbose=kill).membership_), stage.membership)
    client.wait_for_workers(2, timeout=300)
    return "the same bits"


FAULTS = (
    cluster_is_killed,
    disk_is_full_for_a_result,
    disk_is_full_for_a_checkpoint,
    fit_with_a_checkpoint_is_killed,
    folder_is_read_only,
    several_register,
    two_save_one_model,
    two_cluster_into_one_folder,
    file_is_damaged,
    model_is_damaged,
    checkpoint_is_damaged,
)
