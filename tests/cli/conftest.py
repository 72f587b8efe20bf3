"""The commands, called inside this process, the installed program, and small files for both."""

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from manyview.cli.app import app
from manyview.datasets import make_views

NAMES = ("image", "sound", "words")


@pytest.fixture
def run(monkeypatch):
    """run("demo", "--seed", 1): the result, with stdout, stderr and exit_code."""
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("NO_COLOR", "1")
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)


@pytest.fixture
def refused(run):
    """refused("cluster", …): the one line on standard error of a command that ends with exit code 2."""

    def line(*words):
        result = run(*words)
        assert (result.exit_code, result.stdout) == (2, ""), result.output
        assert result.stderr.count("\n") == 1, result.stderr
        return result.stderr.removesuffix("\n")

    return line


@pytest.fixture(scope="session")
def program():
    """The entry point that the installation made."""
    path = Path(sys.executable).with_name("manyview")
    assert path.exists(), "the package is not installed: pip install -e ."
    return path


def write_csv(path, columns, *, delimiter=","):
    """Write columns by name as a csv file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def clusters(path):
    """The sets of ids that a file of labels puts together."""
    found = {}
    for row in read_csv(path):
        found.setdefault(row["label"], set()).add(row["id"])
    return {frozenset(ids) for ids in found.values()}


@pytest.fixture(scope="session")
def columns():
    """Columns of three views by name, of 60 samples in 3 clusters with ids s00 … s59 in the column "sample"."""
    data = make_views(n_samples=60, n_clusters=3, widths=(4, 5, 6), random_state=0)
    ids = [f"s{i:02d}" for i in range(60)]
    return {
        name: {"sample": ids} | {f"{name}_{j}": view[:, j].round(6).tolist() for j in range(view.shape[1])}
        for name, view in zip(NAMES, data.views.values(), strict=True)
    }


@pytest.fixture(scope="session")
def tables(columns, tmp_path_factory):
    """A folder of csv files, the rows of each in an order of its own."""
    folder = tmp_path_factory.mktemp("data") / "tables"
    for seed, (name, own) in enumerate(columns.items()):
        order = np.random.default_rng(seed).permutation(60)
        write_csv(folder / f"{name}.csv", {key: [values[row] for row in order] for key, values in own.items()})
    return folder


@pytest.fixture
def changed(columns, tmp_path):
    """changed(image=…): csv files of which these have the columns that a function makes of theirs."""

    def files(**changes):
        made = {name: changes.get(name, dict)(dict(own)) for name, own in columns.items()}
        return [write_csv(tmp_path / "changed" / f"{name}.csv", own) for name, own in made.items()]

    return files


@pytest.fixture(scope="session")
def clustered(tables, program, tmp_path_factory):
    """A result folder, and the finished process that wrote it: the installed program on three files."""
    out = tmp_path_factory.mktemp("made") / "result"
    files = [str(path) for path in sorted(tables.iterdir())]
    command = [str(program), "cluster", *files, "--id", "sample", "-k", "3", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return out, done
