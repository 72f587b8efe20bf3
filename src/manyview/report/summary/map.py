"""The map: samples in two dimensions, and everything a point may be colored by, in a form that a browser can read."""

from __future__ import annotations

import base64
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from manyview.report.summary.inputs import Inputs, categories, is_numeric
from manyview.report.summary.layout import LANDMARKS, SEED, layout
from manyview.report.summary.principal import layout_features
from manyview.report.summary.shown import MAX_TEXT_ROWS, Shown

MAX_COLOR_CATEGORIES = 50


class Column(TypedDict):
    """One value per shown sample; ``data`` is base64 of little-endian numbers of the type ``dtype``."""

    key: str
    title: str
    kind: str  # "cluster", "category", "number" or "text"
    dtype: str  # "u1", "u2", "f4"; "" for text
    data: str
    names: list[str]  # of categories; the largest code is "no value". Of text: the values
    low: float | None
    high: float | None


class Map(TypedDict):
    """Shown samples; coordinates are base64 of uint16, with the same scale in both directions."""

    n_shown: int
    n_samples: int
    method: str
    x: str
    y: str
    rows: str | None  # base64 of uint32, row numbers; None: all rows in order
    ids: list[str] | None  # None: samples are called by their row number
    columns: list[Column]


def sample_map(inputs: Inputs, shown: Shown, /, points: NDArray[np.float64] | None, source: str) -> Map:
    """Gather what the page's map and table show; without points there is a table only."""
    rows = shown.rows
    x, y = _quantized(np.zeros((len(rows), 2)) if points is None else points)
    return Map(
        n_shown=len(rows),
        n_samples=inputs.n_samples,
        method=source,
        x=_base64(x),
        y=_base64(y),
        rows=None if len(rows) == inputs.n_samples else _base64(rows.astype("<u4")),
        ids=None if inputs.ids is None else [inputs.id_of(row) for row in rows.tolist()],
        columns=_columns(inputs, shown),
    )


def place(inputs: Inputs, shown: Shown, /) -> tuple[NDArray[np.float64], NDArray[np.float64], str] | None:
    """Return features, points (n, 2) and how they were made; None where there is nothing to place samples by."""
    found = layout_features(inputs, shown.rows)
    if found is None:
        return None
    features, source = found
    how = f"t-SNE of {source}, seed {SEED}"
    if len(features) > LANDMARKS:
        how += f", fitted on {LANDMARKS:,} samples; the others are placed among their nearest neighbors"
    return features, layout(features), how


def _quantized(points: NDArray[np.float64]) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    low, high = points.min(axis=0), points.max(axis=0)
    span = float((high - low).max()) or 1.0
    centered = (points - (low + high) / 2) / span + 0.5
    codes = np.clip(np.round(centered * 65_535), 0, 65_535).astype("<u2")
    return codes[:, 0], codes[:, 1]


def _base64(values: NDArray[Any]) -> str:
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode("ascii")


def _columns(inputs: Inputs, shown: Shown) -> list[Column]:
    names = [str(label) for label in inputs.clusters.tolist()]
    columns = [_category("cluster", "Cluster", "cluster", names, inputs.codes[shown.rows])]
    several = len(names) > 1
    if several and inputs.confidence is not None:
        columns.append(_number("confidence", "Confidence", inputs.confidence[shown.rows], low=0.0, high=1.0))
    if several and shown.votes is not None:
        columns += [
            _category(f"vote-{v}", f"Vote of {name}", "cluster", names, shown.votes[:, v])
            for v, name in enumerate(inputs.view_names)
        ]
    if several and hasattr(inputs.model, "views_disagree_"):
        against = np.asarray(inputs.model.views_disagree_)[shown.rows].astype(np.intp)
        columns.append(_category("disagree", "Views disagree", "category", ["no", "yes"], against))
    if inputs.y_true is not None:
        known, codes = categories(inputs.y_true)
        columns.append(_category("class", "Known class", "category", known, codes[shown.rows]))
    for number, (name, column) in enumerate(inputs.metadata.items()):
        columns += _metadata(f"metadata-{number}", name, column, shown.rows)
    return columns


def _metadata(key: str, name: str, column: NDArray[Any], rows: NDArray[np.intp]) -> list[Column]:
    if is_numeric(column):
        return [_number(key, name, column[rows].astype(np.float64))]
    known, codes = categories(column)
    if len(known) <= MAX_COLOR_CATEGORIES:
        return [_category(key, name, "category", known, codes[rows])]
    if len(rows) > MAX_TEXT_ROWS:
        return []
    text = ["" if code < 0 else known[code] for code in codes[rows].tolist()]
    return [Column(key=key, title=name, kind="text", dtype="", data="", names=text, low=None, high=None)]


def _category(key: str, title: str, kind: str, names: list[str], codes: NDArray[np.intp]) -> Column:
    dtype = "u1" if len(names) < 255 else "u2"
    none = np.iinfo(dtype).max
    data = _base64(np.where(codes < 0, none, codes).astype("<" + dtype))
    return Column(key=key, title=title, kind=kind, dtype=dtype, data=data, names=names, low=None, high=None)


def _number(
    key: str, title: str, values: NDArray[np.float64], low: float | None = None, high: float | None = None
) -> Column:
    known = values[np.isfinite(values)]
    if low is None or high is None:
        low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    data = _base64(np.where(np.isfinite(values), values, np.nan).astype("<f4"))
    return Column(key=key, title=title, kind="number", dtype="f4", data=data, names=[], low=low, high=high)
