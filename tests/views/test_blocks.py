import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from manyview.engine import MemoryEngine
from manyview.views import Views
from manyview.views.blocks import row_blocks


@pytest.fixture
def views():
    rng = np.random.default_rng(0)
    return Views([rng.random((10, 2)), sp.random_array((10, 5), density=0.4, format="csr", rng=rng)])


def test_blocks_are_the_rows_of_all_views(views):
    blocks = MemoryEngine(n_jobs=1, block_rows=4).cut(row_blocks(views), len(views))
    assert [(block.start, block.n_rows) for block in blocks] == [(0, 4), (4, 4), (8, 2)]
    assert_array_equal(np.vstack([block.tables[0] for block in blocks]), views.tables[0])
    assert_array_equal(sp.vstack([block.tables[1] for block in blocks]).toarray(), views.tables[1].toarray())
    assert all(block.tables[1].format == "csr" for block in blocks)


def test_dense_blocks_are_no_copies(views):
    block = row_blocks(views)(3, 7)
    assert np.shares_memory(block.tables[0], views.tables[0])
