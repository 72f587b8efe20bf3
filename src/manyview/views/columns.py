"""Which columns of Arrow data are the view: numbers in every file, and not the index that pandas stored with them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from manyview.engine.optional import optional

INDEX_COLUMN = "__index_level_"  # under which pandas stores an index without a name


class Columns(NamedTuple):
    """Of a data set."""

    names: list[str]
    dtype: np.dtype[Any]  # float32 if all are of single precision or less, else float64
    ids: list[str]  # of the index, in every file


def columns_of(schema: Any, fragments: Sequence[Any], place: str, name: str, /, *, same: bool) -> Columns:
    """The columns of a schema, which every fragment must have, with ``same`` no others; an error names the file."""
    names = [field.name for field in schema if field.name not in index_columns(schema)]
    if not names:
        raise ValueError(f"View {name!r}: {place} has no columns.")
    for fragment in fragments:
        _require_columns(fragment.physical_schema, names, getattr(fragment, "path", place), name, same=same)
    schemas = [schema, *(fragment.physical_schema for fragment in fragments)] if same else [schema]
    single = all(_is_single(each.field(column).type) for each in schemas for column in names)
    ids = [column for column in index_columns(schema) if all(column in f.physical_schema.names for f in fragments)]
    return Columns(names, np.dtype(np.float32 if single else np.float64), ids)


def _require_columns(schema: Any, names: list[str], place: str, view: str, *, same: bool) -> None:
    index = index_columns(schema)
    there = [field.name for field in schema if field.name not in index]
    lacks = [column for column in names if column not in there]
    more = [column for column in there if column not in names] if same else []
    if lacks or more:
        what, which = ("lacks", lacks) if lacks else ("has", more)
        raise ValueError(
            f"View {view!r}: {place} {what} the column {_some(which)}, unlike the first file or the schema: all files "
            "of a view must have the same columns."
        )
    types = optional("pyarrow.types", extra="files", use="Reading Parquet files and Arrow data sets")
    for column in names:
        kind = schema.field(column).type
        if not (types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind) or types.is_decimal(kind)):
            raise ValueError(f"View {view!r}: column {column!r} of {place} holds {kind}, not numbers.")


def index_columns(schema: Any) -> list[str]:
    """Names of the columns that are an index."""
    known = json.loads((schema.metadata or {}).get(b"pandas", b"{}")).get("index_columns", [])
    named = [column for column in known if isinstance(column, str)]  # others are ranges, which have no column
    return [field.name for field in schema if field.name in named or field.name.startswith(INDEX_COLUMN)]


def _is_single(kind: Any) -> bool:
    types = optional("pyarrow.types", extra="files", use="Reading Parquet files and Arrow data sets")
    return bool(types.is_float32(kind) or types.is_float16(kind))


def _some(names: Iterable[str]) -> str:
    shown = [repr(column) for column in names]
    return ", ".join(shown[:3]) + (", …" if len(shown) > 3 else "")
