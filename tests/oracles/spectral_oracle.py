"""Singular vectors of the tall matrix itself."""

import numpy as np


def singular_triplets(A, rank):
    """The leading U (N, r), s (r,), W (M, r) of A, the largest entry of every column of W positive."""
    U, s, Wt = np.linalg.svd(A, full_matrices=False)
    U, s, W = U[:, :rank], s[:rank], Wt[:rank].T
    for column in range(W.shape[1]):
        if W[np.abs(W[:, column]).argmax(), column] < 0:
            U[:, column] *= -1
            W[:, column] *= -1
    return U, s, W
