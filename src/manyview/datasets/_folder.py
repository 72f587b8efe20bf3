"""A folder with one table per view (.csv or .parquet) and, if there are labels, a table named ``labels``."""

from __future__ import annotations

import csv
import importlib.util
import math
import re
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manyview.datasets._data import LabelArray, MultiViewData, ViewMatrix
from manyview.datasets._isolation import parse
from manyview.datasets._layout import LABEL_NAMES
from manyview.datasets._matrices import check_labels, check_matrix, finish_view
from manyview.datasets._values import Variables, describe

ID_NAMES = ("id", "ids", "sample_id", "sampleid", "index", "", "unnamed: 0", "__index_level_0__")
SUFFIXES = (".csv", ".parquet")


class Table(NamedTuple):
    ids: list[str] | None
    content: Any  # a view of shape (N, d), or labels of shape (N,)


def read_folder(folder: Path, /, *, name: str, time_limit: float, memory_limit: int) -> MultiViewData:
    """Views and labels of a folder, rows matched by id where all tables have one, by position where none has."""
    paths = table_paths(folder)
    parquet = [path for path in paths.values() if path.suffix.lower() == ".parquet"]
    parsed = _parse_parquet(parquet, time_limit, memory_limit)
    return assemble_folder(folder, paths, parsed, name=name)


def assemble_folder(
    folder: Path, paths: dict[str, Path], parsed: dict[Path, Variables], /, *, name: str
) -> MultiViewData:
    """The data set of tables by stem; those in `parsed` have been read already, the others are csv."""
    tables: dict[str, Table] = {}
    labels: Table | None = None
    for stem, path in paths.items():
        is_labels = stem.lower() in LABEL_NAMES
        table = _from_columns(parsed[path], path, is_labels) if path in parsed else _from_csv(path, is_labels)
        if is_labels and labels is not None:
            raise ValueError(f"{folder}: more than one table of labels")
        if is_labels:
            labels = table
        else:
            tables[stem] = table
    if not tables:
        raise ValueError(f"{folder}: has no .csv or .parquet table of a view")
    return _align(tables, labels, folder, name)


def table_paths(folder: Path) -> dict[str, Path]:
    """Tables by stem, in natural order (view2 before view10)."""
    found = [path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES and not path.name.startswith(".")]
    found.sort(key=lambda path: [(part.isdigit(), part.zfill(9)) for part in re.split(r"(\d+)", path.stem)])
    paths = {path.stem: path for path in found}
    if len(paths) < len(found):
        raise ValueError(f"{folder}: two tables have the same name among {[path.name for path in found]}")
    return paths


def _align(tables: dict[str, Table], labels: Table | None, folder: Path, name: str) -> MultiViewData:
    everything = tables if labels is None else tables | {"labels": labels}
    with_ids = {stem: table.ids for stem, table in everything.items() if table.ids is not None}
    if with_ids and len(with_ids) < len(everything):
        without = [stem for stem in everything if stem not in with_ids]
        raise ValueError(f"{folder}: {list(with_ids)} have an id column and {without} have none; give all or none")
    orders = _orders(with_ids, folder)
    views = {stem: table.content[orders[stem]] if orders else table.content for stem, table in tables.items()}
    if labels is None:
        return MultiViewData(views, None, name)
    return MultiViewData(views, labels.content[orders["labels"]] if orders else labels.content, name)


def _orders(with_ids: dict[str, list[str]], folder: Path) -> dict[str, NDArray[np.int64]]:
    """For each table, the rows that bring it into the order of the first."""
    orders: dict[str, NDArray[np.int64]] = {}
    for stem, ids in with_ids.items():
        row_of = {key: row for row, key in enumerate(ids)}
        if len(row_of) < len(ids):
            twice = next(key for row, key in enumerate(ids) if row_of[key] != row)
            raise ValueError(f"{folder}: {stem} has the id {twice!r} twice")
        first, reference = next(iter(with_ids.items()))
        if odd := sorted(set(reference) ^ set(ids)):
            raise ValueError(f"{folder}: ids of {first} and {stem} differ in {len(odd)} samples, such as {odd[:3]}")
        orders[stem] = np.array([row_of[key] for key in reference], dtype=np.int64)
    return orders


def _parse_parquet(paths: list[Path], time_limit: float, memory_limit: int) -> dict[Path, Variables]:
    if not paths:
        return {}
    if importlib.util.find_spec("pyarrow") is None:
        raise ImportError(f"{paths[0]}: reading parquet needs pyarrow; install manyview[files]")
    parsed: dict[Path, Variables] = {}
    files = [("parquet", path) for path in paths]
    for path, answer in zip(paths, parse(files, time_limit=time_limit, memory_limit=memory_limit), strict=True):
        if isinstance(answer, ValueError):
            raise answer
        parsed[path] = answer
    return parsed


def _from_columns(columns: Variables, path: Path, is_labels: bool) -> Table:
    """A parquet table: columns as arrays."""
    arrays: list[tuple[str, NDArray[Any]]] = []
    for key, value in columns:
        if not isinstance(value, np.ndarray):
            raise ValueError(f"{path}: column {key!r} is {describe(value)}; only numbers and text can be read")
        arrays.append((key, value))
    id_columns = [key for key, _ in arrays if key.lower() in ID_NAMES]
    if len(id_columns) > 1:
        raise ValueError(f"{path}: has several id columns {id_columns}")
    ids = next((_id_texts(value) for key, value in arrays if key.lower() in ID_NAMES), None)
    rest = [(key, value) for key, value in arrays if key.lower() not in ID_NAMES]
    if is_labels:
        return Table(ids, _labels(rest, path))
    for key, value in rest:
        if value.dtype.kind not in "biuf":
            raise ValueError(f"{path}: column {key!r} holds {value.dtype} values; a view must hold real numbers")
    matrix = np.column_stack([value for _, value in rest]) if rest else np.zeros((0, 0))
    return Table(ids, _view(matrix, path))


def _id_texts(values: NDArray[Any]) -> list[str]:
    """Ids as text, so that 7 and 7.0 and "7" from different kinds of tables are one id."""
    whole = values.dtype.kind == "f" and bool(np.all(np.isfinite(values) & (values == np.floor(values))))
    return [str(value) for value in (values.astype(np.int64) if whole else values).tolist()]


def _from_csv(path: Path, is_labels: bool) -> Table:
    rows = _csv_rows(path)
    _, head = next(rows)
    id_columns = [i for i, cell in enumerate(head) if cell.lower() in ID_NAMES] if head else []
    if len(id_columns) > 1:
        raise ValueError(f"{path}: has several id columns {[head[i] for i in id_columns]}")
    ids: list[str] = []
    numbers = array("d")
    texts: list[list[str]] = []
    n_rows = 0
    for line, cells in rows:
        ids += [cells.pop(i) for i in id_columns]
        if is_labels:
            texts.append(cells)
        else:
            numbers.extend(_floats(cells, path, line))
        n_rows += 1
    if n_rows == 0:
        raise ValueError(f"{path}: has a header and no rows")
    if is_labels:
        keys = [cell for i, cell in enumerate(head) if i not in id_columns] or [""] * len(texts[0])
        columns = [np.array(column, dtype=np.str_) for column in zip(*texts, strict=True)]
        return Table(ids or None, _labels(list(zip(keys, columns, strict=True)), path))
    return Table(ids or None, _view(np.array(numbers).reshape(n_rows, -1), path))


def _csv_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The header (empty if there is none), then every row with its line number; all of one length."""
    width: int | None = None
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            for row in reader:
                cells = [cell.strip() for cell in row]
                if not row:  # an empty line
                    continue
                if width is None:
                    width = len(cells)
                    is_head = _is_header(cells)
                    yield reader.line_num, cells if is_head else []
                    if is_head:
                        continue
                if len(cells) != width:
                    raise ValueError(f"{path}, line {reader.line_num}: {len(cells)} cells where others have {width}")
                yield reader.line_num, cells
    except (csv.Error, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: cannot be read as csv: {error}") from error
    if width is None:
        raise ValueError(f"{path}: is empty")


def _is_header(cells: list[str]) -> bool:
    """No numbers at all; or an id column and then anything; or 0, 1, 2, ... as pandas writes for nameless columns."""
    if any(cell.lower() in ID_NAMES for cell in cells):
        return True
    if len(cells) > 2 and cells == [str(i) for i in range(len(cells))]:
        return True
    return not any(_is_number(cell) for cell in cells)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell  # Python reads 1_5 as 15


def _floats(cells: list[str], path: Path, line: int) -> list[float]:
    if not any(cells):  # the view lacks this sample
        return [math.nan] * len(cells)
    bad = next((cell for cell in cells if not _is_number(cell)), None)
    if bad is not None:
        raise ValueError(f"{path}, line {line}: {bad!r} is not a number")
    return [float(cell) for cell in cells]


def _labels(columns: list[tuple[str, NDArray[Any]]], path: Path) -> LabelArray:
    chosen = [column for key, column in columns if key.lower() in LABEL_NAMES] or [column for _, column in columns]
    if len(chosen) != 1:
        raise ValueError(f"{path}: labels must be one column besides the ids; found {[key for key, _ in columns]}")
    column = chosen[0]
    if column.dtype.kind == "U":
        column = _as_numbers(column)
        if column.dtype.kind == "U" and not np.all(np.char.str_len(column)):
            raise ValueError(f"{path}: row {int(np.argmin(np.char.str_len(column)))} has no label")
    return check_labels(column, str(path))


def _as_numbers(texts: NDArray[Any]) -> NDArray[Any]:
    """Numbers where all texts are numbers, so that class 10 comes after class 9."""
    return texts.astype(np.float64) if all(_is_number(text) for text in texts.tolist()) else texts


def _view(matrix: NDArray[Any], path: Path) -> ViewMatrix:
    return finish_view(check_matrix(matrix, str(path)), str(path))
