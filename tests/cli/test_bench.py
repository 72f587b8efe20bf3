"""``manyview bench``: a tiny plan from the command line to tables."""

import pytest

PLAN = """
methods = ["concat-kmeans-l2"]
seeds = 2
metrics = ["acc"]
data = [{name = "easy", maker = "make_views", params = {n_samples = 60, n_clusters = 2, random_state = 0}}]
"""


@pytest.fixture
def plan(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(PLAN)
    return path


def test_plan_runs_once_and_is_summarized_again(run, plan, tmp_path):
    out = tmp_path / "out"
    first = run("bench", plan, "--out", out)
    assert first.exit_code == 0, first.stderr
    assert "2 cells: 2 run, 0 known, 0 failed." in first.stdout
    assert "concat-kmeans-l2 | 1.000 ± 0.000" in first.stdout
    assert f"  {out / 'summary.csv'}\n" in first.stdout
    again = run("bench", plan, "--out", out)
    assert "2 cells: 0 run, 2 known, 0 failed." in again.stdout
    (out / "summary.md").unlink()
    summarized = run("bench", "--summary", out)
    assert summarized.exit_code == 0
    assert "concat-kmeans-l2 | 1.000 ± 0.000" in summarized.stdout
    assert "cells:" not in summarized.stdout
    assert (out / "summary.md").exists()


def test_failed_cell_is_named_and_exit_code_is_one(run, plan, tmp_path):
    plan.write_text('methods = ["concat-kmeans-l2"]\ndata = ["absent.npz"]\n')
    result = run("bench", plan, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "1 failed" in result.stdout
    assert "absent" in result.stdout


@pytest.mark.parametrize(
    "words", [(), ("PLAN",), ("--out", "OUT"), ("PLAN", "--summary", "OUT"), ("--summary", "OUT", "--out", "OUT")]
)
def test_incomplete_or_contradictory_words_are_refused(run, plan, tmp_path, words):
    places = {"PLAN": plan, "OUT": tmp_path / "out"}
    result = run("bench", *(places.get(word, word) for word in words))
    assert result.exit_code == 2
    assert "Usage: manyview bench" in result.stderr
    assert not (tmp_path / "out").exists()


def test_broken_plan_is_one_line(run, plan, tmp_path):
    plan.write_text(PLAN.replace("seeds", "sedes"))
    result = run("bench", plan, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "manyview: cannot run the plan: tiny.toml: sedes: unknown key" in result.stderr
    assert result.stderr.count("\n") == 1


def test_summary_of_nothing_is_one_line(run, tmp_path):
    result = run("bench", "--summary", tmp_path)
    assert result.exit_code == 2
    assert result.stderr.startswith("manyview: cannot summarize the run: ")
