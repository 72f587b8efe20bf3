"""Columns of new files compared with those of the fit, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from manyview.io import TableFile


def raw_columns(columns: Sequence[str] | None, preparation: Mapping[str, Any], /) -> list[str] | None:
    """Return the names that columns had before categories became several; None where that is not known.

    Examples
    --------
    >>> from manyview.cli.fitted import raw_columns
    >>> raw_columns(["age", "stage=I", "stage=II"], {"categories": [None, ["I", "II"]], "dropped": []})
    ['age', 'stage']
    """
    if columns is None or preparation["dropped"]:
        return None
    if preparation["categories"] is None:
        return list(columns)
    names, at = [], 0
    for categories in preparation["categories"]:
        if categories is not None and not categories:
            return None
        names.append(columns[at] if categories is None else columns[at].removesuffix(f"={categories[0]}"))
        at += 1 if categories is None else len(categories)
    return names


def in_fitted_order(table: TableFile, columns: Sequence[str] | None, place: str, /) -> TableFile:
    """Put the columns of a table into the order of the fit; one that is missing or new is an error."""
    names = table.feature_names
    if columns is None or names is None or len(set(names)) < len(names):
        return table
    missing, new = (
        [one for one in these if one not in set(those)] for these, those in ((columns, names), (names, columns))
    )
    if missing:
        raise ValueError(f"{place}: lacks {_some(missing)} of the fit" + (f", and has {_some(new)}" if new else ""))
    if new:
        raise ValueError(
            f"{place}: has {_some(new)}, which the fit did not have: leave out with --drop, or, if it holds ids, "
            f"--id {new[0]}"
        )
    order = [names.index(name) for name in columns]
    frame = table.frame.select(order) if hasattr(table.frame, "select") else table.frame[:, order]
    return TableFile(table.name, frame, table.ids, tuple(columns))


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
    return f"the column {names[0]!r}{more}"
