"""How much two labellings say the same thing.

NMI = 2 I(a; b) / (H(a) + H(b))        I: mutual information, H: entropy, from the K x K table of counts
"""

import numpy as np

from manyview.kernels.arrays import FloatArray, IntArray


def mutual_agreement(labellings: list[IntArray], n_clusters: int, /) -> FloatArray:
    """Normalised mutual information of every pair, as a symmetric matrix with ones on its diagonal."""
    n = len(labellings)
    agreement = np.eye(n)
    entropies = [_entropy(np.bincount(labels, minlength=n_clusters)) for labels in labellings]
    for i in range(n):
        for j in range(i):
            table = np.bincount(labellings[i] * n_clusters + labellings[j], minlength=n_clusters**2)
            total = entropies[i] + entropies[j]
            shared = total - _entropy(table)
            agreement[i, j] = agreement[j, i] = 2 * shared / total if total > 0 else 1.0
    return agreement


def _entropy(counts: IntArray) -> float:
    p = counts[counts > 0] / counts.sum()
    return float(-(p * np.log(p)).sum())
