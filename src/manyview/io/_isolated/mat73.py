"""MATLAB files of version 7.3: HDF5 with MATLAB's conventions, through h5py.

MATLAB writes columns first, HDF5 says rows first, so every array comes out transposed. A cell array is a dataset of
references, a sparse matrix a group with ``data``, ``ir`` and ``jc``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .answer import Answer, Node
from .hdf5 import open_hdf5, read_dataset

MAX_DEPTH = 8  # of cells within cells; a damaged reference may point back to its own cell


def read_mat73(path: str, answer: Answer) -> None:
    """Add all variables of the file to the answer."""
    with open_hdf5(path) as file:
        if any("OCTAVE_NEW_FORMAT" in file[name].attrs for name in file):
            raise ValueError("it is in a format of Octave's own; write it again with save -v7")
        for name in file:
            if not name.startswith("#"):  # #refs# holds the contents of cells
                answer.add(name, _node(file[name], file, answer, MAX_DEPTH))


def _node(item: Any, file: Any, answer: Answer, depth: int) -> Node:
    if depth == 0:
        raise ValueError(f"cells within cells, more than {MAX_DEPTH} deep")
    if "MATLAB_sparse" in item.attrs:
        return _sparse(item, answer)
    if not hasattr(item, "dtype"):
        return answer.unusable("a struct")
    if item.attrs.get("MATLAB_empty", 0):
        return answer.array(np.zeros((0, 0)))
    if item.dtype.kind == "O":
        references = read_dataset(item, answer).T
        items = [_node(file[reference], file, answer, depth - 1) for reference in references.ravel(order="F")]
        return answer.cell(references.shape, items)
    if item.attrs.get("MATLAB_class") == b"char":
        return answer.unusable("text")
    if item.dtype.names is not None:
        return answer.unusable("complex numbers" if set(item.dtype.names) == {"real", "imag"} else "a struct")
    return answer.array(read_dataset(item, answer).T)


def _sparse(group: Any, answer: Answer) -> Node:
    n_rows = int(group.attrs["MATLAB_sparse"])
    starts = read_dataset(group["jc"], answer)
    if "data" not in group:  # MATLAB leaves both out when nothing is stored
        data, rows = np.zeros(0), np.zeros(0, dtype=np.int64)
    else:
        data, rows = (read_dataset(group[part], answer) for part in ("data", "ir"))
    return answer.sparse(data, rows, starts, (n_rows, len(starts) - 1), by_columns=True)
