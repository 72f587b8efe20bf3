"""Checkpoints of the factorization: what is needed to go on after the process was killed, to the same bits.

A checkpoint is two files. ``manyview-state-<iteration>.bin`` holds the factors of the rows; every block writes its own
rows, in whatever process it lives. ``checkpoint.npz`` holds the small state and says which fit it belongs to; it is
written beside, flushed to disk and renamed, so that there is one whole checkpoint at any moment: the old or the new.
Stages before the factorization are deterministic and are run again. Only files with these names are ever removed, and
only inside the directory.

A directory serves one fit at a time: ``lock`` is locked as long as a fit uses it, and the system unlocks it when the
process ends in whatever way.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from manyview.cluster.semi_ntf.admm import Loop, Penalties, State
from manyview.engine import Engine, Rows
from manyview.views import Views

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

COMMIT, LOCK = "checkpoint.npz", "lock"
STATE = re.compile(r"manyview-state-\d{6,}\.bin")  # names of the files that are written, and may be removed
RESUMABLE = ("max_iter", "tol")  # parameters that may differ when a fit goes on
FORMAT = "4"  # changes when the factors in a file mean something else
Layout = tuple[tuple[int, int, str], ...]  # of every factor: slices, columns, type
Digests = dict[int, int]  # of every block, by its first row


class Checkpoint:
    """Keeps the state of a factorization in a directory, and takes it up again."""

    def __init__(self, directory: str | os.PathLike[str], every: int, identity: dict[str, str], /) -> None:
        self._directory = Path(directory).absolute()  # workers may run in another directory
        self._every = every
        self._identity = identity
        self._start = ""
        self._last: Commit | None = None
        self._unlock = contextlib.ExitStack()

    def __enter__(self) -> Checkpoint:
        """Lock the directory, and look what is there."""
        with contextlib.ExitStack() as stack:
            stack.enter_context(_locked(self._directory))
            commit = self._directory / COMMIT
            if commit.exists():
                self._last = _read_commit(commit)
                self._require_same(self._last.identity)
            for state in self._directory.iterdir():  # a fit was killed while it wrote one
                if STATE.fullmatch(state.name) and (self._last is None or state.name != self._last.state):
                    state.unlink()
            self._unlock = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._unlock.close()

    def resume(self, rows: Rows[State], engine: Engine, loop: Loop, /) -> tuple[Rows[State], Loop]:
        """Return the state of the last checkpoint, or the given start if there is none."""
        self._start = hashlib.sha256(np.ascontiguousarray(loop.G).tobytes()).hexdigest()
        last = self._last
        if last is None:
            return rows, loop
        if last.start != self._start:
            raise ValueError(
                f"The checkpoint in {str(self._directory)!r} belongs to other data, to another version of the library, "
                "or to another processor or way to compute (MANYVIEW_COMPILED): the factorization started differently "
                "then. Name another directory, or delete this one."
            )
        path = self._directory / last.state
        row_bytes = sum(V * K * np.dtype(kind).itemsize for V, K, kind in last.layout)
        size = path.stat().st_size if path.exists() else 0
        if size != row_bytes * last.n_rows:
            raise OSError(f"The checkpoint file {str(path)!r} is damaged: it holds {size} bytes. Delete the directory.")
        return engine.map(_reader(path, last.layout, last.digests), rows), last.loop

    def keep(self, rows: Rows[State], engine: Engine, loop: Loop, /) -> None:
        """Write a checkpoint if it is time for one."""
        if loop.iteration % self._every:
            return
        state = self._directory / f"manyview-state-{loop.iteration:06d}.bin"
        try:
            with open(state, "wb"):
                pass
            layout, n_rows, digests = engine.reduce(_writer(state), rows, _together)
            _flush(state)
            commit = Commit(self._identity, self._start, state.name, layout, n_rows, digests, loop)
            _write_commit(self._directory / COMMIT, commit)
        except OSError as error:
            with contextlib.suppress(OSError):
                state.unlink()
            kept = (
                "There is none yet."
                if self._last is None
                else (f"That of iteration {self._last.loop.iteration} is intact.")
            )
            raise OSError(
                error.errno,
                f"The checkpoint of iteration {loop.iteration} could not be written to {str(self._directory)!r}: "
                f"{error.strerror or error}. {kept}",
            ) from error
        if self._last is not None and self._last.state != state.name:
            (self._directory / self._last.state).unlink(missing_ok=True)
        self._last = commit

    def _require_same(self, other: dict[str, str]) -> None:
        for name, value in self._identity.items():
            if other.get(name) != value:
                raise ValueError(
                    f"The checkpoint in {str(self._directory)!r} belongs to another fit: {name} was "
                    f"{other.get(name)}, now it is {value}. Name another directory, or delete this one."
                )


class Commit(NamedTuple):
    """The content of ``checkpoint.npz``."""

    identity: dict[str, str]
    start: str  # digest of the first G: parameters and data together
    state: str  # name of the file with the rows
    layout: Layout
    n_rows: int
    digests: Digests
    loop: Loop


def checkpoint_for(
    estimator: Any, views: Views, settings: Iterable[Any], directory: Any, every: Any, /
) -> contextlib.AbstractContextManager[Checkpoint | None]:
    """Return the checkpoint that a fit asks for, or a context without one."""
    if directory is None:
        return contextlib.nullcontext()
    if not isinstance(every, int | np.integer) or every < 1:
        raise ValueError(f"checkpoint_every must be an integer >= 1; got {every!r}.")
    if not isinstance(estimator.random_state, int | np.integer):
        raise ValueError("checkpoint needs an integer random_state: without one no second run is like the first.")
    identity = identity_of(settings, views, estimator.block_rows)
    return Checkpoint(directory, int(every), identity | {"n_clusters": str(estimator.n_clusters)})  # may be "auto"


def identity_of(settings: Iterable[Any], views: Views, block_rows: int, /) -> dict[str, str]:
    """Describe a fit parameter by parameter, arrays by their digest; ``settings`` are dataclasses."""
    parameters = {
        field.name: _short(getattr(part, field.name))
        for part in settings
        for field in fields(part)
        if field.name not in RESUMABLE
    }
    shape = {"rows": str(len(views)), "views": str(list(zip(views.names, views.widths, strict=True)))}
    return shape | {"block_rows": str(block_rows), "format": FORMAT} | parameters


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()[:16]
    return repr(value)


@contextlib.contextmanager
def _locked(directory: Path) -> Iterator[None]:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        file = open(directory / LOCK, "a")  # noqa: SIM115 - closed below
    except OSError as error:
        raise OSError(
            error.errno, f"checkpoint={str(directory)!r} is no directory to write to: {error.strerror or error}."
        ) from error
    with file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise OSError(
                    error.errno, f"Another fit keeps its checkpoints in {str(directory)!r}: name another directory."
                ) from error
        yield


def _writer(path: Path) -> Callable[[Any], tuple[Layout, int, Digests]]:
    def write(block: Any) -> tuple[Layout, int, Digests]:
        factors = [np.ascontiguousarray(factor) for factor in block.factors]
        data = b"".join(factor.tobytes() for factor in factors)
        with open(path, "r+b", buffering=0) as file:
            file.seek(block.start * (len(data) // block.n_rows))
            rest = memoryview(data)
            while rest:
                rest = rest[file.write(rest) :]
        layout = tuple((f.shape[0], f.shape[2], f.dtype.str) for f in factors)
        return layout, block.n_rows, {block.start: zlib.crc32(data)}

    return write


def _together(first: tuple[Layout, int, Digests], second: tuple[Layout, int, Digests]) -> tuple[Layout, int, Digests]:
    return first[0], first[1] + second[1], first[2] | second[2]


def _reader(path: Path, layout: Layout, digests: Digests) -> Callable[[State], State]:
    def read(block: Any) -> Any:
        row_bytes = sum(V * K * np.dtype(kind).itemsize for V, K, kind in layout)
        numbers = np.fromfile(path, np.uint8, row_bytes * block.n_rows, offset=row_bytes * block.start)
        if zlib.crc32(numbers.data) != digests[block.start]:
            raise OSError(
                f"The checkpoint file {str(path)!r} is damaged in the rows {block.start} … "
                f"{block.start + block.n_rows - 1}. Delete the directory."
            )
        factors = []
        begin = 0
        for V, K, kind in layout:
            end = begin + V * K * block.n_rows * np.dtype(kind).itemsize
            shape = (V, block.n_rows, K) if V else (0, 0, 0)
            factors.append(numbers[begin:end].copy().view(kind).reshape(shape))
            begin = end
        return block.with_factors(tuple(factors))

    return read


def _write_commit(path: Path, commit: Commit) -> None:
    loop = commit.loop
    text = json.dumps(
        {
            "identity": commit.identity,
            "start": commit.start,
            "state": commit.state,
            "layout": commit.layout,
            "n_rows": commit.n_rows,
            "digests": list(commit.digests.items()),
            "iteration": loop.iteration,
        }
    )
    arrays: dict[str, Any] = {name: np.array(values, dtype=np.float64) for name, values in loop.history.items()}
    beside = path.with_suffix(".tmp")
    with open(beside, "wb") as file:
        np.savez(
            file,
            text=np.array(text),
            G=loop.G,
            penalties=np.array(loop.penalties),
            **arrays,
        )
    _flush(beside)
    os.replace(beside, path)
    _flush(path.parent)


def _read_commit(path: Path) -> Commit:
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = dict(stored)
        known = json.loads(str(arrays.pop("text")))
        G = arrays.pop("G")
        if not STATE.fullmatch(known["state"]):
            raise ValueError(f"{known['state']!r} is no name of a state file")
        penalties = Penalties(*arrays.pop("penalties").tolist())
    except (EOFError, KeyError, OSError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise OSError(f"{str(path)!r} is no readable checkpoint: {error}. Delete the directory.") from error
    history = {name: values.tolist() for name, values in arrays.items()}
    layout = tuple((V, K, kind) for V, K, kind in known["layout"])
    loop = Loop(G, penalties, history, known["iteration"])
    digests = dict(known.get("digests", ()))  # those of another format have none
    return Commit(known["identity"], known["start"], known["state"], layout, known["n_rows"], digests, loop)


def _flush(path: Path) -> None:
    """Force a file, or the names in a directory, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
