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
    Recipe,
    RowOrderWarning,
    SemiNTF,
    load,
)
from manyview.views import Views

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
    "NoiseViewWarning",
    "Recipe",
    "RowOrderWarning",
    "SemiNTF",
    "Views",
    "__version__",
    "load",
]
