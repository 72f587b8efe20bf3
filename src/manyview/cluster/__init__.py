"""One file, or folder, per method, under one interface."""

from manyview.cluster.amgl import AMGL
from manyview.cluster.anchor_graph import AnchorGraphClustering, NoiseViewWarning, NoStructureWarning, Recipe
from manyview.cluster.csmsc import CSMSC
from manyview.cluster.fmcnof import FMCNOF
from manyview.cluster.gmc import GMC
from manyview.cluster.lmvsc import LMVSC
from manyview.cluster.mvgl import MVGL
from manyview.cluster.pickling import PickledVersionWarning
from manyview.cluster.saving import ModelFileError, load
from manyview.cluster.semi_ntf import RowOrderWarning, SemiNTF
from manyview.cluster.sfmc import SFMC
from manyview.cluster.smsc import SMSC

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
    "PickledVersionWarning",
    "Recipe",
    "RowOrderWarning",
    "SemiNTF",
    "load",
]
