"""MATLAB files of version 7.3: HDF5 with MATLAB's conventions, through h5py.

MATLAB writes columns first, HDF5 says rows first, so every array comes out transposed. A cell array is a dataset of
references, a sparse matrix a group with ``data``, ``ir`` and ``jc``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .tree import Node, Tree

MAX_DEPTH = 8  # of cells within cells; a damaged reference may point back to its own cell


def read_mat73(path: str, tree: Tree) -> None:
    """Add all variables of the file to the tree."""
    import h5py

    with h5py.File(path, "r") as file:
        for name in file:
            if not name.startswith("#"):  # #refs# holds the contents of cells
                tree.add(name, _node(file[name], file, tree, MAX_DEPTH))


def _node(item: Any, file: Any, tree: Tree, depth: int) -> Node:
    if depth == 0:
        raise ValueError(f"cells within cells, more than {MAX_DEPTH} deep")
    if "MATLAB_sparse" in item.attrs:
        return _sparse(item, tree)
    if not hasattr(item, "dtype"):
        return tree.unusable("a struct")
    if item.attrs.get("MATLAB_empty", 0):
        return tree.array(np.zeros((0, 0)))
    if item.dtype.kind == "O":
        references = item[()].T
        items = [_node(file[reference], file, tree, depth - 1) for reference in references.ravel(order="F")]
        return tree.cell(references.shape, items)
    if item.attrs.get("MATLAB_class") == b"char":
        return tree.unusable("text")
    if item.dtype.names is not None:
        return tree.unusable("complex numbers" if set(item.dtype.names) == {"real", "imag"} else "a struct")
    _check_storage(item)
    return tree.array(np.ascontiguousarray(item[()].T))


def _sparse(group: Any, tree: Tree) -> Node:
    n_rows = int(group.attrs["MATLAB_sparse"])
    starts = group["jc"][()]
    if "data" not in group:  # MATLAB leaves both out when nothing is stored
        return tree.sparse_columns(np.zeros(0), np.zeros(0, dtype=np.int64), starts, (n_rows, len(starts) - 1))
    for part in ("data", "ir", "jc"):
        _check_storage(group[part])
    return tree.sparse_columns(group["data"][()], group["ir"][()], starts, (n_rows, len(starts) - 1))


def _check_storage(dataset: Any) -> None:
    """Refuse a dataset whose dimensions promise more or less than is stored: HDF5 would cut or fill in silence."""
    if dataset.chunks is None:
        promised, stored = dataset.size * dataset.dtype.itemsize, dataset.id.get_storage_size()
    else:
        per_side = [-(-n // c) for n, c in zip(dataset.shape, dataset.chunks, strict=True)]
        promised, stored = math.prod(per_side), dataset.id.get_num_chunks()
    if promised != stored:
        unit = "bytes" if dataset.chunks is None else "chunks"
        raise ValueError(f"{dataset.name} of shape {dataset.shape[::-1]} needs {promised} {unit}, {stored} are stored")
