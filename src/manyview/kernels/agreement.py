"""How much two labelings say the same thing, from the K x K table of their joint counts.

ARI = (T - E) / (M - E)     T: pairs together in both; E: what chance gives; M: mean of the pairs together in each

vote of row i = argmax_k sum_r w_r [pi_r(l_ri) = k]     pi_r: the renaming of labeling r with most rows in common
"""

import numpy as np
from scipy.optimize import linear_sum_assignment

from manyview.kernels.arrays import FloatArray, IntArray


def joint_counts(first: IntArray, second: IntArray, n_clusters: int, /) -> FloatArray:
    """Rows (K, K) with label i in the first labeling and j in the second."""
    counts = np.bincount(first.astype(np.intp) * n_clusters + second, minlength=n_clusters**2)
    return counts.reshape(n_clusters, n_clusters).astype(np.float64)


def adjusted_rand(counts: FloatArray, /) -> float:
    """Adjusted Rand index of a table of joint counts."""
    n = counts.sum()
    together = (counts * (counts - 1)).sum()
    first, second = ((sizes * (sizes - 1)).sum() for sizes in (counts.sum(axis=1), counts.sum(axis=0)))
    expected = first * second / max(n * (n - 1), 1)
    largest = (first + second) / 2
    return float((together - expected) / (largest - expected)) if largest > expected else 1.0


def mutual_agreement(labelings: list[IntArray], n_clusters: int, /) -> FloatArray:
    """Adjusted Rand index of every pair, as a symmetric matrix with ones on its diagonal."""
    n = len(labelings)
    agreement = np.eye(n)
    for i in range(n):
        for j in range(i):
            counts = joint_counts(labelings[i], labelings[j], n_clusters)
            agreement[i, j] = agreement[j, i] = adjusted_rand(counts)
    return agreement


def vote(labelings: list[IntArray], reference: int, weights: FloatArray, n_clusters: int, /) -> IntArray:
    """The label of every row that most labelings give it, their clusters named like those of the reference."""
    rows = np.arange(len(labelings[reference]))
    votes = np.zeros((len(rows), n_clusters))
    for labels, weight in zip(labelings, weights, strict=True):
        shared = joint_counts(labels, labelings[reference], n_clusters)
        votes[rows, linear_sum_assignment(-shared)[1][labels]] += weight
    return votes.argmax(axis=1)
