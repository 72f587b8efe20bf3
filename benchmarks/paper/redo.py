"""Redo the paper: run every plan and script that the data at hand allow, keep the journals, write docs/paper.md again.

    python benchmarks/paper/redo.py [PLAN ...] [--fetch] [--data ../shared/data] [--out build/paper] [--jobs 1]

PLAN is the name of a .toml file beside this one; without any, all plans and all scripts run, about three hours on one
core. Cells that the run in --out or a committed journal holds for the same code and data are not run again: a run that
was stopped goes on. ``--fetch`` downloads the public data sets first; where data are absent the rows say so.

The journals of the scripts are continued if they were made with the sources of today, and made anew otherwise.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from cells import PLANS, RESULTS, SHARED, journal_of
from evidence import EVERYTHING, SETS
from record import ALGORITHM_1
from record import BASELINES as GAPS
from runs import BASELINES, COUNTED, Journal, source_digest

from manyview.bench import read_journal, read_results, run_plan
from manyview.datasets import SOURCES, fetch

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ABSENT = "failed: data not present"
SCRIPTS = ("theorem", "ceiling", "gaps", "measure")  # take the folder of the data


def main() -> None:
    """Run, keep, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plans", nargs="*", help="which plans; all unless named", metavar="PLAN")
    parser.add_argument("--fetch", action="store_true", help="download the public data sets first")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="folder of the data files")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "paper", help="folder of the runs")
    parser.add_argument("--jobs", type=int, default=1, help="cells at the same time; 1 for honest seconds")
    options = parser.parse_args()
    for plan in set(options.plans) - set(PLANS):
        parser.error(f"{plan} is none of {', '.join(PLANS)}")
    if options.fetch:
        for name in set(EVERYTHING) & set(SOURCES):
            fetch(name)
    share = [*map(journal_of, PLANS), *(RESULTS / name for name in SHARED)]
    for plan in options.plans or PLANS:
        out = options.out / plan
        report = run_plan(HERE / f"{plan}.toml", out, data_dir=options.data, jobs=options.jobs, share=share)
        kept = keep(out, journal_of(plan))
        print(f"{plan}: {report.cells} cells, {report.ran} run, {report.failed} without a result; {kept}", flush=True)
    if not options.plans:
        for kind, counted in ((ALGORITHM_1, COUNTED), (GAPS, BASELINES)):
            drop_outdated(kind, source_digest(counted))
        folder = ["--data", options.data]
        subprocess.run([sys.executable, HERE / "evidence.py", *SETS, *folder], check=True)
        subprocess.run([sys.executable, HERE / "cost.py"], check=True)
        for script in SCRIPTS:
            subprocess.run([sys.executable, HERE / f"{script}.py", *folder], check=True)
    subprocess.run([sys.executable, HERE / "page.py"], check=True)


def drop_outdated(names: tuple[str, ...], sources: str, folder: Path = RESULTS) -> None:
    """Delete the journals that other sources made, so that none is continued with ours."""
    for name in names:
        journal = Journal(folder / f"paper-{name}.jsonl")
        if any(code["sources"] != sources for code in journal.codes):
            journal.path.unlink()


def keep(run: Path, journal: Path) -> str:
    """Write the last plan of a run, and its rows in the plan's order, as a journal of their own.

    A journal with results of data that are not at hand here stays as it is.
    """
    note, rows = next(line for line in reversed(read_journal(run)) if line["kind"] == "plan"), read_results(run)
    old = read_journal(journal) if journal.exists() else []
    measured = {row["inputs"]["data"]["name"] for row in old if row.get("status") == "ok"}
    lost = {row["inputs"]["data"]["name"] for row in rows if row["status"].startswith(ABSENT)} & measured
    if lost:
        return f"{journal.name} not replaced, here is no {', '.join(sorted(lost))}"
    lines = (json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n" for line in (note, *rows))
    journal.write_text("".join(lines), encoding="utf-8")
    return f"kept in {journal.name}"


if __name__ == "__main__":
    main()
