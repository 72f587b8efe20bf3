"""Tables 1 to 3 of the paper, the published value beside ours."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

from cells import SHUFFLED, STORED, Cells, Sample
from order_audit import BASELINES, NAMES
from record import Record

METRICS = {
    "acc": "ACC", "nmi": "NMI", "purity": "Purity", "precision": "PRE", "recall": "REC", "f_score": "F", "ari": "ARI",
}  # fmt: skip
TITLES = {"mnist4": "Mnist4", "scene15": "Scene-15", "nus": "NUS", "awa": "AWA", "reuters": "Reuters"}
Published = dict[str, dict[str, dict[str, str]]]


def published() -> Published:
    """What the paper prints, by data set, method and metric."""
    text = Path(__file__).with_name("published.json").read_text(encoding="utf-8")
    return {data: methods for data, methods in json.loads(text).items() if data != "source"}


def score_table(cells: Cells, record: Record, data: str) -> list[str]:
    """One data set of tables 1 and 2: a line for what is published, one for each row order."""
    known = published()[data]
    lines = [f"| method | rows | n | {' | '.join(METRICS.values())} |", "|---|---|--:|" + "--:|" * len(METRICS)]
    for method in BASELINES:
        lines += [
            _published_line(method, known[method]),
            *_score_lines(method, {order: _of_cells(cells, data, method, order) for order in (STORED, SHUFFLED)}),
        ]
    lines.append(_published_line("Semi-NTF", known["Semi-NTF"]))
    for axis, name in NAMES.items():
        of_order = {
            shown: {metric: record.sample("fixed", metric, data=data, axis=axis, order=order) for metric in METRICS}
            for order, shown in (("stored", STORED), ("shuffled", SHUFFLED))
        }
        lines += _score_lines(name, of_order)
    return lines


def _published_line(method: str, known: dict[str, str]) -> str:
    values = " | ".join(f"*{_short(known[metric])}*" for metric in METRICS)
    return f"| **{method}** | *published* | | {values} |"


def _of_cells(cells: Cells, data: str, method: str, order: str) -> dict[str, Sample]:
    return {metric: cells.values(data, method, order, metric) for metric in METRICS}


def _score_lines(label: str, orders: dict[str, dict[str, Sample]]) -> list[str]:
    return [
        f"| {label} | {order.replace('-', ' ')} | {samples['acc'].n} | {' | '.join(map(str, samples.values()))} |"
        for order, samples in orders.items()
        if samples["acc"].n
    ]


def _short(value: str) -> str:
    """A published spread of zero says that nothing varied, or that nothing was repeated; it is left out."""
    return value.removesuffix(" ± 0.000")


def agreement_table(cells: Cells, record: Record) -> list[str]:
    """Published and measured ACC on rows as stored, and the largest difference in any of the seven scores."""
    lines = [
        "| method | Mnist4: published ACC | ours | largest of 7 differences | Scene-15: published ACC | ours "
        "| largest of 7 differences |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    of: dict[str, Callable[[str], dict[str, Sample]]] = {
        method: partial(_of_cells, cells, method=method, order=STORED) for method in BASELINES
    }
    of |= {name: partial(_of_record, record, axis) for axis, name in NAMES.items()}
    for method, samples in of.items():
        theirs = method if method in BASELINES else "Semi-NTF"
        line = f"| {method} |"
        for data in ("mnist4", "scene15"):
            ours = samples(data)
            line += f" {_short(published()[data][theirs]['acc'])} | {ours['acc']} | {difference(ours, data, theirs)} |"
        lines.append(line)
    return lines


def _of_record(record: Record, axis: str, data: str) -> dict[str, Sample]:
    return {metric: record.sample("fixed", metric, data=data, axis=axis, order="stored") for metric in METRICS}


def worst(cells: Cells, data: str, method: str) -> str:
    """Largest difference of a baseline from its published scores, rows as stored."""
    return difference(_of_cells(cells, data, method, STORED), data, method)


def difference(ours: dict[str, Sample], data: str, theirs: str) -> str:
    """Largest of the seven differences of means."""
    known = published()[data][theirs]
    return f"{max(abs(ours[metric].mean - float(known[metric].split()[0])) for metric in METRICS):.3f}"


def reuters_table(cells: Cells, record: Record) -> list[str]:
    """Table 3: accuracy on real subsets, seconds on tables of the full size."""
    known = published()["reuters"]
    head = ("method", "published ACC", "ACC, 1,200 documents", "ACC, 600 documents", "published s", "processor s")
    lines = [f"| {' | '.join(head)} |", "|---|" + "--:|" * (len(head) - 1)]
    for method in ("LMVSC", "SFMC", "FMCNOF"):
        large, small = (cells.values(data, method, SHUFFLED, "acc") for data in ("reuters1200", "reuters600_full"))
        seconds = cells.values("reuters-shape", f"{method}, seconds", SHUFFLED, "cpu_seconds").values
        theirs = known[method]
        lines.append(
            f"| {method} | {_short(theirs['acc'])} | {large} | {small} | {theirs['seconds']} | {_seconds(seconds)} |"
        )
    for axis, name in NAMES.items():
        large, small = (record.sample("subsets", data=data, axis=axis) for data in ("reuters1200", "reuters600_full"))
        seconds = cells.values("reuters-shape", f"SemiNTF.paper {axis}, seconds", SHUFFLED, "cpu_seconds").values
        theirs = known["Semi-NTF"]
        lines.append(
            f"| {name} | {_short(theirs['acc'])} | {large} | {small} | {theirs['seconds']} | {_seconds(seconds)} |"
        )
    return lines


def _seconds(values: tuple[float, ...]) -> str:
    return f"{values[0]:.1f}" if values else "–"


def impossible() -> list[str]:
    """Published rows whose purity is below their accuracy; a one-to-one matching cannot beat the best class of each."""
    return [
        f"{method} on {TITLES[data]} (ACC {row['acc'].split()[0]}, purity {row['purity'].split()[0]})"
        for data, methods in published().items()
        for method, row in methods.items()
        if row["acc"][0].isdigit() and float(row["purity"].split()[0]) < float(row["acc"].split()[0])
    ]
