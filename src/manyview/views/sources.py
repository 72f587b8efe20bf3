"""All forms of input as a list of views: mappings, lists, annotated data, data sets, and one table cut by columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import scipy.sparse as sp

from manyview.views.frames import Frame, as_ids, frame_of
from manyview.views.given import Given, IdColumn, annotated_view, column_names, frame_with_ids, one_view
from manyview.views.ranges import Ranges, column_ranges, named_columns
from manyview.views.refuse import is_table, library_of
from manyview.views.stored import StoredTable


def sources(X: Any, /, *, views: Ranges = None, id_column: IdColumn = None) -> list[Given]:
    """The views that any accepted input consists of."""
    library = library_of(X)
    if library == "mudata" and hasattr(X, "mod"):
        return _modalities(X, views)
    if library == "anndata" and hasattr(X, "obs_names"):
        _require_places(views)
        places = {"X": "X"} if views is None else views
        return [annotated_view(X, place, str(name)) for name, place in places.items()]
    if isinstance(getattr(X, "views", None), Mapping) and hasattr(X, "n_samples"):  # a MultiViewData
        ids = None if getattr(X, "ids", None) is None else as_ids(list(X.ids))
        return [one_view(table, str(name))._replace(ids=ids) for name, table in X.views.items()]
    named = _named_tables(X)
    if named is not None:
        return [one_view(table, name, id_column=id_column) for name, table in named]
    frame = frame_of(X)
    if frame is not None:
        return _cut_frame(frame, views, id_column)
    return _cut(one_view(X, "view 0"), views)


def is_one_table(X: Any, /) -> bool:
    """Whether an input is one array, sparse matrix or nested list, not several tables or a frame."""
    several = isinstance(getattr(X, "views", None), Mapping) or library_of(X) in ("mudata", "anndata", "torch")
    return not several and frame_of(X) is None and _named_tables(X) is None


def _named_tables(X: Any) -> list[tuple[str, Any]] | None:
    """Names and tables where X is several tables; None where it is one."""
    if isinstance(X, Mapping) and not sp.issparse(X):  # a DOK matrix is a mapping too
        if not X:
            raise ValueError("Got an empty mapping: pass at least one view.")
        return [(str(name), table) for name, table in X.items()]
    if isinstance(X, list | tuple) and not X:
        raise ValueError("Got an empty list: pass at least one view.")
    if isinstance(X, list | tuple) and any(is_table(item) or library_of(item) == "anndata" for item in X):
        return [(f"view {v}", table) for v, table in enumerate(X)]
    return None


def _modalities(data: Any, views: Ranges) -> list[Given]:
    """A view per modality; or as told, ``views={"rna": "rna/obsm/X_pca"}``."""
    _require_places(views)
    places = {name: name for name in data.mod} if views is None else views
    found = []
    for name, place in places.items():
        modality, _, rest = place.partition("/")
        if modality not in data.mod:
            raise ValueError(f"View {name!r}: the MuData has no modality {modality!r}; it has {list(data.mod)}.")
        found.append(annotated_view(data.mod[modality], rest or "X", str(name)))
    return found


def _require_places(views: Ranges) -> None:
    if views is not None and not (isinstance(views, Mapping) and all(isinstance(p, str) for p in views.values())):
        raise ValueError(
            f"views={views!r}: for annotated data name the place of every view, for example "
            "{'counts': 'layers/counts', 'pca': 'obsm/X_pca'}."
        )


def _cut_frame(frame: Frame, views: Ranges, id_column: IdColumn) -> list[Given]:
    """One frame cut by columns: as told, else by the top level of its columns."""
    frame, ids = frame_with_ids(frame, "view 0", id_column)
    width = len(frame.labels)
    if isinstance(views, Mapping):
        parts = named_columns(views, width, frame)
    elif views is None and width and all(isinstance(label, tuple) for label in frame.labels):
        parts = {}
        for j, label in enumerate(frame.labels):
            parts.setdefault(str(label[0]), []).append(j)
    else:
        pairs = column_ranges(views, width) if views is not None else [(0, width)]
        parts = {f"view {v}": list(range(*pair)) for v, pair in enumerate(pairs)}
    return [_part(frame, positions, name, ids) for name, positions in parts.items()]


def _part(frame: Frame, positions: list[int], name: str, ids: Any) -> Given:
    labels = [frame.labels[j] for j in positions]
    if all(isinstance(label, tuple) for label in labels):
        labels = [label[1] if len(label) == 2 else "/".join(map(str, label[1:])) for label in labels]
    whole = positions == list(range(len(frame.labels)))
    table = frame.table if whole else frame.select(positions)
    return Given(name, table, ids, column_names(labels), frame.library)


def _cut(view: Given, views: Ranges) -> list[Given]:
    """One array, sparse matrix or table elsewhere, cut by columns."""
    if views is None:
        return [view]
    table, width = view.table, int(view.table.shape[1])
    if isinstance(views, Mapping):
        if isinstance(table, StoredTable):
            raise TypeError("views={…}: a table on disk is cut by a number of views, widths, or (start, stop) pairs.")
        return [Given(name, table[:, columns]) for name, columns in named_columns(views, width, None).items()]
    pairs = column_ranges(views, width)
    parts = [(f"view {v}", table[:, start:stop], pair) for v, pair in enumerate(pairs) for start, stop in (pair,)]
    names = view.columns
    return [
        Given(
            name,
            part.renamed(name) if isinstance(part, StoredTable) else part,
            columns=None if names is None else names[slice(*pair)],
        )
        for name, part, pair in parts
    ]
