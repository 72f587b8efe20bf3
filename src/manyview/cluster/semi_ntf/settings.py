"""Settings of the factorization: the estimator's parameters after every "auto" has become a number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from manyview.cluster.anchor_graph.context import GRAPH_CONSTRAINTS
from manyview.cluster.checks import array, choice, integer, real
from manyview.cluster.semi_ntf.admm import Options
from manyview.cluster.semi_ntf.coupling import COUPLINGS, Coupling
from manyview.kernels.gst import tau_for_threshold
from manyview.kernels.tproduct import TRANSFORMS, view_transform

StartName = Literal["consensus", "spectral", "identity", "random"]
Start = StartName | Sequence[int] | NDArray[Any]
AUTOMATIC: dict[str, Any] = {"view_transform": "identity", "p": 0.5, "rho": 1.0}  # "auto" of the coupled variants
OF_COUPLING = ("view_transform", "lam", "p", "rho")  # parameters that one H for all slices does not have
PAPER: dict[str, Any] = {  # what Algorithm 1 fixes
    "variant": "paper",
    "scale": "max",
    "anchors": "das",
    "start": "identity",
    "view_transform": "dft",
    "mu": 1e-5,
    "rho": 1e-5,
    "eta": 1.6,
    "max_iter": 100,
    "tol": 1e-3,
}
CONSTRAINTS = GRAPH_CONSTRAINTS | {
    "variant": (choice("default", "paper"),),
    "start": (choice(*get_args(StartName)), array()),
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


@dataclass(frozen=True)
class FactorSettings:
    """Parameters of the factorization, as numbers."""

    paper: bool
    start: Any  # a rule, labels (N,), or a matrix (N, K)
    coupling: str
    view_transform: str
    lam: float | None  # None: relative to the spectrum
    p: float
    mu: float
    rho: float
    eta: float
    max_iter: int
    tol: float
    relative_threshold: float = 0.3  # lam=None removes singular values below this share of those that all views share

    @property
    def shared(self) -> bool:
        """Return whether all slices share one H, the limit of an infinitely strong coupling."""
        return self.coupling == "shared"

    @property
    def needs_consensus(self) -> bool:
        """Return whether the consensus is found first; Algorithm 1 needs it only as a start."""
        return not self.paper or (isinstance(self.start, str) and self.start == "consensus")

    def options(self, n_slices: int, /) -> Options:
        """Return the options of the loop for that many slices."""
        coupling = None
        if not self.shared:
            relative = self.mu * tau_for_threshold(self.relative_threshold * np.sqrt(n_slices), self.p)
            lam = relative if self.lam is None else self.lam
            coupling = Coupling(self.coupling, lam, self.p, 4 if self.paper else None)
        transform = view_transform(self.view_transform, n_slices)
        return Options(transform, coupling, self.mu, self.rho, self.eta, self.max_iter, self.tol)


def check_modes(estimator: Any, /) -> None:
    """Raise an error for a parameter that would have no effect in the chosen mode."""
    name = type(estimator).__name__
    if estimator.coupling == "shared":
        if estimator.variant == "paper":
            raise ValueError(f"{name}: variant='paper' couples one H per view: use coupling='views' or 'samples'.")
        for parameter in OF_COUPLING:
            if not _is_auto(getattr(estimator, parameter)):
                raise ValueError(
                    f"{name}: {parameter} has no effect with coupling='shared', where all slices share one H. "
                    f"Leave it at 'auto', or choose coupling='clusters', 'views' or 'samples'."
                )
    if estimator.n_clusters == "auto":
        if estimator.variant == "paper":
            raise ValueError(
                f"{name}: n_clusters='auto' needs the fused graph, which variant='paper' does not build: give "
                "n_clusters, for example manyview.model_selection.select(views).n_clusters."
            )
        if not isinstance(estimator.start, str):
            raise ValueError(f"{name}: n_clusters='auto' cannot go with labels or a matrix as start: give n_clusters.")


def resolve_factors(estimator: Any, n_samples: int, n_clusters: int, /) -> FactorSettings:
    """Check the parameters of the factorization against the data and replace every "auto"."""
    given = {name: AUTOMATIC[name] if _is_auto(value := getattr(estimator, name)) else value for name in AUTOMATIC}
    return FactorSettings(
        paper=estimator.variant == "paper",
        start=_start(estimator.start, n_samples, n_clusters),
        coupling=estimator.coupling,
        view_transform=given["view_transform"],
        lam=None if _is_auto(estimator.lam) else float(estimator.lam),
        p=float(given["p"]),
        mu=float(estimator.mu),
        rho=float(given["rho"]),
        eta=float(estimator.eta),
        max_iter=int(estimator.max_iter),
        tol=float(estimator.tol),
    )


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"


def _start(start: Any, n_samples: int, K: int) -> Any:
    if isinstance(start, str):
        return start
    given = np.asarray(start)
    if given.shape == (n_samples,) and np.issubdtype(given.dtype, np.integer):
        if given.min() < 0 or given.max() >= K:
            raise ValueError(f"start holds labels outside 0 … {K - 1}.")
        return given
    if given.shape == (n_samples, K) and np.issubdtype(given.dtype, np.number) and np.isfinite(given).all():
        return given.astype(np.float64)
    raise ValueError(
        f"start must be integer labels of shape ({n_samples},) or a finite matrix of shape ({n_samples}, {K}); "
        f"got shape {given.shape}, dtype {given.dtype}."
    )
