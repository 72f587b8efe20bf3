"""Conversion of all forms of input to views: mappings, lists, annotated data, data sets, one table cut by columns.

A view comes with the ids and column names of its table. What cannot be a view is refused in one sentence that says what
to give instead.
"""

from __future__ import annotations

from collections.abc import Iterator, KeysView, Mapping, Sequence, Set, ValuesView
from os import PathLike
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from manyview.views.dask_tables import checked_array, is_dask
from manyview.views.frames import Frame, as_ids, frame_of
from manyview.views.ranges import Ranges, column_ranges, named_columns
from manyview.views.sparse import verified
from manyview.views.stored import StoredTable, is_stored


class Shaped(Protocol):
    """A table in memory, as arrays, sparse matrices, frames, tensors and Dask arrays are; AnnData and MuData, too."""

    @property
    def shape(self) -> Any:
        """Return the numbers of rows and columns."""


class Fragmented(Protocol):
    """An Arrow data set."""

    @property
    def get_fragments(self) -> Any:
        """Return the files of the data set."""


class Framed(Protocol):
    """A table as ``manyview.io.read_table`` returns it."""

    @property
    def frame(self) -> Any:
        """Return the table without its ids."""


class Named(Protocol):
    """A data set as ``manyview.datasets`` makes them."""

    @property
    def views(self) -> Mapping[str, Any]:
        """Return the tables by name."""

    @property
    def n_samples(self) -> int:
        """Return the number of rows."""


TableLike = Shaped | Fragmented | Framed | Sequence[Sequence[float]] | str | PathLike[str]
ViewsLike = TableLike | Sequence[TableLike] | Mapping[Any, TableLike] | Named
ArrayViews = NDArray[Any] | Sequence[NDArray[Any]] | Mapping[Any, NDArray[Any]]  # labels of these are an array
Names = tuple[str, ...] | None
IdColumn = str | Mapping[str, str] | None


def sources(X: Any, /, *, views: Ranges = None, id_column: IdColumn = None) -> list[Given]:
    """Take any accepted input apart into views."""
    library = library_of(X)
    if library == "mudata" and hasattr(X, "mod"):
        return _modalities(X, views)
    if library == "anndata" and hasattr(X, "obs_names"):
        return [annotated_view(X, place, str(name)) for name, place in _places(views, {"X": "X"}).items()]
    if isinstance(getattr(X, "views", None), Mapping) and hasattr(X, "n_samples"):  # a MultiViewData
        ids = None if getattr(X, "ids", None) is None else as_ids(list(X.ids))
        names = getattr(X, "feature_names", None) or {}
        return [
            one_view(table, str(name))._replace(ids=ids, columns=column_names(names.get(name)))
            for name, table in X.views.items()
        ]
    named = _named_tables(X)
    if named is not None:
        return [one_view(table, name, id_column=id_column) for name, table in named]
    frame = frame_of(X)
    if frame is not None:
        return _cut_frame(frame, views, id_column)
    return _cut(one_view(X, "view 0"), views)


def is_one_table(X: Any, /) -> bool:
    """Return whether an input is one array, frame, sparse matrix or nested list, not several tables."""
    several = isinstance(getattr(X, "views", None), Mapping) or library_of(X) in ("mudata", "anndata", "torch")
    return not several and _named_tables(X) is None


def _named_tables(X: Any) -> list[tuple[str, Any]] | None:
    """Return names and tables if X is several tables; None if it is one."""
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
    """Return one view per modality, or those that ``views`` names, as in ``{"rna": "rna/obsm/X_pca"}``."""
    found = []
    for name, place in _places(views, {name: name for name in data.mod}).items():
        modality, _, rest = place.partition("/")
        if modality not in data.mod:
            raise ValueError(f"View {name!r}: the MuData has no modality {modality!r}; it has {list(data.mod)}.")
        found.append(annotated_view(data.mod[modality], rest or "X", str(name)))
    return found


def _places(views: Ranges, usual: Mapping[str, str]) -> Mapping[str, str]:
    if views is None:
        return usual
    if not isinstance(views, Mapping) or not all(isinstance(place, str) for place in views.values()):
        raise ValueError(
            f"views={views!r}: for annotated data name the place of every view, for example "
            "{'counts': 'layers/counts', 'pca': 'obsm/X_pca'}."
        )
    return views


def _cut_frame(frame: Frame, views: Ranges, id_column: IdColumn) -> list[Given]:
    """Divide one frame by columns, as told or by the top level of its columns."""
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
    """Divide one array, sparse matrix or table elsewhere by columns."""
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


class Given(NamedTuple):
    """A view before its rows are matched with those of others."""

    name: str
    table: Any  # 2-D array, CSR matrix, frame, StoredTable or Dask array
    ids: NDArray[Any] | None = None
    columns: Names = None
    library: str | None = None  # of the frame that it came from


def one_view(table: Any, name: str, /, *, id_column: IdColumn = None) -> Given:
    """Turn a table of any kind into a view; an error names it."""
    if type(table) is np.ndarray:  # the usual case needs none of the questions below
        return Given(name, _array(table, name))
    if hasattr(table, "feature_names") and hasattr(table, "frame"):  # a TableFile
        inner = one_view(table.frame, name)
        ids = inner.ids if table.ids is None else as_ids(table.ids.tolist())
        return inner._replace(ids=ids, columns=column_names(table.feature_names) or inner.columns, library=None)
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
    """Return a matrix of an AnnData with its obs_names: ``"X"``, ``"layers/counts"`` or ``"obsm/X_pca"``."""
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
    """Return the names of the columns if all are strings, as in scikit-learn; else None."""
    names = () if columns is None else tuple(columns)
    return names if names and all(isinstance(column, str) for column in names) else None


def frame_with_ids(frame: Frame, name: str, id_column: IdColumn, /) -> tuple[Frame, NDArray[Any] | None]:
    """Return a frame without the column of its ids, and the ids."""
    wanted = id_column.get(name) if isinstance(id_column, Mapping) else id_column
    if wanted is None:
        return frame, frame.ids()
    at = [
        j for j, label in enumerate(frame.labels) if wanted in (label, label[0] if isinstance(label, tuple) else label)
    ]
    if not at:
        if frame.library == "pandas" and wanted in frame.table.index.names:
            return frame, as_ids(frame.table.index.tolist())
        shown = ", ".join(map(repr, frame.labels[:8])) + (", …" if len(frame.labels) > 8 else "")
        raise ValueError(f"View {name!r} has no column {wanted!r} to take ids from; its columns are {shown}.")
    ids = as_ids(frame.listed(at[0]))
    rest = frame_of(frame.select([j for j in range(len(frame.labels)) if j != at[0]]))
    assert rest is not None
    return rest, ids


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


def as_array(rows: Any, name: str, /) -> NDArray[Any]:
    """Convert a list of rows to an array; rows of different lengths are an error that names the view."""
    try:
        return np.asarray(rows)
    except ValueError as error:
        raise ValueError(
            f"View {name!r} is a list whose rows have different lengths: give every row the same columns, and several "
            "views as a list of arrays."
        ) from error


def _array(table: Any, name: str) -> NDArray[Any]:
    if not hasattr(table, "shape"):
        table = as_array(table, name)
    if isinstance(table, np.ma.MaskedArray):
        table = table.data  # nothing is masked
    if len(table.shape) != 2:
        raise ValueError(f"View {name!r} has {len(table.shape)} dimensions; a view is a table (n_samples, n_columns).")
    return table


def library_of(item: Any, /) -> str:
    """Return the library of a type or of one that it inherits from; empty for Python's own types."""
    for base in type(item).__mro__:
        library: str = base.__module__.partition(".")[0]
        if library in ("anndata", "mudata", "torch", "pandas", "polars", "pyarrow"):
            return library
    return ""


def refuse(item: Any, name: str, /) -> None:
    """Raise an error if an item cannot be read as a table, without iterating over it."""
    kind = type(item).__name__
    if is_query(item):
        raise TypeError(
            f"View {name!r} is a polars LazyFrame, a query that has no rows yet: give its collect(), or write the rows "
            "with sink_parquet(path) and give the path."
        )
    if isinstance(getattr(item, "tables", None), tuple):
        raise TypeError(f"View {name!r} is a {kind}, which holds several views: give it alone.")
    if kind == "Series" and library_of(item):
        raise TypeError(f"View {name!r} is a Series; a view is a table: give its to_frame().")
    if isinstance(item, Iterator):
        raise TypeError(f"View {name!r} is a {kind}, which can be read only once: give list(…) of it.")
    if isinstance(item, Set | KeysView | ValuesView):
        raise TypeError(f"View {name!r} is a {kind}, which has no order of rows: give a list or an array.")
    if "GroupBy" in kind:
        raise TypeError(f"View {name!r} is a {kind}: aggregate it to one row per sample and give that DataFrame.")
    if isinstance(item, np.ma.MaskedArray) and np.ma.is_masked(item):
        count = int(np.ma.getmaskarray(item).sum())
        raise TypeError(
            f"View {name!r} is a masked array with {count} masked cells: give array.filled(numpy.nan), and impute= in "
            "Views.from_tables if cells are missing within rows."
        )
    if not is_table(item) and not isinstance(item, list | tuple) and not hasattr(item, "__array__"):
        raise TypeError(
            f"View {name!r} is {_article(kind)} {kind}, not a table: give a 2-D array, a sparse matrix, a DataFrame or "
            "a path."
        )


def is_table(item: Any, /) -> bool:
    """Return whether an item of a list is a view of its own rather than a row."""
    return (
        len(getattr(item, "shape", ())) >= 2
        or sp.issparse(item)
        or is_stored(item)
        or is_dask(item)
        or is_query(item)
        or frame_of(item) is not None
        or (type(item).__name__ == "Series" and library_of(item) != "")
    )


def is_query(item: Any, /) -> bool:
    """Return whether an item is a polars LazyFrame."""
    return type(item).__module__.startswith("polars") and hasattr(item, "sink_parquet")


def _article(word: str) -> str:
    return "an" if word[:1].lower() in "aeiou" else "a"
