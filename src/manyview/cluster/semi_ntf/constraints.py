"""What every parameter of SemiNTF may be."""

from os import PathLike
from os.path import isdir
from typing import Any

from manyview.anchors import RULES
from manyview.cluster.parameters import array, boolean, choice, integer, nothing, real
from manyview.cluster.semi_ntf.coupling import COUPLINGS
from manyview.cluster.semi_ntf.engines import ENGINES
from manyview.geometry.fit import SCALES
from manyview.kernels.tproduct import TRANSFORMS


def _is_directory(value: Any) -> bool:
    return isinstance(value, str | PathLike) and isdir(value)


CONSTRAINTS = {
    "n_clusters": (integer(1), choice("auto")),
    "variant": (choice("default", "paper"),),
    "scale": (choice(*SCALES),),
    "anchors": (choice(*RULES), array()),
    "n_anchors": (integer(2), choice("auto")),
    "n_neighbors": (integer(1), choice("auto")),
    "init": (choice("spectral", "qr", "identity", "random"), array()),
    "coupling": (choice(*COUPLINGS),),
    "view_transform": (choice(*TRANSFORMS),),
    "lam": (real(0), choice("auto")),
    "p": (real(0, 1, open_low=True),),
    "mu": (real(0, open_low=True),),
    "rho": (real(0, open_low=True),),
    "eta": (real(1),),
    "max_iter": (integer(1),),
    "tol": (real(0),),
    "n_init": (integer(1),),
    "dtype": (choice("auto", "float32", "float64"),),
    "n_jobs": (integer(-1), nothing()),
    "block_rows": (integer(1),),
    "engine": (choice("auto", *ENGINES),),
    "scratch": (
        nothing(),
        ("a directory that exists", lambda value: isinstance(value, str | PathLike) and isdir(value)),
    ),
    "verbose": (boolean(), ("a function of stage, done, total", callable)),
}
