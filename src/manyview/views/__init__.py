"""What comes in: the container, the one door, alignment by id, and the geometry of each view."""

from manyview.views.check import check_views
from manyview.views.container import Views

__all__ = ["Views", "check_views"]
