"""NumPy archives: view_0, view_1, ... and labels; a sparse view as view_i_data, _indices, _indptr and _shape (CSR)."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manyview.datasets._values import RawSparse, Value, Variables

PARTS = ("_data", "_indices", "_indptr", "_shape")


def read_npz(path: Path, /) -> Variables:
    """The arrays of the archive, the four parts of a sparse matrix put together; never unpickles."""
    try:
        with zipfile.ZipFile(path) as archive:
            damaged = archive.testzip()  # np.load alone may stop before it sees the checksum
            n_found = len(archive.infolist())
        n_stated = _entries_stated(path)
        if n_found != n_stated:
            raise ValueError(f"its directory has {n_found} of {n_stated} entries")
        if damaged is not None:
            raise ValueError(f"the checksum of {damaged} is wrong")
        with np.load(path, allow_pickle=False) as stored:
            arrays = {key: np.asarray(stored[key]) for key in stored.files}
    except Exception as error:  # zipfile, zlib and the header parser raise a dozen kinds
        raise ValueError(f"{path}: cannot be read as .npz: {type(error).__name__}: {error}") from error
    return list(_group_sparse(arrays, path).items())


def _entries_stated(path: Path) -> int:
    """Number of members according to the archive's end record: zipfile skips what a damaged directory hides."""
    with open(path, "rb") as file:
        file.seek(0, 2)
        file.seek(max(0, file.tell() - 65557))  # the record and its longest comment
        tail = file.read()
    (n_entries,) = struct.unpack_from("<H", tail, tail.rindex(b"PK\5\6") + 10)
    return int(n_entries)


def _group_sparse(arrays: dict[str, NDArray[Any]], path: Path) -> dict[str, Value]:
    grouped: dict[str, Value] = {}
    for key, array in arrays.items():
        stem = next((key.removesuffix(part) for part in PARTS if key.endswith(part)), None)
        # a plain array may be called "my_data"; an indptr means that a sparse matrix was stored
        if stem is None or f"{stem}_indptr" not in arrays:
            grouped[key] = array
        elif stem not in grouped:
            missing = [stem + part for part in PARTS if stem + part not in arrays]
            if missing:
                raise ValueError(f"{path}: sparse {stem} lacks {', '.join(missing)}")
            data, indices, indptr, shape = (arrays[stem + part] for part in PARTS)
            if shape.dtype.kind not in "iu" or shape.shape != (2,):
                raise ValueError(f"{path}: {stem}_shape is not a pair of whole numbers")
            grouped[stem] = RawSparse(data, indices, indptr, (int(shape[0]), int(shape[1])), by_columns=False)
    return grouped
