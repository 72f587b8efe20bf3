"""Kills, Ctrl-C, two writers, a full disk: a result folder is whole or absent, and the next run cleans up."""

import errno
import json
import os
import subprocess
import sys

import pytest

from manyview.cli import cluster as command
from manyview.io import read_views, whole, write_views
from manyview.result import FILES

WHOLE = sorted(name for name in FILES if not name.startswith("report"))

# One process imports the program; its children run the command and are killed at a stage, at a step of the writing, or
# at some moment. It prints what each left behind.
SCRIPT = """
import json, os, random, signal, sys, time
from pathlib import Path
import manyview.io.labels, manyview.result
from manyview.cli.app import app
from manyview.cli.screen import Stages
from manyview.io import whole

folder, table = Path(sys.argv[1]), sys.argv[2]

def run(out):
    try:
        app(["cluster", table, "-k", "3", "--jobs", "1", "-q", "--no-report", "--out", str(out)])
    except SystemExit as end:
        return end.code or 0

def child(work):
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            code = work()
        finally:
            os._exit(code)
    return pid

def code_of(pid):
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

def killed_at(out, moment):
    if moment.startswith("stage "):
        call = Stages.__call__
        name = moment.removeprefix("stage ")
        Stages.__call__ = lambda self, stage, *rest: die() if stage == name else call(self, stage, *rest)
    else:
        places = manyview.result, manyview.io.labels, whole
        setattr(next(place for place in places if hasattr(place, moment)), moment, die)
    return run(out)

def left(out):
    names = sorted(path.name for path in out.iterdir()) if out.exists() else None
    return names, len([path for path in out.parent.iterdir() if path.name.startswith(".")])

found = {}
moments = ["stage " + name for name in ("reading", "geometry", "anchors", "candidates", "labels", "writing")]
for moment in [*moments, "write_labels", "optional", "_rename", "_flush"]:
    out = folder / moment.replace(" ", "-") / "r"
    found[moment] = code_of(child(lambda: killed_at(out, moment))), *left(out)
    if not moment.startswith("stage ") or moment == "stage writing":
        code_of(child(lambda: run(out)))
        found["after " + moment] = left(out)
draw = random.Random(0)
for seed in range(4):
    out = folder / f"random-{seed}" / "r"
    pid = child(lambda: run(out))
    time.sleep(draw.uniform(0, 1.5))
    os.kill(pid, signal.SIGKILL)
    code_of(pid)
    found[f"random {seed}"] = left(out)
out = folder / "two" / "r"
pids = [child(lambda: run(out)) for _ in range(2)]
found["two"] = sorted(map(code_of, pids)), *left(out)
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found(tables, tmp_path_factory):
    if not hasattr(os, "fork"):
        pytest.skip("os.fork is needed to kill a child at a chosen moment")
    folder = tmp_path_factory.mktemp("faults")
    write_views(read_views(tables, id_column="sample"), folder / "data.npz")
    command = [sys.executable, "-c", SCRIPT, str(folder), str(folder / "data.npz")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_killed_at_any_stage_leaves_no_folder_and_the_next_run_cleans_up(found):
    moments = [moment for moment in found if len(found[moment]) == 3 and moment != "two"]
    assert len(moments) == 10
    for moment in moments:
        assert found[moment][:2] == [-9, None], moment
        assert found.get(f"after {moment}", [WHOLE, 0]) == [WHOLE, 0], moment
    assert sum(found[moment][2] for moment in moments) >= 3  # what a kill while writing leaves is hidden


def test_killed_at_some_moment_leaves_a_whole_folder_or_none(found):
    left = [found[f"random {seed}"][0] for seed in range(4)]
    assert [names for names in left if names not in (None, WHOLE)] == []


def test_of_two_processes_one_writes_the_folder(found):
    codes, names, hidden = found["two"]
    assert (codes, names, hidden) == ([0, 2], WHOLE, 0)


def test_ctrl_c(tables, run, monkeypatch, tmp_path):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "read_inputs", interrupted)
    result = run("cluster", tables, "--id", "sample", "--out", tmp_path / "r")
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "manyview: interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_while_libraries_are_loaded(tmp_path):
    (tmp_path / "joblib.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    command = [sys.executable, "-c", "from _manyview import main; main()", "doctor"]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "manyview: interrupted\n")


def test_full_disk(tables, refused, monkeypatch, tmp_path):
    def full(path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(whole, "_flush", full)
    line = refused("cluster", tables, "--id", "sample", "-k", 3, "--no-report", "--out", tmp_path / "r")
    assert line == f"manyview: cannot cluster: {tmp_path / 'r'}: {os.strerror(errno.ENOSPC)}"
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_told_before_the_work(tables, refused, tmp_path):
    (tmp_path / "file").write_text("")
    line = refused("cluster", tables, "--id", "sample", "--out", tmp_path / "file" / "r")
    assert f"--out {tmp_path / 'file' / 'r'}: cannot write to {tmp_path / 'file'}" in line


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_told_before_the_work(tables, refused, tmp_path):
    tmp_path.chmod(0o500)
    assert "cannot write to" in refused("cluster", tables, "--id", "sample", "--out", tmp_path / "r")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_full_standard_output_is_one_line(program, tmp_path):
    (tmp_path / "a.csv").write_text("id,label\nx,1\ny,2\n")
    with open("/dev/full", "w") as full:
        command = [program, "compare", tmp_path / "a.csv", tmp_path / "a.csv"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("manyview: cannot write to standard output: ")
    assert done.stderr.count("\n") == 1
