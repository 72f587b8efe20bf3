"""What cannot be a view is refused at once, in one sentence that says what to give instead."""

from __future__ import annotations

from collections.abc import Iterator, KeysView, Set, ValuesView
from typing import Any

import numpy as np
import scipy.sparse as sp

from manyview.views.dask_tables import is_dask
from manyview.views.frames import frame_of
from manyview.views.stored import is_stored


def library_of(item: Any, /) -> str:
    """The library that a type, or one that it inherits from, belongs to; empty for Python's own."""
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
    """Whether an item of a list is a view of its own, not a row; polars tables have a shape but no ndim."""
    return (
        len(getattr(item, "shape", ())) >= 2
        or sp.issparse(item)
        or is_stored(item)
        or is_dask(item)
        or is_query(item)
        or frame_of(item) is not None
    )


def is_query(item: Any, /) -> bool:
    """Whether an item is a polars LazyFrame."""
    return type(item).__module__.startswith("polars") and hasattr(item, "sink_parquet")


def _article(word: str) -> str:
    return "an" if word[:1].lower() in "aeiou" else "a"
