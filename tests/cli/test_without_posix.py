"""The command line where Python lacks the modules of POSIX systems, as on Windows: only ``bench`` needs them."""

import subprocess
import sys

import pytest

WITHOUT = "import sys; sys.modules['fcntl'] = sys.modules['resource'] = None\n"
AT_EXIT = "import atexit; atexit.register(lambda: print('manyview.bench' in sys.modules))\n"
MAIN = "from manyview.cli import main; main()"


def python(code, *words, folder):
    """A new Python without these modules runs the code with these words on its command line."""
    command = [sys.executable, "-c", WITHOUT + code, *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


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
    done = python(AT_EXIT + code, *words, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "False"


def test_a_benchmark_is_refused_in_one_line(tmp_path):
    done = python(MAIN, "bench", "--summary", ".", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "manyview: this command runs on Linux and macOS only: Python has no module fcntl here\n"
