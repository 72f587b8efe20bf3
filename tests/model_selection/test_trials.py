"""Parts of the rows, as blocks."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from manyview.anchors import GraphBlock
from manyview.model_selection.trials import rows_of


def blocks(sizes):
    """Blocks whose rows are numbered in their columns."""
    start, made = 0, []
    for size in sizes:
        numbers = np.arange(start, start + size, dtype=np.int32)
        made.append(GraphBlock(start, numbers[:, None, None], np.ones((size, 1, 1)), np.ones((size, 1), dtype=bool)))
        start += size
    return made


@given(st.lists(st.integers(1, 6), min_size=1, max_size=4), st.data())
@settings(deadline=None, max_examples=50)
def test_chosen_rows_keep_their_order_and_are_numbered_anew(sizes, data):
    chosen = data.draw(st.sets(st.integers(0, sum(sizes) - 1), min_size=1))
    parts = rows_of(blocks(sizes), np.array(sorted(chosen)))
    assert_array_equal(np.concatenate([part.columns.ravel() for part in parts]), sorted(chosen))
    assert_array_equal([part.start for part in parts], np.cumsum([0, *(part.n_rows for part in parts)])[:-1])
    assert all(part.n_rows for part in parts)
