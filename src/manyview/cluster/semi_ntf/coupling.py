"""The tensor Schatten p-norm that pulls the slices of H together, in three orientations.

    clusters   one (N, V) matrix per cluster: its indicator as every view sees it      sum_k ||[h_k^1 … h_k^V]||_Sp^p
    views      DFT along the views, one (N, K) matrix per frequency                    the text of the paper
    samples    DFT along the samples, one (K, V) matrix per frequency                  the group's released programs

The first two need only small Gram matrices and give the same result for any order of the rows. The third smooths H
along the order of the rows: it is for rows that have a real order (frames, time), and for reproduction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from manyview.engine import Engine, Rows
from manyview.kernels.arrays import FloatArray
from manyview.kernels.schatten import (
    Shrinkage,
    gram_is_enough,
    prox_over_samples,
    shrinkage_from_gram,
    shrinkage_from_triangle,
)
from manyview.kernels.tproduct import to_frequencies, to_views, view_transform

if TYPE_CHECKING:
    from manyview.cluster.semi_ntf.admm import FactorBlock

CouplingName = Literal["shared", "clusters", "views", "samples"]
COUPLINGS: tuple[str, ...] = get_args(CouplingName)


class Coupling(NamedTuple):
    """A Schatten p-norm with its strength."""

    axis: str  # "clusters", "views" or "samples"
    lam: float
    p: float
    steps: int | None = None  # fixed-point steps of the scalar problem; None: to convergence

    def small(self, block: FactorBlock, rho: float, /) -> Any:
        """Compute a block's share of the Gram matrices of Z = H + Y2/rho."""
        if self.axis == "samples":
            return 0.0
        Z = self._matrices(block.H + block.Y2 / rho)
        return (np.conj(np.swapaxes(Z, 1, 2)) @ Z).astype(np.result_type(Z.dtype, np.float64), copy=False)

    def renew(
        self, rows: Rows[FactorBlock], engine: Engine, small: FloatArray, rho: float, n_views: int, /
    ) -> tuple[Callable[[FactorBlock], FloatArray], float]:
        """Return the J-step as a function on blocks, and lam ||J||_Sp^p."""
        tau = self.lam / rho
        if self.axis == "samples":
            Z = engine.collect(lambda block: (block.H + block.Y2 / rho).swapaxes(0, 1), rows).swapaxes(0, 1)
            J, norm = prox_over_samples(Z, tau=tau, p=self.p, steps=self.steps)
            J = J.astype(Z.dtype, copy=False)
            return lambda block: J[:, block.start : block.start + block.n_rows], self.lam * norm
        if gram_is_enough(small, tau=tau, p=self.p):
            shrinkage = shrinkage_from_gram(small, tau=tau, p=self.p, steps=self.steps)
        else:
            R = engine.reduce(lambda block: self._triangle(block, rho), rows, _stack_triangles)
            shrinkage = shrinkage_from_triangle(R, tau=tau, p=self.p, steps=self.steps)
        norm = float(self._multiplicity(len(small), n_views) @ shrinkage.norms)
        return lambda block: self._apply(block.H + block.Y2 / rho, shrinkage), self.lam * norm

    def _matrices(self, Z: FloatArray) -> FloatArray:
        """Return the tall matrices that the norm sees, as a batch."""
        if self.axis == "clusters":
            return np.ascontiguousarray(Z.transpose(2, 1, 0))  # (K, n, V)
        return to_frequencies(view_transform("dft", len(Z)), Z)  # (F, n, K)

    def _apply(self, Z: FloatArray, shrinkage: Shrinkage) -> FloatArray:
        J = self._matrices(Z) @ shrinkage.matrix
        if self.axis == "clusters":
            return np.ascontiguousarray(J.transpose(2, 1, 0)).astype(Z.dtype, copy=False)
        return to_views(view_transform("dft", len(Z)), J).astype(Z.dtype, copy=False)

    def _triangle(self, block: FactorBlock, rho: float) -> Any:
        return np.linalg.qr(self._matrices((block.H + block.Y2 / rho).astype(np.float64)), mode="r")

    def _multiplicity(self, n_matrices: int, n_views: int) -> FloatArray:
        """Return how often every matrix of the batch counts: a frequency also stands for its conjugate."""
        if self.axis == "clusters":
            return np.ones(n_matrices)
        return view_transform("dft", n_views).energy * n_views


def _stack_triangles(first: FloatArray, second: FloatArray) -> FloatArray:
    return np.asarray(np.linalg.qr(np.concatenate([first, second], axis=1), mode="r"))
