"""Comparison of two journals: statuses and results cell by cell, never times or memory."""

from __future__ import annotations

import os

from manyview.bench.cell import cell_title
from manyview.bench.journal import Row, read_journal


def same_results(journal_a: str | os.PathLike[str], journal_b: str | os.PathLike[str], /) -> bool:
    """Return whether two journals hold the same cells with the same statuses and results, in any order.

    Parameters
    ----------
    journal_a, journal_b : path
        Journals, or the folders of their runs.

    Returns
    -------
    bool

    Examples
    --------
    >>> import tempfile
    >>> from manyview.bench import same_results
    >>> same_results(tempfile.mkdtemp(), tempfile.mkdtemp())
    True
    """
    return not differences(journal_a, journal_b)


def differences(journal_a: str | os.PathLike[str], journal_b: str | os.PathLike[str], /) -> list[str]:
    """Name what two journals do not agree on.

    Parameters
    ----------
    journal_a, journal_b : path
        Journals, or the folders of their runs.

    Returns
    -------
    list of str
        A line for each cell and difference; empty if they hold the same results.

    Examples
    --------
    >>> import tempfile
    >>> from manyview.bench import differences
    >>> differences(tempfile.mkdtemp(), tempfile.mkdtemp())
    []
    """
    a, b = (latest(read_journal(place)) for place in (journal_a, journal_b))
    lonely = [
        f"{cell_title(row['inputs'])}: only in the {'first' if row['key'] in a else 'second'}"
        for row in _only_one(a, b)
    ]
    changed = [
        f"{cell_title(a[key]['inputs'])}: {name} {a[key][name]!r} became {b[key][name]!r}"
        for key in a
        if key in b
        for name in ("status", "result")
        if a[key][name] != b[key][name]
    ]
    return lonely + changed


def latest(lines: list[Row], /) -> dict[str, Row]:
    """Return the last row of every cell, by key."""
    return {line["key"]: line for line in lines if line["kind"] == "result"}


def _only_one(a: dict[str, Row], b: dict[str, Row]) -> list[Row]:
    return [row for key, row in (a | b).items() if (key in a) != (key in b)]
