"""Interrupting, resuming, repeating. MANYVIEW_BENCH_KILLS=20 does the kill test at length, with 30 cells."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest

import manyview
from manyview.bench import differences, read_journal, read_results, run_plan
from manyview.bench import run as module
from manyview.bench.journal import Journal
from manyview.bench.plan import Limits

KILLS = int(os.environ.get("MANYVIEW_BENCH_KILLS", "2"))
RUN = "import sys; from manyview.bench import run_plan; run_plan(*sys.argv[1:], jobs=2, progress=False)"


def toy_plan(folder, n_cells, name="kills.toml"):
    path = folder / name
    path.write_text(f"""
    seeds = {n_cells}
    data = [{{name = "toy", maker = "toys:data"}}]
    methods = [{{name = "quick", estimator = "toys:Quick", params = {{wait = 0.5}}, record = ["center_"]}}]
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


def run_with_kills(plan, out, environment, *, n_kills, steps, seconds, rng):
    """Start a run, wait for up to `steps` rows and up to `seconds` more, kill it; `n_kills` times; then let it finish.

    Returns how often it was killed while at work, and which seeds were begun although they were done before.
    """
    killed, redone, log = 0, [], out.with_suffix(".log")
    for kill in [True] * n_kills + [False]:
        done, begun = done_seeds(out), len(logged(log))
        process = subprocess.Popen([sys.executable, "-c", RUN, plan, out], env=environment | {"TOY_LOG": str(log)})
        target = len(done) + rng.randint(0, steps)
        while kill and len(done_seeds(out)) < target and process.poll() is None:
            time.sleep(0.01)
        try:
            assert process.wait(rng.uniform(0, seconds) if kill else None) == 0
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            killed += 1
        redone += [seed for seed, _ in logged(log)[begun:] if seed in done]
    assert not [pid for _, pid in logged(log) if is_running(pid)]
    return killed, redone


@pytest.mark.timeout(7200)
def test_killed_at_random_moments_it_ends_as_if_nothing_had_happened(toys, frozen_code, tmp_path):
    n_cells, n_kills, steps = (2, 2, 1) if KILLS <= 3 else (30, 5, 6)
    plan, environment = toy_plan(toys, n_cells), os.environ | {"PYTHONPATH": str(frozen_code)}
    started = time.monotonic()
    subprocess.run([sys.executable, "-c", RUN, plan, tmp_path / "whole"], env=environment, check=True)
    seconds = (time.monotonic() - started) / n_cells

    seed, killed, rounds = random.randrange(1000), 0, 0
    rng = random.Random(seed)
    while killed < KILLS:
        out = tmp_path / f"round-{rounds}"
        kills, redone = run_with_kills(plan, out, environment, n_kills=n_kills, steps=steps, seconds=seconds, rng=rng)
        killed, rounds = killed + kills, rounds + 1
        assert redone == [], seed
        assert differences(tmp_path / "whole", out) == [], seed
        keys = Counter(row["key"] for row in read_journal(out) if row["kind"] == "result")
        assert (len(keys), set(keys.values())) == (n_cells, {1}), seed
        print(f"{n_cells} cells: killed {kills} times, {len(logged(out.with_suffix('.log')))} fits begun")


@pytest.fixture(autouse=True)
def code_that_nobody_edits(frozen_code, monkeypatch):
    monkeypatch.setattr(manyview, "__file__", str(frozen_code / "manyview" / "__init__.py"))


@pytest.fixture
def one_cell(toys):
    return toy_plan(toys, 1, "one.toml")


def refuse(*args, **options):
    raise OSError("no more processes")


def test_what_is_done_is_not_repeated(one_cell, tmp_path, monkeypatch):
    out = tmp_path / "out"
    first = run_plan(one_cell, out, progress=False)
    assert (first.cells, first.ran, first.reused, first.failed) == (1, 1, 0, 0)
    journal = first.journal.read_bytes()
    monkeypatch.setattr(module, "CellProcess", refuse)
    again = run_plan(one_cell, out, progress=False)
    assert (again.cells, again.ran, again.reused, again.failed) == (1, 0, 1, 0)
    assert first.journal.read_bytes() == journal

    larger = run_plan(toy_plan(one_cell.parent, 2, "two.toml"), out, progress=False)
    assert (larger.cells, larger.ran, larger.reused, larger.failed) == (2, 1, 1, 1)
    assert [line["name"] for line in read_journal(out) if line["kind"] == "plan"] == ["one", "two"]
    assert [row["status"] for row in read_results(out)] == ["ok", "failed: could not be started: no more processes"]


def test_cells_of_a_shared_journal_are_taken_over(one_cell, tmp_path, monkeypatch):
    run_plan(one_cell, tmp_path / "first", progress=False)
    monkeypatch.setattr(module, "CellProcess", refuse)
    two, second, absent = toy_plan(one_cell.parent, 2, "two.toml"), tmp_path / "second", tmp_path / "none"
    report = run_plan(two, second, share=[absent, tmp_path / "first"], progress=False)
    assert (report.ran, report.reused, report.failed) == (1, 1, 1)  # seed 1 is in no journal, and nothing can start
    assert read_results(second)[0] == read_results(tmp_path / "first")[0]
    again = run_plan(two, second, share=[tmp_path / "first"], progress=False)
    assert again.ran == 0
    assert len([line for line in read_journal(second) if line["kind"] == "result"]) == 2  # none was taken over twice


def test_folders_of_the_user_stay(one_cell, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "CellProcess", refuse)
    kept = [tmp_path / ".code" / "mine.txt", tmp_path / ".code-mine" / "manyview" / "mine.py"]
    left = tmp_path / ".code-left"  # by a killed run, and then found useful by somebody
    for file in (*kept, left / "manyview" / "__init__.py", left / "mine.txt", left / module.MARK):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("mine")
    run_plan(one_cell, tmp_path, progress=False)
    assert [file.read_text() for file in kept] == ["mine", "mine"]
    assert [path.name for path in left.iterdir()] == ["mine.txt"]
    assert sorted(path.name for path in tmp_path.glob(".code*")) == [".code", ".code-left", ".code-mine"]


def test_the_copy_of_a_killed_run_is_removed(one_cell, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "CellProcess", refuse)
    left = tmp_path / ".code-left"
    (left / "manyview").mkdir(parents=True)
    (left / module.MARK).touch()
    run_plan(one_cell, tmp_path, progress=False)
    assert list(tmp_path.glob(".code*")) == []


def test_failed_cells_are_repeated_on_demand(one_cell, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "CellProcess", refuse)
    assert run_plan(one_cell, tmp_path, progress=False).failed == 1
    assert run_plan(one_cell, tmp_path, progress=False).ran == 0
    assert run_plan(one_cell, tmp_path, progress=False, retry_failed=True).ran == 1
    assert len([line for line in read_journal(tmp_path) if line["kind"] == "result"]) == 2
    assert len(read_results(tmp_path)) == 1


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
        ("failed: not installed: no_such_package.cluster", Limits(99, 99), False, True),
        ("failed: not installed: sklearn.cluster", Limits(5, 1), False, False),
        ("failed: RuntimeError: the data were changed during the run; start it again", Limits(5, 1), False, False),
    ],
)
def test_which_rows_stand(status, limits, retry, settled):
    row = {"status": status, "limits": {"seconds": 5, "memory_gb": 1}}
    assert module._settled(row, limits, retry) is settled


def test_a_folder_in_use_is_refused(one_cell, tmp_path, monkeypatch):
    monkeypatch.setattr("manyview.bench.journal.LOCK_WAIT", 0.1)
    (tmp_path / "out").mkdir()
    with Journal(tmp_path / "out" / "journal.jsonl"), pytest.raises(ValueError, match="another run"):
        run_plan(one_cell, tmp_path / "out", progress=False)


def test_jobs_must_be_positive(one_cell, tmp_path):
    with pytest.raises(ValueError, match="jobs must be at least 1, not 0"):
        run_plan(one_cell, tmp_path / "out", jobs=0)
