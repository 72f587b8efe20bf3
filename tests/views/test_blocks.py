import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from manyview.engine import MemoryEngine
from manyview.views import Views
from manyview.views.blocks import row_blocks, some_rows


@pytest.fixture
def views():
    rng = np.random.default_rng(0)
    return Views([rng.random((10, 2)), sp.random_array((10, 5), density=0.4, format="csr", random_state=rng)])


def test_blocks_are_the_rows_of_all_views(views):
    blocks = MemoryEngine(n_jobs=1, block_rows=4).partition(row_blocks(views), len(views))
    assert [(block.start, block.n_rows) for block in blocks] == [(0, 2), (2, 3), (5, 2), (7, 3)]
    assert_array_equal(np.vstack([block.tables[0] for block in blocks]), views.tables[0])
    assert_array_equal(sp.vstack([block.tables[1] for block in blocks]).toarray(), views.tables[1].toarray())
    assert all(block.tables[1].format == "csr" for block in blocks)


def test_dense_blocks_are_no_copies(views):
    block = row_blocks(views)(3, 7)
    assert np.shares_memory(block.tables[0], views.tables[0])


@pytest.mark.parametrize("start, stop", [(0, 10), (3, 7), (4, 4), (8, 10)])
def test_sparse_blocks_are_the_rows_and_share_their_entries(views, start, stop):
    block, table = row_blocks(views)(start, stop).tables[1], views.tables[1]
    assert_array_equal(block.toarray(), table.toarray()[start:stop])
    assert block.nnz == 0 or np.shares_memory(block.data, table.data)
    assert_array_equal((block @ np.eye(5)).sum(axis=0), table.toarray()[start:stop].sum(axis=0))


def test_what_is_missing_is_known_and_filled_with_zeros(views):
    lacking = views.tables[0].copy()
    lacking[4:6] = np.nan
    block = row_blocks(Views([lacking, views.tables[1]]))(3, 9)
    gone = np.array([False, True, True, False, False, False])
    assert_array_equal(block.missing, [gone, np.zeros(6, dtype=bool)])
    assert_array_equal(block.table(0), np.where(gone[:, None], 0, lacking[3:9]))
    assert_array_equal(block.known(0), lacking[3:9][~gone])
    assert block.table(1) is block.known(1) is block.tables[1]


def test_single_precision_stays_so_beside_missing_rows():
    block = row_blocks(Views([np.array([[1.0], [np.nan]], np.float32), np.ones((2, 1))]))(0, 2)
    assert block.table(0).dtype == block.known(0).dtype == np.float32


def test_a_row_without_any_view_is_named():
    table = np.ones((8, 2))
    table[6] = np.nan
    with pytest.raises(ValueError, match="Row 6 is NaN in every view: drop it"):
        np.count_nonzero(row_blocks(Views([table, table]))(4, 8).missing)


@pytest.mark.parametrize("n_rows, n_wanted", [(7, 7), (7, 9), (1, 5)])
def test_all_rows_are_chosen_where_there_are_few(n_rows, n_wanted):
    assert_array_equal(some_rows(n_rows, n_wanted, seed=0), np.arange(n_rows))


def test_some_rows_are_different_ones_in_order_and_follow_the_seed():
    chosen = some_rows(1_000_000, 300, seed=1)
    assert len(chosen) == 300
    assert (np.diff(chosen) > 0).all()
    assert 0 <= chosen[0] < 100_000
    assert 900_000 < chosen[-1] < 1_000_000
    assert_array_equal(chosen, some_rows(1_000_000, 300, seed=1))
    assert not np.array_equal(chosen, some_rows(1_000_000, 300, seed=2))
