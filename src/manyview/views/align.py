"""Rows of several views matched by id: the same samples, in the order of the first view.

Tables in memory are brought into that order; ids of tables on disk are compared, row by row, and never sorted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from manyview.kernels.arrays import IntArray, float_type
from manyview.views.frames import as_ids, frame_of, is_missing, shown

JOINS = (None, "inner", "outer")
Ids = NDArray[Any]
HOW_TO_JOIN = (
    "Views.from_tables(X, join='inner') keeps the common samples, join='outer' lets a sample lack a view (for "
    "estimators that take missing views)."
)


class Match(NamedTuple):
    """The rows of the views that make the rows of the result."""

    ids: Ids | None
    rows: list[IntArray | None]  # of every view; -1: the view lacks the sample; None: all rows as they are


def match_rows(ids: Sequence[Ids | None], names: Sequence[str], /, *, join: str | None = None) -> Match:
    """Match rows by id where all views carry ids, by position where none does; both at once is an error."""
    if join not in JOINS:
        raise ValueError(f"join={join!r}: use None, 'inner' or 'outer'.")
    known = [each for each in ids if each is not None]
    if not known:
        if join is not None:
            raise ValueError(f"join={join!r} needs ids in every view: an index, or id_column=.")
        return Match(None, [None] * len(ids))
    if len(known) < len(ids):
        _refuse_mixture(ids, names)
    if all(each is known[0] for each in known):  # parts of one table: there is nothing to match
        return Match(known[0], [None] * len(ids))
    if all(_same(each, known[0]) for each in known[1:]):
        _places(known[0], names[0])
        return Match(known[0], [None] * len(ids))
    places = [_places(each, name) for each, name in zip(known, names, strict=True)]
    _require_same_kind(places, names)
    if join is None:
        _require_same_ids(places, names)
    wanted: dict[Any, Any] = places[0]
    if join == "outer":  # in the order of appearance
        wanted = dict.fromkeys(key for place in places for key in place)
    elif join == "inner":
        wanted = dict.fromkeys(key for key in places[0] if all(key in place for place in places))
        if not wanted:
            raise ValueError(f"No sample is in all of the views {list(names)}: do their ids mean the same?")
    rows = [np.array([place.get(key, -1) for key in wanted], dtype=np.intp) for place in places]
    return Match(
        _ids_in_order(known, rows), [None if _as_they_are(r, len(i)) else r for r, i in zip(rows, known, strict=True)]
    )


def _refuse_mixture(ids: Sequence[Ids | None], names: Sequence[str]) -> None:
    with_ids = [name for name, each in zip(names, ids, strict=True) if each is not None]
    without = [name for name, each in zip(names, ids, strict=True) if each is None]
    raise ValueError(
        f"The rows of {_some(with_ids)} carry ids, those of {_some(without)} do not (an array, or a frame with the "
        "default index): matching some by id and some by position would mix up samples. Give every view its ids "
        "(set_index, or id_column=), or none of them (reset_index(drop=True))."
    )


def _same(ids: Ids, other: Ids) -> bool:
    return ids.dtype.kind == other.dtype.kind != "O" and np.array_equal(ids, other)


def _places(ids: Ids, name: str) -> dict[Any, int]:
    """Map every id to its row; ids that are missing, of two types, or not unique are errors."""
    keys = ids.tolist() if ids.dtype.kind in "iufUSbO" else list(ids)
    types: dict[type, Any] = {}
    for row, key in enumerate(keys):
        if type(key) not in types or not isinstance(key, str | int | tuple):
            if is_missing(key) or (not isinstance(key, tuple) and key != key):  # NaT differs from itself
                raise ValueError(f"View {name!r} has no id in row {row}: every row needs one, or none has.")
            types.setdefault(type(key), key)
    kinds = {_kind(example): example for example in sorted(types.values(), key=_kind)}
    if len(kinds) > 1:
        raise ValueError(
            f"View {name!r} has ids of several types ({_listed(kinds)}): make all of them text, or numbers."
        )
    places = {key: row for row, key in enumerate(keys)}
    if len(places) < len(keys):
        twice = next(key for row, key in enumerate(keys) if places[key] != row)
        raise ValueError(
            f"View {name!r} has the id {shown(twice)} more than once ({len(keys) - len(places)} rows too many): ids "
            "must be unique to match rows."
        )
    return places


def _kind(key: Any) -> str:
    if isinstance(key, int | float | np.number):
        return "numbers"
    return "text" if isinstance(key, str) else type(key).__name__


def _require_same_kind(places: Sequence[dict[Any, int]], names: Sequence[str]) -> None:
    """Raise an error where ids are numbers in one view and text in another: these are never equal."""
    first = next(iter(places[0]))
    for place, name in zip(places, names, strict=True):
        other = next(iter(place))
        if _kind(other) != _kind(first):
            raise ValueError(
                f"The ids of view {names[0]!r} are {_kind(first)} ({shown(first)}), those of view {name!r} are "
                f"{_kind(other)} ({shown(other)}): give both the same type, for example with index.astype(str)."
            )


def _require_same_ids(places: Sequence[dict[Any, int]], names: Sequence[str]) -> None:
    for place, name in zip(places[1:], names[1:], strict=True):
        if place.keys() == places[0].keys():
            continue
        for have, have_name, lack, lack_name in (
            (places[0], names[0], place, name),
            (place, name, places[0], names[0]),
        ):
            missing = [key for key in have if key not in lack]
            if missing:
                some = ", ".join(map(shown, missing[:3])) + (", …" if len(missing) > 3 else "")
                raise ValueError(
                    f"View {lack_name!r} lacks {len(missing)} of the {len(have)} ids of view {have_name!r} ({some}): "
                    f"every view must describe the same samples. {HOW_TO_JOIN}"
                )


def _ids_in_order(ids: Sequence[Ids], rows: Sequence[IntArray]) -> Ids:
    """Return the ids of the result, from the first view that has each."""
    if (rows[0] >= 0).all():
        return ids[0][rows[0]]
    found: list[Any] = [None] * len(rows[0])
    for each, taken in zip(reversed(ids), reversed(rows), strict=True):
        for at in np.flatnonzero(taken >= 0):
            found[at] = each[taken[at]]
    return as_ids(
        [each.item() if isinstance(each, np.generic) and each.dtype.kind in "iufUSb" else each for each in found]
    )


def _as_they_are(rows: IntArray, n_rows: int) -> bool:
    return len(rows) == n_rows and np.array_equal(rows, np.arange(n_rows))


def _listed(kinds: dict[str, Any]) -> str:
    return ", ".join(f"{kind} such as {shown(example)}" for kind, example in kinds.items())


def _some(names: Sequence[str]) -> str:
    views = "view" if len(names) == 1 else "views"
    return f"{views} {', '.join(map(repr, names))}"


def taken(table: Any, rows: IntArray, ids: NDArray[Any] | None, /) -> Any:
    """Take rows of any table in memory; -1 is a row of NaN, in a sparse table an empty one.

    A pandas DataFrame gets the ids as its index.
    """
    frame = frame_of(table)
    if frame is not None:
        part = frame.take(rows)
        return part if frame.library != "pandas" or ids is None else part.set_axis(ids, axis=0)
    there = rows >= 0
    if there.all():
        return table[rows]
    if sp.issparse(table):
        places = np.flatnonzero(there)
        shape = (len(rows), table.shape[0])
        choose = sp.csr_array((np.ones(len(places), table.dtype), (places, rows[there])), shape=shape)
        return sp.csr_array(choose @ table)
    part = np.full((len(rows), table.shape[1]), np.nan, dtype=float_type(table.dtype))
    part[there] = table[rows[there]]
    return part


def require_same_order(tables: Sequence[Any], names: Sequence[str]) -> None:
    """Raise an error where files hold ids that are not the same, row by row."""
    stored = [(name, table) for name, table in zip(names, tables, strict=True) if hasattr(table, "ids")]
    known = [(name, table) for name, table in stored if table.ids() is not None]
    for name, table in known[1:]:
        first_name, first = known[0]
        found = _first_difference(first.ids(), table.ids())
        if found is not None:
            row, one, other = found
            raise ValueError(
                f"Row {row} has the id {one} in view {first_name!r} and {other} in view {name!r}: write the files in "
                "the same order (or without an index, to match rows by position)."
            )


def _first_difference(first: Any, second: Any) -> tuple[int, Any, Any] | None:
    """Find the row and ids where two streams of ids first differ; None if one only ends earlier."""
    row, a, b = 0, next(first, None), next(second, None)
    while a is not None and b is not None:
        size = min(len(a[0]), len(b[0]))
        heads = [[level[:size] for level in ids] for ids in (a, b)]
        same = np.logical_and.reduce([x == y for x, y in zip(*heads, strict=False)]) & (len(a) == len(b))
        if not np.all(same):
            at = int(np.argmin(np.broadcast_to(same, size)))
            one, other = ([level[at] for level in ids] for ids in heads)
            return row + at, one[0] if len(one) == 1 else one, other[0] if len(other) == 1 else other
        row += size
        a, b = (tuple(level[size:] for level in ids) for ids in (a, b))
        a = a if len(a[0]) else next(first, None)
        b = b if len(b[0]) else next(second, None)
    return None
