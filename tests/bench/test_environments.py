"""Cells that run in a Python of their own. The stand-in: a program that shows a folder of packages to this Python."""

import sys

import pytest

from manyview.bench import PlanError, read_plan, read_results, run_plan

PACKAGE = """
import numpy as np


class Thirds:
    def __init__(self, n_clusters, random_state):
        self.n_clusters = n_clusters

    def fit(self, views):
        self.spread_ = [float(view.std(axis=0).max()) for view in views]
        self.labels_ = np.arange(len(views[0])) % self.n_clusters
"""
ADAPTER = """
import peerpkg


class Adapter(peerpkg.Thirds):
    def fit(self, views):
        super().fit(views)
        self.labels_ = np.zeros(len(views[0]), dtype=int) if {zeros} else self.labels_


import numpy as np
"""
PLAN = """
data = [{name = "easy", maker = "make_views", params = {n_samples = 60, n_clusters = 3, random_state = 0}}]
environments = {other = {python = "other/python", packages = ["PeerPkg", "absent"], setup = "make other"}}
methods = [{name = "there", estimator = "%s", environment = "other", scale = "z", record = ["spread_"]}]
"""


@pytest.fixture
def other(tmp_path):
    """Makes the environment beside the plan: other(version) has the package ``peerpkg``, which this Python lacks."""

    def make(version="1.2"):
        site = tmp_path / "site"
        (site / "peerpkg.dist-info").mkdir(parents=True, exist_ok=True)
        (site / "peerpkg.py").write_text(PACKAGE)
        (site / "peerpkg.dist-info" / "METADATA").write_text(f"Name: peerpkg\nVersion: {version}\n")
        program = tmp_path / "other" / "python"
        program.parent.mkdir(exist_ok=True)
        program.write_text(f'#!/bin/sh\nPYTHONPATH="$PYTHONPATH:{site}" exec "{sys.executable}" "$@"\n')
        program.chmod(0o755)

    return make


@pytest.fixture
def run(write_plan, tmp_path):
    """Runs the plan with an estimator and returns the newest row and the number of cells that ran."""

    def run_it(estimator="peerpkg:Thirds", text=PLAN):
        report = run_plan(write_plan(text % estimator), tmp_path / "out", progress=False)
        return read_results(tmp_path / "out")[-1], report.ran

    return run_it


def test_a_method_runs_where_its_package_is(other, run):
    other()
    row, _ = run()
    assert row["status"] == "ok"
    assert row["result"]["n_clusters"] == 3
    assert row["result"]["recorded"]["spread_"] == pytest.approx([1.0] * len(row["result"]["recorded"]["spread_"]))
    assert row["inputs"]["method"]["environment"]["packages"] == {"PeerPkg": "1.2", "absent": None}


def test_the_same_method_fails_without_its_environment(other, run):
    other()
    row, _ = run(text=PLAN.replace('environment = "other", ', ""))
    assert row["status"] == "failed: not installed: peerpkg"


def test_an_environment_that_was_not_made_is_a_failure_that_says_how(run, other):
    row, _ = run()
    assert row["status"] == "failed: not installed: the environment other; make it with: make other"
    other()
    row, ran = run()
    assert (row["status"], ran) == ("ok", 1)


def test_another_version_is_another_cell(other, run):
    other()
    old, _ = run()
    assert run()[1] == 0
    other("1.3")
    new, ran = run()
    assert ran == 1
    assert new["key"] != old["key"]


def test_an_adapter_lies_beside_the_plan_and_counts(other, run, tmp_path):
    other()
    adapter = tmp_path / "adapter.py"
    adapter.write_text(ADAPTER.format(zeros=False))
    assert run("adapter:Adapter")[0]["result"]["n_clusters"] == 3
    adapter.write_text(ADAPTER.format(zeros=True))
    row, ran = run("adapter:Adapter")
    assert (row["result"]["n_clusters"], ran) == (1, 1)


def test_packages_of_this_python_do_not_leak(other, run, tmp_path, monkeypatch):
    other()
    leak = tmp_path / "leak"
    leak.mkdir()
    (leak / "peerpkg.py").write_text("raise RuntimeError('the wrong one')")
    monkeypatch.setenv("PYTHONPATH", str(leak))
    assert run()[0]["status"] == "ok"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ('environment = "other"', 'environment = "othr"'),
            r"methods\[0\].environment: 'othr' is none of environments",
        ),
        (('python = "other/python"', 'pyton = "x"'), "environments.other.python: is missing"),
        (('setup = "make other"', "steup = 1"), "environments.other.steup: unknown key; did you mean 'setup'"),
        (('scale = "z"', 'scale = "raw"'), "scale: 'raw' is none of z, l2"),
        (('scale = "z"', 'scale = "z", concatenate = "z"'), "scale: is for lists of views"),
    ],
)
def test_mistakes_are_named(write_plan, change, message):
    with pytest.raises(PlanError, match=message):
        read_plan(write_plan((PLAN % "peerpkg:Thirds").replace(*change)))
