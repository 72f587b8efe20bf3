"""Interrupting, resuming, repeating. MANYVIEW_BENCH_KILLS=20 does the kill test at length, with 30 cells."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest

from manyview.bench import differences, read_journal, read_results, run_plan
from manyview.bench import run as module
from manyview.bench.journal import Journal
from manyview.bench.plan import Limits

KILLS = int(os.environ.get("MANYVIEW_BENCH_KILLS", "3"))
RUN = "import sys; from manyview.bench import run_plan; run_plan(*sys.argv[1:], jobs=2, progress=False)"


def toy_plan(folder, n_cells, name="kills.toml"):
    path = folder / name
    path.write_text(f"""
    seeds = {n_cells}
    data = [{{name = "toy", maker = "toys:data"}}]
    methods = [{{name = "quick", estimator = "toys:Quick", params = {{wait = 0.2}}, record = ["center_"]}}]
    """)
    return path


def logged(log):
    """Seeds and process ids of all fits that ever began."""
    lines = log.read_text().splitlines() if log.exists() else []
    return [tuple(map(int, line.split())) for line in lines if len(line.split()) == 2]


def done_seeds(out):
    return {row["inputs"]["seed"] for row in read_journal(out) if row["kind"] == "result"}


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as stat:
        return stat.read().rpartition(")")[2].split()[0] != "Z"


def run_with_kills(plan, out, log, *, n_kills, seconds, rng):
    """Start a run, kill it at a random moment within `seconds`, start it again, ...; the last one may finish.

    Returns how often it was killed while at work, and which seeds were begun although they were done before.
    """
    killed, redone = 0, []
    environment = os.environ | {"TOY_LOG": str(log)}
    for _ in range(n_kills):
        done, begun = done_seeds(out), len(logged(log))
        process = subprocess.Popen([sys.executable, "-c", RUN, plan, out], env=environment)
        try:
            process.wait(rng.uniform(0, seconds))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            killed += 1
        redone += [seed for seed, _ in logged(log)[begun:] if seed in done]
    done, begun = done_seeds(out), len(logged(log))
    subprocess.run([sys.executable, "-c", RUN, plan, out], env=environment, check=True)
    redone += [seed for seed, _ in logged(log)[begun:] if seed in done]
    return killed, redone


@pytest.mark.timeout(3600)
def test_killed_at_random_moments_it_ends_as_if_nothing_had_happened(toys, tmp_path):
    n_cells = 8 if KILLS <= 3 else 30
    plan = toy_plan(toys, n_cells)
    started = time.monotonic()
    subprocess.run([sys.executable, "-c", RUN, plan, tmp_path / "whole"], check=True)
    whole = time.monotonic() - started

    seed = random.randrange(1000)
    log = tmp_path / "log"
    killed, redone = run_with_kills(
        plan, tmp_path / "killed", log, n_kills=KILLS, seconds=2 * whole / (KILLS + 1) + 2.0, rng=random.Random(seed)
    )
    assert killed > 0, seed
    assert redone == [], seed
    assert differences(tmp_path / "whole", tmp_path / "killed") == [], seed
    keys = Counter(row["key"] for row in read_journal(tmp_path / "killed") if row["kind"] == "result")
    assert len(keys) == n_cells
    assert set(keys.values()) == {1}, seed
    assert not [pid for _, pid in logged(log) if is_running(pid)], seed


@pytest.fixture
def one_cell(toys):
    return toy_plan(toys, 1, "one.toml")


def test_a_finished_run_is_not_repeated_and_its_journal_not_touched(one_cell, tmp_path, monkeypatch):
    first = run_plan(one_cell, tmp_path / "out", progress=False)
    journal = first.journal.read_bytes()
    monkeypatch.setattr(module, "CellProcess", None)  # starting a process would be an error now
    second = run_plan(one_cell, tmp_path / "out", progress=False)
    assert (first.ran, second.ran, second.reused) == (1, 0, 1)
    assert first.journal.read_bytes() == journal
    assert len(read_results(tmp_path / "out")) == 1


def test_an_interrupted_run_kills_its_cells(toys, tmp_path, monkeypatch):
    plan = toys / "slow.toml"
    plan.write_text("""
    data = [{name = "toy", maker = "toys:data"}]
    methods = [{name = "quick", estimator = "toys:Quick", params = {wait = 600.0}}]
    """)
    seen = []

    class Interrupted(module.Progress):
        def tick(self):
            if self.running and not seen:
                seen.append(1)
                raise KeyboardInterrupt

    real, processes = module.CellProcess, []
    monkeypatch.setattr(module, "Progress", Interrupted)
    monkeypatch.setattr(
        module, "CellProcess", lambda *args, **options: processes.append(real(*args, **options)) or processes[0]
    )
    with pytest.raises(KeyboardInterrupt):
        run_plan(plan, tmp_path / "out", progress=False)
    assert not is_running(processes[0].group)
    assert read_results(tmp_path / "out") == []


def test_a_process_that_cannot_be_started_is_a_row(one_cell, tmp_path, monkeypatch):
    def refuse(*args, **options):
        raise OSError("no more processes")

    monkeypatch.setattr(module, "CellProcess", refuse)
    assert run_plan(one_cell, tmp_path / "out", progress=False).failed == 1
    (row,) = read_results(tmp_path / "out")
    assert row["status"] == "failed: could not be started: no more processes"


@pytest.mark.parametrize(
    ("status", "limits", "retry", "settled"),
    [
        ("ok", Limits(99, 99), True, True),
        ("failed: ValueError: x", Limits(99, 99), False, True),
        ("failed: ValueError: x", Limits(99, 99), True, False),
        ("failed: time limit of 5 s", Limits(5, 99), False, True),
        ("failed: time limit of 5 s", Limits(6, 1), False, False),
        ("failed: memory limit of 1 GB", Limits(99, 1), False, True),
        ("failed: memory limit of 1 GB", Limits(5, 2), False, False),
        ("failed: RuntimeError: the data were changed during the run; start it again", Limits(5, 1), False, False),
    ],
)
def test_which_rows_stand(status, limits, retry, settled):
    row = {"status": status, "limits": {"seconds": 5, "memory_gb": 1}}
    assert module._settled(row, limits, retry) is settled


def test_another_plan_in_the_same_folder_reuses_what_it_can(one_cell, tmp_path, monkeypatch):
    out = tmp_path / "out"
    run_plan(one_cell, out, progress=False)
    two = toy_plan(one_cell.parent, 2, "two.toml")

    def refuse(*args, **options):
        raise OSError("not now")

    monkeypatch.setattr(module, "CellProcess", refuse)
    report = run_plan(two, out, progress=False)
    assert (report.cells, report.reused, report.ran) == (2, 1, 1)
    assert [line["name"] for line in read_journal(out) if line["kind"] == "plan"] == ["one", "two"]
    assert [row["inputs"]["seed"] for row in read_results(out)] == [0, 1]


def test_a_folder_in_use_is_refused(one_cell, tmp_path, monkeypatch):
    monkeypatch.setattr("manyview.bench.journal.LOCK_WAIT", 0.1)
    (tmp_path / "out").mkdir()
    with Journal(tmp_path / "out" / "journal.jsonl"), pytest.raises(ValueError, match="another run"):
        run_plan(one_cell, tmp_path / "out", progress=False)


def test_jobs_must_be_positive(one_cell, tmp_path):
    with pytest.raises(ValueError, match="jobs must be at least 1, not 0"):
        run_plan(one_cell, tmp_path / "out", jobs=0)
