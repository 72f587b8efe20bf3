"""What the parameters of the graphs may be."""

from os import PathLike
from os.path import isdir

from manyview.anchors import RULES
from manyview.cluster.anchor_graph.recipe import Recipe
from manyview.cluster.engines import ENGINES
from manyview.cluster.parameters import array, boolean, choice, integer, nothing
from manyview.geometry import SCALES

GRAPH_CONSTRAINTS = {
    "n_clusters": (integer(1), choice("auto")),
    "scale": (choice(*SCALES),),
    "anchors": (choice(*RULES), array()),
    "n_anchors": (integer(2), choice("auto")),
    "n_neighbors": (integer(1), choice("auto")),
    "dtype": (choice("auto", "float32", "float64"),),
    "engine": (choice("auto", *ENGINES),),
    "block_rows": (integer(1),),
    "scratch": (
        nothing(),
        ("a directory that exists", lambda value: isinstance(value, str | PathLike) and isdir(value)),
    ),
    "n_jobs": (integer(-1), nothing()),
    "label_outliers": (boolean(),),
    "recipe": (nothing(), ("a Recipe", lambda value: isinstance(value, Recipe))),
    "verbose": (boolean(), ("a function of stage, done, total", callable)),
}
