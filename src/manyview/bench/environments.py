"""Environments of a plan: methods whose packages shall not be installed beside this one run in a Python of their own.

The cells of such a method are run by that Python, on the same copy of this package and the same data. It must have what
this package needs (NumPy, SciPy, scikit-learn, threadpoolctl). What is installed there is a part of a cell's key.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from manyview.bench.keys import Place, Table
from manyview.bench.version import LIBRARIES

_LIST = (
    "import importlib.metadata as m, json, platform\n"
    "found = {d.metadata['Name'].lower(): d.version for d in m.distributions()}\n"
    "print(json.dumps({'python': platform.python_version(), 'installed': found}))"
)


@dataclass(frozen=True)
class Environment:
    """A Python for some methods of a plan: its interpreter, which packages to name in the journal, how to make it."""

    name: str
    python: str
    packages: tuple[str, ...] = ()
    setup: str | None = None

    def interpreter(self, folder: Path) -> Path:
        """Return the interpreter; a relative path starts in the folder of the plan. Links are not followed."""
        return Path(os.path.abspath(folder / Path(self.python).expanduser()))


@dataclass(frozen=True)
class Installed:
    """What an environment has: the interpreter, versions for the key of a cell, or why there is nothing."""

    interpreter: str | None
    inputs: dict[str, Any]
    code: dict[str, str]
    absent: str | None = None


HERE = Installed(None, {}, {})


def environments(table: Table, /) -> dict[str, Environment]:
    """Read the table ``environments`` of a plan."""
    found = {}
    for name in list(table.values):
        inner = Table(table.take(name, dict), table.place.inside(name))
        found[name] = Environment(
            name,
            python=inner.take("python", str),
            packages=inner.strings("packages", None, ()),
            setup=inner.take("setup", str, None),
        )
        inner.finish()
    return found


def check_environment(name: str | None, known: Mapping[str, Environment], place: Place, /) -> Environment | None:
    """Return the environment that a method names."""
    if name is None:
        return None
    return known[name] if name in known else place.fail(f"{name!r} is none of environments ({', '.join(known)})")


def inspect(environment: Environment, /, *, folder: Path) -> Installed:
    """Ask an environment what is installed in it."""
    interpreter = environment.interpreter(folder)
    try:
        done = subprocess.run(
            [interpreter, "-P", "-c", _LIST],
            env=clean_variables(),
            capture_output=True,
            text=True,
            check=True,
            timeout=300.0,  # seconds, for a Python that only lists what is installed
        )
        answer = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        remedy = f"; make it with: {environment.setup}" if environment.setup else ""
        reason = f"not installed: the environment {environment.name}{remedy}"
        return Installed(None, {"name": environment.name}, {}, absent=reason)
    installed: dict[str, str] = answer["installed"]
    listed = "".join(f"{name}=={installed[name]}\n" for name in sorted(installed))
    versions = {name: installed.get(name.lower()) for name in environment.packages}
    digest = hashlib.sha256(listed.encode()).hexdigest()
    code = {name: installed[name] for name in LIBRARIES.values() if name in installed}
    return Installed(
        str(interpreter),
        {"name": environment.name, "packages": versions, "installed": digest},
        {"python": answer["python"], **code},
    )


def clean_variables() -> dict[str, str]:
    """Return the variables of this process without those that send another Python to the packages of this one."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
