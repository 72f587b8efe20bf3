"""Views that are legal and unpleasant: every estimator must give a result on them."""

import numpy as np
import scipy.sparse as sp


def _clean(n=30, widths=(5, 8), seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(n, d)) + 4 * (np.arange(n) % 3)[:, None] * rng.normal(size=d) for d in widths]


def _with_zero_rows():
    views = _clean()
    for view, rows in zip(views, ([0, 7, 8], [0, 20]), strict=True):
        view[rows] = 0
    return views


AWKWARD = {
    "all-zero rows": (_with_zero_rows(), 3),
    "every row three times": ([np.repeat(view[:10], 3, axis=0) for view in _clean()], 3),
    "all rows equal": ([np.ones((12, 4)), np.full((12, 3), 2.0)], 3),
    "all entries zero": ([np.zeros((12, 4)), np.zeros((12, 3))], 2),
    "a constant view": ([_clean()[0], np.full((30, 4), 5.0)], 3),
    "a constant view of zeros": ([np.zeros((30, 4)), _clean()[1]], 3),
    "only negative entries": ([-np.abs(view) - 1 for view in _clean()], 3),
    "as many clusters as rows": (_clean(n=6), 6),
    "one cluster": (_clean(), 1),
    "two rows": (_clean(n=2), 2),
    "one view": (_clean(widths=(6,)), 3),
    "views of one column": (_clean(widths=(1, 1)), 3),
    "more columns than rows": (_clean(n=15, widths=(40, 60)), 3),
    "float32": ([view.astype(np.float32) for view in _clean()], 3),
    "sparse": ([sp.csr_matrix(np.where(np.abs(view) > 2, view, 0)) for view in _clean()], 3),
    "sparse beside dense": ([sp.csr_array(np.maximum(_clean()[0], 0)), _clean()[1]], 3),
    "tied counts": ([np.random.default_rng(0).integers(0, 2, size=(40, d)).astype(float) for d in (4, 3)], 3),
    "scales far apart": ([1e-8 * _clean()[0], 1e8 * _clean()[1]], 3),
}


def is_partition(labels, n_samples):
    """One label a row, numbered 0, 1, … without gaps."""
    found = np.unique(labels)
    return (
        len(labels) == n_samples and np.issubdtype(labels.dtype, np.integer) and found.tolist() == [*range(len(found))]
    )
