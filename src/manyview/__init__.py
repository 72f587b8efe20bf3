"""manyview: group samples that are described by several tables, without labels."""

from manyview.cluster import *  # noqa: F403
from manyview.cluster import __all__ as _methods
from manyview.result import Result, cluster
from manyview.views import Views
from manyview.views.per_view import PerView

__version__ = "0.1.0"
__all__ = [*_methods, "PerView", "Result", "Views", "__version__", "cluster"]
