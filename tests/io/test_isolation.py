"""The process that parses: what ends it is an answer for one file, and the other files still get theirs."""

import sys

import pytest
from numpy.testing import assert_array_equal

from manyview.io import isolation
from manyview.io.isolation import Request, parse, parse_or_raise
from manyview.io.values import Cell

# the real program with a parser that does what the file's name says
MISBEHAVING = """
import ctypes, os, sys
from pathlib import Path
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

program.READERS["mat5"] = (".", "read")
program.read = read
sys.modules["_isolated."] = program
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
    with pytest.raises(ValueError, match=complaint) as caught:
        parse_or_raise([Request("mat5", tmp_path / name)], time_limit=2.0, memory_limit=4 * 2**30)
    assert str(tmp_path / name) in str(caught.value)


def test_a_program_that_cannot_start_is_not_blamed_on_the_file(monkeypatch, tmp_path):
    monkeypatch.setattr(isolation, "START", "import no_such_module")
    with pytest.raises(RuntimeError, match=r"did not start \(exit code 1\)(.|\n)*no_such_module"):
        parse_or_raise([Request("mat5", tmp_path / "a")], time_limit=60, memory_limit=2**32)


def test_the_program_imports_nothing_else_of_ours(monkeypatch, tmp_path, tiny, write):
    """It starts fast because of that."""
    spy = f"; open({str(tmp_path / 'modules')!r}, 'w').write(' '.join(sys.modules))"
    monkeypatch.setattr(isolation, "START", isolation.START + spy)
    write.mat5(tmp_path / "a.mat", tiny, compressed=True)
    (answer,) = parse([Request("mat5", tmp_path / "a.mat")])
    assert not isinstance(answer, ValueError)
    assert [name for name, _ in answer] == ["X", "Y"]
    imported = {name.split(".")[0] for name in (tmp_path / "modules").read_text().split()}
    assert "scipy" in imported
    assert imported.isdisjoint({"manyview", "sklearn", "h5py", "pyarrow"})
