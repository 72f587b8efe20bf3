"""``manyview convert``: the same views in another format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import scipy.sparse as sp
import typer

from manyview.cli import screen
from manyview.cli.inputs import Columns, Inputs, load_tables, read_inputs
from manyview.cli.options import Categorical, Divide, Drop, Header, Id, Impute, Join, Quiet
from manyview.cli.words import of_error
from manyview.io import MultiViewData, write_views
from manyview.views import check_views


def convert(
    source: Annotated[list[Path], typer.Argument(metavar="IN…", help="A file or folder, or a table per view.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="A .npz, .mat, .h5mu or .h5ad file, or a new folder.")],
    id_column: Id = None,
    join: Join = None,
    impute: Impute = None,
    views: Divide = None,
    categorical: Categorical = None,
    drop: Drop = None,
    header: Header = None,
    tables: Annotated[Literal["parquet", "csv"], typer.Option(help="Format of the tables in a folder.")] = "parquet",
    force: Annotated[bool, typer.Option("--force", help="Replace a file.")] = False,
    quiet: Quiet = False,
) -> None:
    """Convert between .mat, .npz, .h5mu, .h5ad and folders of csv or Parquet tables.

    The rows are matched, and the columns become numbers, as cluster would do it.
    """
    with screen.explained("cannot convert", kinds=screen.REPAIRABLE), screen.stages(quiet=quiet) as stages:
        if any(target.absolute() == one.absolute() for one in source):
            raise ValueError(f"{target}: is IN and OUT at once; name another place")
        stages("reading", 0, 1)
        found = load_tables(source, Columns(id_column, drop or (), categorical or (), views, header))
        inputs = read_inputs(found, source, join=join, impute=impute)
        try:
            data, notes = _in_numbers(inputs)
        except (ValueError, TypeError) as error:
            raise ValueError(of_error(error, found.places)) from error
        stages("writing", 0, 1)
        write_views(data, target, tables=tables, overwrite=force)
    if not quiet:
        typer.echo(f"Wrote {target}: {data!r}")
        screen.notes(notes)


def _in_numbers(inputs: Inputs) -> tuple[MultiViewData, tuple[str, ...]]:
    """Give the matrices that a fit would use, and what was done to the columns."""
    views = check_views(inputs.views, rows_may_miss=True)
    matrices = {
        name: _marked(table, present)
        for name, table, present in zip(views.names, views.tables, views.present, strict=True)
    }
    columns = dict(zip(views.names, views.columns, strict=True))
    return MultiViewData(matrices, inputs.labels, inputs.name, views.ids, columns), views.notes


def _marked(table: Any, present: Any) -> Any:
    """Give a sparse table, whose rows cannot be missing, as a dense one with rows of NaN where samples lack it."""
    if present is None or not sp.issparse(table):
        return table
    return np.where(present[:, None], table.toarray(), np.nan)
