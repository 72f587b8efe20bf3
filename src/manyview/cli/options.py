"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

Files = Annotated[list[Path], typer.Argument(metavar="FILE…", help="A table per view, or one file or folder of views.")]
Id = Annotated[str | None, typer.Option("--id", help="Column of the ids, by which rows are matched.")]
Header = Annotated[
    bool | None, typer.Option("--header/--no-header", help="Whether csv files begin with names of columns.")
]
Divide = Annotated[
    str | None, typer.Option("--views", help="Divide ONE table: 'prefix:' (columns rna:g1), or a JSON file of columns.")
]
Categorical = Annotated[
    list[str] | None, typer.Option("--categorical", help="Column of texts that are categories; repeatable.")
]
Drop = Annotated[list[str] | None, typer.Option("--drop", help="Column to leave out; repeatable.")]
Join = Annotated[
    Literal["inner", "outer"] | None, typer.Option(help="Keep the common samples, or all, if the ids differ.")
]
Impute = Annotated[Literal["mean", "median"] | None, typer.Option(help="Fill missing cells.")]
SpreadsheetSafe = Annotated[
    bool,
    typer.Option("--spreadsheet-safe", help="Guard ids in labels.csv that a spreadsheet would take for a formula."),
]
Json = Annotated[bool, typer.Option("--json", help="Print the facts as JSON, and nothing else.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
