"""Write a file or a folder so that it is there as a whole or not at all, whenever the process ends."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
def whole_folder(path: Path, /) -> Iterator[Path]:
    """Give a folder to fill; at the end it is renamed to `path`, which must not exist."""
    with _beside(path) as folder:
        part = folder / "new"
        part.mkdir()
        yield part
        for file in part.iterdir():
            _flush(file)
        _flush_folder(part)
        os.rename(part, path)
    _flush_folder(path.parent)


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """Make a hidden folder on the same disk, for as long as the writing takes."""
    folder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


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
