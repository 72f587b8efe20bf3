"""Redo the paper: run every plan that the data at hand allow, keep the journals, and write docs/paper.md again.

    python benchmarks/paper/redo.py [PLAN ...] [--data ../shared/data] [--out build/paper] [--jobs 1]

PLAN is the name of a .toml file beside this one; without any, all run. Cells that the run in --out or a committed
journal holds for the same code and data are not run again: a run that was stopped goes on. Where data are absent the
rows say so.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from cells import PLANS, RESULTS, SHARED, journal_of

from manyview.bench import read_journal, read_results, run_plan

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ABSENT = "failed: data not present"


def main() -> None:
    """Run, keep, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plans", nargs="*", help="which plans; all unless named", metavar="PLAN")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="folder of the data files")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "paper", help="folder of the runs")
    parser.add_argument("--jobs", type=int, default=1, help="cells at the same time; 1 for honest seconds")
    options = parser.parse_args()
    for plan in set(options.plans) - set(PLANS):
        parser.error(f"{plan} is none of {', '.join(PLANS)}")
    share = [*map(journal_of, PLANS), *(RESULTS / name for name in SHARED)]
    for plan in options.plans or PLANS:
        out = options.out / plan
        report = run_plan(HERE / f"{plan}.toml", out, data_dir=options.data, jobs=options.jobs, share=share)
        kept = keep(out, journal_of(plan))
        print(f"{plan}: {report.cells} cells, {report.ran} run, {report.failed} without a result; {kept}", flush=True)
    if not options.plans:
        subprocess.run([sys.executable, HERE / "measure.py", "--data", options.data], check=True)
    subprocess.run([sys.executable, HERE / "page.py"], check=True)


def keep(run: Path, journal: Path) -> str:
    """Write the last plan of a run, and its rows in the plan's order, as a journal of their own.

    A journal with results of data that are not at hand here stays as it is.
    """
    note, rows = next(line for line in reversed(read_journal(run)) if line["kind"] == "plan"), read_results(run)
    measured = {row["inputs"]["data"]["name"] for row in read_journal(journal) if row.get("status") == "ok"}
    lost = {row["inputs"]["data"]["name"] for row in rows if row["status"].startswith(ABSENT)} & measured
    if lost:
        return f"{journal.name} not replaced, here is no {', '.join(sorted(lost))}"
    lines = (json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n" for line in (note, *rows))
    journal.write_text("".join(lines), encoding="utf-8")
    return f"kept in {journal.name}"


if __name__ == "__main__":
    main()
