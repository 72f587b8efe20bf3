"""Checks of paths and formats before a file is read."""

from __future__ import annotations

import importlib.util
import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from manyview.io.data import DataNotPresent
from manyview.io.isolation import Request

HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"

MIN_MEMORY = 2**29  # bytes of address space

# names of columns that hold ids, and of tables, variables or columns that hold labels
ID_NAMES = ("id", "ids", "sample_id", "sampleid", "index", "", "unnamed: 0", "__index_level_0__")
LABEL_NAMES = ("labels", "label", "y", "gt", "truelabel", "truelabels", "truth", "gnd", "ground_truth", "groundtruth")

# suffix -> parser, and the libraries that it needs with their extra
TABLES = {
    ".csv": "csv",
    ".csv.gz": "csv",
    ".csv.zst": "csv",
    ".tsv": "csv",
    ".tsv.gz": "csv",
    ".tsv.zst": "csv",
    ".parquet": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".npy": "npy",
    ".mtx": "mtx",
    ".mtx.gz": "mtx",
}
CONTAINERS = {".npz": "npz", ".mat": "mat5", ".h5ad": "h5ad", ".h5mu": "h5mu", ".xlsx": "excel"}
NEEDS = {
    "csv": ("files", ("pyarrow",)),
    "parquet": ("files", ("pyarrow",)),
    "feather": ("files", ("pyarrow",)),
    "mat73": ("files", ("h5py",)),
    "h5ad": ("files", ("h5py",)),
    "h5mu": ("files", ("h5py",)),
    "excel": ("excel", ("openpyxl", "pyarrow")),
}


class Choices(NamedTuple):
    """Options for files."""

    id_column: str | None = None
    header: bool | None = None
    keys: Sequence[str] | None = None


class Limits(NamedTuple):
    """Limits of reading: seconds per file, and bytes."""

    time_limit: float
    memory_limit: int

    def check(self) -> Limits:
        if not 0 < self.time_limit <= 1e6:
            raise ValueError(f"time_limit is {self.time_limit}; it must lie between 0 and a million seconds")
        if self.memory_limit < MIN_MEMORY:
            raise ValueError(f"memory_limit is {self.memory_limit}; parsers need at least {MIN_MEMORY} bytes to start")
        return self


def check_file(path: Path, limits: Limits, /) -> None:
    """Raise an error unless the path is a regular file of a size that the limit allows."""
    try:
        status = path.stat()
    except FileNotFoundError as error:
        if path.is_symlink():
            raise DataNotPresent(f"{path}: the link leads to {os.readlink(path)!r}, which is not there") from error
        raise DataNotPresent(f"{path}: there is no such file or folder") from error
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: cannot be opened: {error}") from error
    if not stat.S_ISREG(status.st_mode):
        what = "a folder" if stat.S_ISDIR(status.st_mode) else "a device, a pipe or a socket"
        raise ValueError(f"{path}: is {what} where a file is expected")
    if status.st_size == 0:
        raise ValueError(f"{path}: is empty")
    if status.st_size > limits.memory_limit:
        raise ValueError(f"{path}: its {status.st_size} bytes are more than memory_limit, {limits.memory_limit}")


def suffix_of(path: Path, /) -> str:
    """Give the suffix that tells the format, such as ".csv" or ".csv.gz"; empty where none is known."""
    name = path.name.lower()
    known = [suffix for suffix in (*TABLES, *CONTAINERS) if name.endswith(suffix)]
    return max(known, key=len, default="")


def stem_of(path: Path, /) -> str:
    """Give the name of a file without the suffix of its format."""
    return path.name[: len(path.name) - len(suffix_of(path))] if suffix_of(path) else path.name


def request_for(path: Path, limits: Limits, choices: Choices, /) -> Request:
    """Check the file and say how to parse it."""
    check_file(path, limits)
    suffix = suffix_of(path)
    kind = TABLES.get(suffix) or CONTAINERS.get(suffix)
    if kind is None:
        raise ValueError(
            f"{path}: cannot read {path.suffix or 'a file without suffix'}; give a folder or one of "
            + ", ".join((*TABLES, *CONTAINERS))
        )
    if kind == "mat5" and _is_hdf5(path):
        kind = "mat73"
    extra, libraries = NEEDS.get(kind, ("", ()))
    for library in libraries:
        if importlib.util.find_spec(library) is None:
            raise ImportError(f"{path}: reading it needs {library}: pip install 'manyview[{extra}]'")
    if choices.keys is not None and kind not in ("h5ad", "h5mu", "excel"):
        raise ValueError(f"{path}: keys= chooses parts of .h5ad, .h5mu and .xlsx files; this file has none")
    return Request(kind, path, _options(kind, choices))


def _options(kind: str, choices: Choices) -> dict[str, Any]:
    keys = None if choices.keys is None else list(choices.keys)
    match kind:
        case "csv":
            names = list(ID_NAMES) if choices.id_column is None else [choices.id_column.lower()]
            return {"header": choices.header, "id_names": names}
        case "h5ad" | "h5mu":
            return {"keys": keys, "label_names": list(LABEL_NAMES)}
        case "excel":
            return {"keys": keys}
    return {}


def _is_hdf5(path: Path) -> bool:
    try:
        with open(path, "rb") as file:
            head = file.read(520)
    except OSError as error:
        raise ValueError(f"{path}: cannot be opened: {error}") from error
    # MATLAB puts 512 bytes of its own before the HDF5 file, other writers none
    return HDF5_SIGNATURE in (head[:8], head[512:520])


def table_paths(folder: Path, /) -> dict[str, Path]:
    """Find the tables of a folder by stem, in natural order (view2 before view10)."""
    try:
        entries = list(folder.iterdir())
    except OSError as error:
        raise ValueError(f"{folder}: cannot be opened: {error}") from error
    found = [path for path in entries if suffix_of(path) in TABLES and not path.name.startswith(".")]
    found.sort(key=lambda path: [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", stem_of(path))])
    return by_stem(found, str(folder))


def by_stem(paths: Sequence[Path], where: str, /) -> dict[str, Path]:
    """Name each path by its stem; two of one name are an error."""
    named = {stem_of(path): path for path in paths}
    if len(named) < len(paths):
        raise ValueError(f"{where}: two tables have the same name among {[path.name for path in paths]}")
    return named
