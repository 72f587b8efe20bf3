"""The sizes of a fit, as what it needs depends on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from manyview.anchors.search import number_type
from manyview.cluster.semi_ntf.graphs import SAMPLED_ROWS
from manyview.cluster.semi_ntf.settings import Settings
from manyview.geometry.partial_whitening import RANK

GEOMETRIES = 2  # of scale="auto"


class Shape(NamedTuple):
    """N rows, of which some are sampled, in V views; L slices of m anchors, k of them tied to a row; K clusters."""

    n_rows: int
    n_sampled: int
    widths: tuple[int, ...]
    scores: tuple[int, ...]  # columns of the views that are compared with anchors
    geometries: int
    L: int
    m: int
    k: int
    K: int
    item: int  # bytes of a number that is kept per row
    number: int  # bytes of the number of an anchor
    source: int  # bytes of a number of the views

    @property
    def M(self) -> int:
        """Anchors of all geometries: the fused graph is (N, M)."""
        return self.geometries * self.m


def shape_of(settings: Settings, n_rows: int, widths: Sequence[int], /, *, source: int = 4) -> Shape:
    """Sizes of a fit of dense views of these widths, in single precision unless another size of numbers is given."""
    automatic = settings.scale == "auto"
    geometries = GEOMETRIES if automatic else 1
    return Shape(
        n_rows=n_rows,
        n_sampled=min(n_rows, SAMPLED_ROWS),
        widths=tuple(widths),
        scores=tuple(min(width, RANK) if automatic else width for width in widths),
        geometries=geometries,
        L=geometries * (len(widths) + (len(widths) > 1 and not settings.paper)),
        m=settings.n_anchors,
        k=settings.neighbors[0],
        K=settings.n_clusters,
        item=np.dtype(settings.dtype).itemsize,
        number=number_type(settings.n_anchors)().itemsize,
        source=source,
    )
