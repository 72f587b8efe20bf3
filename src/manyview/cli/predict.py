"""``manyview predict``: labels of new samples from a saved model."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from manyview import load
from manyview.cli import screen
from manyview.cli.fitted import in_fitted_order, raw_columns
from manyview.cli.inputs import Columns, Tables, load_tables, read_inputs
from manyview.cli.options import Categorical, Divide, Drop, Files, Header, Id, Join, Json, Quiet, SpreadsheetSafe
from manyview.cli.places import require_labels
from manyview.io import TableFile, write_labels


def predict(
    model_file: Annotated[Path, typer.Argument(metavar="MODEL", help="A model.manyview, or the folder that it is in.")],
    files: Files,
    out: Annotated[Path, typer.Option(help="The csv file of the labels; must not exist, unless --force.")],
    id_column: Id = None,
    join: Join = None,
    views: Divide = None,
    categorical: Categorical = None,
    drop: Drop = None,
    header: Header = None,
    spreadsheet_safe: SpreadsheetSafe = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a file of labels.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Label new samples by a model that ``cluster`` saved.

    Files are matched to the views of the fit by their names, or by their order if no name is known. A sample that
    lacks a view takes part with the others, unless --join inner leaves it out; so do all samples if no file is given
    for a view. Missing cells are filled as in the fit.
    """
    with screen.explained("cannot predict", kinds=screen.REPAIRABLE) as places:
        require_labels(out, force=force)
        model = load(model_file)
        if not hasattr(model, "predict"):
            raise ValueError(f"{model_file}: {type(model).__name__} cannot label new samples")
        with warnings.catch_warnings(record=True) as caught, screen.stages(quiet=quiet or as_json) as stages:
            warnings.simplefilter("default")
            stages("reading", 0, 1)
            found = load_tables(files, Columns(id_column, drop or (), categorical or (), views, header))
            found, absent = _of_the_fit(found, model)
            places |= found.places
            if join is None and all(table.ids is not None for table in found.tables.values()):
                join = "outer"
            given = read_inputs(found, files, join=join, impute=None).views
            stages("labels", 0, 1)
            assessed = model.assess(given) if hasattr(model, "assess") else None
            labels = np.asarray(model.predict(given) if assessed is None else assessed.labels)
            ids = np.arange(len(labels)) if given.ids is None else given.ids
            confidence = None if assessed is None else assessed.confidence
            write_labels(out, ids=ids, labels=labels, confidence=confidence, spreadsheet_safe=spreadsheet_safe)
    if as_json:
        sizes = {str(label): int(count) for label, count in zip(*np.unique(labels, return_counts=True), strict=True)}
        typer.echo(json.dumps({"n_samples": len(labels), "clusters": sizes, "without": absent, "labels": str(out)}))
    elif not quiet:
        _show(labels, out)
        missing = [f"there is no file for the view {name!r}: samples are labeled by the others" for name in absent]
        screen.notes([*(str(one.message) for one in caught), *missing])


def _of_the_fit(found: Tables, model: Any) -> tuple[Tables, list[str]]:
    """Order tables under the names of the views of the fit, and list the views that have none."""
    names: tuple[str, ...] = model.view_names_
    if not set(found.tables) & set(names) and len(found.tables) == len(names):  # by their order
        own = dict(zip(names, found.tables, strict=True))
        found = Tables({n: found.tables[own[n]] for n in names}, {n: found.places[own[n]] for n in names})
    unknown = [name for name in found.tables if name not in names]
    if unknown:
        raise ValueError(
            f"{found.places[unknown[0]]}: is none of the views of the fit, {', '.join(names)}: name files like them"
        )
    ids, n_rows = next((table.ids, table.frame.shape[0]) for table in found.tables.values())
    given: dict[str, TableFile] = {}
    for name, columns, done in zip(names, model.view_columns_, model.view_preparations_, strict=True):
        if name in found.tables:
            given[name] = in_fitted_order(found.tables[name], raw_columns(columns, done), found.places[name])
        else:
            given[name] = TableFile(name, np.full((n_rows, done["n_columns"]), np.nan), ids)
    return Tables(given, found.places), [name for name in names if name not in found.tables]


def _show(labels: Any, out: Path) -> None:
    found, counts = np.unique(labels, return_counts=True)
    rows = [(str(label), f"{count:,}") for label, count in zip(found, counts, strict=True)]
    screen.table("Clusters", ("cluster", "samples"), rows)
    typer.echo(f"Labeled {len(labels):,} samples. Wrote {out}")
