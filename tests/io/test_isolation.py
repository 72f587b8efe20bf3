"""The process that parses: what ends it is an answer for one file, and the other files still get theirs."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from numpy.testing import assert_array_equal

from manyview.io import isolation
from manyview.io.isolation import Request, parse, parse_or_raise
from manyview.io.values import Cell

# the real program with a parser that does what the file's name says
MISBEHAVING = """
import ctypes, os, sys
from pathlib import Path
from types import SimpleNamespace
sys.path.append(sys.argv[1])
import numpy as np
import _isolated.__main__ as program

def read(path, answer):
    name = Path(path).name
    if name == "crash": ctypes.string_at(0)
    if name == "exit": os._exit(7)
    if name == "flood": hoard = [np.zeros(2**27) for _ in range(64)]
    if name == "hang":
        while True: pass
    if name == "recursion": read(path, answer)
    print("noise on the standard output")
    answer.add("X", answer.cell((1, 2), [answer.array(np.arange(3.0)), answer.unusable("a struct")]))

sys.modules["_isolated.mat5"] = SimpleNamespace(read_mat5=read)
program.start()
"""


@pytest.fixture
def misbehaving(monkeypatch):
    monkeypatch.setattr(isolation, "START", MISBEHAVING)


def test_good_files_around_a_bad_one_are_answered(misbehaving, tmp_path):
    names = ["a", "crash", "b", "exit", "c", "recursion", "d"]
    answers = parse([Request("mat5", tmp_path / name) for name in names], time_limit=60)
    for name, answer in zip(names, answers, strict=True):
        if len(name) > 1:
            assert isinstance(answer, ValueError)
            continue
        ((key, value),) = answer
        assert key == "X"
        assert isinstance(value, Cell)
        assert_array_equal(value.items[0], [0.0, 1.0, 2.0])


@pytest.mark.parametrize(
    "name, complaint",
    [
        ("exit", "ended the parser .exit code 7"),
        ("hang", "longer than time_limit"),
        ("recursion", "RecursionError"),
        pytest.param(
            "crash",
            "crashed the parser .SIGSEGV",
            marks=pytest.mark.skipif(sys.platform == "win32", reason="no signals"),
        ),
        pytest.param(
            "flood",
            "more memory than memory_limit",
            marks=pytest.mark.skipif(not sys.platform.startswith("linux"), reason="no limit on address space"),
        ),
    ],
)
def test_what_ends_the_parser_is_an_error_that_names_the_file(misbehaving, tmp_path, name, complaint):
    time_limit = 2.0 if name == "hang" else 120.0
    with pytest.raises(ValueError, match=complaint) as caught:
        parse_or_raise([Request("mat5", tmp_path / name)], time_limit=time_limit, memory_limit=4 * 2**30)
    assert str(tmp_path / name) in str(caught.value)


def test_a_program_that_cannot_start_is_not_blamed_on_the_file(monkeypatch, tmp_path):
    monkeypatch.setattr(isolation, "START", "import no_such_module")
    with pytest.raises(RuntimeError, match=r"did not start \(exit code 1\)(.|\n)*no_such_module"):
        parse_or_raise([Request("mat5", tmp_path / "a")], time_limit=60, memory_limit=2**32)


@pytest.mark.parametrize(
    "kind, own",
    [("mat5", {"scipy"}), ("npz", set()), ("csv", {"pyarrow"}), ("h5ad", {"h5py"})],
)
def test_the_program_imports_one_parser_and_nothing_of_ours(tmp_path, kind, own):
    """It starts fast because of that."""
    options = {"csv": {"header": None, "id_names": []}, "h5ad": {"keys": None, "label_names": []}}.get(kind, {})
    program = f"""
import sys
sys.path.append({str(Path(isolation.__file__).parent)!r})
from _isolated.__main__ import parse
parse({kind!r}, {str(tmp_path / "missing")!r}, {options}, 2**30)
import {", ".join(own | {"sys"})}
print(*{{name.split(".")[0] for name in sys.modules}})
"""
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True)
    imported = set(done.stdout.split())
    assert "numpy" in imported
    assert imported.isdisjoint({"manyview", "sklearn", "scipy", "h5py", "pyarrow", "openpyxl", "pandas"} - own)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds the parser in /proc")
def test_a_killed_caller_leaves_no_parser_and_no_file(tmp_path):
    (tmp_path / "tmp").mkdir()
    hang = f"""
import os, sys
sys.path.append(sys.argv[1])
import _isolated.__main__ as program
from types import SimpleNamespace

def read(path, answer):
    open({str(tmp_path / "pid")!r}, "w").write(str(os.getpid()))
    while True: pass

sys.modules["_isolated.mat5"] = SimpleNamespace(read_mat5=read)
program.start()
"""
    caller = f"""
from pathlib import Path
from manyview.io import isolation
isolation.START = {hang!r}
isolation.parse([isolation.Request("mat5", Path("x"))], time_limit=200.0)
"""
    environment = os.environ | {"TMPDIR": str(tmp_path / "tmp"), "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen([sys.executable, "-c", caller], env=environment)
    pid = wait_for(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
    process.kill()
    process.wait()
    assert wait_for(lambda: not is_running(int(pid)))
    assert list((tmp_path / "tmp").iterdir()) == []


def wait_for(condition):
    """Patience ends only with the time limit of the test."""
    while not (found := condition()):
        time.sleep(0.01)
    return found


def is_running(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"  # nobody may be there to collect it
