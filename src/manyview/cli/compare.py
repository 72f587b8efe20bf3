"""``manyview compare``: two labelings of the same samples beside each other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from manyview.cli import screen
from manyview.cli.options import Json
from manyview.io import read_labels
from manyview.metrics import clustering_scores, contingency, match_labels
from manyview.report import SCORE_NAMES


def compare(
    first: Annotated[
        Path,
        typer.Argument(
            metavar="A", help="A csv file of ids and labels, or a folder that cluster wrote; the reference."
        ),
    ],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another one.")],
    moved: Annotated[int, typer.Option(min=0, help="How many of the samples that moved are listed.")] = 10,
    as_json: Json = False,
) -> None:
    """Compare two labelings by id: the seven scores, the contingency table, and the samples that moved.

    The clusters of B are matched one to one with those of A first, so that numbers do not matter.
    """
    with screen.explained("cannot compare", kinds=screen.REPAIRABLE):
        (ids, a), (other_ids, b) = read_labels(_file(first)), read_labels(_file(second))
        row_of = {one: row for row, one in enumerate(other_ids.tolist())}
        common = np.array([one in row_of for one in ids.tolist()], dtype=bool)
        if not common.any():
            raise ValueError(f"{first} and {second} have no id in common")
        ids, a = ids[common], a[common]
        b = b[[row_of[one] for one in ids.tolist()]]
        scores, matched, table = clustering_scores(a, b), match_labels(a, b), contingency(a, b)
    changed = np.flatnonzero(matched != a)
    if as_json:
        where = [{"id": str(ids[row]), "from": str(a[row]), "to": str(matched[row])} for row in changed]
        counts = table.counts.toarray().tolist()
        content = {"common": len(ids), "scores": scores, "contingency": counts, "moved": where}
        typer.echo(json.dumps(content, indent=1))
        return
    typer.echo(
        f"{len(ids):,} samples in both ({len(common) - len(ids):,} only in A, {len(other_ids) - len(ids):,} only in B)."
    )
    screen.table(
        "Scores", ("", "value"), [(SCORE_NAMES.get(key, key), f"{value:.4f}") for key, value in scores.items()]
    )
    head = ("A \\ B", *map(str, table.clusters))
    rows = [(str(name), *map(str, row)) for name, row in zip(table.classes, table.counts.toarray(), strict=True)]
    screen.table("Samples", head, rows)
    some = "1 sample" if len(changed) == 1 else f"{len(changed):,} samples"
    listed = " (clusters of B by the names of their matches in A):" if moved and len(changed) else "."
    typer.echo(f"{some} moved{listed}")
    for row in changed[:moved]:
        typer.echo(f"  {ids[row]}: {a[row]} -> {matched[row]}")


def _file(place: Path) -> Path:
    return place / "labels.csv" if place.is_dir() else place
