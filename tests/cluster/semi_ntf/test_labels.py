"""Labels and memberships of H, and when they give way to the labels of the start."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from manyview.cluster.semi_ntf.admm import first_block
from manyview.cluster.semi_ntf.labels import better_labels, explained, labels_of_H, memberships_of_H
from manyview.engine import MemoryEngine, edges

N, K = 30, 3
ENGINE = MemoryEngine(n_jobs=1)
TRUTH = np.arange(N) % K


def rows_of(H, S=None):
    """Blocks of seven rows; H (V, N, K)."""
    S = [np.eye(K)[TRUTH]] * len(H) if S is None else S
    return [
        first_block(a, tuple(table[a:b] for table in S), H[:, a:b], H=H[:, a:b], coupled=False) for a, b in edges(N, 7)
    ]


def in_blocks(labels):
    return [labels[a:b] for a, b in edges(N, 7)]


def indicators(*labelings):
    return np.stack([np.eye(K)[labels] for labels in labelings])


def test_labels_follow_weighted_mean_of_slices():
    other = (TRUTH + 1) % K
    rows = rows_of(indicators(TRUTH, other))
    assert_array_equal(np.concatenate(labels_of_H(rows, np.array([2.0, 1.0]), ENGINE)), TRUTH)
    assert_array_equal(np.concatenate(labels_of_H(rows, np.array([1.0, 2.0]), ENGINE)), other)


def test_memberships_are_shares_and_equal_for_rows_of_zeros():
    H = indicators(TRUTH, TRUTH, (TRUTH + 1) % K) * 5.0
    H[:, 4] = 0
    membership = np.concatenate(memberships_of_H(rows_of(H), ENGINE))
    assert_allclose(membership.sum(axis=1), 1)
    assert_allclose(membership[4], 1 / K)
    assert_allclose(np.sort(membership[0]), [0, 1 / 3, 2 / 3])


def test_explained_is_the_squared_projection_on_the_indicator():
    rng = np.random.default_rng(0)
    S = [rng.standard_normal((N, 4)) for _ in range(2)]
    labels = rng.integers(K, size=N)
    Z = np.eye(K)[labels] / np.sqrt(np.bincount(labels))
    wanted = sum(np.linalg.norm(Z.T @ table) ** 2 for table in S)
    assert_allclose(explained(rows_of(np.zeros((2, N, K)), S), in_blocks(labels), ENGINE, K), wanted)


@pytest.mark.parametrize(
    "refined, first, kept",
    [
        (TRUTH, np.roll(TRUTH, 1) * (np.arange(N) > 5), "factorization"),  # explains more
        (np.where(np.arange(N) < 9, 0, TRUTH), TRUTH, "start"),  # explains less
        (np.minimum(TRUTH, 1), TRUTH, "start"),  # lost a cluster
        (TRUTH, TRUTH.copy(), "factorization"),
    ],
)
def test_labels_of_H_are_kept_if_they_explain_more_and_lose_no_cluster(refined, first, kept):
    rows = rows_of(indicators(TRUTH))
    refined, first = in_blocks(refined), in_blocks(first)
    labels, source = better_labels(refined, first, rows, ENGINE, K)
    assert source == kept
    assert labels is {"factorization": refined, "start": first}[kept]
