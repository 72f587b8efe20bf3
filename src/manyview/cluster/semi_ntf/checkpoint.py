"""Checkpoints of the factorization: what is needed to go on after the process was killed, to the same bits.

A checkpoint is two files. ``state-<iteration>.bin`` holds the factors of the rows; every block writes its own rows, in
whatever process it lives. ``checkpoint.npz`` holds the small state and says which fit it belongs to; it is written
beside, flushed to disk and renamed, so that at any moment there is one whole checkpoint: the old one or the new one.
Stages before the factorization are deterministic and are run again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from manyview.cluster.semi_ntf.admm import Loop, Penalties, State
from manyview.cluster.semi_ntf.settings import Settings
from manyview.engine import Engine, Rows
from manyview.views import Views

COMMIT = "checkpoint.npz"
FORMAT = "2"  # changes when the factors in a file mean something else
Layout = tuple[tuple[int, int, str], ...]  # of every factor: slices, columns, type


class Checkpoint:
    """Keeps the state of a factorization in a directory, and takes it up again."""

    def __init__(self, directory: str | os.PathLike[str], every: int, identity: dict[str, str], /) -> None:
        self._directory = Path(directory)
        self._every = every
        self._identity = identity
        self._start = ""
        self._last: Commit | None = None
        self._directory.mkdir(parents=True, exist_ok=True)
        commit = self._directory / COMMIT
        if commit.exists():
            self._last = _read_commit(commit)
            self._require_same(self._last.identity)

    def resume(self, rows: Rows[State], engine: Engine, loop: Loop, /) -> tuple[Rows[State], Loop]:
        """The state of the last checkpoint, or the start as it is given where there is none."""
        self._start = hashlib.sha256(np.ascontiguousarray(loop.G).tobytes()).hexdigest()
        last = self._last
        if last is None:
            return rows, loop
        if last.start != self._start:
            raise ValueError(
                f"The checkpoint in {str(self._directory)!r} belongs to other data, or to another version of the "
                "library: the factorization started differently then. Name another directory, or delete this one."
            )
        path = self._directory / last.state
        row_bytes = sum(V * K * np.dtype(kind).itemsize for V, K, kind in last.layout)
        size = path.stat().st_size if path.exists() else 0
        if size != row_bytes * last.n_rows:
            raise OSError(f"The checkpoint file {str(path)!r} is damaged: it holds {size} bytes. Delete the directory.")
        return engine.map(_reader(path, last.layout), rows), last.loop

    def keep(self, rows: Rows[State], engine: Engine, loop: Loop, /) -> None:
        """Write a checkpoint if it is time for one."""
        if loop.iteration % self._every:
            return
        state = self._directory / f"state-{loop.iteration:06d}.bin"
        try:
            with open(state, "wb"):
                pass
            layout, n_rows = engine.reduce(_writer(state), rows, lambda a, b: (a[0], a[1] + b[1]))
            _flush(state)
            commit = Commit(self._identity, self._start, state.name, layout, n_rows, loop)
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
    """What ``checkpoint.npz`` holds."""

    identity: dict[str, str]
    start: str  # digest of the first G: parameters and data together
    state: str  # name of the file with the rows
    layout: Layout
    n_rows: int
    loop: Loop


def checkpoint_for(
    estimator: Any, views: Views, settings: Settings, directory: Any, every: Any, /
) -> Checkpoint | None:
    """The checkpoint that a fit asks for, if it does."""
    if directory is None:
        return None
    if not isinstance(every, int | np.integer) or every < 1:
        raise ValueError(f"checkpoint_every must be an integer >= 1; got {every!r}.")
    if not isinstance(estimator.random_state, int | np.integer):
        raise ValueError("checkpoint needs an integer random_state: without one no second run is like the first.")
    return Checkpoint(directory, int(every), identity_of(settings, views, estimator.block_rows))


def identity_of(settings: Settings, views: Views, block_rows: int, /) -> dict[str, str]:
    """Which fit this is, parameter by parameter; arrays by their digest."""
    parameters = {field.name: _short(getattr(settings, field.name)) for field in fields(settings)}
    shape = {"rows": str(len(views)), "views": str(list(zip(views.names, views.widths, strict=True)))}
    return shape | {"block_rows": str(block_rows), "format": FORMAT} | parameters


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()[:16]
    return repr(value)


def _writer(path: Path) -> Callable[[Any], tuple[Layout, int]]:
    def write(block: Any) -> tuple[Layout, int]:
        factors = [np.ascontiguousarray(factor) for factor in block.factors]
        data = b"".join(factor.tobytes() for factor in factors)
        with open(path, "r+b", buffering=0) as file:
            file.seek(block.start * (len(data) // block.n_rows))
            rest = memoryview(data)
            while rest:
                rest = rest[file.write(rest) :]
        return tuple((f.shape[0], f.shape[2], f.dtype.str) for f in factors), block.n_rows

    return write


def _reader(path: Path, layout: Layout) -> Callable[[State], State]:
    def read(block: Any) -> Any:
        row_bytes = sum(V * K * np.dtype(kind).itemsize for V, K, kind in layout)
        numbers = np.fromfile(path, np.uint8, row_bytes * block.n_rows, offset=row_bytes * block.start)
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
            "iteration": loop.iteration,
            "converged": loop.converged,
        }
    )
    arrays: dict[str, Any] = {name: np.array(values, dtype=np.float64) for name, values in loop.history.items()}
    beside = path.with_suffix(".tmp")
    with open(beside, "wb") as file:
        np.savez(
            file,
            text=np.array(text),
            G=loop.G,
            StP=loop.StP,
            BtB=loop.BtB,
            penalties=np.array(loop.penalties),
            **arrays,
        )
    _flush(beside)
    os.replace(beside, path)
    _flush(path.parent)


def _read_commit(path: Path) -> Commit:
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = dict(stored)
        known = json.loads(str(arrays.pop("text")))
        G, StP, BtB = (arrays.pop(name) for name in ("G", "StP", "BtB"))
        penalties = Penalties(*arrays.pop("penalties").tolist())
    except (KeyError, OSError, ValueError) as error:
        raise OSError(f"{str(path)!r} is no readable checkpoint: {error}. Delete the directory.") from error
    history = {name: values.tolist() for name, values in arrays.items()}
    layout = tuple((V, K, kind) for V, K, kind in known["layout"])
    loop = Loop(G, penalties, history, known["iteration"], known["converged"], StP, BtB)
    return Commit(known["identity"], known["start"], known["state"], layout, known["n_rows"], loop)


def _flush(path: Path) -> None:
    """Force a file, or the names in a directory, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
