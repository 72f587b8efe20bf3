"""``manyview inspect``: what files hold, and what would be done with them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp
import typer

from manyview.cli import screen
from manyview.cli.inputs import Columns, Tables, load_tables
from manyview.cli.options import Categorical, Divide, Drop, Files, Header, Id, Impute, Join, Json
from manyview.io import TableFile
from manyview.views.encode import looks_like_ids
from manyview.views.frames import Column, frame_of

Facts = dict[str, Any]
Columned = list[tuple[str, Column]]  # two columns may have the same name


def inspect(
    files: Files,
    id_column: Id = None,
    join: Join = None,
    impute: Impute = None,
    views: Divide = None,
    categorical: Categorical = None,
    drop: Drop = None,
    header: Header = None,
    as_json: Json = False,
) -> None:
    """Say what is in files: views, shapes, ids and their overlap, missing cells, kinds of columns, what to look at."""
    with screen.explained("cannot inspect", kinds=screen.REPAIRABLE), screen.stages(quiet=as_json) as stages:
        stages("reading", 0, 1)
        found = load_tables(files, Columns(id_column, drop or (), categorical or (), views, header))
        facts = [_facts(name, table, impute) for name, table in found.tables.items()]
        ids = _about_rows(found, join)
    classes = None if found.labels is None else len(np.unique(found.labels))
    if as_json:
        typer.echo(json.dumps({"views": facts, "ids": ids, "classes": classes}, indent=1))
        return
    rows = [
        (one["view"], f"{one['rows']:,}", f"{one['columns']:,}", one["ids"], _percent(one["missing"]), one["kinds"])
        for one in facts
    ]
    screen.table("Views", ("view", "rows", "columns", "ids", "missing cells", "columns are"), rows)
    if classes is not None:
        typer.echo(f"{classes} known classes; they are used for scores only.")
    for title, key in (("What would be done", "done"), ("What to look at", "look")):
        lines = [*ids[key], *(f"{one['view']}: {line}" for one in facts for line in one[key])]
        if lines:
            typer.echo("\n  ".join([f"{title}:", *lines]))


def _facts(name: str, table: TableFile, impute: str | None) -> Facts:
    frame, (n_rows, n_columns) = frame_of(table.frame), table.frame.shape
    if frame is None:
        values = table.frame.data if sp.issparse(table.frame) else table.frame
        empty = np.isnan(values)
        absent = 0 if sp.issparse(table.frame) else int(empty.all(axis=1).sum())
        share = f", {values.size / max(n_rows * n_columns, 1):.2%} of the cells not zero"
        kinds, done, look = f"{n_columns} number" + (share if sp.issparse(table.frame) else ""), [], []
        missing = int(empty.sum())
        cells = missing - absent * n_columns
    else:
        columns = [(str(label), frame.column(j)) for j, label in enumerate(frame.labels)]
        counts = Counter(column.kind for _, column in columns)
        kinds = ", ".join(f"{count} {kind}" for kind, count in counts.items())
        blank = np.column_stack([_missing(column) for _, column in columns])
        absent, missing = int(blank.all(axis=1).sum()), int(blank.sum())
        done, look = _done(columns, n_rows), _look(columns, n_rows)
        blank = blank[:, ~blank.all(axis=0)]
        cells = int(blank[~blank.all(axis=1)].sum())
    if absent:
        done = [f"{absent:,} samples lack this view altogether, and take part with the others", *done]
    if cells and impute is not None:
        done = [f"missing cells get the {impute} of their column: {cells:,}", *done]
    elif cells:
        it = ("cell is", "it") if cells == 1 else ("cells are", "them")
        look = [f"{cells:,} {it[0]} missing: fill {it[1]} with --impute mean or median", *look]
    return {
        "view": name,
        "rows": n_rows,
        "columns": n_columns,
        "ids": "none" if table.ids is None else f"{table.ids[0]}, …",
        "missing": missing / max(n_rows * n_columns, 1),
        "kinds": kinds,
        "done": done,
        "look": look,
    }


def _missing(column: Column) -> Any:
    if column.kind in ("number", "boolean"):
        return np.isnan(column.values)
    return column.values < 0 if column.kind == "category" else np.array([one is None for one in column.values])


def _done(columns: Columned, n_rows: int) -> list[str]:
    """Describe what becomes of columns that are no numbers, or have none."""
    lines = []
    for name, column in columns:
        if column.kind == "category":
            count = len(np.unique(column.values[column.values >= 0]))
            lines.append(f"the {count} categories of column {name!r} become {count} columns of 0 and 1")
    truths = [name for name, column in columns if column.kind == "boolean"]
    if truths:
        lines.append(f"the truth values of {_some(truths)} become 0 and 1")
    empty = [name for name, column in columns if column.kind == "number" and np.isnan(column.values).all()]
    if empty and n_rows > 1:
        lines.append(f"{_some(empty)} without any number will be dropped")
    return lines


def _look(columns: Columned, n_rows: int) -> list[str]:
    """List errors and possible mistakes."""
    lines, constant = [], []
    for name, column in columns:
        if column.kind in ("boolean", "category"):
            continue
        if column.kind in ("number", "text"):
            values = column.values[~_missing(column)]
            distinct = len(set(values.tolist()))
            if looks_like_ids(name) and distinct == n_rows > 1:
                lines.append(f"column {name!r} looks like ids: --id {name}, or leave it out with --drop {name}")
            elif column.kind == "text":
                lines.append(f"column {name!r} holds texts, {distinct} different ones: --categorical, --id or --drop")
            elif np.isinf(values).any():
                lines.append(f"column {name!r} holds infinity: correct it, or leave it out with --drop {name}")
            elif distinct == 1 and n_rows > 1:
                constant.append(name)
        else:
            lines.append(f"column {name!r} holds {column.kind}, which cannot be a feature: --drop {name}")
    return lines + ([f"{_some(constant)}: the same value in all rows"] if constant else [])


def _about_rows(found: Tables, join: str | None) -> dict[str, list[str]]:
    """Describe how rows would be matched, and what prevents it."""
    known = {name: {str(one) for one in t.ids.tolist()} for name, t in found.tables.items() if t.ids is not None}
    without = [name for name in found.tables if name not in known]
    if not known:
        sizes = {table.frame.shape[0] for table in found.tables.values()}
        look = (
            [] if len(sizes) == 1 else [f"no ids, and {len(sizes)} different numbers of rows: name the ids with --id"]
        )
        return {"done": ["no ids: rows are matched by position"] if len(found.tables) > 1 else [], "look": look}
    if without:
        return {
            "done": [],
            "look": [f"{_listed(without)} without ids beside views that have them: name them with --id"],
        }
    common, every = set.intersection(*known.values()), set.union(*known.values())
    if common == every:
        return {"done": [f"rows are matched by id: {len(every):,} in all views"], "look": []}
    lacking = [f"{name} lacks {len(every) - len(ids):,} of them" for name, ids in known.items() if ids != every]
    if join is not None:
        kept = len(common if join == "inner" else every)
        return {"done": [f"rows are matched by id: {kept:,} of {len(every):,} ids are kept", *lacking], "look": []}
    head = f"{len(common):,} of {len(every):,} ids are in all views: choose --join inner or --join outer"
    return {"done": [], "look": [head, *lacking]}


def _some(names: list[str]) -> str:
    what = "column" if len(names) == 1 else f"{len(names):,} columns"
    return f"{what} {_listed(map(repr, names[:3]))}" + (", …" if len(names) > 3 else "")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


def _percent(share: float) -> str:
    return "none" if share == 0 else f"{share:.1%}" if share >= 0.001 else "< 0.1%"
