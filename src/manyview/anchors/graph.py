"""Anchor graphs: every row of every slice as weights on its few nearest anchors.

A *slice* is one table of one geometry: a view, or the joint table of all views. Distances of the joint table are the
sums of the views' distances, because its anchors are the same groups of rows.

Of the distances to all anchors only the few smallest per row are kept, and those of their sum over the views. A range
of rows therefore goes through all steps at once: short enough for the cache of the processor, and long enough that
threads seldom wait for one another between calls.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp

from manyview.anchors.selection import Groups
from manyview.engine import Engine, Rows, edges
from manyview.geometry.fit import Geometry
from manyview.geometry.statistics import require_reach, require_rows
from manyview.kernels.arrays import BoolArray, FloatArray, IntArray, Table
from manyview.kernels.nearest import Expansion, NearTables, Prepared, expand, near_tables, nearest
from manyview.kernels.simplex import pkn_weights
from manyview.kernels.sparse import index_type
from manyview.views.blocks import RowBlock, picked_rows

NOT_MEASURED = np.empty((0, 0))


class GraphBlock(NamedTuple):
    """Anchor weights of consecutive rows in L slices; absent rows have zero weights."""

    start: int
    columns: IntArray  # (n, L, k) in the smallest type that will do, anchors of every row
    weights: FloatArray  # (n, L, k), rows sum to one
    present: BoolArray  # (n, L)
    reach: FloatArray = NOT_MEASURED  # (n, L), mean distance to the nearest anchors
    ruled: IntArray | None = None  # (n,) label by the graph's rule, if it has one

    @property
    def n_rows(self) -> int:
        """Return the number of rows in the block."""
        return len(self.columns)

    def slice(self, index: int, n_anchors: int, /) -> Table:
        """Return one slice as a CSR matrix (n, m)."""
        n, _, k = self.columns.shape
        columns, weights = self.columns[:, index].astype(np.int32).ravel(), self.weights[:, index].ravel()
        return sp.csr_array((weights, columns, np.arange(0, n * k + 1, k)), shape=(n, n_anchors))

    def side_by_side(self, n_anchors: int, /) -> Table:
        """Return all slices in one CSR matrix (n, L m)."""
        n, L, k = self.columns.shape
        kind = index_type(max(self.columns.size, L * n_anchors))
        columns = self.columns + np.arange(0, L * n_anchors, n_anchors, dtype=kind)[:, None]
        starts = np.arange(0, n * L * k + 1, L * k, dtype=kind)
        return sp.csr_array((self.weights.ravel(), columns.ravel(), starts), shape=(n, L * n_anchors))

    def masses(self, Z: FloatArray, n_anchors: int, /) -> FloatArray:
        """Compute W_l' Z of every slice (L, m, K) in double precision, Z (n, K)."""
        L = self.columns.shape[1]
        products = self.side_by_side(n_anchors).T @ Z
        return np.asarray(products, dtype=np.float64).reshape(L, n_anchors, -1)

    def label_masses(self, labels: IntArray, n_clusters: int, n_anchors: int, /) -> FloatArray:
        """Compute `masses` of the Z that has a one in the column of each row's label and zeros elsewhere."""
        L = self.columns.shape[1]
        cells = label_cells(self.columns, labels, n_clusters, n_anchors)
        mass = np.bincount(cells.ravel(), weights=self.weights.ravel(), minlength=L * n_anchors * n_clusters)
        return mass.reshape(L, n_anchors, n_clusters).astype(np.float64, copy=False)


def label_cells(columns: IntArray, labels: IntArray, n_clusters: int, n_anchors: int, /) -> IntArray:
    """Number the cells (slice, anchor, label) of an L x m x K array that anchors (n, L, k) of labeled rows stand for.

    Anchor numbers are narrow integers, and L m K may exceed 32 bits: the arithmetic is in 64 bits.
    """
    L = columns.shape[1]
    cells = np.arange(0, L * n_anchors, n_anchors, dtype=np.int64)[:, None] + columns
    cells *= n_clusters
    cells += labels[:, None, None]
    return cells


class Rule(Protocol):
    """A label for every row of raw views, without anchors."""

    @property
    def n_clusters(self) -> int:
        """Return the number of labels."""

    def __call__(self, block: RowBlock, /) -> IntArray:
        """Return the label of every row (n,)."""


def stored_fields(instance: Any, /) -> dict[str, Any]:
    """Return the fields of a dataclass, without what it has computed from them."""
    return {field.name: getattr(instance, field.name) for field in fields(instance)}


class SliceName(NamedTuple):
    """Geometry and view of a slice."""

    geometry: int
    view: int | None  # None: the joint table


@dataclass(frozen=True)
class SliceAnchors:
    """The anchors of one table."""

    centers: FloatArray  # (m, d)
    valid: BoolArray  # (m,) groups with at least one present row

    def __getstate__(self) -> dict[str, Any]:
        return stored_fields(self)

    @cached_property
    def complete(self) -> bool:
        """Return whether every anchor is valid."""
        return bool(self.valid.all())

    def prepared(self, dtype: str, /) -> Prepared:
        """Prepare the anchors for distances."""
        return Prepared(self.centers.astype(dtype, copy=False))


@dataclass(frozen=True)
class AnchorGraph:
    """Fitted anchors of all slices; maps raw rows, old or new, to their anchor weights."""

    geometry: Geometry
    views: tuple[tuple[SliceAnchors, ...], ...]  # [geometry][view]
    words: tuple[SliceAnchors, ...]  # [geometry], the joint table of sparse views
    n_anchors: int  # m, the same for every slice (padded with anchors that are not valid)
    scales: tuple[int, ...]  # numbers of neighbors whose weights are averaged
    joint: bool
    dtype: str
    rule: Rule | None = None  # labels rows directly; anchors only say how sure they are

    def __getstate__(self) -> dict[str, Any]:
        return stored_fields(self)

    @cached_property
    def _prepared(self) -> tuple[tuple[Prepared, ...], ...]:
        """Prepare the anchors for distances, as `views`, and `words` behind them."""
        return tuple(tuple(anchors.prepared(self.dtype) for anchors in of) for of in (*self.views, self.words))

    @cached_property
    def slices(self) -> list[SliceName]:
        """List the slices in their order: per geometry the views that count, then the joint table."""
        per_geometry: list[int | None] = [*self.geometry.used, *([None] if self.joint else [])]
        return [SliceName(g, v) for g in range(len(self.views)) for v in per_geometry]

    def __call__(self, block: RowBlock, /) -> GraphBlock:
        """Compute the anchor weights of a block of raw rows."""
        require_rows(block, self.geometry.names, self.dtype)
        filled = self.geometry.present(block)  # (V, n)
        block = self.geometry.scored(block)
        L = len(self.slices)
        present = np.ones((L, block.n_rows), dtype=bool)
        near = empty_near(block.n_rows, L, self.n_anchors, k=self.scales[0], dtype=self.dtype)
        for g in range(len(self.views)):
            parts = self._parts(block, g, filled)
            for part in parts:
                if part.place is not None:
                    present[part.place] = part.present
            last = (g + 1) * L // len(self.views) - 1
            search(parts, near, self.n_anchors, joint=last if self.joint else None)
        weights = self._weights(near.d)
        weights *= present
        reach = self._reach(near.d, filled)
        ruled = None if self.rule is None else self.rule(block)
        weights, present, reach = (np.ascontiguousarray(part.T) for part in (weights, present, reach))
        return GraphBlock(block.start, near.columns, weights, present, reach, ruled)

    def _parts(self, block: RowBlock, g: int, filled: BoolArray) -> list[Part]:
        """List the tables of a geometry with their anchors."""
        used, anchors, prepared = self.geometry.used, self.views[g], self._prepared[g]
        sparse = self.geometry.words[g].words.views if self.words else ()
        parts = []
        if self.words:
            table = self.geometry.word_table(block, g).astype(self.dtype, copy=False)
            ready = expand(table, self._prepared[-1][g])
            everywhere = np.ones(block.n_rows, dtype=bool)
            parts.append(Part(ready, self.words[g], everywhere, None, joins=True))
        for place, v in enumerate(used, start=g * (len(used) + self.joint)):
            ready = expand(self.geometry.table(block, g, v).astype(self.dtype, copy=False), prepared[v])
            require_reach(ready.xx, self.geometry.names[v], first=block.start)
            present = filled[v] if anchors[v].complete else filled[v] & anchors[v].valid.any()
            parts.append(Part(ready, anchors[v], present, place, joins=self.joint and v not in sparse))
        return parts

    def _reach(self, d: FloatArray, filled: BoolArray) -> FloatArray:
        """Compute the mean distance (L, n) to the nearest anchors, from squared distances (k + 1, L, n).

        Squared distances of the joint table are sums over the views that a row has, and become means here.
        """
        near = np.maximum(d[:3], 0)  # not one: an outlier of the fit may be an anchor of its own
        real = np.isfinite(near)
        reach = np.sqrt(near, where=real, out=np.zeros_like(near)).sum(axis=0) / np.maximum(real.sum(axis=0), 1)
        if self.joint:
            joint = [index for index, name in enumerate(self.slices) if name.view is None]
            reach[joint] /= np.sqrt(np.maximum(filled[self.geometry.used].sum(axis=0), 1))
        return np.asarray(reach, dtype=d.dtype)

    def _weights(self, d: FloatArray) -> FloatArray:
        """Compute weights (k, L, n), averaged over the scales, from sorted distances (k + 1, L, n)."""
        if len(d) == 1:
            return np.ones_like(d)
        weights = np.zeros((min(self.scales[0], self.n_anchors), *d.shape[1:]), dtype=d.dtype)
        usable = np.isfinite(d).all(axis=2).sum(axis=0) - 1  # (L,)
        for most in np.unique(usable):
            at = np.flatnonzero(usable == most)
            some = d[:, at].reshape(len(d), -1).T
            for scale in self.scales:
                size = max(min(scale, int(most)), 1)
                weights[:size, at] += pkn_weights(some, size).T.reshape(size, len(at), -1)
        weights /= len(self.scales)
        return weights


def fit_anchor_graph(
    geometry: Geometry,
    groups: list[Groups],
    rows: Rows[RowBlock],
    engine: Engine,
    /,
    *,
    scales: tuple[int, ...],
    joint: bool,
    dtype: str,
) -> AnchorGraph:
    """Place the anchors of every slice: means of their groups' present rows."""
    n_views = len(geometry.kinds)
    n_anchors = max(group.n_anchors for group in groups)
    with_words = joint and bool(geometry.words)
    views, words = [], []
    picks = {id(group.rows): group.rows for group in groups}  # geometries mostly share their rows: read those once
    picked = {
        key: list(engine.map(geometry.scored, picked_rows(chosen, rows, engine))) for key, chosen in picks.items()
    }
    for g, group in enumerate(groups):
        some = picked[id(group.rows)]
        present = engine.collect(lambda block: geometry.present(block).T, some)  # (R, V)
        tables = [engine.collect(_table_of(geometry, g, v), some) for v in range(n_views)]
        views.append(tuple(_place(group, table, present[:, v], n_anchors) for v, table in enumerate(tables)))
        if with_words:
            table = engine.collect(_table_of(geometry, g, None), some)
            words.append(_place(group, table, np.ones(len(table)), n_anchors))
    return AnchorGraph(geometry, tuple(views), tuple(words), n_anchors, scales, joint, dtype)


def _table_of(geometry: Geometry, g: int, v: int | None) -> Callable[[RowBlock], Table]:
    return lambda block: geometry.word_table(block, g) if v is None else geometry.table(block, g, v)


def _place(group: Groups, table: Table, present: FloatArray, n_anchors: int) -> SliceAnchors:
    centers, mass = group.means(table, present)
    missing = n_anchors - len(centers)
    return SliceAnchors(np.pad(centers, ((0, missing), (0, 0))), np.pad(mass > 0, (0, missing)))


class Part(NamedTuple):
    """Table of a block with its anchors."""

    ready: Expansion
    anchors: SliceAnchors
    present: BoolArray  # (n,), rows that do
    place: int | None  # of its slice; None: it has none of its own
    joins: bool  # its distances are part of those of the joint table

    @property
    def valid(self) -> BoolArray:
        """Return which anchors (m,) exist in this table."""
        return self.anchors.valid

    def take(self, rows: IntArray, /) -> Part:
        """Select some of the rows."""
        return self._replace(ready=self.ready.take(rows), present=self.present[rows])

    def distances(self, rows: slice, out: FloatArray, /) -> FloatArray:
        """Compute distances of some rows to all anchors, close pairs not corrected; infinite to missing anchors."""
        d = self.ready.distances(rows, out=out)
        if not self.anchors.complete:
            d[:, ~self.valid] = np.inf if self.valid.any() else 0  # without any anchor the slice is absent
        return d

    def joint_share(self, d: FloatArray, rows: slice, /) -> FloatArray:
        """Return what these distances add to the joint ones: nothing where a row is absent.

        An anchor that the view lacks is as far as the row's average anchor: at no distance it would attract every row.
        """
        if not self.anchors.complete:
            if not self.valid.any():
                return np.zeros_like(d)
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


def search(
    parts: list[Part], near: Near, n_anchors: int, /, *, joint: int | None, numbers_at_once: int = 1 << 20
) -> None:
    """Fill in the slices of the parts and, if it has a place, that of their joint table.

    Without the compiled loop, rows with ``numbers_at_once`` distances (4 MB in single precision) go together.
    """
    height = max(numbers_at_once // n_anchors, 1)
    found = _search_compiled(parts, len(near.d), joint=joint is not None)
    if found is None:
        _search_tables(parts, near, joint, height)
        return
    places = [place for place in (*(part.place for part in parts), joint) if place is not None]
    near.columns[:, places] = found.columns[..., : near.columns.shape[2]]
    near.d[:, places] = found.d.T
    absent = ~np.all([part.present for part in parts], axis=0)
    again = np.union1d(found.doubtful, np.flatnonzero(absent))
    if len(again):
        some = Near(near.columns[again], near.d[:, :, again])
        _search_tables([part.take(again) for part in parts], some, joint, height)
        near.columns[again], near.d[:, :, again] = some


def _search_compiled(parts: list[Part], width: int, *, joint: bool) -> NearTables | None:
    """Search all tables a few rows at a time; None where there is no compiled loop for them."""
    plain = all(part.place is not None and part.joins == joint and part.anchors.complete for part in parts)
    return near_tables([part.ready for part in parts], width, joint=joint) if plain else None


def _search_tables(parts: list[Part], near: Near, joint: int | None, height: int) -> None:
    """Search one table after another, in ranges of ``height`` rows."""
    width, _, n_rows = near.d.shape
    # anchors that exist in some view count in the joint table
    nowhere = ~np.any([part.valid for part in parts if part.place is not None], axis=0)  # (m,)
    room = np.empty((2, min(height, n_rows), len(nowhere)), dtype=near.d.dtype)
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
