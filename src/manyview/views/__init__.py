"""What comes in: the container, the one door, tables on disk, alignment by id, and the geometry of each view."""

from manyview.views.check import check_views, in_memory
from manyview.views.container import Views
from manyview.views.stored import StoredTable

__all__ = ["StoredTable", "Views", "check_views", "in_memory"]
