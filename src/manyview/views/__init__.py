"""Views as they come in: the container, `check_views`, tables on disk, alignment by id, and row blocks."""

from manyview.views.blocks import row_blocks
from manyview.views.check import check_views, in_memory
from manyview.views.container import Views
from manyview.views.output import as_given
from manyview.views.per_view import PerView
from manyview.views.sources import ViewsLike
from manyview.views.stored import StoredTable

__all__ = ["PerView", "StoredTable", "Views", "ViewsLike", "as_given", "check_views", "in_memory", "row_blocks"]
