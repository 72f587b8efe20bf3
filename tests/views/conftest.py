import pytest
from threadpoolctl import threadpool_limits

from manyview.engine import MemoryEngine
from manyview.views import check_views
from manyview.views.blocks import row_blocks


@pytest.fixture(scope="module")
def cut():
    """Row blocks of any input, and a one-thread engine to run over them."""

    def of(X, block_rows=17):
        views = check_views(X, rows_may_miss=True)
        engine = MemoryEngine(n_jobs=1, block_rows=block_rows)
        return engine.partition(row_blocks(views), len(views)), engine

    with threadpool_limits(1):
        yield of
