"""AnnData (.h5ad) and MuData (.h5mu) files, read with h5py alone.

A modality is a group with ``X``, ``layers`` and ``obsm``, whose entries are arrays, compressed sparse groups or data
frames, and with ``obs`` and ``var``, data frames whose index names the samples and the features.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .answer import Answer, Node
from .hdf5 import open_hdf5, read_dataset

SPARSE = {"csr_matrix": False, "csc_matrix": True}  # encoding -> by columns


def read_h5ad(path: str, answer: Answer, *, keys: list[str] | None, label_names: list[str]) -> None:
    """Add a table for each key, such as ``X``, ``layers/counts`` or ``obsm/X_pca``; X alone by default."""
    with open_hdf5(path) as file:
        for key in keys or ["X"]:
            answer.add(key.rpartition("/")[2] if keys else "X", _table(file, key, answer))
        _labels(file, answer, label_names)


def read_h5mu(path: str, answer: Answer, *, keys: list[str] | None, label_names: list[str]) -> None:
    """Add a table for each key, such as ``rna`` or ``rna/layers/counts``; X of every modality by default."""
    with open_hdf5(path) as file:
        modalities = file.get("mod")
        if modalities is None:
            raise ValueError("it has no group 'mod', so it is no MuData file")
        order = [str(name) for name in modalities.attrs.get("mod-order", ())]
        for key in keys or (order if set(order) == set(modalities) else list(modalities)):
            name, _, inner = key.partition("/")
            if name not in modalities:
                raise ValueError(f"it has no modality {name!r}; there are {list(modalities)}")
            answer.add(key, _table(modalities[name], inner or "X", answer))
        answer.add("", answer.table(answer.unusable("the samples"), ids=_index(file["obs"], answer)))
        _labels(file, answer, label_names)


def _table(modality: Any, key: str, answer: Answer) -> Node:
    for part in ("obs", "var"):
        if part not in modality:
            raise ValueError(f"{modality.name} has no {part}, so it is no AnnData")
    if key not in modality:
        there = ["X"] * ("X" in modality)
        there += [f"{part}/{name}" for part in ("layers", "obsm") if part in modality for name in modality[part]]
        raise ValueError(f"{modality.name} has no {key!r}; there are {there}")
    content, columns = _matrix(modality[key], answer)
    if not key.startswith("obsm/"):
        columns = _index(modality["var"], answer)
    return answer.table(content, ids=_index(modality["obs"], answer), columns=columns)


def _matrix(item: Any, answer: Answer) -> tuple[Node, list[str] | None]:
    """Give a matrix, and the names of its columns where it is a data frame."""
    encoding = _text(item.attrs.get("encoding-type", "array"))
    if encoding in SPARSE:
        data, indices, indptr = (read_dataset(item[part], answer) for part in ("data", "indices", "indptr"))
        shape = tuple(int(n) for n in item.attrs["shape"])
        return answer.sparse(data, indices, indptr, shape, by_columns=SPARSE[encoding]), None
    if encoding == "dataframe":
        names = [_text(name) for name in item.attrs["column-order"]]
        columns = [read_dataset(item[name], answer) for name in names]
        return answer.array(np.column_stack(columns) if columns else np.zeros((0, 0))), names
    if not hasattr(item, "dtype"):
        raise ValueError(f"{item.name} is encoded as {encoding!r}; numbers, CSR, CSC and data frames can be read")
    return answer.array(read_dataset(item, answer)), None


def _index(frame: Any, answer: Answer) -> list[str]:
    if _text(frame.attrs.get("encoding-type", "")) != "dataframe":
        raise ValueError(f"{frame.name} is not a data frame as AnnData 0.7 and later write it")
    return _texts(frame[_text(frame.attrs["_index"])], answer)


def _labels(file: Any, answer: Answer, label_names: list[str]) -> None:
    """Add the columns of obs that have a usual name of labels."""
    for name in file["obs"].attrs.get("column-order", ()):
        if _text(name).lower() in label_names:
            answer.add(_text(name), answer.array(_column(file["obs"][_text(name)], answer)))


def _column(item: Any, answer: Answer) -> NDArray[Any]:
    if _text(item.attrs.get("encoding-type", "")) == "categorical":
        codes, categories = read_dataset(item["codes"], answer), _column(item["categories"], answer)
        if len(codes) and not 0 <= codes.min() <= codes.max() < len(categories):
            raise ValueError(f"{item.name} has rows without a category")
        chosen: NDArray[Any] = categories[codes]
        return chosen
    if not hasattr(item, "dtype") or item.dtype.kind == "O":
        return np.array(_texts(item, answer), dtype=np.str_)
    numbers: NDArray[Any] = read_dataset(item, answer)
    return numbers


def _texts(item: Any, answer: Answer) -> list[str]:
    if not hasattr(item, "dtype"):  # a nullable string array
        if "mask" in item and np.any(read_dataset(item["mask"], answer)):
            raise ValueError(f"{item.name} has missing values")
        item = item["values"]
    return [_text(value) for value in np.ravel(read_dataset(item, answer)).tolist()]


def _text(value: Any) -> str:
    return value.decode("utf-8") if isinstance(value, bytes) else str(value)
