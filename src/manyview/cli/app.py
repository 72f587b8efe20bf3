"""The commands by name. Needs typer, which is imported here and in the commands' modules only."""

from __future__ import annotations

from typing import Annotated

import typer

import manyview
from manyview.cli.bench import bench
from manyview.cli.cluster import cluster
from manyview.cli.compare import compare
from manyview.cli.convert import convert
from manyview.cli.datasets import datasets
from manyview.cli.demo import demo
from manyview.cli.doctor import doctor
from manyview.cli.inspect import inspect
from manyview.cli.predict import predict
from manyview.cli.report import report

app = typer.Typer(
    name="manyview",
    help="Group samples that are described by several tables, without labels.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"manyview {manyview.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Read the options before a command."""


for command in (cluster, predict, inspect, convert, compare, report, demo, bench, doctor):
    app.command()(command)
app.add_typer(datasets, name="datasets")
