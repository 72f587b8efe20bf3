"""Tables 1 to 3 of the paper, the published value beside ours."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from cells import SHUFFLED, STORED, Cells

METRICS = {
    "acc": "ACC", "nmi": "NMI", "purity": "Purity", "precision": "PRE", "recall": "REC", "f_score": "F", "ari": "ARI",
}  # fmt: skip
BASELINES = ("AMGL", "MVGL", "CSMSC", "GMC", "LMVSC", "SMSC", "SFMC", "FMCNOF")
TITLES = {"mnist4": "Mnist4", "scene15": "Scene-15", "nus": "NUS", "awa": "AWA", "reuters": "Reuters"}
ABSENT = "data not present"
AXES = {"views": "axis views", "samples": "axis samples"}
REUTERS = {"LMVSC": "LMVSC", "SFMC": "SFMC", "FMCNOF": "FMCNOF", "SemiNTF.paper views": "Algorithm 1, axis views",
           "SemiNTF.paper samples": "Algorithm 1, axis samples", "SemiNTF": "SemiNTF, default"}  # fmt: skip
Published = dict[str, dict[str, dict[str, str]]]


def published() -> Published:
    """What the paper prints, by data set, method and metric."""
    text = Path(__file__).with_name("published.json").read_text(encoding="utf-8")
    return {data: methods for data, methods in json.loads(text).items() if data != "source"}


def score_table(cells: Cells, data: str) -> list[str]:
    """One data set of tables 1 and 2: a line for what is published, one for each row order."""
    known = published()[data]
    absent = not any(cells.values(data, method, STORED, "acc").n for _, _, method in _methods(data))
    lines = [f"| method | rows | n | {' | '.join(METRICS.values())} |", "|---|---|--:|" + "--:|" * len(METRICS)]
    for label, theirs, method in _methods(data):
        if theirs in known and method in (theirs, f"Algorithm 1, views, {data}"):
            shown = [_short(known[theirs][metric]) for metric in METRICS]
            lines.append(f"| **{theirs}** | *published* | | {' | '.join(f'*{value}*' for value in shown)} |")
        if not absent:
            lines += [line for order in (STORED, SHUFFLED) for line in _score_line(cells, data, label, method, order)]
    return [*lines, f"| every method | as stored | | {ABSENT} |" + " |" * (len(METRICS) - 1)] if absent else lines


def _methods(data: str) -> Iterable[tuple[str, str, str]]:
    """Label, name in the paper, name in the journals."""
    yield from ((name, name, name) for name in BASELINES)
    yield from ((f"Algorithm 1, {AXES[axis]}", "Semi-NTF", f"Algorithm 1, {axis}, {data}") for axis in AXES)
    yield "SemiNTF, default", "Semi-NTF", "SemiNTF"


def _score_line(cells: Cells, data: str, label: str, method: str, order: str) -> list[str]:
    rows = cells.rows(data, method, order)
    if not rows:
        return []
    place = order.replace("-", " ")
    if all(row["status"] != "ok" for row in rows):
        reason = rows[0]["status"]
        return [f"| {label} | {place} | | {reason} |" + " |" * (len(METRICS) - 1)]
    samples = [cells.values(data, method, order, metric) for metric in METRICS]
    return [f"| {label} | {place} | {samples[0].n} | {' | '.join(map(str, samples))} |"]


def _short(value: str) -> str:
    """A published spread of zero says that nothing varied, or that nothing was repeated; it is left out."""
    return value.removesuffix(" ± 0.000")


def agreement_table(cells: Cells) -> list[str]:
    """Published and measured ACC on rows as stored, and the largest difference in any of the seven scores."""
    lines = [
        "| method | Mnist4: published ACC | ours | largest of 7 differences | Scene-15: published ACC | ours "
        "| largest of 7 differences |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for both in zip(_methods("mnist4"), _methods("scene15"), strict=True):
        line = f"| {both[0][0]} "
        for data, (_, theirs, method) in zip(("mnist4", "scene15"), both, strict=True):
            ours = cells.values(data, method, STORED, "acc")
            shown = f"{ours} | {worst(cells, data, method, theirs)}" if ours.n else "not run | "
            line += f"| {_short(published()[data][theirs]['acc'])} | {shown} "
        lines.append(line + "|")
    return lines


def worst(cells: Cells, data: str, method: str, theirs: str) -> str:
    """Largest difference from the published scores, rows as stored."""
    known = published()[data][theirs]
    ours = {metric: cells.values(data, method, STORED, metric).mean for metric in METRICS}
    return f"{max(abs(ours[metric] - float(known[metric].split()[0])) for metric in METRICS):.3f}"


def reuters_table(cells: Cells) -> list[str]:
    """Table 3: accuracy on real subsets, seconds on tables of the full size."""
    known = published()["reuters"]
    head = ("method", "published ACC", "ACC, 1,200 documents", "ACC, 600 documents", "ACC, 18,758 documents",
            "published s", "s, full size", "processor s", "peak MB")  # fmt: skip
    lines = [f"| {' | '.join(head)} |", "|---|" + "--:|" * (len(head) - 1)]
    for method, label in REUTERS.items():
        theirs = known.get("Semi-NTF" if "SemiNTF" in method else method, {})
        full = cells.values("reuters", method, SHUFFLED, "acc")
        wall, processor, peak = (
            cells.values("reuters-shape", f"{method}, seconds", SHUFFLED, measure).values
            for measure in ("seconds", "cpu_seconds", "peak_mb")
        )
        lines.append(
            f"| {label} | {_short(theirs['acc'])} | {cells.values('reuters1200', method, SHUFFLED, 'acc')} "
            f"| {cells.values('reuters600_full', method, SHUFFLED, 'acc')} | {full if full.n else ABSENT} "
            f"| {theirs['seconds']} | {_measure(wall, 1)} | {_measure(processor, 1)} | {_measure(peak, 0)} |"
        )
    return lines


def _measure(values: tuple[float, ...], decimals: int) -> str:
    return f"{values[0]:.{decimals}f}" if values else "–"


def impossible() -> list[str]:
    """Published rows whose purity is below their accuracy; a one-to-one matching cannot beat the best class of each."""
    return [
        f"{method} on {TITLES[data]} (ACC {row['acc'].split()[0]}, purity {row['purity'].split()[0]})"
        for data, methods in published().items()
        for method, row in methods.items()
        if row["acc"][0].isdigit() and float(row["purity"].split()[0]) < float(row["acc"].split()[0])
    ]
