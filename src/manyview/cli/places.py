"""Checks of folders and files for results before the work, so that no file of the user is replaced."""

from __future__ import annotations

import tempfile
from pathlib import Path

from manyview.result import FILES


def require_folder(out: Path, /, *, force: bool) -> None:
    """Refuse a place that has something in it, unless that is a result and may be replaced."""
    if out.exists() or out.is_symlink():
        _may_replace(out, force=force)
    _require_writable(out)


def _may_replace(out: Path, *, force: bool) -> None:
    if not out.is_dir() or out.is_symlink():
        raise FileExistsError(f"--out {out}: is not a folder; name another place")
    inside = sorted(path.name for path in out.iterdir())
    if not inside:
        return
    ours = "run.json" in inside
    if not force:
        hint = "name another folder, or replace it with --force" if ours else "name another folder"
        raise FileExistsError(f"--out {out}: exists already and is not empty; {hint}")
    if not ours:
        raise FileExistsError(f"--out {out}: was not written by manyview cluster, so --force does not replace it")
    foreign = [name for name in inside if name not in FILES]
    if foreign:
        raise FileExistsError(
            f"--out {out}: holds {foreign[0]}, which manyview cluster did not write; move it away before --force"
        )


def require_labels(out: Path, /, *, force: bool) -> None:
    """Refuse a file that exists, unless it holds labels and may be replaced."""
    if out.exists() or out.is_symlink():
        if not out.is_file():
            raise FileExistsError(f"--out {out}: is not a file; name another place")
        with open(out, "rb") as file:
            ours = file.read(8) == b"id,label"
        if not ours:
            raise FileExistsError(f"--out {out}: exists already and is no file of labels; name another file")
        if not force:
            raise FileExistsError(f"--out {out}: exists already; name another file, or replace it with --force")
    _require_writable(out)


def _require_writable(out: Path) -> None:
    """Make what is above a place, and see whether something can be made there."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".manyview-", dir=out.parent):
            pass
    except OSError as error:
        raise OSError(f"--out {out}: cannot write to {out.parent}: {error.strerror or error}") from error
