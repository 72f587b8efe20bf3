"""The samples that a page shows one by one: all of them, or a seeded sample of a large data set, and their votes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from manyview.report.summary.inputs import BLOCK_ROWS, Inputs
from manyview.views import in_memory, row_blocks

MAX_SHOWN = 200_000
MAX_BYTES = 5_500_000  # of what is said about samples one by one, so that the page stays below 8 MB


class Shown(NamedTuple):
    """Rows that are shown, ascending, and the cluster that each view alone would choose for them."""

    rows: NDArray[np.intp]
    votes: NDArray[np.intp] | None  # (n, V), positions among the clusters; -1: the view does not know the row


def choose_rows(inputs: Inputs, /, *, voting: bool = True) -> Shown:
    """Choose the rows to show and let the views vote on them, where they can."""
    n = inputs.n_samples
    most = min(MAX_SHOWN, int(MAX_BYTES / _bytes_per_row(inputs)))
    rows = np.arange(n) if n <= most else np.sort(np.random.default_rng(0).choice(n, most, replace=False))
    voting = voting and inputs.rated and inputs.views is not None and len(inputs.view_names) > 1
    return Shown(rows, view_votes(inputs, rows) if voting else None)


def _bytes_per_row(inputs: Inputs) -> float:
    """Estimate the size of one row in the page; base64 takes four bytes for three."""
    binary = 2 + 2 + 4 + 2 + 4 + 2 * len(inputs.view_names) + 4 * len(inputs.metadata)
    text = 0.0
    if inputs.ids is not None and len(inputs.ids):
        some = inputs.ids[:: max(len(inputs.ids) // 1000, 1)]
        text = float(np.mean([len(str(identifier).encode(errors="replace")) for identifier in some.tolist()])) + 4
    return binary * 4 / 3 + text


def view_votes(inputs: Inputs, rows: NDArray[np.intp], /) -> NDArray[np.intp]:
    """Return the cluster (n, V) that each view chooses for rows of the fit, without a row's vote for itself."""
    assert inputs.views is not None
    model, parts = inputs.model, []
    for start in range(0, len(rows), BLOCK_ROWS):
        some = rows[start : start + BLOCK_ROWS]
        block = row_blocks(in_memory(inputs.views[some]))(0, len(some))
        votes, opinion = model.reliability_.votes(model.anchor_graph_(block), own=inputs.codes[some])
        parts.append(np.where(opinion, votes, -1))
    return np.concatenate(parts).astype(np.intp)
