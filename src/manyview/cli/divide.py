"""One table as several views: by the names of its columns, or by a file that lists them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from manyview.io import TableFile

PREFIX = "prefix:"


def divided(table: TableFile, rule: str, place: str, /) -> dict[str, TableFile]:
    """Divide by what stands before a colon in the names of columns, or by a JSON file of view -> columns."""
    names = table.feature_names
    if names is None:
        raise ValueError(f"{place}: has no names of columns to divide it by")
    parts = _by_prefix(names, place) if rule == PREFIX else _by_map(names, Path(rule), place)
    made = {}
    for view, at in parts.items():
        frame = table.frame.select(at) if hasattr(table.frame, "select") else table.frame[:, at]
        made[view] = TableFile(view, frame, table.ids, tuple(names[j] for j in at))
    return made


def _by_prefix(names: tuple[str, ...], place: str) -> dict[str, list[int]]:
    parts: dict[str, list[int]] = {}
    for j, name in enumerate(names):
        view, colon, _ = name.partition(":")
        if not colon:
            raise ValueError(
                f"{place}: column {name!r} has no view before a colon, as in 'rna:{name}'; name it with --id if it "
                "holds ids, or leave it out with --drop"
            )
        parts.setdefault(view, []).append(j)
    return parts


def _by_map(names: tuple[str, ...], path: Path, place: str) -> dict[str, list[int]]:
    parts = {}
    for view, wanted in _column_map(path).items():
        unknown = [name for name in wanted if name not in names]
        if unknown:
            raise ValueError(f"{path}: view {view!r} names the column {unknown[0]!r}, which {place} does not have")
        if not wanted:
            raise ValueError(f"{path}: view {view!r} has no columns")
        parts[view] = [names.index(name) for name in wanted]
    return parts


def _column_map(path: Path) -> Mapping[str, list[str]]:
    if not path.is_file():
        raise ValueError(f"--views {path}: there is no such file; give 'prefix:' or a JSON file of columns")
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"--views {path}: is not a JSON file ({error})") from error
    if not isinstance(found, dict) or not found or not all(isinstance(names, list) for names in found.values()):
        raise ValueError(f'--views {path}: give an object of view names and lists of columns, {{"rna": ["g1", "g2"]}}')
    return found
