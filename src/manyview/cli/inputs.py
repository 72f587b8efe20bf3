"""Files named on a command line as views: read, matched by id, and described for run.json."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from manyview.engine.optional import optional
from manyview.io import TableFile, read_table, read_views
from manyview.io.files import CONTAINERS, suffix_of
from manyview.views import Views
from manyview.views.frames import frame_of

PREFIX = "prefix:"


class Inputs(NamedTuple):
    """What the files hold."""

    views: Views
    labels: Any  # known classes, or None
    name: str
    files: list[dict[str, Any]]  # name, bytes and SHA-256 of each


class Columns(NamedTuple):
    """What is said about columns: the ids, those left out, those that are categories, and how one file is divided."""

    ids: str | None = None
    drop: Sequence[str] = ()
    categorical: Sequence[str] = ()
    views: str | None = None  # "prefix:", or a JSON file of view -> columns


def read_inputs(files: Sequence[Path], columns: Columns, *, join: str | None, impute: str | None) -> Inputs:
    """Read one container, one folder, one table, or a table per view."""
    labels, name = None, files[0].name.split(".")[0] if len(files) == 1 else files[0].absolute().parent.name
    options: dict[str, Any] = {"join": join, "impute": impute}
    if len(files) == 1 and (files[0].is_dir() or suffix_of(files[0]) in CONTAINERS):
        data = read_views(files[0], id_column=columns.ids)
        labels = data.labels
        views = Views.from_tables(data, **options)
    else:
        tables = [_prepared(read_table(path, id_column=columns.ids), columns, path) for path in files]
        if len(tables) == 1 and columns.views is not None:
            views = Views.from_tables(_divided(tables[0], columns.views, files[0]), **options)
        else:
            views = Views.from_tables(_by_name(tables, files), **options)
    return Inputs(views, labels, name, [_described(path) for path in files])


def _by_name(tables: Sequence[TableFile], files: Sequence[Path]) -> dict[str, TableFile]:
    named: dict[str, TableFile] = {}
    for table, path in zip(tables, files, strict=True):
        if table.name in named:
            raise ValueError(f"{path}: another file has the name {table.name!r}; views are named by their files")
        named[table.name] = table
    return named


def _prepared(table: TableFile, columns: Columns, path: Path) -> TableFile:
    """Leave columns out, and turn texts into categories, where that was asked for."""
    frame, names = table.frame, list(table.feature_names or ())
    wanted = [name for name in columns.drop if name in names]
    if wanted:
        keep = [j for j, name in enumerate(names) if name not in wanted]
        frame = frame.select(keep) if hasattr(frame, "select") else frame[:, keep]
        names = [names[j] for j in keep]
    for name in columns.categorical:
        if name in names and hasattr(frame, "column_names"):
            at = names.index(name)
            frame = frame.set_column(at, name, frame.column(at).dictionary_encode())
    if not names and table.feature_names:
        raise ValueError(f"{path}: no column is left")
    return TableFile(table.name, frame, table.ids, tuple(names) or None)


def _divided(table: TableFile, rule: str, path: Path) -> dict[str, TableFile]:
    """One table as several: by what stands before a colon in the names of columns, or by a file of names."""
    names = table.feature_names
    if names is None:
        raise ValueError(f"{path}: has no names of columns to divide it by")
    parts: dict[str, list[int]] = {}
    if rule == PREFIX:
        for j, name in enumerate(names):
            view, colon, _ = name.partition(":")
            if not colon:
                raise ValueError(f"{path}: column {name!r} has no view before a colon, as in 'rna:{name}'")
            parts.setdefault(view, []).append(j)
    else:
        for view, wanted in _column_map(Path(rule)).items():
            unknown = [name for name in wanted if name not in names]
            if unknown:
                raise ValueError(f"{rule}: view {view!r} names the column {unknown[0]!r}, which {path} does not have")
            parts[view] = [names.index(name) for name in wanted]
    made = {}
    for view, at in parts.items():
        frame = table.frame.select(at) if hasattr(table.frame, "select") else table.frame[:, at]
        made[view] = TableFile(view, frame, table.ids, tuple(names[j] for j in at))
    return made


def _column_map(path: Path) -> Mapping[str, list[str]]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"--views {path}: give 'prefix:' or a JSON file of columns ({error})") from error
    if not isinstance(found, dict) or not all(isinstance(names, list) for names in found.values()):
        raise ValueError(f"{path}: must be a JSON object of view names and lists of columns")
    return found


def read_metadata(path: Path, id_column: str | None, views: Views, /) -> dict[str, Any]:
    """Columns of a table beside the views, in the order of the samples; samples that it lacks have none."""
    table = read_table(path, id_column=id_column)
    frame = frame_of(table.frame)
    if frame is None:
        raise ValueError(f"{path}: metadata is a table with names of columns")
    if (table.ids is None) != (views.ids is None):
        raise ValueError(f"{path}: samples are matched by id, so the views and the metadata both need ids")
    if views.ids is None:
        if table.frame.num_rows != len(views):
            raise ValueError(f"{path}: has {table.frame.num_rows} rows for {len(views)} samples")
        rows = np.arange(len(views))
    else:
        row_of = {str(one): row for row, one in enumerate(np.asarray(table.ids).tolist())}
        rows = np.array([row_of.get(str(one), -1) for one in views.ids.tolist()])
        if (rows < 0).all():
            raise ValueError(f"{path}: has none of the ids of the views")
    optional("pyarrow", extra="files", use="Reading metadata")
    columns = {name: np.array(column.to_pylist(), dtype=object) for name, column in _columns(table.frame)}
    known = {name: [None if row < 0 else values[row] for row in rows] for name, values in columns.items()}
    return {name: _typed(values) for name, values in known.items()}


def _columns(frame: Any) -> list[tuple[str, Any]]:
    return list(zip(frame.column_names, frame.columns, strict=True))


def _typed(values: list[Any]) -> Any:
    """Numbers as an array with NaN for what is missing, anything else as texts."""
    if all(value is None or (isinstance(value, int | float) and not isinstance(value, bool)) for value in values):
        return np.array([np.nan if value is None else value for value in values], dtype=float)
    return np.array(["" if value is None else str(value) for value in values], dtype=object)


def _described(path: Path) -> dict[str, Any]:
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    digest, size = hashlib.sha256(), 0
    for file in files:
        if file.is_file():
            size += file.stat().st_size
            with open(file, "rb") as stream:
                while piece := stream.read(1 << 20):
                    digest.update(piece)
    return {"name": path.name, "bytes": size, "sha256": digest.hexdigest()}
