"""Which code and which data a cell uses, as digests: an edited line is another version."""

from __future__ import annotations

import hashlib
import importlib.machinery
import importlib.metadata
import importlib.util
import platform
import shutil
import subprocess
import sys
from collections.abc import Container
from pathlib import Path

import manyview
from manyview.bench.imports import module_of

# top-level package -> distribution, of everything whose version stands in `code_version`
LIBRARIES = {"numpy": "numpy", "scipy": "scipy", "sklearn": "scikit-learn"}
CHANGED = "changed during the run"  # says a row's status whose digests were not those of its key any more
SOURCES = (".py", ".c")  # not what a compiler made of them, which differs from machine to machine
USERS_SOURCES = (*SOURCES, ".so", ".pyd")  # of a user's package, perhaps there is nothing else
# what only plans, starts, shows or compares cells; anything not named here counts
_OUTSIDE_A_CELL = {
    "cli",
    "report",
    "testing",
    *(f"bench/{name}.py" for name in ("__init__", "compare", "environments", "family", "figures", "journal", "keys")),
    *(f"bench/{name}.py" for name in ("memory", "plan", "posix", "process", "progress", "run", "summary", "tables")),
}


def copy_package(folder: Path, /) -> None:
    """Copy this package into a folder: the original may be edited while cells run, their code may not."""
    original = Path(manyview.__file__).parent
    shutil.copytree(original, folder / "manyview", ignore=shutil.ignore_patterns("__pycache__"))


def code_version(root: Path, /) -> dict[str, str]:
    """Return version and source digest of this package, as it lies in `root`, and versions of its libraries."""
    return {
        "manyview": manyview.__version__,
        "source": files_digest(root, suffixes=SOURCES, skip=_OUTSIDE_A_CELL),
        "python": platform.python_version(),
        **{distribution: importlib.metadata.version(distribution) for distribution in LIBRARIES.values()},
    }


def git_commit(root: Path, /) -> str | None:
    """Return the commit that a folder is checked out from, with ``-dirty`` if files have changed since.

    None where there is no git, no repository, or only the repository of somebody who installed the package inside it.
    """
    tracked = _git(root, "ls-files", "--error-unmatch", "--", "__init__.py")
    return tracked and _git(root, "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*")


def _git(root: Path, *words: str) -> str | None:
    try:
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def module_digest(module: str, /, *, folder: str, path: list[str] | None = None) -> str | None:
    """Digest of the sources of a module's top-level package, found without importing it.

    None for what `code_version` covers already and for what is not there. `folder` is searched last, after `path` or,
    where there is none, wherever modules are found.
    """
    top = module.split(".")[0]
    if top in (*LIBRARIES, "manyview"):
        return None
    spec = importlib.machinery.PathFinder.find_spec(top, [*(sys.path if path is None else path), folder])
    if spec is None and path is None:
        spec = importlib.util.find_spec(top)  # editable installs are found by hooks only
    if spec is None:
        return None
    places = spec.submodule_search_locations or ([spec.origin] if spec.origin else [])
    digests = [files_digest(Path(place), suffixes=USERS_SOURCES) for place in places if Path(place).exists()]
    return hashlib.sha256("".join(digests).encode()).hexdigest()


def method_digest(estimator: str, /, *, folder: str, elsewhere: bool) -> str | None:
    """Digest of the sources of an estimator's module.

    Of a method that runs in another environment (`elsewhere`) only a module in the folder of the plan counts: what is
    installed there is in the key already.
    """
    module = module_of(estimator)
    if module is None:
        return None
    return module_digest(module, folder=folder, path=[] if elsewhere else None)


def files_digest(root: Path, /, *, suffixes: tuple[str, ...] = ("",), skip: Container[str] = ()) -> str:
    """Compute the SHA-256 of a file, or over names and contents of all files of a folder in order of their names."""
    if root.is_file():
        return _sha256(root)
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        wanted = name.endswith(suffixes) and name not in skip and name.split("/")[0] not in skip
        if wanted and path.is_file():
            digest.update(f"{name}\0{_sha256(path)}\n".encode())
    return digest.hexdigest()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
