"""Division of one table into views by columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from operator import index
from typing import Any

import numpy as np

from manyview.views.frames import Frame

Ranges = int | Sequence[int] | Sequence[tuple[int, int]] | Mapping[str, Any] | None  # the last: columns of every view


def column_ranges(ranges: Any, width: int, /) -> list[tuple[int, int]]:
    """Return the (start, stop) pairs for a number of views, widths or pairs, and a table of this width."""
    if ranges is None:
        return [(0, width)]
    if isinstance(ranges, int | np.integer):
        if not 1 <= ranges <= width:
            raise ValueError(f"views={ranges} cannot cut n_features={width} columns into that many views.")
        return list(pairwise(np.linspace(0, width, int(ranges) + 1).round().astype(int).tolist()))
    if np.iterable(ranges) and all(isinstance(item, int | np.integer) for item in ranges):
        edges = np.cumsum([0, *ranges])
        if edges[-1] != width or min(ranges) < 1:
            raise ValueError(f"views={list(ranges)} must be positive widths that sum to n_features={width}.")
        return list(pairwise(edges.tolist()))
    pairs = _pairs(ranges)
    for v, (start, stop) in enumerate(pairs):
        if not 0 <= start < stop <= width:
            raise ValueError(f"views: range {v} is ({start}, {stop}), outside n_features={width} or empty.")
    return pairs


def named_columns(ranges: Mapping[Any, Any], width: int, frame: Frame | None, /) -> dict[str, list[int]]:
    """Return the column positions of every view of a mapping to names, numbers or selectors of columns."""
    return {str(name): _positions(wanted, str(name), width, frame) for name, wanted in ranges.items()}


def _positions(wanted: Any, name: str, width: int, frame: Frame | None) -> list[int]:
    if callable(wanted):
        if frame is None or frame.library != "pandas":
            raise TypeError(f"views={{{name!r}: …}}: a column selector needs a pandas DataFrame.")
        wanted = wanted(frame.table)
    if isinstance(wanted, slice):
        wanted = range(*wanted.indices(width))
    if isinstance(wanted, str):
        wanted = [wanted]
    labels: Sequence[Any] = [] if frame is None else frame.labels
    found = [_position(column, labels, width, name) for column in wanted]
    if not found:
        raise ValueError(f"views={{{name!r}: …}} selects no column.")
    return found


def _position(column: Any, labels: Sequence[Any], width: int, name: str) -> int:
    if column in labels:
        return list(labels).index(column)
    if isinstance(column, int | np.integer) and 0 <= column < width:
        return int(column)
    raise ValueError(f"views={{{name!r}: …}} names the column {column!r}, which the table does not have.")


def _pairs(ranges: Any) -> list[tuple[int, int]]:
    try:
        return [(index(start), index(stop)) for start, stop in ranges]
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"views={ranges!r}: give a number of views, their widths, or (start, stop) pairs, or a mapping of view to "
            "columns."
        ) from error
