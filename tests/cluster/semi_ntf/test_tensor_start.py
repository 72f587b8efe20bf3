"""Starts of the factorization: labels become an orthonormal indicator, the identity and matrices stay as they are."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from manyview.cluster.semi_ntf.tensor import find_start, frequency_maps
from manyview.kernels.tproduct import view_transform
from manyview.metrics import adjusted_rand_index

N, K = 150, 3


@pytest.fixture
def start_from(prepared):
    context, found = prepared
    return lambda start: find_start(start, found.labels, found.embedded, context)


def together(blocks):
    return np.concatenate(list(blocks))


@pytest.mark.parametrize("start", ["consensus", "spectral", "random", np.arange(N) % K], ids=str)
def test_labels_become_orthonormal_indicator(start_from, start):
    found = start_from(start)
    Q, labels = together(found.Q), together(found.labels)
    assert_allclose(Q.T @ Q, np.eye(K), atol=1e-10)
    assert_array_equal(Q.argmax(axis=1), labels)
    assert not found.every_frequency


def test_consensus_start_has_the_labels_of_the_consensus(start_from, prepared):
    assert_array_equal(together(start_from("consensus").labels), together(prepared[1].labels))


def test_spectral_start_is_another_clustering_of_the_same_graph(start_from):
    spectral, consensus = (together(start_from(start).labels) for start in ("spectral", "consensus"))
    assert adjusted_rand_index(consensus, spectral) > 0.7


def test_random_start_is_seeded(start_from):
    first, second = (together(start_from("random").labels) for _ in range(2))
    assert_array_equal(first, second)
    assert set(first) == set(range(K))


def test_given_labels_are_taken(start_from):
    labels = np.arange(N) % K
    assert_array_equal(together(start_from(labels).labels), labels)


def test_identity_starts_every_frequency_at_the_first_rows(start_from):
    found = start_from("identity")
    assert_array_equal(together(found.Q), np.eye(N, K))
    assert found.labels is None
    assert found.every_frequency


def test_matrix_is_taken_as_it_is(start_from):
    matrix = np.random.default_rng(0).standard_normal((N, K))
    found = start_from(matrix)
    assert_array_equal(together(found.Q), matrix)
    assert found.labels is None
    assert not found.every_frequency


def test_empty_clusters_leave_a_column_of_zeros(start_from):
    Q = together(start_from(np.zeros(N, dtype=int)).Q)
    assert_allclose(Q[:, 0], 1 / np.sqrt(N))
    assert_array_equal(Q[:, 1:], 0)


@pytest.mark.parametrize("kind", ["dft", "dct"])
@pytest.mark.parametrize(
    "start", ["consensus", np.random.default_rng(3).standard_normal((N, K))], ids=["labels", "matrix"]
)
def test_every_frequency_has_orthonormal_columns_of_its_own(start_from, prepared, start, kind):
    found = start_from(start)
    Q = together(found.Q)
    Qbar = Q @ frequency_maps(found, view_transform(kind, 5), prepared[0])
    assert_allclose(Qbar.swapaxes(1, 2) @ Qbar, np.broadcast_to(np.eye(K), (len(Qbar), K, K)), atol=1e-8)
    U, _, Vh = np.linalg.svd(Q, full_matrices=False)
    assert_allclose(Qbar[0], U @ Vh, atol=1e-8)
    for f, other in combinations(range(len(Qbar)), 2):
        assert 0.01 < np.linalg.norm(Qbar[f] - Qbar[other], ord=2) < 0.6  # near one another, and not the same
        assert_allclose(Qbar[f] @ (Qbar[f].T @ U), U, atol=1e-8)


def test_seed_draws_the_start_of_the_frequencies(start_from, prepared):
    context, found = prepared[0], start_from("consensus")
    transform = view_transform("dft", 4)
    maps = [frequency_maps(found, transform, context.with_settings(seed=seed)) for seed in (0, 0, 1)]
    assert_array_equal(maps[0], maps[1])
    assert np.abs(maps[0] - maps[2])[1:].min(axis=0).max() > 1e-3


@pytest.mark.parametrize("start, kind", [("identity", "dft"), ("consensus", "identity")])
def test_identity_and_no_transform_leave_the_start_as_it_is(start_from, prepared, start, kind):
    maps = frequency_maps(start_from(start), view_transform(kind, 4), prepared[0])
    assert_array_equal(maps, np.broadcast_to(np.eye(K), maps.shape))


def test_empty_clusters_stay_finite_at_every_frequency(start_from, prepared):
    found = start_from(np.zeros(N, dtype=int))
    maps = frequency_maps(found, view_transform("dft", 4), prepared[0])
    Qbar = together(found.Q) @ maps
    assert np.isfinite(Qbar).all()
    assert np.linalg.norm(Qbar, ord=2, axis=(1, 2)).max() < 1 + 1e-6
