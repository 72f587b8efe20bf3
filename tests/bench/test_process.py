"""Methods that misbehave, each in its process."""

import os
import re
import time

import pytest

from manyview.bench import read_journal, read_results, run_plan, summarize
from manyview.bench.process import last_words

PLAN = """
threads = 2
limits = {seconds = 120, memory_gb = 0.8}
data = [{name = "toy", maker = "toys:data"}, "gone.npz", "damaged.npz"]
methods = [
    {name = "segfault", estimator = "toys:Segfault", data = ["toy"]},
    {name = "hungry", estimator = "toys:Hungry", data = ["toy"]},
    {name = "hungry child", estimator = "toys:HungryChild", data = ["toy"]},
    {name = "hungry session", estimator = "toys:HungrySession", data = ["toy"]},
    {name = "leaver", estimator = "toys:Leaver", data = ["toy"]},
    {name = "raiser", estimator = "toys:Raiser", data = ["toy"]},
    {name = "unspeakable", estimator = "toys:Unspeakable", data = ["toy"]},
    {name = "crashed", estimator = "toys:CrashedParent", data = ["toy"]},
    {name = "littering", estimator = "toys:Littering", data = ["toy"], record = ["left_", "code_", "threads_"]},
    {name = "missing", estimator = "no_such_package.cluster:Thing", data = ["toy"]},
    {name = "quick", estimator = "toys:Quick"},
]
"""
ENDLESS = """
limits = {seconds = 6}
data = [{name = "toy", maker = "toys:data"}]
methods = [{name = "endless", estimator = "toys:Endless"}]
"""


@pytest.fixture(scope="module")
def hostile(toys, tmp_path_factory):
    """Folder of the run, its report, and its rows by data set and method."""
    out = tmp_path_factory.mktemp("hostile")
    plan = toys / "hostile.toml"
    plan.write_text(PLAN)
    (toys / "damaged.npz").write_bytes(b"no archive")
    report = run_plan(plan, out, jobs=2, progress=False)
    rows = [row for row in read_journal(out) if row["kind"] == "result"]
    return out, report, {(row["inputs"]["data"]["name"], row["inputs"]["method"]["name"]): row for row in rows}


def test_a_method_that_never_returns_is_a_row(toys, tmp_path):
    plan = toys / "endless.toml"
    plan.write_text(ENDLESS)
    assert run_plan(plan, tmp_path, progress=False).failed == 1
    (row,) = read_results(tmp_path)
    assert row["status"] == "failed: time limit of 6 s"
    assert row["measured"]["wall_seconds"] >= 6


@pytest.mark.parametrize(
    ("cell", "status"),
    [
        (("toy", "segfault"), "failed: crashed with SIGSEGV"),
        (("toy", "hungry"), "failed: memory limit of 0.8 GB"),
        (("toy", "hungry child"), "failed: memory limit of 0.8 GB"),
        (("toy", "hungry session"), "failed: memory limit of 0.8 GB"),
        (("toy", "unspeakable"), "failed: ValueError: ? " + "x" * 295 + "..."),
        (("toy", "leaver"), "failed: ended without a result (exit code 0)"),
        (("toy", "raiser"), "failed: ArithmeticError: no way"),
        (("toy", "missing"), "failed: not installed: no_such_package"),
        (("gone", "quick"), "failed: data not present: gone.npz"),
        (("toy", "littering"), "ok"),
        (("toy", "quick"), "ok"),
    ],
)
def test_whatever_a_method_does_is_a_row(hostile, cell, status):
    assert hostile[2][cell]["status"] == status


def test_the_run_counts_its_failures(hostile):
    _, report, rows = hostile
    assert (report.cells, report.ran, report.reused, report.failed) == (13, 13, 0, 11)
    assert len(rows) == 13


def test_failures_tell_where(hostile):
    rows = hostile[2]
    assert "in fit" in rows["toy", "segfault"]["measured"]["traceback"]
    assert "ArithmeticError" in rows["toy", "raiser"]["measured"]["traceback"]
    assert rows["toy", "raiser"]["result"] is None


def test_no_row_names_a_folder_of_this_machine(hostile, toys):
    for row in hostile[2].values():
        told = f"{row['status']} {row['measured'].get('traceback')}"
        assert str(toys) not in told
        assert str(hostile[0]) not in told
    assert hostile[2]["damaged", "quick"]["status"].startswith("failed: ValueError: damaged.npz")
    assert 'File "toys.py", line' in hostile[2]["toy", "raiser"]["measured"]["traceback"]


@pytest.mark.parametrize("before", range(900, 1020, 7))
def test_a_path_at_the_cut_of_a_long_message_is_no_exception(before):
    told = last_words("x" * before + "/home/me/run/toys.py, line 3" + "y" * 5000, ["/home/me/run"])
    assert "/home" not in told
    assert len(told) == 2005


def test_memory_beyond_the_limit_is_noticed_soon(hostile):
    for name in ("hungry", "hungry child", "hungry session"):
        assert 800 < hostile[2]["toy", name]["measured"]["peak_mb"] < 4000


def test_nothing_a_method_started_outlives_its_cell(hostile):
    assert not any(map(is_alive, hostile[2]["toy", "littering"]["result"]["recorded"]["left_"]))


@pytest.mark.skipif(not os.path.exists("/proc/self/environ"), reason="needs the processes of Linux")
def test_a_session_of_its_own_does_not_outlive_a_crash(hostile, toys):
    assert hostile[2]["toy", "crashed"]["status"] == "failed: crashed with SIGSEGV"
    assert not is_alive(int((toys / "session").read_text()))


def test_a_long_message_is_cut(hostile):
    assert len(hostile[2]["toy", "unspeakable"]["measured"]["traceback"]) < 2_100


def test_cells_run_a_copy_of_the_code_with_the_threads_of_the_plan(hostile):
    recorded = hostile[2]["toy", "littering"]["result"]["recorded"]
    assert re.fullmatch(rf"{hostile[0]}/\.code-[a-z0-9_]+/manyview/__init__\.py", recorded["code_"])
    assert recorded["threads_"] == "2"


def test_a_good_row_says_all_it_should(hostile):
    row = hostile[2]["toy", "quick"]
    assert set(row) == {"kind", "key", "inputs", "limits", "commit", "status", "result", "measured"}
    assert set(row["result"]) == {"n_samples", "n_clusters", "scores", "partition", "recorded"}
    measured = row["measured"]
    assert 0 <= measured["seconds"] < measured["wall_seconds"]
    assert measured["cpu_seconds"] >= 0
    assert measured["peak_mb"] > 20
    assert measured["warnings"] == []
    assert measured["blas"]
    assert row["inputs"]["code"]["numpy"]


def test_the_run_leaves_only_its_journal_and_lock(hostile):
    assert sorted(os.listdir(hostile[0])) == ["journal.jsonl", "journal.jsonl.lock"]


def test_failed_cells_are_named_in_the_summary(hostile):
    text = summarize(hostile[0], formats=()).to_markdown()
    assert "- toy, segfault, shuffled, seed 0: crashed with SIGSEGV" in text
    assert "- gone, all cells: data not present: gone.npz" in text


def is_alive(pid, patience=5.0):
    """Whether a process still runs after a while; a killed one may wait for init as a zombie."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        try:
            with open(f"/proc/{pid}/stat") as stat:
                if stat.read().rpartition(")")[2].split()[0] == "Z":
                    return False
        except FileNotFoundError:
            return False
        time.sleep(0.05)
    return True
