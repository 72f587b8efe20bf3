"""``manyview datasets``: list, fetch and check public data sets and the user's own."""

from __future__ import annotations

from typing import Annotated

import typer

from manyview import datasets as data
from manyview.cli import screen

REPAIRABLE = (OSError, ValueError)
NAMES = typer.Argument(metavar="[NAME]…", help="Data sets; see the list.", show_default=False)

datasets = typer.Typer(help="List, fetch and check public data sets and your own.", no_args_is_help=True)


@datasets.command("list")
def show() -> None:
    """List what can be fetched and what is registered, with licenses."""
    known = data.registered()
    for name in dict.fromkeys([*data.SOURCES, *data.OWN_COPIES, *known]):
        source = data.SOURCES.get(name)
        if name in known:
            where = known[name]
        else:
            where = "not fetched" if source else "no public source: register your own copy"
        typer.echo(f"{name:<16}{where}")
        if source:
            typer.echo(f"{'':<16}{source.repository} {source.path}; license: {source.license}")


@datasets.command("fetch")
def bring(
    names: Annotated[list[str], NAMES],
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Download data sets that are not here yet, and check them."""
    for name in names:
        with screen.explained("cannot fetch", kinds=REPAIRABLE):
            found = data.fetch(name, progress=not quiet)
        if not quiet:
            typer.echo(repr(found))
            if name in data.SOURCES:
                typer.echo(f"License: {data.SOURCES[name].license}.")


@datasets.command("check")
def check(names: Annotated[list[str] | None, NAMES] = None) -> None:
    """Compare files with their checksums. Exit code 1 if one is gone or has changed."""
    with screen.explained("cannot check", kinds=REPAIRABLE):
        states = {name: data.verify(name) for name in names or data.registered()}
    for name, state in states.items():
        typer.echo(f"{name:<16}{state}")
    if set(states.values()) - {"ok"}:
        raise typer.Exit(1)
