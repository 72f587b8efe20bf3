"""``manyview inspect``: what files hold, and what would be done with them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp
import typer

from manyview.cli import screen
from manyview.cli.cluster import Files, Id
from manyview.io import MultiViewData, TableFile, read_table, read_views
from manyview.io.files import CONTAINERS, suffix_of
from manyview.views.encode import looks_like_ids
from manyview.views.frames import frame_of

Facts = dict[str, Any]


def inspect(
    files: Files,
    id_column: Id = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Say what is in files: views, shapes, ids and their overlap, missing cells, kinds of columns, what to look at."""
    with screen.explained("cannot inspect", kinds=screen.REPAIRABLE), screen.stages(quiet=as_json) as stages:
        stages("reading", 0, 1)
        tables, labels = _tables(files, id_column)
        facts = [_facts(table) for table in tables]
        overlap = _overlap(tables)
    if as_json:
        typer.echo(json.dumps({"views": facts, "ids": overlap, "classes": labels}, indent=1))
        return
    rows = [
        (one["view"], f"{one['rows']:,}", f"{one['columns']:,}", one["ids"], _percent(one["missing"]), one["kinds"])
        for one in facts
    ]
    screen.table("Views", ("view", "rows", "columns", "ids", "missing cells", "columns are"), rows)
    for line in overlap:
        typer.echo(line)
    if labels is not None:
        typer.echo(f"{labels} known classes; they are used for scores only.")
    for one in facts:
        for remark in one["remarks"]:
            typer.echo(f"{one['view']}: {remark}")


def _tables(files: Sequence[Path], id_column: str | None) -> tuple[list[TableFile], int | None]:
    if len(files) == 1 and (files[0].is_dir() or suffix_of(files[0]) in CONTAINERS):
        data: MultiViewData = read_views(files[0], id_column=id_column)
        names = data.feature_names or {}
        tables = [TableFile(name, view, data.ids, names.get(name)) for name, view in data.views.items()]
        return tables, None if data.labels is None else data.n_clusters
    return [read_table(path, id_column=id_column) for path in files], None


def _facts(table: TableFile) -> Facts:
    frame, (n_rows, n_columns) = frame_of(table.frame), table.frame.shape
    kinds: Counter[str] = Counter()
    remarks: list[str] = []
    missing = 0
    if frame is None:
        values = table.frame.data if sp.issparse(table.frame) else table.frame
        missing = int(np.isnan(values).sum())
        kinds["number"] = n_columns
        if sp.issparse(table.frame):
            remarks.append(f"is sparse: {table.frame.nnz / max(n_rows * n_columns, 1):.2%} of the cells are not zero")
    else:
        for j, name in enumerate(frame.labels):
            column = frame.column(j)
            kinds[column.kind] += 1
            missing += int(table.frame.column(j).null_count)
            remarks += _remarks(column, str(name), n_rows)
    return {
        "view": table.name,
        "rows": n_rows,
        "columns": n_columns,
        "ids": "none" if table.ids is None else f"{table.ids[0]}, …",
        "missing": missing / max(n_rows * n_columns, 1),
        "kinds": ", ".join(f"{count} {kind}" for kind, count in kinds.items()),
        "remarks": remarks,
    }


def _remarks(column: Any, name: str, n_rows: int) -> list[str]:
    if column.kind == "text":
        distinct = len({str(value) for value in column.values.tolist()})
        return [f"column {name!r} holds texts ({distinct} different ones): name it with --id, --categorical or --drop"]
    if column.kind == "number":
        values = column.values[~np.isnan(column.values)]
        if not len(values):
            return [f"column {name!r} has no number, and would be left out"]
        if looks_like_ids(name) and len(np.unique(values)) == n_rows:
            return [f"column {name!r} looks like ids: name it with --id, or leave it out with --drop"]
        if n_rows > 1 and values.min() == values.max():
            return [f"column {name!r} has the same value in all rows"]
        return []
    if column.kind in ("boolean", "category"):
        return []
    return [f"column {name!r} holds {column.kind}, which cannot be a feature: leave it out with --drop"]


def _overlap(tables: Sequence[TableFile]) -> list[str]:
    known = [(table.name, {str(one) for one in table.ids.tolist()}) for table in tables if table.ids is not None]
    without = [table.name for table in tables if table.ids is None]
    if not known:
        return ["No ids: rows are matched by position."]
    if without:
        return [f"{', '.join(without)} without ids beside views that have them: name the column with --id."]
    common, every = set.intersection(*(ids for _, ids in known)), set.union(*(ids for _, ids in known))
    if common == every:
        return [f"All views have the same {len(every):,} ids."]
    lines = [f"{len(common):,} of {len(every):,} ids are in all views: choose --join inner or --join outer."]
    return lines + [f"{name} lacks {len(every) - len(ids):,} of them." for name, ids in known if ids != every]


def _percent(share: float) -> str:
    return "none" if share == 0 else f"{share:.1%}"
