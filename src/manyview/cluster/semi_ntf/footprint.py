"""Bytes that a fit takes, from its sizes.

Per row (s bytes a number, a bytes the number of an anchor, L slices of k weights, r = 3K + 1 columns of T and of S):

    graph L (k (a + s) + 1)     T and S  2 s r     U and its start  2 s K     results  8 K + 2 s K + 56

With a coupling there are five factors in each of the L slices instead of U, and S is a second copy of the graph.

In memory all of it is there at once. On disk it is scratch space, and memory holds a few blocks and the labels.

What else is there for a moment, in three stages, are sizes with one factor each, found by measuring 54 shapes in
memory and from arrays on disk (500 to 300,000 rows, 3 to 1,500 columns, 2 to 80 clusters, 30 to 1,000 anchors, blocks
of 4,096 to 65,536 rows, one to four threads).
"""

from __future__ import annotations

from math import hypot
from typing import NamedTuple

from manyview.cluster.semi_ntf.settings import Settings
from manyview.cluster.semi_ntf.shape import Shape
from manyview.engine.rows import even_edges
from manyview.views.arrow import COLUMNS_AT_ONCE, NUMBERS_AT_ONCE, PIECE_ROWS, WHOLE_ROWS

THREAD = 7_000_000  # what the allocator holds for every thread, and its stack
LABEL_BYTES = 25  # labels as they are read, collected and numbered, and a mark, of every row in memory
# numbers, each of the thing that stands behind it
SAMPLED_COLUMNS = 2.4  # a number of the sampled rows
SAMPLED_ANCHORS = 1.3  # a sampled row and anchor
SAMPLED_GRAPHS = 2.4  # the graph of the sampled rows
SQUARES = 3.5  # an entry of M x M
GRAPH = 8.0  # a weight of the rows at work
COLUMNS = 1.6  # a number of them
CLUSTERS = 18  # a cluster of them
COUPLED = 3.2  # an entry of their five factors in every slice, where these are not kept anyway
LOADED = 1.06  # times the peak, where blocks are loaded and stored
# Parquet, while it is read: a number of a row group, a column at most, and the libraries
DECODED, DECODED_COLUMN, READER = 20, 3_300_000, 25_000_000


class Footprint(NamedTuple):
    """Of a fit: what is kept, and what is there for a moment."""

    n_threads: int
    graph: int  # kept, the graph of all rows
    rows: int  # kept, everything of all rows
    sample: float  # while everything is decided on the sample
    building: float  # while the graph of all rows is built
    reading: float  # while clusters are read off it
    factorizing: float  # the same, and while factors are loaded and stored

    def in_memory(self) -> int:
        """Peak of a process that keeps all rows."""
        return self._peak(self.sample, self.graph + self.building, self.rows + self.reading)

    def on_disk(self, n_rows: int, decoded: int, /) -> int:
        """Peak of a process that keeps labels only."""
        peak = self._peak(decoded, self.sample, self.building, LABEL_BYTES * n_rows + self.factorizing)
        return int(LOADED * peak) + READER * (decoded > 0)

    def on_workers(self, decoded: int, /) -> int:
        """Peak of all workers together, one a thread; the sample is beside the caller."""
        peak = self._peak(self.n_threads * decoded, self.graph + self.building, self.rows + self.factorizing)
        return peak + self.n_threads * READER * (decoded > 0)

    def _peak(self, *stages: float) -> int:
        """Of stages one after another: between the largest and the sum, because not all memory is given back."""
        return self.n_threads * THREAD + int(hypot(*stages))


def footprint(settings: Settings, shape: Shape, /, *, block_rows: int, n_threads: int) -> Footprint:
    """Bytes of a fit of this shape."""
    s, S, L, k, K = shape.item, shape.n_sampled, shape.L, shape.k, shape.K
    columns, graph = sum(shape.widths), L * (k * (shape.number + s) + 1)
    stretches = even_edges(shape.n_rows, block_rows)
    at_work = min(n_threads, len(stretches)) * max(stop - start for start, stop in stretches)
    sampled = S * (shape.source * SAMPLED_COLUMNS * columns + s * SAMPLED_ANCHORS * shape.m + SAMPLED_GRAPHS * graph)
    return Footprint(
        n_threads=n_threads,
        graph=shape.n_rows * graph,
        rows=shape.n_rows * (graph + _beside_graph(settings, shape)),
        sample=sampled + SQUARES * 8 * shape.M**2,
        building=at_work * (s * GRAPH * L * k + shape.source * COLUMNS * columns),
        reading=at_work * s * CLUSTERS * K if settings.shared else 0,
        factorizing=at_work * s * (CLUSTERS * K if settings.shared else COUPLED * 5 * L * K),
    )


def decoding(n_columns: int, group_rows: int, /, *, source: int = 4) -> int:
    """Bytes while Parquet with such row groups is read: a piece, and pages and dictionaries of some columns."""
    column = min(DECODED * group_rows, DECODED_COLUMN)
    if group_rows > WHOLE_ROWS:
        return n_columns * column
    at_once = min(max(NUMBERS_AT_ONCE // group_rows, 1), COLUMNS_AT_ONCE, n_columns)
    return source * min(group_rows, PIECE_ROWS) * n_columns + at_once * column


def _beside_graph(settings: Settings, shape: Shape) -> int:
    s, K, L = shape.item, shape.K, shape.L
    T, results = s * (3 * K + 1), 8 * K + 56
    if settings.shared:
        return 2 * T + 4 * s * K + results
    sliced = L * shape.k * (4 + s)  # S as matrices of its own
    return sliced + T + 2 * s * 5 * L * K + s * (L + 1) * K + results
