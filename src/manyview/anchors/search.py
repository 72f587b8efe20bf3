"""The nearest anchors of a block of rows, in all slices of one geometry.

Of the distances to all anchors only the few smallest per row are kept, and those of their sum over the views, which
gives the anchors of the joint table. A range of rows therefore goes through all steps at once: short enough for the
cache of the processor, and long enough that threads seldom wait for one another between calls.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from manyview.engine import edges
from manyview.kernels.arrays import BoolArray, FloatArray, IntArray
from manyview.kernels.distances import Expansion
from manyview.kernels.near_tables import NearTables, near_tables
from manyview.kernels.nearest import nearest

NUMBERS_AT_ONCE = 1 << 20  # distances of the rows that go together: 4 MB in single precision


class Part(NamedTuple):
    """Table of a block with its anchors."""

    ready: Expansion
    valid: BoolArray  # (m,), anchors that exist in this table
    present: BoolArray  # (n,), rows that do
    place: int | None  # of its slice; None: it has none of its own
    joins: bool  # its distances are part of those of the joint table

    def take(self, rows: IntArray, /) -> Part:
        """Select some of the rows."""
        return self._replace(ready=self.ready.take(rows), present=self.present[rows])

    def distances(self, rows: slice, out: FloatArray, /) -> FloatArray:
        """Compute distances of some rows to all anchors, close pairs not corrected; infinite to missing anchors."""
        d = self.ready.distances(rows, out=out)
        if not self.valid.all():
            d[:, ~self.valid] = np.inf if self.valid.any() else 0  # without any anchor the slice is absent
        return d

    def joint_share(self, d: FloatArray, rows: slice, /) -> FloatArray:
        """Return what these distances add to the joint ones: nothing where a row is absent.

        An anchor that the view lacks is as far as the row's average anchor: at no distance it would attract every row.
        """
        if not self.valid.any():
            return np.zeros_like(d)
        if not self.valid.all():
            average = np.compress(self.valid, d, axis=1).mean(axis=1, keepdims=True)
            d = np.where(self.valid, d, average)
        return d if self.present[rows].all() else d * self.present[rows, None]


class Near(NamedTuple):
    """The nearest anchors of every row in L slices."""

    columns: IntArray  # (n, L, k)
    d: FloatArray  # (k + 1, L, n), squared distances, ascending: few long rows, because work on short ones is slow

    def store(self, rows: slice, place: int, columns: IntArray, d: FloatArray, /) -> None:
        """Keep what was found for some rows in one slice."""
        self.columns[rows, place] = columns[:, : self.columns.shape[2]]
        self.d[:, place, rows] = d.T


def empty_near(n_rows: int, n_slices: int, n_anchors: int, /, *, k: int, dtype: str) -> Near:
    """Allocate arrays for the nearest k anchors, and the distance of one more."""
    k, width = min(k, n_anchors), min(k + 1, n_anchors)
    return Near(
        np.empty((n_rows, n_slices, k), dtype=number_type(n_anchors)),
        np.empty((width, n_slices, n_rows), dtype=dtype),
    )


def search(parts: list[Part], near: Near, n_anchors: int, /, *, joint: int | None) -> None:
    """Fill in the slices of the parts and, if it has a place, that of their joint table."""
    found = _search_compiled(parts, len(near.d), joint=joint is not None)
    if found is None:
        _search_tables(parts, near, n_anchors, joint)
        return
    places = [place for place in (*(part.place for part in parts), joint) if place is not None]
    near.columns[:, places] = found.columns[..., : near.columns.shape[2]]
    near.d[:, places] = found.d.T
    absent = ~np.all([part.present for part in parts], axis=0)
    again = np.union1d(found.doubtful, np.flatnonzero(absent))
    if len(again):
        some = Near(near.columns[again], near.d[:, :, again])
        _search_tables([part.take(again) for part in parts], some, n_anchors, joint)
        near.columns[again], near.d[:, :, again] = some


def _search_compiled(parts: list[Part], width: int, *, joint: bool) -> NearTables | None:
    """Search all tables a few rows at a time; None where there is no compiled loop for them."""
    plain = all(part.place is not None and part.joins == joint and part.valid.all() for part in parts)
    return near_tables([part.ready for part in parts], width, joint=joint) if plain else None


def _search_tables(parts: list[Part], near: Near, n_anchors: int, joint: int | None) -> None:
    """Search one table after another."""
    width, _, n_rows = near.d.shape
    # anchors that exist in some view count in the joint table
    nowhere = ~np.any([part.valid for part in parts if part.place is not None], axis=0)  # (m,)
    height = max(NUMBERS_AT_ONCE // n_anchors, 1)
    room = np.empty((2, min(height, n_rows), n_anchors), dtype=near.d.dtype)
    for start, stop in edges(n_rows, height):
        rows = slice(start, stop)
        total = _of_views(parts, rows, near, *room[:, : stop - start])
        if joint is not None:
            total[:, nowhere] = np.inf
            near.store(rows, joint, *nearest(total, width))


def _of_views(parts: list[Part], rows: slice, near: Near, room: FloatArray, total: FloatArray) -> FloatArray:
    """Search some rows in all views; the sum of their distances."""
    joined, width = 0, len(near.d)
    for part in parts:
        d = part.distances(rows, room if joined or not part.joins else total)  # the first need not be added
        if part.place is None:
            part.ready.correct_close(d, rows, d.min(axis=1))
        else:
            columns, values = nearest(d, width)
            again = part.ready.correct_close(d, rows, values[:, 0])
            if len(again):
                columns[again], values[again] = nearest(d[again], width)
            near.store(rows, part.place, columns, values)
        if part.joins:
            share = part.joint_share(d, rows)
            if joined:
                np.add(total, share, out=total)
            elif share is not total:
                np.copyto(total, share)
            joined += 1
    return total


def number_type(n_anchors: int, /) -> type[np.integer[Any]]:
    """Return the smallest integer type that can number the anchors."""
    return np.int16 if n_anchors <= np.iinfo(np.int16).max else np.int32
