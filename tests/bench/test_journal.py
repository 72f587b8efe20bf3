import json
import os
import subprocess
import sys

import pytest

from manyview.bench import journal as module
from manyview.bench.journal import Journal, read_journal

ROWS = [{"kind": "note", "n": n, "text": "ü\n" * n, "x": 0.1 + n} for n in range(3)]
NOTE = {"kind": "note"}


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
        write(path, [NOTE])
        assert path.read_bytes() == two_lines + b'{"kind":"note"}\n', end


def test_a_torn_line_longer_than_the_search_step_is_cut(tmp_path):
    path = tmp_path / "j"
    path.write_bytes(b'{"kind":"note"}\n' + b"x" * 200_000)
    write(path, [NOTE])
    assert read_journal(path) == [NOTE, NOTE]


def test_a_journal_that_is_one_torn_line_is_emptied(tmp_path):
    path = tmp_path / "j"
    path.write_bytes(b'{"n":' + b"1" * 70_000)
    write(path, [NOTE])
    assert read_journal(path) == [NOTE]


@pytest.mark.parametrize(
    "line",
    [
        b"{broken",
        b"[1]",
        b"\xff",
        b"{}",
        b'{"kind":[]}',
        b'{"kind":"result"}',
        b'{"kind":"plan","name":"p","metrics":[],"cells":[{}]}',
        b'{"kind":"result","key":"k","inputs":{},"limits":{},"status":"ok","result":null,"measured":{}}',
        b"[" * 100_000,
    ],
    ids=lambda line: line[:60].decode(errors="replace"),
)
def test_a_damaged_line_inside_is_an_error_that_names_it(tmp_path, line):
    path = tmp_path / "j"
    path.write_bytes(b'{"kind":"note"}\n' + line + b'\n{"kind":"note"}\n')
    with pytest.raises(ValueError, match=r"j, line 2\b.*remove that line"):
        read_journal(path)


def test_not_a_number_is_refused_and_leaves_no_trace(tmp_path):
    with Journal(tmp_path / "j") as journal:
        with pytest.raises(ValueError, match="not JSON compliant"):
            journal.append({"x": float("nan")})
        journal.append(NOTE)
    assert read_journal(tmp_path / "j") == [NOTE]


def test_an_ok_row_without_scores_is_damaged(tmp_path, inputs_with):
    row = {"kind": "result", "key": "k", "inputs": inputs_with(), "status": "ok", "result": None, "measured": {}}
    write(tmp_path / "j", [row | {"limits": {"seconds": 1.0, "memory_gb": 1.0}}])
    with pytest.raises(ValueError, match="j, line 1: 'result' is missing or damaged"):
        read_journal(tmp_path / "j")


def test_a_lone_surrogate_becomes_a_question_mark(tmp_path):
    write(tmp_path / "j", [NOTE | {"status": "failed: ValueError: \udc80 ü"}])
    assert read_journal(tmp_path / "j") == [NOTE | {"status": "failed: ValueError: ? ü"}]


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
        "import sys, time\nfrom manyview.bench.journal import Journal\n"
        "with Journal(sys.argv[1]): print('locked', flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", code, tmp_path / "j"]
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
