"""``manyview report``: the page of a result again, from its facts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from manyview.cli import screen
from manyview.io.whole import whole_file


def report(
    folder: Annotated[Path, typer.Argument(metavar="RESULT", help="A folder that cluster wrote.")],
    out: Annotated[Path | None, typer.Option(help="The page; by default report.html in the folder.")] = None,
) -> None:
    """Write the report of a result again, with the page of this version."""
    from manyview.report import render

    with screen.explained("cannot write the report", kinds=screen.REPAIRABLE):
        facts, target = folder / "report.json", folder / "report.html" if out is None else out
        if not folder.is_dir():
            raise FileNotFoundError(f"{folder}: there is no such folder")
        if out is not None and out.exists():
            raise FileExistsError(f"--out {out}: exists already; name another file")
        if not facts.is_file():
            raise FileNotFoundError(f"{facts}: there is no such file; cluster writes it unless told --no-report")
        try:
            page = render(json.loads(facts.read_text(encoding="utf-8")))
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise ValueError(f"{facts} does not hold the facts of a report: {error!r}") from error
        with whole_file(target) as part:
            part.write_text(page, encoding="utf-8")
    typer.echo(f"Wrote {target}")
