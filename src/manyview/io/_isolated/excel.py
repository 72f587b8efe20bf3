"""Excel files (.xlsx), through openpyxl: every sheet that is not empty is a table with a header."""

from __future__ import annotations

import zipfile
from typing import Any

from .answer import Answer, Node


def read_excel(path: str, answer: Answer, *, keys: list[str] | None) -> None:
    """Add the sheets to the answer, all of them or those named."""
    from openpyxl import load_workbook

    with zipfile.ZipFile(path) as archive:
        answer.require_room(sum(member.file_size for member in archive.infolist()), "the unpacked file")
        damaged = archive.testzip()
        if damaged is not None:
            raise ValueError(f"the checksum of {damaged} is wrong")
    book = load_workbook(path, read_only=True, data_only=True)
    for name in keys or book.sheetnames:
        if name not in book.sheetnames:
            raise ValueError(f"it has no sheet {name!r}; there are {book.sheetnames}")
        rows = [list(row) for row in book[name].iter_rows(values_only=True)]
        if rows:
            answer.add(name, _table(rows, name, answer))


def _table(rows: list[list[Any]], sheet: str, answer: Answer) -> Node:
    import pyarrow as pa

    width = max(map(len, rows))
    head, *body = (row + [None] * (width - len(row)) for row in rows)
    names = ["" if cell is None else str(cell).strip() for cell in head]
    while body and all(cell is None for cell in body[-1]):  # formatted, but empty
        body.pop()
    if not body:
        raise ValueError(f"sheet {sheet!r} has a header and no rows")
    columns = [_column(list(cells)) for cells in zip(*body, strict=True)]
    return answer.table(answer.arrow(pa.Table.from_arrays(columns, names=names)), columns=names)


def _column(cells: list[Any]) -> Any:
    """Give the column its type: numbers or dates if it has nothing else, text otherwise."""
    import pyarrow as pa

    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds == {int, float}:
        return pa.array([None if cell is None else float(cell) for cell in cells])
    if len(kinds) <= 1:
        return pa.array(cells)
    return pa.array([None if cell is None else str(cell) for cell in cells])
