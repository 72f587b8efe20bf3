"""A table about the samples, for the report only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from manyview.io import read_table
from manyview.views import Views
from manyview.views.frames import frame_of


def read_metadata(path: Path, id_column: str | None, views: Views, /) -> dict[str, Any]:
    """Read the columns of a table beside the views, in the order of the samples; samples that it lacks have none."""
    table = read_table(path, id_column=id_column)
    if frame_of(table.frame) is None:
        raise ValueError(f"{path}: metadata is a table with names of columns")
    if (table.ids is None) != (views.ids is None):
        raise ValueError(f"{path}: samples are matched by id, so the views and the metadata both need ids")
    if table.ids is None or views.ids is None:
        if table.frame.num_rows != len(views):
            raise ValueError(f"{path}: has {table.frame.num_rows} rows for {len(views)} samples")
        rows = np.arange(len(views))
    else:
        row_of = {str(one): row for row, one in enumerate(table.ids.tolist())}
        rows = np.array([row_of.get(str(one), -1) for one in views.ids.tolist()])
        if (rows < 0).all():
            raise ValueError(f"{path}: has none of the ids of the views")
    columns = {
        name: column.to_pylist() for name, column in zip(table.frame.column_names, table.frame.columns, strict=True)
    }
    return {name: _typed([None if row < 0 else values[row] for row in rows]) for name, values in columns.items()}


def _typed(values: list[Any]) -> Any:
    """Convert numbers to an array with NaN for what is missing, anything else to texts."""
    if all(value is None or (isinstance(value, int | float) and not isinstance(value, bool)) for value in values):
        return np.array([np.nan if value is None else value for value in values], dtype=float)
    return np.array(["" if value is None else str(value) for value in values], dtype=object)
