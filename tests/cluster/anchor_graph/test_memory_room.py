"""How much memory there is: the system, limits of the process, control groups."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from manyview.cluster.anchor_graph.memory import available_memory

GB = 10**9
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture
def machine(tmp_path):
    """A system that has 8 GB free, as files; control groups are added to it."""

    def write(name, text):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    write("proc/meminfo", f"MemTotal: 9999999 kB\nMemAvailable: {8 * GB // 1024} kB\nHugePages_Free: 0\n")
    write("proc/self/status", "Name:\tpython\nVmSize:\t 100 kB\nVmData:\t 50 kB\n")
    write("proc/self/cgroup", "3:cpu:/\n")
    return tmp_path, write


def near(value):
    return pytest.approx(value, abs=2048)


def test_what_the_system_has_free(machine):
    root, _ = machine
    assert available_memory(root) == near(8 * GB)


def test_where_the_system_does_not_say(tmp_path):
    assert available_memory(tmp_path) is None


def test_every_group_above_limits_and_files_in_memory_can_be_let_go(machine):
    root, write = machine
    write("proc/self/cgroup", "0::/jobs/mine\n")
    write("sys/fs/cgroup/jobs/mine/memory.max", "max\n")
    write("sys/fs/cgroup/jobs/mine/memory.current", f"{GB}\n")
    write("sys/fs/cgroup/jobs/mine/memory.stat", "anon 5\n")
    write("sys/fs/cgroup/jobs/memory.max", f"{4 * GB}\n")
    write("sys/fs/cgroup/jobs/memory.current", f"{3 * GB}\n")
    write("sys/fs/cgroup/jobs/memory.stat", f"anon {GB}\nactive_file {GB // 2}\ninactive_file {GB}\n")
    assert available_memory(root) == 4 * GB - 3 * GB + GB // 2 + GB


def test_groups_of_the_older_kind(machine):
    root, write = machine
    write("proc/self/cgroup", "5:cpu:/\n4:memory:/box\n0::/\n")
    write("sys/fs/cgroup/memory/box/memory.limit_in_bytes", f"{2 * GB}\n")
    write("sys/fs/cgroup/memory/box/memory.usage_in_bytes", f"{GB}\n")
    write("sys/fs/cgroup/memory/box/memory.stat", f"cache 7\ntotal_inactive_file {GB // 4}\n")
    assert available_memory(root) == GB + GB // 4


def test_a_group_that_is_not_visible_from_inside_a_container_is_passed_over(machine):
    root, write = machine
    write("proc/self/cgroup", "0::/host/only\n")
    write("sys/fs/cgroup/memory.max", f"{2 * GB}\n")
    write("sys/fs/cgroup/memory.current", f"{GB}\n")
    write("sys/fs/cgroup/memory.stat", "")
    assert available_memory(root) == GB


def test_more_than_allowed_is_taken(machine):
    root, write = machine
    write("proc/self/cgroup", "4:memory:/box\n")
    write("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "1000\n")
    write("sys/fs/cgroup/memory/box/memory.usage_in_bytes", "2000\n")
    write("sys/fs/cgroup/memory/box/memory.stat", "")
    assert available_memory(root) == 0


@pytest.mark.parametrize("limit", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_limits_of_the_process_itself(limit):
    """In a process of its own, because a limit cannot be raised again."""
    program = (
        "import resource, numpy; from manyview.cluster.anchor_graph.memory import available_memory\n"
        f"resource.setrlimit(resource.{limit}, (6 * 10**9, 6 * 10**9))\n"
        "first = available_memory(); held = numpy.ones(10**8); second = available_memory()\n"
        "assert 5e8 < first < 6e9, first\nassert 7e8 < first - second < 9e8, (first, second)"
    )
    one_thread = os.environ | {"OPENBLAS_NUM_THREADS": "1"}  # each has a stack of its own
    subprocess.run([sys.executable, "-c", program], check=True, env=one_thread, timeout=60)


@pytest.fixture
def real_group():
    """A control group of this system with 2 GB, where one may make one."""
    groups = Path("/sys/fs/cgroup/memory")
    folder = groups / f"manyview-{os.getpid()}"
    try:
        folder.mkdir()
        (folder / "memory.limit_in_bytes").write_text(str(2 * GB))
    except OSError:
        pytest.skip("needs the right to make a control group")
    yield folder
    folder.rmdir()


def test_a_real_group(real_group):
    program = (
        f"import os; open({str(real_group / 'cgroup.procs')!r}, 'w').write(str(os.getpid()))\n"
        "from manyview.cluster.anchor_graph.memory import available_memory\n"
        "assert 1.5e9 < available_memory() <= 2e9, available_memory()"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
