"""Parquet tables, through pyarrow: one array per column."""

from __future__ import annotations

from typing import Any

import numpy as np

from .tree import Node, Tree


def read_parquet(path: str, tree: Tree) -> None:
    """Add all columns of the table to the tree, in their order."""
    import pyarrow.parquet as pq

    # checksums are optional in the format; where the writer left some they catch a flipped bit
    table = pq.ParquetFile(path, page_checksum_verification=True).read(use_threads=False)
    table.validate(full=True)
    for name, column in zip(table.column_names, table.columns, strict=True):
        tree.add(name, _node(name, column, tree))


def _node(name: str, column: Any, tree: Tree) -> Node:
    import pyarrow as pa

    if column.null_count and not pa.types.is_floating(column.type):  # there it is a NaN
        raise ValueError(f"column {name!r} has {column.null_count} missing values")
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return tree.array(np.array(column.to_pylist(), dtype=np.str_))
    numeric = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean)
    if not any(is_kind(column.type) for is_kind in numeric):
        return tree.unusable(f"values of type {column.type}")
    return tree.array(column.to_numpy())
