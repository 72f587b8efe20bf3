"""The append-only journal of a benchmark: one JSON object a line, each line on disk before the run goes on.

A line counts once its newline is there. What a killed writer left behind the last newline is torn: readers ignore
it, and the next writer cuts it off before it appends, so that no later line can be glued to it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from manyview.bench.posix import posix_module

Row = dict[str, Any]

JOURNAL_NAME = "journal.jsonl"
_CELL = {"key": str, "data": str, "method": str, "grid": dict, "order": str, "seed": int}
# what the tables are made from, by the kind of a line; lines of other kinds are of no interest to them
_FIELDS: dict[str, dict[str, Any]] = {
    "plan": {"name": str, "metrics": list, "cells": list},
    "result": {
        "key": str,
        "inputs": {"data": {"name": str}, "method": {"name": str, "grid": dict}, "order": str, "seed": int},
        "limits": {"seconds": (int, float), "memory_gb": (int, float)},
        "status": str,
        "result": (dict, type(None)),
        "measured": dict,
    },
}
LOCK_WAIT = 2.0  # seconds; the lock of a killed writer is free at once, the one of a dying writer almost


def journal_path(place: str | os.PathLike[str], /) -> Path:
    """Return the path of a journal, given itself or the folder of its run."""
    path = Path(place)
    return path / JOURNAL_NAME if path.is_dir() else path


def read_journal(place: str | os.PathLike[str], /) -> list[Row]:
    """Read all complete lines of a journal; a torn last line is ignored.

    Parameters
    ----------
    place : path
        The journal, or the folder of the run that wrote it.

    Returns
    -------
    list of dict
        The lines in the order they were written; empty where there is no journal yet.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from manyview.bench import read_journal
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "journal.jsonl"
    >>> _ = path.write_text('{"kind":"note","seed":0}\\n{"kind":"resu')
    >>> read_journal(path)
    [{'kind': 'note', 'seed': 0}]
    """
    path = journal_path(place)
    if not path.exists():
        return []
    lines = path.read_bytes().split(b"\n")[:-1]  # what follows the last newline is empty or torn
    return [_parse(line, f"{path.name}, line {number}") for number, line in enumerate(lines, start=1)]


def _parse(line: bytes, where: str) -> Row:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{where}: not JSON ({error}); the file was changed by hand: remove that line") from None
    if not isinstance(row, dict):
        raise ValueError(f"{where}: a JSON object was expected, not {type(row).__name__}; remove that line")
    _check(row, {"kind": str, **_FIELDS.get(str(row.get("kind")), {})}, where)
    if row.get("status") == "ok" and row["kind"] == "result":
        _check(row, {"result": {"scores": dict}}, where)
    for i, cell in enumerate(row["cells"] if row["kind"] == "plan" else ()):
        _check({"cell": cell}, {"cell": _CELL}, f"{where}, cell {i}")
    return row


def _check(row: Mapping[str, Any], fields: Mapping[str, Any], where: str) -> None:
    """Refuse a line that lacks a field which tables are made from, or has another kind of value there."""
    for name, kind in fields.items():
        inner = kind if isinstance(kind, dict) else {}
        if name not in row or not isinstance(row[name], dict if inner else kind):
            raise ValueError(f"{where}: {name!r} is missing or damaged; the file was changed by hand: remove that line")
        _check(row[name], inner, where)


class Journal:
    """The only writer of a journal, from ``with`` to its end.

    Parameters
    ----------
    path : path
        The file to append to; its folder must exist.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from manyview.bench.journal import Journal, read_journal
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "journal.jsonl"
    >>> with Journal(path) as journal:
    ...     journal.append({"kind": "note", "seed": 0})
    >>> read_journal(path)
    [{'kind': 'note', 'seed': 0}]
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def __enter__(self) -> Journal:
        self._lock = _lock(self.path.with_name(self.path.name + ".lock"))
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
            _cut_torn_line(self._file)
            _sync_folder(self.path.parent)
        except BaseException:
            os.close(self._lock)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)
        os.close(self._lock)

    def append(self, row: Mapping[str, Any]) -> None:
        """Write one line; when this returns, the line survives a power cut."""
        text = json.dumps(row, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        # a lone surrogate, as an exception's message can hold one, has no bytes: a question mark takes its place
        line = memoryview((text + "\n").encode(errors="replace"))
        while line:  # a full disk or a signal can shorten a write
            line = line[os.write(self._file, line) :]
        os.fsync(self._file)


def _lock(path: Path) -> int:
    """Take the lock file, whose holder is released by the system however it dies."""
    fcntl = posix_module("fcntl")
    lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    give_up = time.monotonic() + LOCK_WAIT
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() < give_up:
                time.sleep(0.05)
                continue
            holder = os.pread(lock, 32, 0).decode() or "unknown"
            os.close(lock)
            raise ValueError(
                f"{path}: another run (process {holder}) writes to this folder; wait for it or give another folder"
            ) from None
        os.ftruncate(lock, 0)
        os.pwrite(lock, str(os.getpid()).encode(), 0)
        return lock


def _cut_torn_line(file: int) -> None:
    """Truncate the file behind its last newline."""
    size = os.fstat(file).st_size
    end, chunk = size, 1 << 16
    while end > 0:
        start = max(0, end - chunk)
        newline = os.pread(file, end - start, start).rfind(b"\n")
        if newline >= 0:
            end = start + newline + 1
            break
        end = start
    if end < size:
        os.ftruncate(file, end)
        os.fsync(file)


def _sync_folder(folder: Path) -> None:
    """Make the name of a new file as durable as its content."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
