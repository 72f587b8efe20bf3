"""Tables as text (.csv, .tsv, also .gz and .zst), through pyarrow."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path
from typing import Any

from .answer import Answer
from .csv_dialect import Dialect, find_dialect, to_utf8

MAX_BLOCK_BYTES = 2**31 - 2


def read_csv(path: str, answer: Answer, *, header: bool | None, id_names: list[str]) -> None:
    """Add the table to the answer; a column with one of the names of ids is read as text."""
    import pyarrow as pa

    csv.field_size_limit(2**31 - 1)
    name = path.lower()
    content = to_utf8(_unpacked(path, answer)).lstrip(b"\r\n")
    if not content or content.isspace():
        raise ValueError("it is empty")
    if content.count(b'"') % 2:
        raise ValueError("a quotation mark is never closed")
    dialect = find_dialect(
        content, tab=name.removesuffix(".gz").removesuffix(".zst").endswith(".tsv"), header=header, id_names=id_names
    )
    try:
        # a thousand columns of known type are read six times as fast as if pyarrow tried one type after the other
        types = dialect.types
        table = _parse(content, dialect, id_names, types, block_size=max(2**20, 2 * dialect.sample_bytes))
    except pa.ArrowInvalid:  # other types further down, or an error: one thread can tell its row
        block_size = min(len(content) + 1, MAX_BLOCK_BYTES)
        table = _parse(content, dialect, id_names, None, block_size=block_size)
    if table.num_rows == 0:
        raise ValueError("it has a header and no rows")
    names = dialect.header
    if names is not None:
        table = table.rename_columns(names)
    answer.add("", answer.table(answer.arrow(table), columns=names))


def _unpacked(path: str, answer: Answer) -> bytes:
    """Read the content of the file, unpacked piece by piece as far as the limit allows."""
    if not path.lower().endswith((".gz", ".zst")):
        return Path(path).read_bytes()
    pieces, n_bytes = [], 0
    with _open(path) as file:
        while piece := file.read(2**24):
            n_bytes += len(piece)
            answer.require_room(n_bytes, "the unpacked text")
            pieces.append(piece)
    return b"".join(pieces)


def _open(path: str) -> Any:
    if path.lower().endswith(".gz"):
        return gzip.open(path)
    import pyarrow as pa

    return pa.input_stream(path, compression="zstd")


def _parse(
    content: bytes, dialect: Dialect, id_names: list[str], types: list[str | None] | None, *, block_size: int
) -> Any:
    """Parse with the given types of the columns, or find them and use one thread."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    names = [str(j) for j in range(dialect.n_columns)]
    known = {name: kind for name, kind in zip(names, types or (), strict=False) if kind is not None}
    for name, cell in zip(names, dialect.header or (), strict=False):
        if cell.lower() in id_names:
            known[name] = "string"
    # a line break may stand in a value that is quoted; looking for them takes a pass of its own
    quoted = content.find(b'"', dialect.header_bytes) >= 0
    return arrow_csv.read_csv(
        pa.BufferReader(content),
        read_options=arrow_csv.ReadOptions(
            column_names=names,
            skip_rows_after_names=int(dialect.header is not None),
            use_threads=types is not None,
            block_size=min(block_size, MAX_BLOCK_BYTES),
        ),
        parse_options=arrow_csv.ParseOptions(delimiter=dialect.delimiter, newlines_in_values=quoted),
        convert_options=arrow_csv.ConvertOptions(
            decimal_point=dialect.decimal_point,
            column_types={name: pa.type_for_alias(kind) for name, kind in known.items()},
        ),
    )
