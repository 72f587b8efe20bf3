"""HDF5 files, through h5py: only what lies in the file itself, and only what is whole.

HDF5 can point to other files in three ways: external links, external storage and virtual data sets. A file that
somebody sends could so put the bytes of any other file into a view. All three are refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .answer import Answer


@contextmanager
def open_hdf5(path: str) -> Iterator[Any]:
    """Open a file that has no external links."""
    import h5py

    def refuse_external(name: str, link: Any) -> None:
        if isinstance(link, h5py.ExternalLink):
            raise ValueError(f"{name} is a link to another file, {link.filename!r}; such links are not followed")

    with h5py.File(path, "r") as file:
        file.visititems_links(refuse_external)
        yield file


def read_dataset(dataset: Any, answer: Answer) -> Any:
    """Read a whole dataset as an array."""
    if not hasattr(dataset, "dtype"):
        raise ValueError(f"{dataset.name} is a group where an array is expected")
    if dataset.is_virtual or dataset.external:
        raise ValueError(f"{dataset.name} keeps its data in another file; such data are not read")
    if dataset.size is None:
        raise ValueError(f"{dataset.name} is empty")
    answer.require_room(dataset.size * dataset.dtype.itemsize, f"{dataset.name} of shape {dataset.shape}")
    if dataset.dtype.metadata is None or "vlen" not in dataset.dtype.metadata:
        _check_storage(dataset)
    return dataset[()]


def _check_storage(dataset: Any) -> None:
    """Refuse a dataset whose dimensions promise more or less than is stored: HDF5 would cut or fill in silence."""
    if dataset.chunks is None:
        promised, stored = dataset.size * dataset.dtype.itemsize, dataset.id.get_storage_size()
    else:
        per_side = [-(-n // c) for n, c in zip(dataset.shape, dataset.chunks, strict=True)]
        promised, stored = math.prod(per_side), dataset.id.get_num_chunks()
    if promised != stored:
        unit = "bytes" if dataset.chunks is None else "chunks"
        raise ValueError(f"{dataset.name} of shape {dataset.shape} needs {promised} {unit}, {stored} are stored")
