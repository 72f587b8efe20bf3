"""Benchmarks: a plan in TOML, one process per cell, an append-only journal, tables and figures from the journal alone.

Plans run on Linux and macOS, whose processes, file locks and resource limits they need; summaries work everywhere.
"""

from manyview.bench.compare import differences, same_results
from manyview.bench.journal import read_journal
from manyview.bench.keys import PlanError
from manyview.bench.plan import Plan, read_plan
from manyview.bench.run import RunReport, run_plan
from manyview.bench.summary import Summary, read_results, summarize

__all__ = [
    "Plan",
    "PlanError",
    "RunReport",
    "Summary",
    "differences",
    "read_journal",
    "read_plan",
    "read_results",
    "run_plan",
    "same_results",
    "summarize",
]
