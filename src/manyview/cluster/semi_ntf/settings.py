"""Settings of a fit: the estimator's parameters after every "auto" has become a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from manyview.cluster.semi_ntf.admm import Options
from manyview.cluster.semi_ntf.coupling import Coupling
from manyview.kernels.gst import tau_for_threshold
from manyview.kernels.tproduct import view_transform

MIN_ANCHORS = 500
ANCHORS_PER_CLUSTER = 10
PAPER_EXTRA_ANCHORS = 20
NEIGHBORS = 10
DOUBLE_UP_TO = 5_000  # rows kept in double precision; beyond, single precision halves time and memory
RELATIVE_THRESHOLD = 0.3  # of sqrt(V), the singular value of a cluster on which all views agree
PAPER_GST_STEPS = 4
DRAWS = 4  # labelings of every reading: of as many draws of the anchors, or from as many starts of k-means
DRAWN_UP_TO = 5_000  # rows; with more of them a draw is less of an accident, and costs more
DRAWN_RULES = ("kmeans", "random")  # anchors that another seed would choose otherwise
PAPER: dict[str, Any] = {  # what Algorithm 1 fixes
    "variant": "paper",
    "scale": "max",
    "anchors": "das",
    "init": "identity",
    "view_transform": "dft",
    "mu": 1e-5,
    "rho": 1e-5,
    "eta": 1.6,
    "max_iter": 100,
    "tol": 1e-3,
}


@dataclass(frozen=True)
class Settings:
    """What the stages read."""

    n_clusters: int
    paper: bool
    scale: str
    anchors: Any  # a rule, or row numbers
    n_anchors: int
    neighbors: tuple[int, ...]
    init: Any  # a rule, labels (N,), or a matrix (N, K)
    coupling: str
    view_transform: str
    lam: float | None  # None: relative to the spectrum
    p: float
    mu: float
    rho: float
    eta: float
    max_iter: int
    tol: float
    n_init: int
    n_draws: int  # of the anchors
    n_repeats: int  # of every reading of a draw
    dtype: str
    seed: int

    @property
    def shared(self) -> bool:
        """One H for all slices: the limit of an infinitely strong coupling."""
        return self.coupling == "shared"

    def options(self, n_slices: int, /) -> Options:
        """Options of the factorization of that many slices."""
        coupling = None
        if not self.shared:
            relative = self.mu * tau_for_threshold(RELATIVE_THRESHOLD * np.sqrt(n_slices), self.p)
            lam = relative if self.lam is None else self.lam
            coupling = Coupling(self.coupling, lam, self.p, PAPER_GST_STEPS if self.paper else None)
        transform = view_transform(self.view_transform, n_slices)
        return Options(transform, coupling, self.mu, self.rho, self.eta, self.max_iter, self.tol)


def resolve(estimator: Any, n_samples: int, seed: int, /, *, n_clusters: int | None = None) -> Settings:
    """Check the parameters against the data and replace every "auto"; ``n_clusters`` stands in for the estimator's."""
    paper = estimator.variant == "paper"
    K = int(estimator.n_clusters if n_clusters is None else n_clusters)
    anchors = estimator.anchors
    if not isinstance(anchors, str):
        anchors = _row_numbers(anchors, n_samples)
        n_anchors = len(anchors)
    elif estimator.n_anchors == "auto":
        wanted = K + PAPER_EXTRA_ANCHORS if paper else max(MIN_ANCHORS, ANCHORS_PER_CLUSTER * K)
        n_anchors = min(n_samples, wanted)
    else:
        n_anchors = int(estimator.n_anchors)
        if n_anchors > n_samples:
            raise ValueError(
                f"n_anchors={n_anchors} is more than n_samples={n_samples}: anchors are taken from the rows."
            )
    draws = DRAWS if n_samples <= DRAWN_UP_TO else 1
    drawn = isinstance(anchors, str) and anchors in DRAWN_RULES and n_anchors < n_samples
    dtype = estimator.dtype
    if dtype == "auto":
        dtype = "float64" if paper or n_samples <= DOUBLE_UP_TO else "float32"
    return Settings(
        n_clusters=K,
        paper=paper,
        scale=estimator.scale,
        anchors=anchors,
        n_anchors=n_anchors,
        neighbors=_neighbors(estimator.n_neighbors, n_anchors, paper),
        init=_init(estimator.init, n_samples, K),
        coupling=estimator.coupling,
        view_transform=estimator.view_transform,
        lam=None if isinstance(estimator.lam, str) else float(estimator.lam),
        p=float(estimator.p),
        mu=float(estimator.mu),
        rho=float(estimator.rho),
        eta=float(estimator.eta),
        max_iter=int(estimator.max_iter),
        tol=float(estimator.tol),
        n_init=int(estimator.n_init),
        n_draws=draws if drawn else 1,
        n_repeats=1 if drawn else draws,
        dtype=dtype,
        seed=seed,
    )


def _neighbors(n_neighbors: Any, n_anchors: int, paper: bool) -> tuple[int, ...]:
    if n_neighbors == "auto":
        k = max(min(NEIGHBORS, n_anchors - 1), 1)
        return (k,) if paper else (k, max(k // 2, 1))
    if n_neighbors >= n_anchors:
        raise ValueError(
            f"n_neighbors={n_neighbors} needs at least {n_neighbors + 1} anchors, but there are {n_anchors}: "
            "lower n_neighbors or raise n_anchors."
        )
    return (int(n_neighbors),)


def _row_numbers(anchors: Any, n_samples: int) -> Any:
    numbers = np.asarray(anchors)
    if numbers.ndim != 1 or not np.issubdtype(numbers.dtype, np.integer) or len(numbers) < 2:
        raise ValueError("anchors given as an array must be a 1-D array of at least two row numbers.")
    if numbers.min() < 0 or numbers.max() >= n_samples:
        raise ValueError(f"anchors has row {numbers.max()} or a negative one; rows are 0 … {n_samples - 1}.")
    if len(np.unique(numbers)) != len(numbers):
        raise ValueError("anchors names a row more than once.")
    return numbers


def _init(init: Any, n_samples: int, K: int) -> Any:
    if isinstance(init, str):
        return init
    given = np.asarray(init)
    if given.shape == (n_samples,) and np.issubdtype(given.dtype, np.integer):
        if given.min() < 0 or given.max() >= K:
            raise ValueError(f"init holds labels outside 0 … {K - 1}.")
        return given
    if given.shape == (n_samples, K) and np.issubdtype(given.dtype, np.number) and np.isfinite(given).all():
        return given.astype(np.float64)
    raise ValueError(
        f"init must be integer labels of shape ({n_samples},) or a finite matrix of shape ({n_samples}, {K}); "
        f"got shape {given.shape}, dtype {given.dtype}."
    )
