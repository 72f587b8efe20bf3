"""One view as it was given: its table, and the ids and column names that come with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from manyview.views.dask_tables import checked_array, is_dask
from manyview.views.frames import Frame, as_ids, frame_of
from manyview.views.refuse import library_of, refuse
from manyview.views.sparse import verified
from manyview.views.stored import StoredTable, is_stored

Names = tuple[str, ...] | None
IdColumn = str | Mapping[str, str] | None


class Given(NamedTuple):
    """A view before its rows are matched with those of others."""

    name: str
    table: Any  # 2-D array, CSR matrix, frame, StoredTable or Dask array
    ids: NDArray[Any] | None = None
    columns: Names = None
    library: str | None = None  # of the frame that it came from


def one_view(table: Any, name: str, /, *, id_column: IdColumn = None) -> Given:
    """A table of any kind as a view, or an error that names it."""
    library = library_of(table)
    if library == "mudata":
        raise TypeError(f"View {name!r} is a MuData, which holds several views: give it alone, or mudata['modality'].")
    if library == "anndata" and hasattr(table, "obs_names"):
        return annotated_view(table, "X", name)
    if library == "torch":
        return Given(name, _from_torch(table, name))
    refuse(table, name)
    frame = frame_of(table)
    if frame is not None:
        return _frame_view(frame, name, id_column)
    if isinstance(table, StoredTable):
        return Given(name, table.renamed(name), columns=column_names(table.columns))
    if is_stored(table):
        table = StoredTable(table, name=name)
        return Given(name, table, columns=column_names(table.columns))
    if is_dask(table):
        return Given(name, checked_array(table, name), columns=column_names(getattr(table, "columns", None)))
    return Given(name, verified(table, name) if sp.issparse(table) else _array(table, name))


def annotated_view(data: Any, place: str, name: str, /) -> Given:
    """A matrix of an AnnData: ``"X"``, ``"layers/counts"`` or ``"obsm/X_pca"``, with the names of its observations."""
    if getattr(data, "isbacked", False):
        raise TypeError(f"View {name!r} is an AnnData on disk: give its to_memory().")
    slot, _, key = place.partition("/")
    if place == "X":
        table = data.X
        if table is None:
            raise ValueError(f"View {name!r} is an AnnData without X: name a matrix, views={{{name!r}: 'obsm/…'}}.")
    elif slot in ("layers", "obsm") and key in getattr(data, slot):
        table = getattr(data, slot)[key]
    else:
        there = ["X", *(f"{slot}/{key}" for slot in ("layers", "obsm") for key in getattr(data, slot))]
        raise ValueError(f"View {name!r}: the AnnData has no {place!r}; it has {', '.join(map(repr, there))}.")
    view = one_view(table, name)
    columns = view.columns if slot == "obsm" else column_names(data.var_names)
    return view._replace(ids=as_ids(list(data.obs_names)), columns=columns)


def column_names(columns: Any, /) -> Names:
    """Names of the columns, where all have one; as in scikit-learn, numbers are no names."""
    names = () if columns is None else tuple(columns)
    return names if names and all(isinstance(column, str) for column in names) else None


def frame_with_ids(frame: Frame, name: str, id_column: IdColumn, /) -> tuple[Frame, NDArray[Any] | None]:
    """A frame without the column of its ids, and the ids."""
    wanted = id_column.get(name) if isinstance(id_column, Mapping) else id_column
    if wanted is None:
        return frame, frame.ids()
    at = [
        j for j, label in enumerate(frame.labels) if wanted in (label, label[0] if isinstance(label, tuple) else label)
    ]
    if not at:
        if frame.library == "pandas" and wanted in frame.table.index.names:
            return frame, np.asarray(frame.table.index)
        shown = ", ".join(map(repr, frame.labels[:8])) + (", …" if len(frame.labels) > 8 else "")
        raise ValueError(f"View {name!r} has no column {wanted!r} to take ids from; its columns are {shown}.")
    ids = as_ids(frame.column(at[0]).values) if _holds_text(frame, at[0]) else _number_ids(frame, at[0], name)
    rest = frame_of(frame.select([j for j in range(len(frame.labels)) if j != at[0]]))
    assert rest is not None
    return rest, ids


def _holds_text(frame: Frame, position: int) -> bool:
    return frame.column(position).kind not in ("number", "boolean", "category")


def _number_ids(frame: Frame, position: int, name: str) -> NDArray[Any]:
    column = frame.column(position)
    if column.categories is not None:
        return as_ids([None if code < 0 else column.categories[code] for code in column.values])
    whole = column.values[~np.isnan(column.values)]
    if len(whole) < len(column.values) or (whole != np.round(whole)).any():
        return column.values  # numbers with a fraction, or missing ones, which matching refuses
    return column.values.astype(np.int64)


def _frame_view(frame: Frame, name: str, id_column: IdColumn) -> Given:
    frame, ids = frame_with_ids(frame, name, id_column)
    return Given(name, frame.table, ids, column_names(frame.labels), frame.library)


def _from_torch(tensor: Any, name: str) -> NDArray[Any]:
    if tensor.device.type != "cpu":
        raise TypeError(f"View {name!r} is a tensor on {tensor.device}: give tensor.cpu().")
    if str(tensor.layout) != "torch.strided":
        raise TypeError(f"View {name!r} is a sparse tensor: give tensor.to_dense(), or a SciPy matrix.")
    if "bfloat16" in str(tensor.dtype) or "float8" in str(tensor.dtype):  # NumPy has no such types
        tensor = tensor.float()
    return _array(tensor.detach().numpy(), name)


def _array(table: Any, name: str) -> NDArray[Any]:
    if not hasattr(table, "shape"):
        try:
            table = np.asarray(table)
        except ValueError as error:
            raise ValueError(
                f"View {name!r} is a list whose rows have different lengths: give every row the same columns."
            ) from error
    if isinstance(table, np.ma.MaskedArray):
        table = table.data  # nothing is masked
    if len(table.shape) != 2:
        raise ValueError(f"View {name!r} has {len(table.shape)} dimensions; a view is a table (n_samples, n_columns).")
    return table
