import pytest
from threadpoolctl import threadpool_limits

from manyview.engine import MemoryEngine
from manyview.geometry.fit import fit_geometry
from manyview.views import check_views
from manyview.views.blocks import row_blocks


@pytest.fixture(scope="module")
def fit():
    """Geometry, row blocks and engine of any input, in the order in which the anchors want them."""

    def of(X, *, block_rows=17, **options):
        views = check_views(X)
        engine = MemoryEngine(n_jobs=1, block_rows=block_rows)
        rows = engine.partition(row_blocks(views), len(views))
        return fit_geometry(rows, engine, **options), rows, engine

    with threadpool_limits(1):
        yield of
