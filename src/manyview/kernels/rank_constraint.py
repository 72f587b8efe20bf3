"""Graphs with a given number of connected components: the loop that constrained-Laplacian methods share.

    min_A  fit(A) + s tr(F' L_A F)     F'F = I, F (N, c);   L_A = Laplacian of (A + A')/2

tr(F' L_A F) is least for the c eigenvectors with the smallest eigenvalues, and it is zero when the graph has (at least)
c components. The strength s is doubled while there are fewer and halved while there are more; A is updated row by row
for fixed F by the caller, which knows the fit.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from manyview.kernels.arrays import FloatArray, IntArray
from manyview.kernels.laplacian import Eigenpairs, components, laplacian, null_space, smallest_eigenpairs, symmetric

Update = Callable[[FloatArray, float], sp.csr_array]


class RankConstrained(NamedTuple):
    """Where the loop ended."""

    graph: sp.csr_array  # (N, N), as the last update left it, not symmetrised
    embedding: FloatArray  # (N, c)
    eigenvalues: FloatArray  # (c + 1,) smallest of the last Laplacian
    labels: IntArray  # (N,) components of the last graph
    n_components: int
    connectivity: list[float]  # sum of the c smallest eigenvalues, at the start and after every update
    strengths: list[float]  # of every update

    @property
    def n_iter(self) -> int:
        """Number of updates."""
        return len(self.strengths)


def bottom_eigenpairs(graph: sp.csr_array, n_clusters: int, /) -> Eigenpairs:
    """The c + 1 smallest eigenpairs of the Laplacian of (A + A')/2; of more than c components the largest count."""
    A = symmetric(graph)
    null = null_space(components(A).labels, np.ones(A.shape[0]))
    return smallest_eigenpairs(laplacian(A), n_clusters + 1, null=null, positive=bool(A.nnz == 0 or A.data.min() >= 0))


def constrain_components(
    graph: sp.csr_array,
    n_clusters: int,
    update: Update,
    /,
    *,
    max_iter: int,
    tol: float,
    strength: float = 1.0,
    skip_if_done: bool = False,
) -> RankConstrained:
    """Update a graph until it has ``n_clusters`` components, or ``max_iter`` times.

    ``update(F, strength)`` gives the next graph. ``skip_if_done`` returns a start that already has enough components.
    """
    c = n_clusters
    values, vectors = bottom_eigenpairs(graph, c)
    F = vectors[:, :c]
    connectivity, strengths = [float(values[:c].sum())], list[float]()
    done = skip_if_done and connectivity[0] < tol
    while not done and len(strengths) < max_iter:
        strengths.append(strength)
        graph = update(F, strength)
        values, vectors = bottom_eigenpairs(graph, c)
        connectivity.append(float(values[:c].sum()))
        if connectivity[-1] > tol:
            F = vectors[:, :c]
            strength *= 2
        elif len(values) > c and values[: c + 1].sum() < tol:
            strength /= 2  # too many components: F as it was
        else:
            F = vectors[:, :c]
            done = True
    number, labels = components(symmetric(graph))
    return RankConstrained(graph, F, values, labels, number, connectivity, strengths)
