"""``manyview bench``: run a plan, or summarize what has run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manyview.cli import screen

REPAIRABLE = (OSError, ValueError)  # errors in a plan or a journal are ValueErrors that say what to do


def bench(
    plan: Annotated[Path | None, typer.Argument(metavar="PLAN", help="A plan, in TOML.", show_default=False)] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the run; made if needed.", show_default=False)] = None,
    summary: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Only summarize the run in this folder.", show_default=False)
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Cells that run at the same time.")] = 1,
    data: Annotated[
        Path | None, typer.Option(help="Where the plan's data files are looked for first.", show_default=False)
    ] = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Run failed cells again.")] = False,
    figures: Annotated[bool, typer.Option("--figures", help="Draw figures too; needs matplotlib.")] = False,
) -> None:
    """Run the cells of PLAN that the journal in --out lacks, then write and print the tables.

    Interrupted and called again, it goes on where it was. Exit code 1 if a cell failed.
    """
    if (plan is None) == (summary is None):
        raise typer.BadParameter("give a PLAN with --out, or --summary DIR")
    if (plan is None) != (out is None):
        raise typer.BadParameter("PLAN and --out go together")
    from manyview.bench import run_plan, summarize  # the other commands start without it

    failed = 0
    if plan is not None and out is not None:
        with screen.explained("cannot run the plan", kinds=REPAIRABLE):
            done = run_plan(plan, out, jobs=jobs, data_dir=data, retry_failed=retry_failed)
        failed = done.failed
        typer.echo(f"{done.cells} cells: {done.ran} run, {done.reused} known, {failed} failed.\n")
    with screen.explained("cannot summarize the run", kinds=REPAIRABLE):
        tables = summarize(summary or out or Path(), figures=figures)
    typer.echo(tables.to_markdown())
    typer.echo("Wrote")
    for path in tables.files:
        typer.echo(f"  {path}")
    if failed:
        raise typer.Exit(1)
