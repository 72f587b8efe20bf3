"""Names that go with the matrices of an archive: ``view_names``, ``ids``, ``feature_names_0``, ``feature_names_1``, ...

They are optional. What has such a name but another form is not ours, and is left alone.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from manyview.io.data import MultiViewData
from manyview.io.tables import as_ids
from manyview.io.values import Cell, Value


def is_naming(variable: str, /) -> bool:
    """Tell whether a variable of this name holds names and no view."""
    return re.fullmatch(r"view_names|ids|feature_names_\d{1,4}", variable) is not None


def with_names(data: MultiViewData, found: dict[str, Value], source: str, /) -> MultiViewData:
    """Give the data set the names that are found among the variables of its file."""
    keys: list[str] = list(data.views)
    view_names = _words(found.get("view_names"))
    if view_names is not None and len(view_names) == len(set(view_names)) == len(keys):
        keys = view_names
    ids = _vector(found.get("ids"))
    features: dict[str, tuple[str, ...] | None] = {}
    for v, (key, view) in enumerate(zip(keys, data.views.values(), strict=True)):
        names = _words(found.get(f"feature_names_{v}"))
        features[key] = None if names is None or len(names) != view.shape[1] else tuple(names)
    views = dict(zip(keys, data.views.values(), strict=True))
    known = None if ids is None or len(ids) != data.n_samples else as_ids(ids, f"{source}: ids")
    return MultiViewData(views, data.labels, data.name, ids=known, feature_names=features)


def _words(value: Value | None) -> list[str] | None:
    words = _vector(value)
    return None if words is None or not all(isinstance(word, str) for word in words) else words


def _vector(value: Value | None) -> list[Any] | None:
    """The whole numbers or texts of an array or a cell array."""
    if isinstance(value, Cell):
        items = [item for item in value.items if isinstance(item, np.ndarray) and item.dtype.kind == "U"]
        texts = [item.item() for item in items if item.size == 1]
        return texts if len(texts) == len(value.items) else None
    if isinstance(value, np.ndarray) and value.size == max(value.shape, default=0) and value.dtype.kind in "iuU":
        return list(value.ravel().tolist())
    return None
