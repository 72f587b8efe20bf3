"""Starts of the factorization: labels become an orthonormal indicator, the identity and matrices stay as they are."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from manyview.cluster.semi_ntf.start import find_start
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
