"""``manyview convert``: the same views in another format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from manyview.cli import screen
from manyview.cli.options import Header, Id, Quiet
from manyview.io import read_views, write_views


def convert(
    source: Annotated[list[Path], typer.Argument(metavar="IN…", help="A file or folder, or a table per view.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="A .npz, .mat, .h5mu or .h5ad file, or a new folder.")],
    id_column: Id = None,
    header: Header = None,
    tables: Annotated[Literal["parquet", "csv"], typer.Option(help="Format of the tables in a folder.")] = "parquet",
    force: Annotated[bool, typer.Option("--force", help="Replace a file.")] = False,
    quiet: Quiet = False,
) -> None:
    """Convert between .mat, .npz, .h5mu, .h5ad and folders of csv or Parquet tables."""
    with screen.explained("cannot convert", kinds=screen.REPAIRABLE), screen.stages(quiet=quiet) as stages:
        if any(target.absolute() == one.absolute() for one in source):
            raise ValueError(f"{target}: is IN and OUT at once; name another place")
        stages("reading", 0, 1)
        data = read_views(source[0] if len(source) == 1 else source, id_column=id_column, header=header)
        stages("writing", 0, 1)
        write_views(data, target, tables=tables, overwrite=force)
    if not quiet:
        typer.echo(f"Wrote {target}: {data!r}")
