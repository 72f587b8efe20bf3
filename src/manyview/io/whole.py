"""Write a file or a folder so that it is there as a whole or not at all, whenever the process ends.

The work is done in a hidden folder beside the target. A process that is killed leaves it behind; the next one that
writes to the same place removes it, if nobody holds its lock any more.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

LOCK = "lock"


@contextmanager
def whole_file(path: Path, /) -> Iterator[Path]:
    """Give a path to write to; what is there at the end is moved to `path` in one step."""
    with _beside(path) as folder:
        part = folder / path.name
        yield part
        _flush(part)
        os.replace(part, path)
    _flush_folder(path.parent)


@contextmanager
def whole_folder(path: Path, /, *, replace: bool = False) -> Iterator[Path]:
    """Give a folder to fill; at the end it is renamed to `path`, which must be absent or empty, unless `replace`."""
    with _beside(path) as folder:
        part = folder / "new"
        part.mkdir()
        yield part
        for file in part.iterdir():
            _flush(file)
        _flush_folder(part)
        if replace and path.exists():
            os.rename(path, folder / "old")
        _rename(part, path)
    _flush_folder(path.parent)


def _rename(part: Path, path: Path) -> None:
    if sys.platform == "win32" and path.is_dir():  # elsewhere an empty folder gives way by itself
        path.rmdir()
    try:
        os.rename(part, path)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            raise FileExistsError(f"{path}: another process has made it meanwhile, nothing was written") from error
        raise


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """Make a hidden folder on the same disk, for as long as the writing takes."""
    _remove_leftovers(path)
    with _said_of(path), contextlib.ExitStack() as opened:
        folder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent))
        try:
            lock = opened.enter_context(open(folder / f"{LOCK}ing", "wb"))
            if _locked(lock):
                os.rename(folder / f"{LOCK}ing", folder / LOCK)
            yield folder
        finally:
            opened.close()  # Windows removes no open file
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _said_of(path: Path) -> Iterator[None]:
    """Name the target in an error of the system, not the hidden folder beside it, or nothing."""
    try:
        yield
    except OSError as error:
        unnamed = error.filename is None or f".{path.name}." in str(error.filename)
        if error.errno is None or not unnamed:
            raise
        raise type(error)(error.errno, os.strerror(error.errno), str(path)) from error


def _remove_leftovers(path: Path) -> None:
    """Remove what killed processes left beside `path`: hidden folders with a lock that can be taken."""
    start, end = f".{path.name}.", ".part"
    with contextlib.suppress(OSError):
        names = [name for name in os.listdir(path.parent) if name.startswith(start) and name.endswith(end)]
        for folder in (path.parent / name for name in names if "." not in name[len(start) : -len(end)]):
            with contextlib.suppress(OSError), open(folder / LOCK, "rb+") as lock:
                if _locked(lock):
                    shutil.rmtree(folder, ignore_errors=True)


def _locked(file: IO[bytes]) -> bool:
    """Take the lock of a file, where the system has such locks and nobody else has it."""
    try:
        fcntl = importlib.import_module("fcntl")
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True


def _flush(path: Path) -> None:
    with open(path, "rb+") as file:
        os.fsync(file.fileno())


def _flush_folder(path: Path) -> None:
    """Make a new name last; Windows has no such thing."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):  # some file systems cannot
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
