import signal
import subprocess
import sys
from pathlib import Path

import pytest

from manyview.io import whole
from manyview.io.whole import whole_file, whole_folder

# ends at the given step of the writing, as if somebody pulled the plug
STOP = """
import os, signal, sys
from pathlib import Path

sys.path.append(sys.argv[3])
import whole

def stop(*_):
    os.kill(os.getpid(), signal.SIGKILL)

target, step = Path(sys.argv[1]), sys.argv[2]
write = whole.whole_folder if target.suffix == "" else whole.whole_file
if step in ("_flush", "_flush_folder"):
    setattr(whole, step, stop)
if step in ("replace", "rename"):
    setattr(os, step, stop)
with write(target) as part:
    file = part / "a.csv" if part.is_dir() else part
    file.write_text("new")
    if step == "write":
        stop()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
@pytest.mark.parametrize(
    "name, step, is_new",
    [
        ("a.npz", "write", False),
        ("a.npz", "_flush", False),
        ("a.npz", "replace", False),
        ("a.npz", "_flush_folder", True),
        ("folder", "write", False),
        ("folder", "rename", False),
    ],
)
def test_a_kill_leaves_the_old_or_the_new(tmp_path, name, step, is_new):
    target = tmp_path / name
    if name == "a.npz":
        target.write_text("old")
    done = subprocess.run([sys.executable, "-c", STOP, str(target), step, str(Path(whole.__file__).parent)])
    assert done.returncode == -signal.SIGKILL
    if name == "a.npz":
        assert target.read_text() == ("new" if is_new else "old")
    else:
        assert not target.exists()


@pytest.mark.parametrize("write", [whole_file, whole_folder])
def test_an_error_leaves_nothing(tmp_path, write):
    with pytest.raises(OSError, match="disk full"), write(tmp_path / "a"):
        raise OSError("disk full")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_there_at_the_end(tmp_path):
    with whole_folder(tmp_path / "a") as part:
        (part / "x").write_text("1")
        assert not (tmp_path / "a").exists()
    assert (tmp_path / "a" / "x").read_text() == "1"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
