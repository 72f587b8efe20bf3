"""Names for the user's own files, kept with their checksums, so that a name always means the same bytes."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from manyview.datasets.digits import load_digits_views
from manyview.io import DataNotPresent, MultiViewData, read_views

BUILT_IN = {"digits": load_digits_views}


def register(name: str, path: str | os.PathLike[str], *, widths: Sequence[int] | None = None) -> str:
    """Give a file or folder a name; registering a name again replaces it.

    Parameters
    ----------
    name : str
        What :func:`load` will know it by.
    path : str or path
        Anything that :func:`read_views` reads. It is not copied, and read only for its checksum.
    widths : sequence of int, optional
        Passed on to :func:`read_views` by :func:`load`.

    Returns
    -------
    str
        The checksum (SHA-256) that :func:`load` will compare.

    Notes
    -----
    Names live in ``registry.json`` in the user's data directory: ``$MANYVIEW_DATA`` if that is set, otherwise the
    platform's usual place.

    Examples
    --------
    >>> from manyview.datasets import load, register
    >>> register("mine", "views.mat")  # doctest: +SKIP
    >>> load("mine")  # doctest: +SKIP
    """
    if not name or name in BUILT_IN:
        raise ValueError(f"{name!r} cannot be registered; choose a name other than {', '.join(map(repr, BUILT_IN))}")
    path = Path(path)
    if not path.exists():
        raise DataNotPresent(f"{path}: there is no such file or folder to register as {name!r}")
    entry = {
        "path": str(path.resolve()),
        "sha256": checksum(path),
        "widths": None if widths is None else [int(width) for width in widths],
    }
    with _locked():
        _write(_read() | {name: entry})
    return str(entry["sha256"])


def load(name: str) -> MultiViewData:
    """Load a data set by name: ``"digits"``, or what :func:`register` knows.

    Parameters
    ----------
    name : str
        A registered name.

    Returns
    -------
    MultiViewData

    Raises
    ------
    DataNotPresent
        The name is not registered, or its file is gone.
    ValueError
        The file has changed since it was registered, or cannot be read.

    Examples
    --------
    >>> from manyview.datasets import load
    >>> load("digits").n_clusters
    10
    """
    if name in BUILT_IN:
        return BUILT_IN[name]()
    entries = _read()
    if name not in entries:
        known = ", ".join(map(repr, [*BUILT_IN, *entries]))
        raise DataNotPresent(
            f"no data set is registered as {name!r}; known are {known}; see manyview.datasets.register"
        )
    entry = entries[name]
    path = Path(entry["path"])
    if not path.exists():
        raise DataNotPresent(f"{path}, registered as {name!r}, is not there any more")
    if checksum(path) != entry["sha256"]:
        raise ValueError(f"{path} has changed since it was registered as {name!r}; if that is right, register it again")
    data = read_views(path, widths=entry["widths"])
    return replace(data, name=name)


def registered() -> dict[str, str]:
    """Return the registered names and their paths.

    Returns
    -------
    dict of str to str

    Examples
    --------
    >>> from manyview.datasets import registered
    >>> isinstance(registered(), dict)
    True
    """
    return {name: str(entry["path"]) for name, entry in _read().items()}


def recorded_checksum(name: str) -> str | None:
    """Return the SHA-256 that :func:`load` compares; None if the name is not registered."""
    entry = _read().get(name)
    return None if entry is None else str(entry["sha256"])


def checksum(path: str | os.PathLike[str]) -> str:
    """Compute the SHA-256 of a file, or of a folder over the names and contents of its files.

    Parameters
    ----------
    path : str or path
        A file or a folder.

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from manyview.datasets import checksum
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a").write_bytes(b"abc")
    ...     checksum(Path(folder, "a"))
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
    """
    path = Path(path)
    if path.is_file():
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    parts = hashlib.sha256()
    for file_path in sorted(p for p in path.rglob("*") if p.is_file()):
        parts.update(f"{file_path.relative_to(path).as_posix()}\0{checksum(file_path)}\n".encode())
    return parts.hexdigest()


def data_directory() -> Path:
    """Return the folder of the registry."""
    if chosen := os.environ.get("MANYVIEW_DATA"):
        return Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Application Support")
    else:
        base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "manyview"


def _read() -> dict[str, dict[str, Any]]:
    path = data_directory() / "registry.json"
    try:
        entries = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise ValueError(f"{path}: the registry is damaged ({error}); repair or delete it") from error
    whole = isinstance(entries, dict) and all(
        isinstance(entry, dict) and {"path", "sha256", "widths"} <= entry.keys() for entry in entries.values()
    )
    if not whole:
        raise ValueError(f"{path}: the registry is damaged (an entry is incomplete); repair or delete it")
    return dict(entries)


@contextmanager
def _locked() -> Iterator[None]:
    """Let one process at a time change the registry, so that no name is lost."""
    folder = data_directory()
    folder.mkdir(parents=True, exist_ok=True)
    if sys.platform == "win32":
        import msvcrt

        with open(folder / "registry.lock", "ab") as file:
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)  # the end of the file's use is the end of the lock
            yield
    else:
        import fcntl

        descriptor = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


def _write(entries: dict[str, dict[str, Any]]) -> None:
    """Replace the registry in one step: whoever reads it sees the old or the new one, never half."""
    folder = data_directory()
    with tempfile.NamedTemporaryFile("w", dir=folder, suffix=".part", delete=False, encoding="utf-8") as file:
        json.dump(entries, file, indent=2, sort_keys=True)
        file.flush()
        os.fsync(file.fileno())
    os.replace(file.name, folder / "registry.json")
