"""``manyview predict``: labels of new samples from a saved model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from manyview import load
from manyview.cli import screen
from manyview.cli.cluster import Files, Id
from manyview.cli.inputs import Columns, read_inputs
from manyview.io import write_labels


def predict(
    model_file: Annotated[Path, typer.Argument(metavar="MODEL", help="A model.manyview.")],
    files: Files,
    out: Annotated[Path, typer.Option(help="The csv file of the labels.")],
    id_column: Id = None,
    views: Annotated[str | None, typer.Option(help="Divide ONE table, as for cluster.")] = None,
    categorical: Annotated[list[str] | None, typer.Option(help="Column of texts that are categories.")] = None,
    drop: Annotated[list[str] | None, typer.Option(help="Column to leave out.")] = None,
    spreadsheet_safe: Annotated[
        bool, typer.Option("--spreadsheet-safe", help="Guard ids that a spreadsheet would take for a formula.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Label new samples by a model that ``cluster`` saved.

    Files are matched to the views of the fit by their names, else by their order. A sample that lacks a view takes part
    with the others.
    """
    with screen.explained("cannot predict", kinds=screen.REPAIRABLE):
        model = load(model_file)
        if not hasattr(model, "predict"):
            raise ValueError(f"{type(model).__name__} cannot label new samples")
        with screen.stages(quiet=quiet or as_json) as stages:
            stages("reading", 0, 1)
            columns = Columns(id_column, drop or (), categorical or (), views)
            inputs = read_inputs(files, columns, join="outer" if len(files) > 1 else None, impute=None)
            stages("labels", 0, 1)
            assessed = model.assess(inputs.views) if hasattr(model, "assess") else None
            labels = np.asarray(model.predict(inputs.views) if assessed is None else assessed.labels)
            ids = np.arange(len(labels)) if inputs.views.ids is None else inputs.views.ids
            confidence = None if assessed is None else assessed.confidence
            write_labels(out, ids=ids, labels=labels, confidence=confidence, spreadsheet_safe=spreadsheet_safe)
    found, counts = np.unique(labels, return_counts=True)
    if as_json:
        sizes = dict(zip(map(str, found), counts.tolist(), strict=True))
        typer.echo(json.dumps({"n_samples": len(labels), "clusters": sizes, "labels": str(out)}))
    elif not quiet:
        rows = [(str(label), str(count)) for label, count in zip(found, counts, strict=True)]
        screen.table("Clusters", ("cluster", "samples"), rows)
        typer.echo(f"Wrote {out}")
