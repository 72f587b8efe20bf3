"""Views as they come in: the container, `check_views`, tables on disk, alignment by id, and row blocks."""

from manyview.views.blocks import row_blocks
from manyview.views.check import check_views, in_memory
from manyview.views.container import Views
from manyview.views.stored import StoredTable

__all__ = ["StoredTable", "Views", "check_views", "in_memory", "row_blocks"]
