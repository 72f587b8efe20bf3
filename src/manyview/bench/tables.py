"""A summary as text: CSV for machines, Markdown and LaTeX for people.

People get one table for each data set and row order: methods down, metrics across, the best mean of each metric bold.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from manyview.bench.summary import Entry, Summary

LOWER_IS_BETTER = ("seconds", "cpu_seconds", "peak_mb")
CSV_COLUMNS = ("data", "method", "order", "metric", "n", "mean", "sd", "failed", "missing")


@dataclass(frozen=True)
class Section:
    """One table: the entries of a data set in one row order, by method."""

    data: str
    order: str
    lines: dict[str, list[Entry]]  # label of a method -> one entry per metric


def csv_text(summary: Summary, /) -> str:
    """Write all entries, one line each; empty where there is no value."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for entry in summary.entries:
        numbers = ("" if value is None else repr(value) for value in (entry.mean, entry.sd))
        at = (entry.data, entry.label, entry.order, entry.metric, entry.n)
        writer.writerow([*at, *numbers, entry.failed, entry.missing])
    return text.getvalue()


def markdown(summary: Summary, /) -> str:
    """Write headings, pipe tables, and a list of failures."""
    lines = [f"# {summary.name}", ""]
    for section in _sections(summary):
        lines += [f"## {section.data}, rows {section.order}", ""]
        lines += [
            _pipes(["method", *map(_escape_markdown, summary.metrics), "runs"]),
            _pipes(["---"] * (len(summary.metrics) + 2)),
        ]
        lines += [_pipes(cells) for cells in _body(section, _escape_markdown, "{mean} ± {sd}", "**{}**")]
        lines.append("")
    if summary.failures:
        lines += ["## Failed cells", ""]
        lines += [f"- {_escape_markdown(line)}" for line in _failures(summary)]
        lines.append("")
    return "\n".join(lines)


def latex(summary: Summary, /) -> str:
    """Write table environments that need no package, and the failures as comments."""
    lines = []
    for section in _sections(summary):
        heads = ["method", *summary.metrics, "runs"]
        lines += [
            r"\begin{table}",
            rf"\caption{{{_escape_latex(f'{section.data}, rows {section.order}')}}}",
            rf"\begin{{tabular}}{{l{'c' * (len(heads) - 1)}}}",
            r"\hline",
            _ampersands([_escape_latex(head) for head in heads]),
            r"\hline",
            *(_ampersands(cells) for cells in _body(section, _escape_latex, r"{mean} $\pm$ {sd}", r"\textbf{{{}}}")),
            r"\hline",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    lines += [f"% failed: {line}" for line in _failures(summary)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _sections(summary: Summary) -> list[Section]:
    sections: dict[tuple[str, str], Section] = {}
    for entry in summary.entries:
        section = sections.setdefault((entry.data, entry.order), Section(entry.data, entry.order, {}))
        section.lines.setdefault(entry.label, []).append(entry)
    # a data set without any value is told about once, among the failures
    return [section for section in sections.values() if any(_any_value(entries) for entries in section.lines.values())]


def _any_value(entries: list[Entry]) -> bool:
    return any(entry.mean is not None for entry in entries)


def _body(section: Section, escape: Callable[[str], str], pair: str, bold: str) -> Iterator[list[str]]:
    best = _best(section)
    for label, entries in section.lines.items():
        cells = []
        for entry in entries:
            text = _number(entry, pair)
            cells.append(bold.format(text) if _shown(entry) == best.get(entry.metric, ...) else text)
        yield [escape(label), *cells, _runs(entries[0])]


def _best(section: Section) -> dict[str, str]:
    """Return the best mean of each metric, as it is shown; a single one is not called best."""
    found: dict[str, list[Entry]] = {}
    for entries in section.lines.values():
        for entry in entries:
            if entry.mean is not None:
                found.setdefault(entry.metric, []).append(entry)
    best = {}
    for metric, entries in found.items():
        if len(entries) > 1:
            choose = min if metric in LOWER_IS_BETTER else max
            best[metric] = _shown(choose(entries, key=lambda entry: entry.mean or 0.0))
    return best


def _shown(entry: Entry) -> str:
    return "" if entry.mean is None else f"{entry.mean:.{_decimals(entry)}f}"


def _number(entry: Entry, pair: str) -> str:
    if entry.mean is None:
        return "failed" if entry.failed else "–"
    mean = _shown(entry)
    return mean if entry.sd is None else pair.format(mean=mean, sd=f"{entry.sd:.{_decimals(entry)}f}")


def _decimals(entry: Entry) -> int:
    """Return the number of decimals: three for scores, three digits in all for measures."""
    if entry.metric not in LOWER_IS_BETTER or not entry.mean:
        return 3
    return max(0, 2 - math.floor(math.log10(entry.mean)))


def _runs(entry: Entry) -> str:
    """Write how many seeds are behind a line, and how many should be."""
    planned = entry.n + entry.failed + entry.missing
    return f"{entry.n}" if entry.n == planned else f"{entry.n} of {planned}"


def _failures(summary: Summary) -> Iterator[str]:
    """Yield one line for cells that differ in their seeds only, and one for a data set of which nothing worked."""
    alive = {entry.data for entry in summary.entries if entry.mean is not None or entry.missing}
    reasons: dict[str, list[str]] = {}
    for failure in summary.failures:
        if failure.data in alive:
            seeds = ", ".join(map(str, failure.seeds))
            yield f"{failure.data}, {failure.label}, {failure.order}, seed {seeds}: {failure.reason}"
        elif failure.reason not in reasons.setdefault(failure.data, []):
            reasons[failure.data].append(failure.reason)
    yield from (f"{data}, all cells: {'; '.join(several)}" for data, several in reasons.items())


def _pipes(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _ampersands(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def _escape_markdown(text: str) -> str:
    for character in r"\|*_<`":
        text = text.replace(character, "\\" + character)
    return text


def _escape_latex(text: str) -> str:
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(special.get(c, "\\" + c if c in "&%$#_{}" else c) for c in text)
