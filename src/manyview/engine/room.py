"""How much memory this process may still take, as far as the system tells."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

# of a control group: what it may take, what it has taken, and which lines of memory.stat are files that can be let go
GROUP_FILES = {
    "v2": ("memory.max", "memory.current", ("active_file", "inactive_file")),
    "v1": ("memory.limit_in_bytes", "memory.usage_in_bytes", ("total_active_file", "total_inactive_file")),
}


def available_memory(root: Path = Path("/"), /) -> int | None:
    """Bytes: the least of what the system has free and of what limits leave; None where the system does not say."""
    if not (root / "proc/meminfo").exists():
        return None
    free = _numbers(root / "proc/meminfo")["MemAvailable:"] * 1024
    return max(min([free, *_left_by_limits(root), *_left_by_groups(root)]), 0)


def _left_by_limits(root: Path) -> Iterator[int]:
    """Of the address space and of the data of this process (ulimit)."""
    import resource  # where there is /proc, there is this

    status = _numbers(root / "proc/self/status")
    for limit, taken in ((resource.RLIMIT_AS, "VmSize:"), (resource.RLIMIT_DATA, "VmData:")):
        most, _ = resource.getrlimit(limit)
        if most != resource.RLIM_INFINITY:
            yield most - status[taken] * 1024


def _left_by_groups(root: Path) -> Iterator[int]:
    """Of the control groups that this process is in, as containers and batch systems have them."""
    membership = root / "proc/self/cgroup"
    for line in membership.read_text().splitlines() if membership.exists() else ():
        _, controllers, path = line.split(":", 2)
        if controllers in ("", "memory"):
            mount = root / "sys/fs/cgroup" / controllers
            group = mount / path.lstrip("/")
            for folder in (group, *group.parents):  # every one of them limits
                if folder == mount.parent:
                    break
                yield from _left_by_group(folder, *GROUP_FILES["v1" if controllers else "v2"])


def _left_by_group(folder: Path, limit: str, usage: str, files: tuple[str, ...]) -> Iterator[int]:
    try:
        most, taken = (folder / limit).read_text().strip(), int((folder / usage).read_text())
        cached = _numbers(folder / "memory.stat")
    except OSError:  # a group that cannot be seen from inside a container
        return
    if most != "max":
        yield int(most) - taken + sum(cached.get(name, 0) for name in files)


def _numbers(file: Path) -> dict[str, int]:
    """Lines of a name and a number."""
    pairs = (line.split() for line in file.read_text().splitlines())
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) > 1 and pair[1].isdecimal()}
