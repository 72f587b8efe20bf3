"""Anchor-graph consensus clustering: geometry, anchors, graphs, candidates, consensus, membership map.

Every stage is a module, and imports only the stages before it: context, graphs, fusion, candidates, evidence,
membership, consensus, reliability, explanation. ``stages.py`` puts them in order, ``estimator.py`` names them, and
``recipe.py`` holds their constants.
"""

from manyview.cluster.anchor_graph.estimator import AnchorGraphClustering
from manyview.cluster.anchor_graph.evidence import NoiseViewWarning
from manyview.cluster.anchor_graph.n_clusters import NoStructureWarning
from manyview.cluster.anchor_graph.recipe import Recipe

__all__ = ["AnchorGraphClustering", "NoStructureWarning", "NoiseViewWarning", "Recipe"]
