"""Laplacians of sparse graphs: connected components and the eigenvectors with the smallest eigenvalues.

    L = D - A        D = diag(A 1)          its null space is spanned by the indicators of the components of A
    N = I - D^(-1/2) A D^(-1/2)             … by the same indicators times D^(1/2)

A Krylov method sees one copy of a repeated eigenvalue, and the graphs here are made to have the eigenvalue 0 many
times. The null space is therefore never searched: it is written down from the components and projected out, and the
rest is found by Lanczos on  top I - L, whose wanted end is well separated, or, where that is too slow (long thin
graphs), by Lanczos on the inverse. A second, rough search then makes sure that no copy of another eigenvalue is
missing, and estimates the next eigenvalue.
"""

from collections.abc import Callable
from inspect import signature
from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, splu

from manyview.kernels.arrays import FloatArray, Graph, IntArray
from manyview.kernels.dense_graph import (
    absolute_degrees,
    array_components,
    by_first_row,
    parts_of,
    smallest_entry,
    symmetric_array,
)
from manyview.kernels.sample_graph import Run, in_order, row_blocks

DENSE_BELOW = 300  # rows; a full decomposition is as quick there
ACCURACY = 1e-12  # of an eigenvector's residual, relative to the largest possible eigenvalue
KRYLOV = 30  # vectors kept beyond the wanted ones
MANY_EDGES = 150  # per row: from there on the graph counts as dense
FEW_EDGES = 8
RESTARTS = 60
TAKES_GENERATOR = "rng" in signature(eigsh).parameters  # newer SciPy draws restart directions from this generator
Product = Callable[[FloatArray], FloatArray]


class Components(NamedTuple):
    """Connected components, numbered by their first row."""

    number: int
    labels: IntArray  # (N,)


class Eigenpairs(NamedTuple):
    """Eigenvalues, ascending, and orthonormal eigenvectors."""

    values: FloatArray  # (m,)
    vectors: FloatArray  # (N, m)
    beyond: float  # the next eigenvalue, well enough to be told from these and from 0; infinite if there is none


class _Operator(NamedTuple):
    """L = diag(diagonal) - A."""

    A: Graph  # (N, N)
    diagonal: FloatArray  # (N,)
    top: float  # above every eigenvalue
    shares: list[Graph]  # A, cut by rows
    run: Run

    def __matmul__(self, x: FloatArray) -> FloatArray:
        return (self.diagonal * x.T).T - np.concatenate(self.run(lambda share: share @ x, self.shares))


def symmetric(A: Graph, /, *, run: Run = in_order, out: FloatArray | None = None) -> Graph:
    """Compute (A + A') / 2, without stored zeros; for an array in ``out`` if given."""
    if isinstance(A, np.ndarray):
        return symmetric_array(A, run=run, out=out)
    S = sp.csr_array(A + A.T)
    S.data /= 2
    S.eliminate_zeros()
    return S


def components(A: Graph, /, *, above: float | None = None, run: Run = in_order) -> Components:
    """Find the components of the graph whose edges are the stored entries of A, in either direction.

    ``above`` leaves out what is smaller. An array must be symmetric; its edges are the entries that are not 0.
    """
    if isinstance(A, np.ndarray):
        return _counted(array_components(A, above=above, run=run))
    if above is not None:
        strong = A.copy()
        strong.data = np.where(strong.data >= above, 1.0, 0.0)
        strong.eliminate_zeros()
        return components(strong)
    lengths = np.diff(A.indptr)
    if A.nnz <= MANY_EDGES * len(lengths):
        return _counted(by_first_row(connected_components(A, directed=True, connection="weak")[1]))
    # a few edges of every row join nearly everything; the others are only asked whether they join any two of the parts
    full = np.flatnonzero(lengths)
    few = np.linspace(A.indptr[full], A.indptr[full + 1], FEW_EDGES, endpoint=False, axis=1).astype(np.int64)
    parts = parts_of(np.repeat(full, FEW_EDGES), A.indices[few.ravel()], len(lengths))
    i, j = np.repeat(parts, lengths), parts[A.indices]
    joins = i != j
    return _counted(by_first_row(parts_of(i[joins], j[joins], int(parts.max()) + 1)[parts]))


def _counted(labels: IntArray) -> Components:
    return Components(int(labels.max(initial=-1)) + 1, labels)


def nonnegative(A: Graph, /, *, run: Run = in_order) -> bool:
    """Return whether no edge has a negative weight."""
    if isinstance(A, np.ndarray):
        return smallest_entry(A, run=run) >= 0
    return bool(A.nnz == 0 or A.data.min() >= 0)


def degrees(A: Graph, /) -> FloatArray:
    """Compute the row sums (N,)."""
    return np.asarray(A @ np.ones(A.shape[1]))


def normalized_adjacency(A: sp.csr_array, /) -> sp.csr_array:
    """Compute D^(-1/2) A D^(-1/2) of a symmetric graph; a vertex without edges keeps a zero row."""
    degree = degrees(A)
    root = np.where(degree > 0, 1 / np.sqrt(np.where(degree > 0, degree, 1)), 0)
    return sp.csr_array(sp.diags_array(root) @ A @ sp.diags_array(root))


def null_space(labels: IntArray, weights: FloatArray, /) -> sp.csr_array:
    """Return orthonormal vectors (N, q), one per component with any weight, heaviest first, then by first row.

    weights 1 give the null space of D - A, weights D^(1/2) that of I - D^(-1/2) A D^(-1/2).
    """
    mass = np.bincount(labels, weights=weights**2)
    share = np.round(mass / max(mass.max(), np.finfo(float).tiny), 9)  # equal masses stay equal after rounding errors
    order = np.argsort(-share, kind="stable")
    order = order[mass[order] > 0]
    place = np.full(len(mass), -1)
    place[order] = np.arange(len(order))
    rows = np.flatnonzero((place[labels] >= 0) & (weights != 0))
    entries = weights[rows] / np.sqrt(mass[labels[rows]])
    return sp.csr_array((entries, (rows, place[labels[rows]])), shape=(len(labels), len(order)))


def smallest_eigenpairs(
    A: Graph,
    count: int,
    /,
    *,
    diagonal: FloatArray | float,
    null: sp.csr_array | None = None,
    positive: bool = True,
    run: Run = in_order,
) -> Eigenpairs:
    """Compute the ``count`` smallest eigenpairs (at most N) of  L = diag(diagonal) - A, A symmetric.

    ``null`` holds orthonormal vectors with L q = 0 exactly. ``positive`` says that L has no negative eigenvalue, so
    that these come first; where there are more of them than asked for, the first columns are taken.
    """
    n = A.shape[0]
    count = min(count, n)
    diagonal = np.broadcast_to(np.asarray(diagonal, dtype=np.float64), (n,))
    sizes = absolute_degrees(A, run=run) if isinstance(A, np.ndarray) else degrees(abs(A))
    reach = np.abs(diagonal) + sizes  # Gershgorin
    L = _Operator(A, diagonal, 1.01 * float(reach.max()) or 1.0, _shares(A), run)
    Q = sp.csr_array((n, 0)) if null is None else null
    known = Q.shape[1]
    wanted = min(max(count - known, 0) if positive else count, n - known)
    if positive and known > count:
        return Eigenpairs(np.zeros(count), Q[:, :count].toarray(), 0.0)
    rest = _beside(L, Q, wanted)
    values = np.concatenate([np.zeros(min(known, count)), rest.values])
    order = np.argsort(values, kind="stable")
    vectors = np.hstack([Q[:, :count].toarray(), rest.vectors])[:, order[:count]]
    beyond = min([rest.beyond, *values[order[count:]]])
    return Eigenpairs(values[order[:count]], vectors, float(beyond))


def _shares(A: Graph) -> list[Graph]:
    """Split A into ranges of rows where a product is worth dividing among threads."""
    n = A.shape[0]
    if _stored(A) < 1 << 20:  # a product takes less time than starting threads
        return [A]
    return [A[start:stop] for start, stop in row_blocks(n, entries=n * -(-n // 4))]


def _stored(A: Graph) -> int:
    return int(A.nnz if sp.issparse(A) else A.size)


def _beside(L: _Operator, Q: sp.csr_array, wanted: int) -> Eigenpairs:
    """Compute the smallest eigenpairs of L on the orthogonal complement of Q."""
    n = L.A.shape[0]
    left = n - Q.shape[1] - wanted
    if wanted + left == 0:
        return Eigenpairs(np.empty(0), np.empty((n, 0)), np.inf)
    if n <= max(DENSE_BELOW, wanted + Q.shape[1] + KRYLOV):
        return _complete(L, Q, wanted, left)
    pairs = _lanczos(L, Q, np.empty((n, 0)), wanted, seed=0)
    for seed in range(1, wanted + 1):
        following = _following(L, Q, pairs, seed)
        if following >= pairs.values[-1] - 1e-9 * L.top:  # closer ones are equal up to rounding
            return pairs._replace(beyond=following)
        # it belongs among the found ones: a copy that was missed
        pairs = _merge(pairs, _lanczos(L, Q, pairs.vectors, 1, seed=seed), wanted)
    return pairs._replace(beyond=_following(L, Q, pairs, wanted + 1))


def _complete(L: _Operator, Q: sp.csr_array, wanted: int, left: int) -> Eigenpairs:
    """Compute `_beside` by a complete decomposition, with the known vectors lifted to the far end."""
    A = L.A.toarray() if sp.issparse(L.A) else L.A
    lifted = np.diag(L.diagonal) - A + 2 * L.top * (Q @ Q.T).toarray()
    values, vectors = scipy.linalg.eigh(lifted, subset_by_index=(0, wanted - (left == 0)))
    return Eigenpairs(values[:wanted], vectors[:, :wanted], float(values[wanted]) if left else np.inf)


def _following(L: _Operator, Q: sp.csr_array, pairs: Eigenpairs, seed: int) -> float:
    """Estimate the smallest eigenvalue beside Q and the found pairs, well enough to tell it from those and from 0."""
    bound = max([0.0, *pairs.values[-1:]])
    for accuracy in (1e-2, 1e-4):  # the second where the first leaves a doubt
        rough = _lanczos(L, Q, pairs.vectors, 1, seed=seed, accuracy=accuracy).values[0]
        if rough > bound + 3 * accuracy * L.top:
            return float(rough)
    return float(_lanczos(L, Q, pairs.vectors, 1, seed=seed).values[0])


def _merge(pairs: Eigenpairs, extra: Eigenpairs, wanted: int) -> Eigenpairs:
    values = np.concatenate([pairs.values, extra.values])
    order = np.argsort(values, kind="stable")[:wanted]
    return Eigenpairs(values[order], np.hstack([pairs.vectors, extra.vectors])[:, order], np.inf)


def _lanczos(
    L: _Operator, Q: sp.csr_array, E: FloatArray, wanted: int, *, seed: int, accuracy: float = ACCURACY
) -> Eigenpairs:
    """Compute the smallest eigenpairs of L beside the orthonormal columns of Q and E.

    Every ``seed`` starts from another fixed vector: what is left of the first one has lost its part in the eigenspaces
    that were found, and with it the copies that were not.
    """
    n = L.A.shape[0]
    if wanted == 0:
        return Eigenpairs(np.empty(0), np.empty((n, 0)), np.inf)
    beside = _complement(Q, E)
    start = beside(np.random.default_rng(seed).standard_normal(n))
    dense = _stored(L.A) > MANY_EDGES * n  # there a product costs more than keeping the vectors orthogonal
    spare = 6 if accuracy > ACCURACY else 12 if dense else KRYLOV
    options = {"k": wanted, "which": "LA", "v0": start, "ncv": min(2 * wanted + spare, n), "tol": accuracy}
    options |= {"rng": np.random.default_rng(seed)} if TAKES_GENERATOR else {}
    try:
        flipped = LinearOperator((n, n), matvec=lambda x: beside(L.top * x - L @ x), dtype=np.float64)
        _, vectors = eigsh(flipped, maxiter=RESTARTS, **options)
    except ArpackNoConvergence:
        inverse = _shifted_inverse(L, 1e-7 * L.top)
        operator = LinearOperator((n, n), matvec=lambda x: beside(inverse(x)), dtype=np.float64)
        _, vectors = eigsh(operator, maxiter=10 * n, **options)
    vectors = scipy.linalg.qr(beside(vectors), mode="economic")[0]
    # one Rayleigh-Ritz step: values to the last digit, and the same code for both operators
    small = vectors.T @ (L @ vectors)
    values, turn = scipy.linalg.eigh((small + small.T) / 2)
    return Eigenpairs(values, vectors @ turn, np.inf)


def _complement(Q: sp.csr_array, E: FloatArray) -> Product:
    """Return the projection x -> x minus its part in the orthonormal columns of Q and E."""
    Qt = sp.csr_array(Q.T)
    known, found = Q.shape[1] > 0, E.shape[1] > 0

    def beside(x: FloatArray) -> FloatArray:
        if known:
            x = x - Q @ (Qt @ x)
        return x - E @ (E.T @ x) if found else x

    return beside


def _shifted_inverse(L: _Operator, shift: float) -> Product:
    """Return x -> (L + shift I)^(-1) x by factors; the shift is small and positive so that they exist."""
    if isinstance(L.A, np.ndarray):
        factors = scipy.linalg.lu_factor(np.diag(L.diagonal + shift) - L.A, overwrite_a=True)
        return lambda x: scipy.linalg.lu_solve(factors, x)
    shifted = sp.csc_array(sp.diags_array(L.diagonal + shift) - sp.csr_array(L.A))
    sparse_factors = splu(shifted, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    return lambda x: sparse_factors.solve(x)
