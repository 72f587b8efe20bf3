"""Labels of samples as a csv file: written, and read for a comparison."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manyview.io.files import Limits, check_file
from manyview.io.isolation import MEMORY_LIMIT, TIME_LIMIT
from manyview.io.whole import whole_file

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet may run a cell that begins so
LABEL_COLUMNS = ("label", "labels", "cluster", "class", "y", "target")


def write_labels(
    path: str | os.PathLike[str],
    /,
    *,
    ids: ArrayLike,
    labels: ArrayLike,
    confidence: ArrayLike | None = None,
    spreadsheet_safe: bool = False,
) -> Path:
    """Write one line per sample: id, label, and confidence where there is one.

    Parameters
    ----------
    path : str or path
    ids, labels : array-like of shape (n_samples,)
    confidence : array-like of shape (n_samples,), optional
    spreadsheet_safe : bool, default=False
        Put an apostrophe before ids that a spreadsheet would take for a formula, such as ``=1+1``. Such ids no longer
        match those of other tables.

    Returns
    -------
    Path
        The file, which is complete or absent.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from manyview.io import write_labels
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "labels.csv"
    >>> print(write_labels(path, ids=["a", "b"], labels=[1, 0], confidence=[0.5, 1.0]).read_text())
    id,label,confidence
    a,1,0.500000
    b,0,1.000000
    <BLANKLINE>
    """
    names = [_written_id(one, spreadsheet_safe) for one in np.asarray(ids).tolist()]
    columns: list[Sequence[Any]] = [names, np.asarray(labels).tolist()]
    header = ["id", "label"]
    if confidence is not None:
        header.append("confidence")
        columns.append([f"{value:.6f}" for value in np.asarray(confidence).tolist()])
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(target) as part, open(part, "w", encoding="utf-8", errors="replace", newline="") as file:
        returns = any("\r" in str(value) for values in columns[:2] for value in values)  # which Python 3.11 leaves bare
        writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL)
        writer.writerow(header)
        writer.writerows(zip(*columns, strict=True))
    return target


def read_labels(path: str | os.PathLike[str], /) -> tuple[NDArray[Any], NDArray[Any]]:
    """Read ids and labels from a csv file with a column ``id`` and a column ``label``, ``cluster`` or ``class``.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    ids, labels : ndarray of shape (n_samples,)
        As text.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from manyview.io import read_labels, write_labels
    >>> path = write_labels(pathlib.Path(tempfile.mkdtemp()) / "labels.csv", ids=["a", "b"], labels=[1, 0])
    >>> ids, labels = read_labels(path)
    >>> ids.tolist(), labels.tolist()
    (['a', 'b'], ['1', '0'])
    """
    check_file(Path(path), Limits(TIME_LIMIT, MEMORY_LIMIT))
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file))
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{path}: is not a csv file of labels: {error}") from error
    header = [name.strip().lower() for name in rows[0]] if rows else []
    at = next((header.index(name) for name in LABEL_COLUMNS if name in header), None)
    if at is None:
        raise ValueError(f"{path}: has no column named {', '.join(LABEL_COLUMNS[:-1])} or {LABEL_COLUMNS[-1]}")
    id_at = header.index("id") if "id" in header else 0 if at else None
    body = [row for row in rows[1:] if row]
    short = next((number for number, row in enumerate(body, 2) if len(row) != len(header)), None)
    if short is not None:
        raise ValueError(f"{path}: line {short} has {len(body[short - 2])} cells and the header {len(header)}")
    ids = np.array([row[id_at] for row in body] if id_at is not None else [str(i) for i in range(len(body))])
    if not body:
        raise ValueError(f"{path}: has no samples")
    seen: set[str] = set()
    twice = next((one for one in ids.tolist() if one in seen or seen.add(one)), None)  # type: ignore[func-returns-value]
    if twice is not None:
        raise ValueError(f"{path}: has the id {twice!r} twice")
    return ids, np.array([row[at] for row in body])


def _written_id(value: Any, spreadsheet_safe: bool) -> str:
    text = str(value)
    return f"'{text}" if spreadsheet_safe and text.startswith(FORMULA) else text
