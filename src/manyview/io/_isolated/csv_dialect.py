"""How a csv file is written: its encoding, its delimiter, its decimal point, and whether it begins with a header."""

from __future__ import annotations

import codecs
import csv
import io
import re
from itertools import pairwise
from typing import NamedTuple

DELIMITERS = ("\t", ";", ",")  # in this order: a file with semicolons may have commas in its numbers
MISSING = frozenset({"", "na", "n/a", "#n/a", "null", "none", "nan", "-nan"})
DECIMAL_COMMA = re.compile(rb'(?:^|[;\t\n"])[ ]*[-+]?\d+,\d+(?:[eE][-+]?\d+)?[ ]*(?=[;\t\r\n"]|$)')
DECIMAL_POINT = re.compile(rb'(?:^|[;\t\n"])[ ]*[-+]?\d*\.\d+(?:[eE][-+]?\d+)?[ ]*(?=[;\t\r\n"]|$)')


class Dialect(NamedTuple):
    delimiter: str
    decimal_point: str
    header: list[str] | None
    n_columns: int
    types: list[str | None]  # of the columns as the first rows have it: "float64", "int64" or None, unknown
    sample_bytes: int
    header_bytes: int


def to_utf8(content: bytes) -> bytes:
    """Decode UTF-8 and UTF-16 (known by its first two bytes), else Latin-1, and encode as UTF-8 without a mark."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        content = content.decode("utf-16").encode()
    content = content.removeprefix(codecs.BOM_UTF8)
    if not content.isascii():
        try:
            content.decode("utf-8")
        except UnicodeDecodeError:
            content = content.decode("latin-1").encode()
    if b"\0" in content:
        raise ValueError("it holds zero bytes, so it is not a text")
    return content


def find_dialect(content: bytes, *, tab: bool, header: bool | None, id_names: list[str]) -> Dialect:
    """Judge by the first rows; the decimal comma by the whole file."""
    head = _head(content)
    delimiter = "\t" if tab else _delimiter(head)
    first, *others = _rows(head, delimiter)
    if header is None:
        header = is_header(first, others, id_names)
    if header and others and len(others[0]) == len(first) + 1:  # R leaves out the name of the row names
        first = ["", *first]
    decimal_point = "."
    if delimiter != "," and b"," in content and DECIMAL_COMMA.search(content):
        decimal_point = "." if DECIMAL_POINT.search(content) else ","
    body = [row for row in ([] if header else [first]) + others if len(row) == len(first)]
    types = [_type_of(cells) for cells in zip(*body, strict=True)] or [None] * len(first)
    n_bytes = content.find(b"\n") + 1 if header else 0
    return Dialect(delimiter, decimal_point, first if header else None, len(first), types, len(head.encode()), n_bytes)


def is_header(first: list[str], others: list[list[str]], id_names: list[str]) -> bool:
    """Tell whether the first row names the columns; where nothing tells, ask for ``header=``.

    It does if it has the name of an id column, or no number, or reads 0, 1, 2, ... (at least three), or if a column
    has a text there and numbers below. A row of numbers is a sample, unless they rise or fall in equal steps, like
    years, and those of other rows do not.
    """
    if all(cell.lower() in MISSING for cell in first):
        return False
    named = any(cell and cell.lower() in id_names for cell in first)
    numbers = [cell for cell in first if _is_number(cell)]
    counted = first[1:] if first[0] == "" else first  # pandas writes the index without a name
    if named or not numbers or (len(first) > 2 and counted == [str(j) for j in range(len(counted))]):
        return True
    texts = [j for j, cell in enumerate(first) if not _is_number(cell) and cell.lower() not in MISSING]
    for j in texts:
        below = [row[j] for row in others if j < len(row) and row[j].lower() not in MISSING]
        if below and all(map(_is_number, below)):
            return True
    complete = [row for row in others if len(row) == len(first)]
    steps = _in_equal_steps(numbers) and not all(map(_in_equal_steps, complete))
    if texts or steps:
        shown = ",".join(first[:4]) + (",..." if len(first) > 4 else "")
        raise ValueError(
            f"its first row ({shown}) may be names or a sample; say which with header=True or header=False"
        )
    return False


def _in_equal_steps(cells: list[str]) -> bool:
    """Tell whether the cells count like a scale; two numbers do only if they are whole neighbors."""
    if len(cells) < 2 or not all(map(_is_number, cells)):
        return False
    values = [_number(cell) for cell in cells]
    steps = [b - a for a, b in pairwise(values)]
    if len(cells) == 2:
        return steps[0] == 1 and values[0].is_integer()
    return steps[0] != 0 and all(abs(step - steps[0]) <= 1e-9 * abs(steps[0]) for step in steps)


def _head(content: bytes) -> str:
    end = 0
    for _ in range(20):
        end = content.find(b"\n", end) + 1
        if end == 0:
            return content.decode("utf-8")
    return content[:end].decode("utf-8")


def _rows(head: str, delimiter: str) -> list[list[str]]:
    rows = csv.reader(io.StringIO(head, newline=""), delimiter=delimiter)
    return [[cell.strip() for cell in row] for row in rows if row]


def _delimiter(head: str) -> str:
    """Find the first that cuts all rows into the same number of cells, or else the most frequent in the first row."""
    for delimiter in DELIMITERS:
        first, *others = map(len, _rows(head, delimiter))
        widths = set(others) or {first}
        if len(widths) == 1 and max(widths) > 1 and first in (max(widths), max(widths) - 1):
            return delimiter
    line = head.split("\n", 1)[0]
    return max(DELIMITERS[::-1], key=line.count)


def _type_of(cells: tuple[str, ...]) -> str | None:
    if all(cell.isdecimal() for cell in cells):
        return "int64"
    return "float64" if all(map(_is_number, cells)) else None


def _number(cell: str) -> float:
    return float(cell.replace(",", ".", 1))


def _is_number(cell: str) -> bool:
    try:
        _number(cell)
    except ValueError:
        return False
    return "_" not in cell and cell.lower() not in MISSING  # Python reads 1_5 as 15
