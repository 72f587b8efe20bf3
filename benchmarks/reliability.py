"""The tables of docs/reliability.md, from what the runs there have written into docs/results/reliability.jsonl.

    python benchmarks/reliability.py

The runs: tests/chaos/run.py, tests/sanitize/run.py, tests/packaging/fresh.py and benchmarks/one_row.py, each with
--journal docs/results/reliability.jsonl. Two more journals count: damaged files, and fits that were killed (scale.md).
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from manyview.bench.pages import filled

DOCS = Path(__file__).resolve().parents[1] / "docs"
JOURNAL, MUTATIONS, SCALE = (DOCS / "results" / f"{name}.jsonl" for name in ("reliability", "mutations", "scale"))
PAGE = DOCS / "reliability.md"
FAULTS = {
    "cluster_is_killed": "`manyview cluster`, SIGKILL at a random moment",
    "disk_is_full_for_a_result": "the disk is full (a random file size) while a result is written",
    "disk_is_full_for_a_checkpoint": "the same while checkpoints are written; fit again",
    "fit_with_a_checkpoint_is_killed": "a fit with checkpoints ended by a signal at a random moment; fit again",
    "folder_is_read_only": "a result into a read-only folder",
    "several_register": "2 to 4 processes register names at once",
    "two_save_one_model": "two processes save to one file 20 times, a third loads it, one may be killed",
    "two_cluster_into_one_folder": "two processes cluster into one folder",
    "worker_is_killed": "a Dask worker killed in a random iteration",
    "file_is_damaged": "a csv, npz, mat or Parquet file damaged at random",
    "model_is_damaged": "a saved model damaged at random",
    "checkpoint_is_damaged": "a checkpoint damaged at random; fit again",
}


def main() -> None:
    """Write the page."""
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), tables()), encoding="utf-8")


def tables() -> dict[str, list[str]]:
    """Return the lines of every table."""
    by_kind: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in read(JOURNAL):
        by_kind[line["kind"]].append(line)
    faults = ["| attack or fault | tried | outcome | command |", "|---|--:|---|---|"]
    faults += [*chaos(by_kind["chaos"]), *killed_fits(), *damaged_files(), *sanitized(by_kind["sanitize"])]
    return {"faults": faults, "fresh": fresh(by_kind["fresh"]), "one row": one_row(by_kind["one row"])}


def read(path: Path, /) -> list[dict[str, Any]]:
    """Return the lines of a journal."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def chaos(runs: list[dict[str, Any]], /) -> list[str]:
    """Return a row per fault: the counts of all runs."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for run in runs:
        for name, outcomes in run["outcomes"].items():
            counts[name].update(outcomes)
    return [row(text, counts[name], "`make chaos`") for name, text in FAULTS.items() if name in counts]


def killed_fits() -> list[str]:
    """Return the row of fits that were killed between iterations."""
    kills = Counter("the same bits" if line["equal"] else "FAILED" for line in read(SCALE) if line["part"] == "kill")
    return [row("`SemiNTF.fit` on a million rows, SIGKILL; fit again", kills, "`python benchmarks/scale.py kill`")]


def damaged_files() -> list[str]:
    """Return the row of damaged files of all formats."""
    counts: Counter[str] = Counter()
    lines = [line for line in read(MUTATIONS) if "format" in line]
    for line in lines:
        counts.update({what: n for what, n in line.items() if what not in ("format", "tried") and n})
    text = f"damaged files of {len(lines)} kinds"
    return [row(text, counts, "`MANYVIEW_MUTATIONS=1000 pytest -m mutations tests`")]


def sanitized(runs: list[dict[str, Any]], /) -> list[str]:
    """Return the row of the compiled loops."""
    counts = Counter({"no finding": sum(run["calls"] for run in runs)})
    return [row("calls of the compiled loops under the sanitizers", counts, "`make sanitize`")]


def row(text: str, outcomes: Counter[str], command: str, /) -> str:
    """Return a line of the table of faults."""
    told = "; ".join(what if len(outcomes) == 1 else f"{n:,} {what}" for what, n in outcomes.most_common())
    return f"| {text} | {outcomes.total():,} | {told} | {command} |"


def fresh(lines: list[dict[str, Any]], /) -> list[str]:
    """Return a line per installation."""
    head = ["| from | Python, NumPy, SciPy, scikit-learn | outcome |", "|---|---|---|"]
    return head + [f"| {line['from']} | {line['with']} | {line['outcome']} |" for line in lines]


def one_row(lines: list[dict[str, Any]], /) -> list[str]:
    """Return a line per method: its last measurement."""
    last = {line["method"]: line for line in lines}
    head = ["| `predict` of one row | median ms | 99th percentile ms |", "|---|--:|--:|"]
    return head + [f"| {name} | {line['median']:.2f} | {line['p99']:.2f} |" for name, line in last.items()]


if __name__ == "__main__":
    main()
