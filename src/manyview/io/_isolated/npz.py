"""NumPy archives: every array under its name, the four parts of a sparse matrix put together; never unpickled."""

from __future__ import annotations

import struct
import zipfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .answer import Answer

PARTS = ("_data", "_indices", "_indptr", "_shape")


def read_npz(path: str, answer: Answer) -> None:
    """Add all arrays of the archive to the answer."""
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        n_stated = _entries_stated(path)
        if len(members) != n_stated:
            raise ValueError(f"its directory has {len(members)} of {n_stated} entries")
        names = [member.filename for member in members]
        if len(set(names)) < len(names):
            raise ValueError(f"a name occurs twice among its members {names}")
        answer.require_room(sum(member.file_size for member in members), "the archive")
        damaged = archive.testzip()  # np.load alone may stop before it sees the checksum
        if damaged is not None:
            raise ValueError(f"the checksum of {damaged} is wrong")
    with np.load(path, allow_pickle=False) as stored:
        arrays = {key: np.asarray(stored[key]) for key in stored.files}
    _add_grouped(arrays, answer)


def _entries_stated(path: str) -> int:
    """Give the number of members in the archive's end record: zipfile skips what a damaged directory hides."""
    with open(path, "rb") as file:
        file.seek(0, 2)
        file.seek(max(0, file.tell() - 65557))  # the record and its longest comment
        tail = file.read()
    (n_entries,) = struct.unpack_from("<H", tail, tail.rindex(b"PK\5\6") + 10)
    return int(n_entries)


def _add_grouped(arrays: dict[str, NDArray[Any]], answer: Answer) -> None:
    done: set[str] = set()
    for key, array in arrays.items():
        stem = next((key.removesuffix(part) for part in PARTS if key.endswith(part)), None)
        # a plain array may be called "my_data"; an indptr means that a sparse matrix was stored
        if stem is None or f"{stem}_indptr" not in arrays:
            if key in done:
                raise ValueError(f"there are both an array and a sparse matrix named {key}")
            answer.add(key, answer.array(array))
            done.add(key)
        elif f"{stem}_indptr" not in done:
            missing = [stem + part for part in PARTS if stem + part not in arrays]
            if missing:
                raise ValueError(f"sparse {stem} lacks {', '.join(missing)}")
            if stem in arrays:
                raise ValueError(f"there are both an array and a sparse matrix named {stem}")
            data, indices, indptr, shape = (arrays[stem + part] for part in PARTS)
            if shape.dtype.kind not in "iu" or shape.shape != (2,):
                raise ValueError(f"{stem}_shape is not a pair of whole numbers")
            n_rows, n_columns = (int(n) for n in shape)
            answer.add(stem, answer.sparse(data, indices, indptr, (n_rows, n_columns), by_columns=False))
            done.add(f"{stem}_indptr")
