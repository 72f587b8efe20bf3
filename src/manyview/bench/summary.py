"""From the journal to the numbers of a table; nothing but the journal is read.

mean = Σ x_i / n,   sd = sqrt(Σ (x_i - mean)² / (n - 1))      over the n seeds that did not fail; no sd for n = 1
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from manyview.bench import tables
from manyview.bench.cell import method_label
from manyview.bench.compare import latest
from manyview.bench.figures import draw_figures
from manyview.bench.journal import Row, journal_path, read_journal

FORMATS = ("csv", "md", "tex")


@dataclass(frozen=True)
class Entry:
    """One method on one data set in one row order, in one metric."""

    data: str
    label: str  # the method with its grid point
    method: str
    grid: tuple[tuple[str, Any], ...]
    order: str
    metric: str
    n: int  # seeds with a value
    mean: float | None  # None without any
    sd: float | None  # None below two
    failed: int
    missing: int  # not run yet


@dataclass(frozen=True)
class Failure:
    """Cells that differ in their seeds only and failed alike."""

    data: str
    label: str
    order: str
    seeds: tuple[int, ...]
    reason: str


@dataclass(frozen=True)
class Summary:
    """All numbers of a run, and its failures by name; made by `summarize`.

    Attributes
    ----------
    name : str
        Of the plan.
    metrics : tuple of str
        Scores and measures, in the order they are shown.
    entries : tuple of Entry
        Mean, sd and counts for each data set, method, row order and metric.
    failures : tuple of Failure
        What failed, and why.
    files : tuple of Path
        What was written.

    Examples
    --------
    >>> from manyview.bench import Summary
    >>> empty = Summary("empty", ("acc",), (), ())
    >>> empty.to_csv()
    'data,method,order,metric,n,mean,sd,failed,missing\\n'
    >>> empty.to_markdown().splitlines()[0], empty.to_latex().splitlines()[0]
    ('# empty', '')
    """

    name: str
    metrics: tuple[str, ...]
    entries: tuple[Entry, ...]
    failures: tuple[Failure, ...]
    files: tuple[Path, ...] = ()

    def to_markdown(self) -> str:
        """Write the tables as Markdown.

        Returns
        -------
        str
            Markdown.
        """
        return tables.markdown(self)

    def to_latex(self) -> str:
        """Write the tables as LaTeX.

        Returns
        -------
        str
            LaTeX.
        """
        return tables.latex(self)

    def to_csv(self) -> str:
        """Write all entries as CSV, one line each, in full precision.

        Returns
        -------
        str
            CSV.
        """
        return tables.csv_text(self)


def read_results(place: str | os.PathLike[str], /) -> list[Row]:
    """Read the rows of the last plan that ran in a folder, in the plan's order; of a repeated cell the last one.

    Parameters
    ----------
    place : path
        The folder of a run, or its journal.

    Returns
    -------
    list of dict
        Each with ``key``, ``inputs``, ``status``, ``result``, ``measured``, ``limits``. Cells not run yet are left out.

    Examples
    --------
    >>> import tempfile
    >>> from manyview.bench import read_results
    >>> read_results(tempfile.mkdtemp())
    Traceback (most recent call last):
    ValueError: ...: there is no plan in this journal; run one first
    """
    note, rows = _last_plan(place)
    return [rows[cell["key"]] for cell in note["cells"] if cell["key"] in rows]


def summarize(
    out_dir: str | os.PathLike[str],
    *,
    metrics: Sequence[str] | None = None,
    formats: Sequence[str] = FORMATS,
    figures: bool = False,
) -> Summary:
    """Derive tables, and figures if wanted, from the journal of a run, and write them beside it.

    Parameters
    ----------
    out_dir : path
        Folder of the run.
    metrics : sequence of str or None, default=None
        Scores, or the measures "seconds", "cpu_seconds" and "peak_mb"; None: those of the plan.
    formats : sequence of {"csv", "md", "tex"}, default=all
        Which tables to write, as ``summary.csv`` and so on in `out_dir`; may be empty.
    figures : bool, default=False
        Draw ``scores-METRIC.svg`` for every metric, and ``sweep-METHOD-METRIC.svg`` for every grid of one or two
        parameters; needs matplotlib.

    Returns
    -------
    Summary

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from manyview.bench import run_plan, summarize
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "plan.toml").write_text('data = ["absent.npz"]\\nmethods = ["concat-kmeans-z"]')
    >>> _ = run_plan(folder / "plan.toml", folder / "out", progress=False)
    >>> print(summarize(folder / "out").to_markdown())
    # plan
    <BLANKLINE>
    ## Failed cells
    <BLANKLINE>
    - absent, all cells: data not present: absent.npz
    <BLANKLINE>
    """
    for name in formats:
        if name not in FORMATS:
            raise ValueError(f"formats: {name!r} is none of {', '.join(FORMATS)}")
    note, rows = _last_plan(out_dir)
    shown = tuple(note["metrics"] if metrics is None else metrics)
    _check_metrics(shown, rows)
    entries = tuple(entry for cells in _groups(note["cells"]) for entry in _entries(cells, rows, shown))
    summary = Summary(note["name"], shown, entries, _failures(note["cells"], rows))
    render = {"csv": summary.to_csv, "md": summary.to_markdown, "tex": summary.to_latex}
    files = [_write(Path(out_dir) / f"summary.{name}", render[name]()) for name in formats]
    if figures:
        files += draw_figures(summary, Path(out_dir))
    return replace(summary, files=tuple(files))


def _last_plan(place: str | os.PathLike[str]) -> tuple[Row, dict[str, Row]]:
    """Return the last note of a plan, and the last row of each key."""
    lines = read_journal(place)
    note = next((line for line in reversed(lines) if line["kind"] == "plan"), None)
    if note is None:
        raise ValueError(f"{journal_path(place)}: there is no plan in this journal; run one first")
    return note, latest(lines)


def _check_metrics(metrics: tuple[str, ...], rows: dict[str, Row]) -> None:
    known = {name for row in rows.values() if row["status"] == "ok" for name in _values(row)}
    for metric in metrics:
        if known and metric not in known:
            raise ValueError(f"metrics: {metric!r} is none of {', '.join(sorted(known))}")


def _values(row: Row) -> dict[str, float]:
    """Return scores and measures of a row."""
    measured = row["measured"]
    numbers = {name: measured[name] for name in ("seconds", "cpu_seconds", "peak_mb") if name in measured}
    return {**row["result"]["scores"], **numbers}


def _groups(cells: list[Row]) -> list[list[Row]]:
    """Group cells that differ in their seeds only, in the order of the plan."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for cell in cells:
        groups.setdefault((cell["data"], cell["order"], method_label(cell["method"], cell["grid"])), []).append(cell)
    return list(groups.values())


def _entries(cells: list[Row], rows: dict[str, Row], metrics: tuple[str, ...]) -> list[Entry]:
    found = [rows[cell["key"]] for cell in cells if cell["key"] in rows]
    scored = [_values(row) for row in found if row["status"] == "ok"]
    first, entries = cells[0], []
    for metric in metrics:
        values = [each[metric] for each in scored if metric in each]
        entries.append(
            Entry(
                data=first["data"],
                label=method_label(first["method"], first["grid"]),
                method=first["method"],
                grid=tuple(first["grid"].items()),
                order=first["order"],
                metric=metric,
                n=len(values),
                mean=fmean(values) if values else None,
                sd=stdev(values) if len(values) > 1 else None,
                failed=len(found) - len(scored),
                missing=len(cells) - len(found),
            )
        )
    return entries


def _failures(cells: list[Row], rows: dict[str, Row]) -> tuple[Failure, ...]:
    failures: dict[tuple[str, str, str, str], list[int]] = {}
    for cell in cells:
        status = rows[cell["key"]]["status"] if cell["key"] in rows else "ok"
        if status != "ok":
            label = method_label(cell["method"], cell["grid"])
            where = (cell["data"], label, cell["order"], status.removeprefix("failed: "))
            failures.setdefault(where, []).append(cell["seed"])
    return tuple(
        Failure(data, label, order, tuple(seeds), reason) for (data, label, order, reason), seeds in failures.items()
    )


def _write(path: Path, text: str) -> Path:
    """Replace a file in one step."""
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)
    return path
