"""The fused graph, entry by entry; smoothness of labels, and the weights that follow from it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from manyview.anchors import GraphBlock
from manyview.cluster.anchor_graph.fusion import Fusion, mix, separation, smoothness_from_sums, weights_from_smoothness

M, GEOMETRY = 7, np.array([0, 0, 1, 1])


def block_of(present, n=9, k=3):
    rng = np.random.default_rng(0)
    columns = np.stack([[rng.permutation(M)[:k] for _ in GEOMETRY] for _ in range(n)]).astype(np.int16)
    weights = rng.dirichlet(np.ones(k), (n, len(GEOMETRY))) * present[:, :, None]
    return GraphBlock(0, columns, weights, present)


def dense_mix(block, weights):
    """The definition, entry by entry."""
    B = np.zeros((block.n_rows, 2 * M))
    for i in range(block.n_rows):
        for g in range(2):
            known = [index for index in range(len(GEOMETRY)) if GEOMETRY[index] == g and block.present[i, index]]
            total = sum(weights[index] for index in known)
            for index in known:
                for column, w in zip(block.columns[i, index], block.weights[i, index], strict=True):
                    B[i, g * M + column] += weights[index] * w / total if total else 0
    return B


ALL = np.ones((9, 4), dtype=bool)
SOME = ALL & (np.arange(36).reshape(9, 4) % 5 > 0)


@pytest.mark.parametrize("present", [ALL, SOME], ids=["all known", "some absent"])
@pytest.mark.parametrize("weights", [(1.0, 2.0, 0.5, 3.0), (0.0, 1.0, 0.0, 1.0)])
def test_mix_is_weighted_mean_of_slices_that_know_the_row(present, weights):
    block = block_of(present)
    mixed = mix(block, np.array(weights), GEOMETRY, 2 * M)
    assert_allclose(mixed.toarray(), dense_mix(block, weights), atol=1e-12)
    assert mixed.nnz == block.n_rows * 3 * np.count_nonzero(weights)  # slices that do not count cost nothing


def test_label_masses_equal_product_with_indicator():
    block, labels = block_of(SOME), np.arange(9) % 4
    fusion = Fusion(GEOMETRY, np.array([1.0, 2.0, 0.5, 3.0]), np.ones(2 * M))
    assert_array_equal(fusion.label_masses(block, labels, 4), fusion.mixed(block).T @ np.eye(4)[labels])


def test_smoothness_is_energy_kept_by_normalized_slice():
    rng = np.random.default_rng(0)
    W = rng.dirichlet(np.ones(5), 12)
    Z = np.eye(3)[np.arange(12) % 3] / 2
    S = W / np.sqrt(W.sum(axis=0))
    wanted = np.linalg.norm(S.T @ Z) ** 2 / np.linalg.norm(Z) ** 2
    found = smoothness_from_sums((W.T @ Z)[None], np.array([(Z**2).sum()]), W.sum(axis=0)[None])
    assert_allclose(found, wanted)


def test_smoother_slices_weigh_more_and_weights_average_one():
    weights = weights_from_smoothness(np.array([0.2, 0.8, 1.0]), 1.5)
    assert_allclose(weights.mean(), 1)
    assert_allclose(weights[1] / weights[0], (0.8 / 0.2) ** 1.5)
    assert np.isfinite(weights).all()
    assert_allclose(weights_from_smoothness(np.array([0.2, 0.8]), 0.0), 1)


def test_separation_grows_with_smoothness_and_stays_finite():
    assert separation(np.array([0.0, 0.0])) == 0
    assert separation(np.array([0.5, 0.0])) == np.log(2) / 2
    assert np.isfinite(separation(np.ones(2)))
