"""Several tables of the same samples: rows matched by id where all tables have ids, by position where none has."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from manyview.io.data import MultiViewData
from manyview.io.files import LABEL_NAMES
from manyview.io.tables import IdArray, TableFile, to_labels, to_view

MAX_DENSE = 2**27  # entries of a sparse table that may become dense, to say which rows are missing


def combine(tables: dict[str, TableFile], places: dict[str, str], /, *, where: str, name: str) -> MultiViewData:
    """Make a data set of tables by name; `places` says where each comes from, for messages."""
    labels = [key for key in tables if key.lower() in LABEL_NAMES]
    if len(labels) > 1:
        raise ValueError(f"{where}: more than one table of labels: {labels}")
    if len(labels) == len(tables):
        raise ValueError(f"{where}: has no table of a view")
    ids, orders = _match(tables, where)
    contents: dict[str, Any] = {}
    for key, table in tables.items():
        content = to_labels(table, places[key]) if key in labels else to_view(table, places[key])
        contents[key] = content[orders[key]] if key in orders else content
    found = contents.pop(labels[0]) if labels else None
    names = {key: tables[key].feature_names for key in contents}
    return MultiViewData(contents, found, name, ids=ids, feature_names=names)


def _match(tables: dict[str, TableFile], where: str) -> tuple[IdArray | None, dict[str, NDArray[np.int64]]]:
    """Give the ids of the first table, and for each other table the rows that bring it into that order."""
    with_ids = {key: table.ids for key, table in tables.items() if table.ids is not None}
    if not with_ids:
        return None, {}
    if len(with_ids) < len(tables):
        without = [key for key in tables if key not in with_ids]
        raise ValueError(f"{where}: {list(with_ids)} have an id column and {without} have none; give all or none")
    (first, reference), *others = with_ids.items()
    texts = [str(key) for key in reference.tolist()]
    orders: dict[str, NDArray[np.int64]] = {}
    for key, ids in others:
        row_of = {str(one): row for row, one in enumerate(ids.tolist())}
        if odd := sorted(row_of.keys() ^ set(texts)):
            raise ValueError(f"{where}: ids of {first} and {key} differ in {len(odd)} samples, such as {odd[:3]}")
        orders[key] = np.array([row_of[text] for text in texts], dtype=np.int64)
    return reference, orders


def spread(tables: dict[str, TableFile], ids: IdArray, where: str, /) -> dict[str, TableFile]:
    """Bring every table to the given ids; a sample that a table lacks becomes a row of NaN."""
    row_of = {str(one): row for row, one in enumerate(ids.tolist())}
    return {key: _spread_one(table, ids, row_of, f"{where}: {key}") for key, table in tables.items()}


def _spread_one(table: TableFile, ids: IdArray, row_of: dict[str, int], where: str) -> TableFile:
    own = [str(one) for one in table.ids.tolist()] if table.ids is not None else []
    unknown = [one for one in own if one not in row_of]
    if unknown:
        raise ValueError(f"{where} has {len(unknown)} samples that the file as a whole lacks, such as {unknown[:3]}")
    places = np.array([row_of[one] for one in own], dtype=np.int64)
    order = np.argsort(places)
    if len(own) == len(ids):
        return TableFile(table.name, table.frame[order], ids, table.feature_names)
    if hasattr(table.frame, "toarray") and len(ids) * table.frame.shape[1] > MAX_DENSE:
        n_missing = len(ids) - len(own)
        raise ValueError(
            f"{where} lacks {n_missing} samples, and a sparse view of this size cannot mark them as missing"
        )
    frame = table.frame.toarray() if hasattr(table.frame, "toarray") else table.frame
    full = np.full((len(ids), frame.shape[1]), np.nan)
    full[places] = frame
    return TableFile(table.name, full, ids, table.feature_names)
