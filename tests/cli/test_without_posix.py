"""The command line where Python lacks what only POSIX systems have, as on Windows: only running a plan needs it."""

import json
import subprocess
import sys

import pytest

from manyview.bench import run_plan

# imported first, for libraries ask which system they run on, and this one is not Windows
LIBRARIES = "import distributed, h5py, joblib, matplotlib.pyplot, pyarrow, rich, scipy, sklearn, typer\n"
WITHOUT_MODULES = """import sys
MODULES = "crypt fcntl grp nis ossaudiodev pty pwd readline resource spwd syslog termios tty"
sys.modules |= dict.fromkeys(MODULES.split())
"""
WITHOUT_NAMES = """import os, signal
for name in "fork forkpty getuid killpg mkfifo pread pwrite setsid sysconf".split():
    delattr(os, name)
for name in "SIGALRM SIGHUP SIGKILL setitimer".split():
    delattr(signal, name)
from pathlib import Path
exists = Path.exists
Path.exists = lambda path: not str(path).startswith("/proc") and exists(path)
"""
WITHOUT = LIBRARIES + WITHOUT_MODULES + WITHOUT_NAMES
EVERYTHING = """import importlib, pkgutil, manyview
for module in pkgutil.walk_packages(manyview.__path__, "manyview."):
    if not module.name.endswith(("__main__", "._compiled")):  # a program, and a library without a module
        importlib.import_module(module.name)
"""
AT_EXIT = "import atexit; atexit.register(lambda: print('manyview.bench' in sys.modules))\n"
MAIN = "from manyview.cli import main; main()"


def python(code, *words, folder):
    """A new Python runs the code with these words on its command line."""
    command = [sys.executable, "-c", code, *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    """The journal of a plan whose data are absent."""
    folder = tmp_path_factory.mktemp("run")
    (folder / "plan.toml").write_text('data = ["absent.npz"]\nmethods = ["concat-kmeans-z"]')
    run_plan(folder / "plan.toml", folder, progress=False)
    return folder


def test_every_module_is_imported(tmp_path):
    done = python(WITHOUT + EVERYTHING, folder=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import manyview", ()),
        ("import manyview.report, manyview.cli.demo, manyview.cli.tables", ()),
        ("import typer.main; from manyview.cli.app import app; typer.main.get_command(app)", ()),
        (MAIN, ("--help",)),
        (MAIN, ("bench", "--help")),
    ],
    ids=["package", "report", "app", "help", "help of bench"],
)
def test_nothing_but_a_benchmark_loads_the_benchmarks(code, words, tmp_path):
    done = python(WITHOUT_MODULES + AT_EXIT + code, *words, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "False"


def test_the_demo_runs(tmp_path):
    done = python(WITHOUT + MAIN, "demo", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "manyview-demo" / "report.html").exists()


def test_a_run_is_summarized(run_folder):
    done = python(WITHOUT + MAIN, "bench", "--summary", str(run_folder), folder=run_folder)
    assert done.returncode == 0, done.stderr
    assert "data not present: absent.npz" in done.stdout


def test_a_plan_is_refused_in_one_line(run_folder):
    done = python(WITHOUT_MODULES + MAIN, "bench", "plan.toml", "--out", "out", folder=run_folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "manyview: cannot run the plan: Benchmarks run on Linux and macOS only: Python has no module fcntl here. "
        "Summaries work everywhere.\n"
    )


@pytest.mark.parametrize(
    ("line", "told"),
    [("{}", "'kind' is missing or damaged"), ("[" * 100_000, "not JSON"), (json.dumps({"kind": "plan"}), "'name' is")],
    ids=["empty", "deep", "plan"],
)
def test_a_damaged_journal_is_one_line(tmp_path, line, told):
    (tmp_path / "journal.jsonl").write_text(line + "\n")
    done = python(MAIN, "bench", "--summary", ".", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"manyview: cannot summarize the run: journal.jsonl, line 1: {told}")
    assert done.stderr.count("\n") == 1
