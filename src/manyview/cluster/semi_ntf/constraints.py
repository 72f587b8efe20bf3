"""What every parameter of SemiNTF may be."""

from manyview.cluster.anchor_graph.context import GRAPH_CONSTRAINTS
from manyview.cluster.parameters import array, choice, integer, real
from manyview.cluster.semi_ntf.coupling import COUPLINGS
from manyview.cluster.semi_ntf.start import STARTS
from manyview.kernels.tproduct import TRANSFORMS

CONSTRAINTS = GRAPH_CONSTRAINTS | {
    "variant": (choice("default", "paper"),),
    "start": (choice(*STARTS), array()),
    "coupling": (choice(*COUPLINGS),),
    "view_transform": (choice("auto", *TRANSFORMS),),
    "lam": (real(0), choice("auto")),
    "p": (real(0, 1, open_low=True), choice("auto")),
    "mu": (real(0, open_low=True),),
    "rho": (real(0, open_low=True), choice("auto")),
    "eta": (real(1),),
    "max_iter": (integer(1),),
    "tol": (real(0),),
}
