"""Files named on a command line as views: read, matched by id, and described for run.json."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from manyview.cli.divide import divided
from manyview.cli.words import of_error
from manyview.io import TableFile, read_tables, read_views
from manyview.io.files import CONTAINERS, LABEL_NAMES, suffix_of
from manyview.io.tables import to_labels
from manyview.views import Views


class Inputs(NamedTuple):
    """Content of the files."""

    views: Views
    labels: Any  # known classes, or None
    name: str


class Columns(NamedTuple):
    """Options for columns: ids, those left out, categories, and how one file is divided."""

    ids: str | None = None
    drop: Sequence[str] = ()
    categorical: Sequence[str] = ()
    views: str | None = None  # "prefix:", or a JSON file of view -> columns
    header: bool | None = None


class Tables(NamedTuple):
    """The tables of the views by name, as the files hold them, and known classes."""

    tables: dict[str, TableFile]
    places: dict[str, str]  # file of every view, for messages
    labels: Any = None  # classes of the rows of `label_ids`, or of all rows in their order
    label_ids: Any = None


def read_inputs(tables: Tables, files: Sequence[Path], *, join: str | None, impute: str | None) -> Inputs:
    """Match the rows of tables; an error names the file."""
    try:
        views = Views.from_tables(tables.tables, join=join, impute=impute)
    except (ValueError, TypeError) as error:
        raise ValueError(of_error(error, tables.places)) from error
    return Inputs(views, _labels_of(views, tables), _name_of(files))


def load_tables(files: Sequence[Path], columns: Columns, /) -> Tables:
    """Read one container, one folder, or a table per view, with the columns that are wanted."""
    source = files[0]
    if len(files) == 1 and suffix_of(source) in set(CONTAINERS) - {".xlsx"} and not source.is_dir():
        found = _container(source, columns.ids)
    else:
        one = len(files) == 1 and (source.is_dir() or suffix_of(source) == ".xlsx")
        read = read_tables(source if one else files, id_column=columns.ids, header=columns.header)
        places = {
            name: f"{source}: {name}" if one else str(path)
            for name, path in zip(read, _repeated(files, read), strict=True)
        }
        found = _without_labels(read, places)
    _require_known(found, columns)
    tables = {name: _prepared(table, columns, found.places[name]) for name, table in found.tables.items()}
    if columns.views is None:
        return found._replace(tables=tables)
    if len(tables) != 1:
        raise ValueError(f"--views divides one table, and there are {len(tables)}: {', '.join(tables)}")
    ((name, table),) = tables.items()
    parts = divided(table, columns.views, found.places[name])
    return found._replace(tables=parts, places={part: f"{found.places[name]} ({part})" for part in parts})


def _repeated(files: Sequence[Path], tables: Mapping[str, TableFile]) -> Sequence[Path]:
    return files if len(files) == len(tables) else [files[0]] * len(tables)


def _container(path: Path, id_column: str | None) -> Tables:
    if id_column is not None and suffix_of(path) in (".npz", ".mat"):
        raise ValueError(f"{path}: has matrices, not columns with names: leave --id out; a variable 'ids' holds ids")
    data = read_views(path, id_column=id_column)
    names = data.feature_names
    tables = {name: TableFile(name, view, data.ids, names.get(name)) for name, view in data.views.items()}
    return Tables(tables, {name: f"{path}: {name}" for name in tables}, data.labels, data.ids)


def _without_labels(read: dict[str, TableFile], places: dict[str, str]) -> Tables:
    labels = [name for name in read if name.lower() in LABEL_NAMES and len(read) > 1]
    if len(labels) > 1:
        raise ValueError(f"there is more than one table of labels: {', '.join(places[name] for name in labels)}")
    tables = {name: table for name, table in read.items() if name not in labels}
    if not labels:
        return Tables(tables, places)
    return Tables(tables, places, to_labels(read[labels[0]], places[labels[0]]), read[labels[0]].ids)


def _labels_of(views: Views, tables: Tables) -> Any:
    """Return known classes in the order of the samples; None unless every sample has one."""
    labels, ids = tables.labels, tables.label_ids
    if labels is None or (ids is None) != (views.ids is None):
        return None
    if ids is None or views.ids is None:
        return labels if len(labels) == len(views) else None
    row_of = {str(one): row for row, one in enumerate(ids.tolist())}
    rows = [row_of.get(str(one), -1) for one in views.ids.tolist()]
    return None if -1 in rows else labels[rows]


def _require_known(found: Tables, columns: Columns) -> None:
    """Refuse an option that names a column which no file has."""
    known = {name for table in found.tables.values() for name in table.feature_names or ()}
    for option, names in (("--drop", columns.drop), ("--categorical", columns.categorical)):
        for name in names:
            if name not in known:
                files = ", ".join(dict.fromkeys(found.places.values()))
                raise ValueError(f"{option} {name}: there is no such column in {files}")


def _prepared(table: TableFile, columns: Columns, place: str) -> TableFile:
    """Leave columns out, and turn texts into categories, where that was asked for."""
    frame, names = table.frame, list(table.feature_names or ())
    keep = [j for j, name in enumerate(names) if name not in columns.drop]
    if len(keep) < len(names):
        if not keep:
            raise ValueError(f"{place}: --drop leaves no column")
        frame = frame.select(keep) if hasattr(frame, "select") else frame[:, keep]
        names = [names[j] for j in keep]
    for at, name in enumerate(names):
        if name in columns.categorical:
            if not hasattr(frame, "column_names"):
                raise ValueError(f"--categorical {name}: {place} holds a matrix of numbers, without categories")
            frame = frame.set_column(at, name, frame.column(at).dictionary_encode())
    return TableFile(table.name, frame, table.ids, tuple(names) or None)


def _name_of(files: Sequence[Path]) -> str:
    if len(files) == 1:
        return files[0].absolute().name.split(".")[0]
    return files[0].absolute().parent.name


def described(files: Sequence[Path], /) -> list[dict[str, Any]]:
    """Return name, size and SHA-256 of every file, for run.json."""
    return [_described(path) for path in files]


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
