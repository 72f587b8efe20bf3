"""Graphs with a given number of connected components: the loop that constrained-Laplacian methods share.

    min_A  fit(A) + s tr(F' L_A F)     F'F = I, F (N, c);   L_A = Laplacian of (A + A')/2

tr(F' L_A F) is least for the c eigenvectors with the smallest eigenvalues, and it is zero when the graph has (at least)
c components. The strength s is doubled while there are fewer and halved while there are more; A is updated row by row
for fixed F by the caller, which knows the fit.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from manyview.kernels.arrays import FloatArray, Graph, IntArray
from manyview.kernels.laplacian import (
    Eigenpairs,
    components,
    degrees,
    nonnegative,
    null_space,
    smallest_eigenpairs,
    symmetric,
)
from manyview.kernels.sample_graph import Run, in_order

Update = Callable[[FloatArray, float], Graph]


class RankConstrained(NamedTuple):
    """Result of the loop."""

    graph: Graph  # (N, N), as the last update left it
    affinity: Graph  # the same, symmetrized
    embedding: FloatArray  # (N, c)
    labels: IntArray  # (N,) components of the last graph
    n_components: int
    connectivity: list[float]  # sum of the c smallest eigenvalues, at the start and after every update
    strengths: list[float]  # of every update

    @property
    def n_iter(self) -> int:
        """Return the number of updates."""
        return len(self.strengths)


def bottom_eigenpairs(A: Graph, count: int, /, *, tol: float = 0.0, run: Run = in_order) -> Eigenpairs:
    """Compute the smallest eigenpairs of the Laplacian of a symmetric graph; of too many components the largest count.

    Where the graph has as many components as asked for and a bound puts the next eigenvalue above ``tol``, all is known
    without an eigensolver, and that next eigenvalue is given as infinite.
    """
    number, labels = components(A, run=run)
    null = null_space(labels, np.ones(A.shape[0]))
    positive = nonnegative(A, run=run)
    if positive and number == count and tol > 0 and _hold_together(A, labels, tol, run):
        return Eigenpairs(np.zeros(count), null.toarray(), np.inf)
    return smallest_eigenpairs(A, count, diagonal=degrees(A), null=null, positive=positive, run=run)


def _hold_together(A: Graph, labels: IntArray, tol: float, run: Run) -> bool:
    """Return whether every component's second eigenvalue is surely above ``tol``.

    A connected graph of n vertices with edge weights of at least w has  lambda_2 >= 4 w / (n diameter) >= 4 w / n²
    (Mohar).
    """
    n = int(np.bincount(labels).max())
    return components(A, above=tol * n**2 / 4, run=run).number == labels.max() + 1


def constrain_components(
    graph: Graph,
    n_clusters: int,
    update: Update,
    /,
    *,
    max_iter: int,
    tol: float,
    strength: float = 1.0,
    skip_if_done: bool = False,
    room: FloatArray | None = None,
    run: Run = in_order,
) -> RankConstrained:
    """Update a graph until it has ``n_clusters`` components, or ``max_iter`` times.

    ``update(F, strength)`` gives the next graph. ``skip_if_done`` returns a graph that already has enough components;
    ``room`` (N, N) holds the symmetrized graph where graphs are arrays. Only one graph is needed at a time, so that
    ``update`` may write each over the one before.
    """
    A = symmetric(graph, run=run, out=room)
    values, F, _ = bottom_eigenpairs(A, n_clusters, run=run)
    connectivity, strengths = [float(values.sum())], list[float]()
    done = skip_if_done and connectivity[0] < tol
    while not done and len(strengths) < max_iter:
        strengths.append(strength)
        graph = update(F, strength)
        A = symmetric(graph, run=run, out=A if isinstance(A, np.ndarray) else room)
        values, vectors, beyond = bottom_eigenpairs(A, n_clusters, tol=tol, run=run)
        connectivity.append(float(values.sum()))
        if connectivity[-1] > tol:
            F = vectors
            strength *= 2
        elif connectivity[-1] + beyond < tol:
            strength /= 2  # too many components: F as it was
        else:
            F = vectors
            done = True
    number, labels = components(A, run=run)
    return RankConstrained(graph, A, F, labels, number, connectivity, strengths)
