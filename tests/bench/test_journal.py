import json
import os
import subprocess
import sys

import pytest

from manyview.bench import journal as module
from manyview.bench.journal import Journal, read_journal

ROWS = [{"kind": "result", "n": n, "text": "ü\n" * n, "x": 0.1 + n} for n in range(3)]


def write(path, rows):
    with Journal(path) as journal:
        for row in rows:
            journal.append(row)


def test_rows_come_back_as_written(tmp_path):
    write(tmp_path / "j", ROWS)
    assert read_journal(tmp_path / "j") == ROWS


def test_a_run_folder_stands_for_its_journal(tmp_path):
    write(tmp_path / "journal.jsonl", ROWS)
    assert read_journal(tmp_path) == ROWS


def test_no_journal_has_no_rows(tmp_path):
    assert read_journal(tmp_path / "none") == []


def test_every_torn_last_line_is_ignored_and_cut_before_the_next_append(tmp_path):
    path = tmp_path / "j"
    write(path, ROWS)
    whole = path.read_bytes()
    two_lines = whole[: whole[:-1].rindex(b"\n") + 1]
    for end in range(len(two_lines), len(whole)):
        path.write_bytes(whole[:end])
        assert read_journal(path) == ROWS[:2], end
        write(path, [{"n": "next"}])
        assert path.read_bytes() == two_lines + b'{"n":"next"}\n', end


def test_a_torn_line_longer_than_the_search_step_is_cut(tmp_path):
    path = tmp_path / "j"
    path.write_bytes(b'{"n":1}\n' + b"x" * 200_000)
    write(path, [{"n": 2}])
    assert read_journal(path) == [{"n": 1}, {"n": 2}]


def test_a_journal_that_is_one_torn_line_is_emptied(tmp_path):
    path = tmp_path / "j"
    path.write_bytes(b'{"n":' + b"1" * 70_000)
    write(path, [{"n": 2}])
    assert read_journal(path) == [{"n": 2}]


@pytest.mark.parametrize("line", [b"{broken", b"[1]", b"\xff"])
def test_a_damaged_line_inside_is_an_error_that_names_it(tmp_path, line):
    path = tmp_path / "j"
    path.write_bytes(b'{"n":1}\n' + line + b'\n{"n":3}\n')
    with pytest.raises(ValueError, match=r"j, line 2: .*remove that line"):
        read_journal(path)


def test_not_a_number_is_refused_and_leaves_no_trace(tmp_path):
    with Journal(tmp_path / "j") as journal:
        with pytest.raises(ValueError, match="not JSON compliant"):
            journal.append({"x": float("nan")})
        journal.append({"x": 1.0})
    assert read_journal(tmp_path / "j") == [{"x": 1.0}]


def test_short_writes_are_continued(tmp_path, monkeypatch):
    real = os.write
    monkeypatch.setattr(module.os, "write", lambda file, data: real(file, data[:7]))
    write(tmp_path / "j", ROWS)
    assert read_journal(tmp_path / "j") == ROWS


def test_every_line_is_synced_before_append_returns(tmp_path, monkeypatch):
    path, synced = tmp_path / "j", []
    with Journal(path) as journal:
        monkeypatch.setattr(module.os, "fsync", lambda file: synced.append(path.read_bytes()))
        for row in ROWS:
            journal.append(row)
    assert [text.count(b"\n") for text in synced] == [1, 2, 3]


def test_there_is_one_writer_and_its_lock_dies_with_it(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LOCK_WAIT", 0.2)
    code = (
        "import runpy, sys, time\n"
        "with runpy.run_path(sys.argv[1])['Journal'](sys.argv[2]): print('locked', flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", code, module.__file__, tmp_path / "j"]
    holder = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline() == "locked\n"
        with pytest.raises(ValueError, match=rf"another run \(process {holder.pid}\)"):
            write(tmp_path / "j", ROWS)
    finally:
        holder.kill()
        holder.communicate()
    write(tmp_path / "j", ROWS)
    assert read_journal(tmp_path / "j") == ROWS


def test_lines_are_plain_json(tmp_path):
    write(tmp_path / "j", ROWS)
    assert [json.loads(line) for line in (tmp_path / "j").read_text().splitlines()] == ROWS
