"""The t-product as its definition has it: block-circulant matrices; and its relatives by sums over the views."""

import numpy as np


def block_circulant(A):
    """bcirc(A), (V n, V k): block (i, j) is the slice A^(i - j), counted round."""
    V = len(A)
    return np.block([[A[(i - j) % V] for j in range(V)] for i in range(V)])


def t_product(A, B):
    """fold(bcirc(A) unfold(B))."""
    V, n, _ = A.shape
    return (block_circulant(A) @ np.concatenate(list(B))).reshape(V, n, B.shape[2])


def cosine_matrix(V):
    """Orthonormal DCT-II, entry by entry."""
    M = np.empty((V, V))
    for f in range(V):
        for v in range(V):
            M[f, v] = np.sqrt((1 if f == 0 else 2) / V) * np.cos(np.pi * f * (2 * v + 1) / (2 * V))
    return M


def product_in_domain(A, B, M):
    """The product of slices in the domain of an orthonormal M, written out as sums over the views."""
    V = len(A)
    A_hat = [sum(M[f, v] * A[v] for v in range(V)) for f in range(V)]
    B_hat = [sum(M[f, v] * B[v] for v in range(V)) for f in range(V)]
    return np.array([sum(M[f, v] * (A_hat[f] @ B_hat[f]) for f in range(V)) for v in range(V)])
