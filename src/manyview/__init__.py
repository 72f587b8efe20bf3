"""manyview: group samples that are described by several tables, without labels."""

from manyview.cluster.semi_ntf import RowOrderWarning, SemiNTF
from manyview.views import Views

__version__ = "0.1.0"
__all__ = ["RowOrderWarning", "SemiNTF", "Views", "__version__"]
