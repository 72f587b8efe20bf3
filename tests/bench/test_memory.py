import os
import shutil
import subprocess
import sys

import pytest

from manyview.bench import memory
from manyview.bench.memory import MemoryWatch, own_peak

# one write call, so that the words of two processes cannot mix in the pipe
HOLD = "import os; kept = bytearray(b'x') * 80_000_000; os.write(1, b'full\\n'); input()"


@pytest.fixture
def group_of_two():
    """Two processes of one group that hold 80 MB each."""
    first = subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', {HOLD!r}]); {HOLD}",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert [first.stdout.readline() for _ in range(2)] == ["full\n"] * 2
        yield first.pid
    finally:
        os.killpg(first.pid, 9)
        first.communicate()


def test_memory_of_a_group_is_that_of_all_its_processes(group_of_two):
    assert 160e6 < MemoryWatch().resident()[group_of_two] < 260e6


@pytest.mark.skipif(shutil.which("ps") is None, reason="needs ps")
def test_without_proc_the_figures_come_from_ps(group_of_two, monkeypatch, tmp_path):
    monkeypatch.setattr(memory, "_PROC", tmp_path)
    assert 160e6 < MemoryWatch().resident()[group_of_two] < 260e6


def test_a_peak_stays_after_the_memory_is_given_back():
    code = (
        "import runpy, sys\n"
        "own_peak = runpy.run_path(sys.argv[1])['own_peak']\n"
        "before = own_peak()\n"
        "kept = bytearray(b'x') * 300_000_000\n"
        "del kept\n"
        "print(before, own_peak())"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code, memory.__file__], capture_output=True, text=True, check=True
    ).stdout
    before, after = map(int, shown.split())
    assert after > 300e6
    assert before < 300e6


@pytest.mark.skipif(sys.platform != "linux", reason="compares the two sources of Linux")
def test_the_other_source_of_the_peak_is_in_the_same_unit(monkeypatch, tmp_path):
    monkeypatch.setattr(memory, "_PROC", tmp_path)
    from_usage = own_peak()
    monkeypatch.undo()
    assert 0.5 < from_usage / own_peak() < 20
