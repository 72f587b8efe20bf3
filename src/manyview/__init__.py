"""manyview: group samples that are described by several tables, without labels."""

from manyview.cluster import (
    AMGL,
    CSMSC,
    FMCNOF,
    GMC,
    LMVSC,
    MVGL,
    SFMC,
    SMSC,
    AnchorGraphClustering,
    ModelFileError,
    NoiseViewWarning,
    NoStructureWarning,
    Recipe,
    RowOrderWarning,
    SemiNTF,
    load,
)
from manyview.result import Result, cluster
from manyview.views import Views
from manyview.views.per_view import PerView

__version__ = "0.1.0"
__all__ = [
    "AMGL",
    "CSMSC",
    "FMCNOF",
    "GMC",
    "LMVSC",
    "MVGL",
    "SFMC",
    "SMSC",
    "AnchorGraphClustering",
    "ModelFileError",
    "NoStructureWarning",
    "NoiseViewWarning",
    "PerView",
    "Recipe",
    "Result",
    "RowOrderWarning",
    "SemiNTF",
    "Views",
    "__version__",
    "cluster",
    "load",
]
