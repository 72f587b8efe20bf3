"""Laplacians of sparse graphs: connected components and the eigenvectors with the smallest eigenvalues.

    L = D - A        D = diag(A 1)          its null space is spanned by the indicators of the components of A
    N = I - D^(-1/2) A D^(-1/2)             … by the same indicators times D^(1/2)

A Krylov method sees one copy of a repeated eigenvalue, and the graphs here are made to have the eigenvalue 0 many
times. The null space is therefore never searched: it is written down from the components and projected out, and the
rest is found by Lanczos on  shift I - L, whose wanted end is well separated, or, where that is too slow (long thin
graphs), by Lanczos on the inverse. A second look then makes sure that no copy of another eigenvalue is missing.
"""

from collections.abc import Callable
from inspect import signature
from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, splu

from manyview.kernels.arrays import FloatArray, IntArray

DENSE_BELOW = 300  # rows; a full decomposition is as quick there
ACCURACY = 1e-12  # of an eigenvector's residual, relative to the largest possible eigenvalue
SECOND_LOOK = 1e-4  # the same, when only asking whether a smaller eigenvalue is left
KRYLOV = 30  # vectors kept beyond the wanted ones
RESTARTS = 60
TAKES_GENERATOR = (
    "rng" in signature(eigsh).parameters
)  # newer SciPy draws new directions itself, unless told from where
Product = Callable[[FloatArray], FloatArray]


class Components(NamedTuple):
    """Connected components, numbered by their first row."""

    number: int
    labels: IntArray  # (N,)


class Eigenpairs(NamedTuple):
    """Eigenvalues, ascending, and orthonormal eigenvectors."""

    values: FloatArray  # (m,)
    vectors: FloatArray  # (N, m)


def symmetric(A: sp.csr_array, /) -> sp.csr_array:
    """(A + A') / 2, without stored zeros."""
    S = sp.csr_array((A + A.T) / 2)
    S.eliminate_zeros()
    return S


def components(A: sp.csr_array, /) -> Components:
    """Components of the graph whose edges are the stored entries of A, in either direction."""
    count, labels = connected_components(A, directed=True, connection="weak")
    first = np.unique(labels, return_index=True)[1]
    rank = np.empty(count, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(count)
    return Components(int(count), rank[labels])


def laplacian(A: sp.csr_array, /) -> sp.csr_array:
    """D - A of a symmetric graph; loops cancel."""
    return sp.csr_array(sp.diags_array(degrees(A)) - A)


def degrees(A: sp.csr_array, /) -> FloatArray:
    """Row sums (N,)."""
    return np.asarray(A.sum(axis=1)).ravel()


def normalised_adjacency(A: sp.csr_array, /) -> sp.csr_array:
    """D^(-1/2) A D^(-1/2) of a symmetric graph; a vertex without edges keeps a zero row."""
    degree = degrees(A)
    root = np.where(degree > 0, 1 / np.sqrt(np.where(degree > 0, degree, 1)), 0)
    return sp.csr_array(sp.diags_array(root) @ A @ sp.diags_array(root))


def null_space(labels: IntArray, weights: FloatArray, /) -> sp.csr_array:
    """Orthonormal vectors (N, q), one per component with any weight, the heaviest component first.

    weights 1 give the null space of D - A, weights D^(1/2) that of I - D^(-1/2) A D^(-1/2).
    """
    mass = np.bincount(labels, weights=weights**2)
    order = np.argsort(-mass, kind="stable")
    order = order[mass[order] > 0]
    place = np.full(len(mass), -1)
    place[order] = np.arange(len(order))
    rows = np.flatnonzero((place[labels] >= 0) & (weights != 0))
    entries = weights[rows] / np.sqrt(mass[labels[rows]])
    return sp.csr_array((entries, (rows, place[labels[rows]])), shape=(len(labels), len(order)))


def smallest_eigenpairs(
    L: sp.csr_array, count: int, /, *, null: sp.csr_array | None = None, positive: bool = True
) -> Eigenpairs:
    """The ``count`` smallest eigenvalues (at most N) of a symmetric sparse L, with eigenvectors.

    ``null`` holds orthonormal vectors with L q = 0 exactly. ``positive`` says that L has no negative eigenvalue, so
    that these come first; where there are more of them than asked for, the first columns are taken.
    """
    n = L.shape[0]
    count = min(count, n)
    Q = sp.csr_array((n, 0)) if null is None else null
    known = Q.shape[1]
    wanted = min(max(count - known, 0) if positive else count, n - known)
    rest = _beside(L, Q, wanted) if wanted else Eigenpairs(np.empty(0), np.empty((n, 0)))
    Q = Q[:, :count].toarray()
    values = np.concatenate([np.zeros(Q.shape[1]), rest.values])
    order = np.argsort(values, kind="stable")[:count]
    return Eigenpairs(values[order], np.hstack([Q, rest.vectors])[:, order])


def _beside(L: sp.csr_array, Q: sp.csr_array, wanted: int) -> Eigenpairs:
    """Smallest eigenpairs of L on the orthogonal complement of Q."""
    n = L.shape[0]
    top = 1.01 * float(abs(L).sum(axis=1).max()) or 1.0  # above every eigenvalue (Gershgorin)
    if n <= max(DENSE_BELOW, wanted + Q.shape[1] + KRYLOV):
        lifted = L.toarray() + 2 * top * (Q @ Q.T).toarray()
        return Eigenpairs(*scipy.linalg.eigh(lifted, subset_by_index=(0, wanted - 1)))
    pairs = _lanczos(L, Q, np.empty((n, 0)), wanted, top, look=0)
    for look in range(1, wanted + 1):
        extra = _missing(L, Q, pairs, top, look)
        if extra is None:
            break
        pairs = _merge(pairs, extra, wanted)
    return pairs


def _missing(L: sp.csr_array, Q: sp.csr_array, pairs: Eigenpairs, top: float, look: int) -> Eigenpairs | None:
    """An eigenpair below the largest found that is not among the found ones; None if there is none."""
    if L.shape[0] - Q.shape[1] - len(pairs.values) < 1:
        return None
    bound = pairs.values[-1] - SECOND_LOOK * top
    glance = _lanczos(L, Q, pairs.vectors, 1, top, look=look, accuracy=SECOND_LOOK)
    if glance.values[0] >= bound:
        return None
    return _lanczos(L, Q, pairs.vectors, 1, top, look=look)


def _merge(pairs: Eigenpairs, extra: Eigenpairs, wanted: int) -> Eigenpairs:
    values = np.concatenate([pairs.values, extra.values])
    order = np.argsort(values, kind="stable")[:wanted]
    return Eigenpairs(values[order], np.hstack([pairs.vectors, extra.vectors])[:, order])


def _lanczos(
    L: sp.csr_array, Q: sp.csr_array, E: FloatArray, wanted: int, top: float, *, look: int, accuracy: float = ACCURACY
) -> Eigenpairs:
    """Smallest eigenpairs of L beside the orthonormal columns of Q and E.

    Every ``look`` starts from another fixed vector: what is left of the first one has lost its part in the eigenspaces
    that were found, and with it the copies that were not.
    """
    n = L.shape[0]
    beside = _complement(Q, E)
    start = beside(np.random.default_rng(look).standard_normal(n))
    options = {"k": wanted, "which": "LA", "v0": start, "ncv": min(2 * wanted + KRYLOV, n), "tol": accuracy}
    options |= {"rng": np.random.default_rng(look)} if TAKES_GENERATOR else {}
    try:
        flipped = LinearOperator((n, n), matvec=lambda x: beside(top * x - L @ x), dtype=np.float64)
        _, vectors = eigsh(flipped, maxiter=RESTARTS, **options)
    except ArpackNoConvergence:
        inverse = _shifted_inverse(L, 1e-7 * top)
        operator = LinearOperator((n, n), matvec=lambda x: beside(inverse(x)), dtype=np.float64)
        _, vectors = eigsh(operator, maxiter=10 * n, **options)
    vectors = scipy.linalg.qr(beside(vectors), mode="economic")[0]
    # one Rayleigh-Ritz step: values to the last digit, and the same code for both operators
    small = vectors.T @ (L @ vectors)
    values, turn = scipy.linalg.eigh((small + small.T) / 2)
    return Eigenpairs(values, vectors @ turn)


def _complement(Q: sp.csr_array, E: FloatArray) -> Product:
    """x -> x minus its part in the orthonormal columns of Q and E."""
    Qt = sp.csr_array(Q.T)
    known, found = Q.shape[1] > 0, E.shape[1] > 0

    def beside(x: FloatArray) -> FloatArray:
        if known:
            x = x - Q @ (Qt @ x)
        return x - E @ (E.T @ x) if found else x

    return beside


def _shifted_inverse(L: sp.csr_array, shift: float) -> Product:
    """x -> (L + shift I)^(-1) x by sparse factors; the shift is small and positive so that they exist."""
    shifted = sp.csc_array(L + shift * sp.eye_array(L.shape[0]))
    factors = splu(shifted, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    return lambda x: factors.solve(x)
