"""Random subsamples: measures of agreement, and labelings that label any row."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

from manyview.cluster.anchor_graph.reliability import draw_subsample, jaccard, label_by, subsample_size
from manyview.kernels.agreement import adjusted_rand, joint_counts


def labelings(n_clusters):
    label = st.integers(0, n_clusters - 1)
    return st.integers(2, 40).flatmap(lambda n: st.tuples(*[st.lists(label, min_size=n, max_size=n)] * 2))


@given(labelings(4))
@settings(deadline=None, max_examples=60)
def test_adjusted_rand_matches_scikit_learn(pair):
    first, second = map(np.array, pair)
    assert_allclose(adjusted_rand(joint_counts(first, second, 4)), adjusted_rand_score(first, second), atol=1e-12)


@given(labelings(4))
@settings(deadline=None, max_examples=60)
def test_jaccard_is_best_overlap_of_sets(pair):
    first, second = map(np.array, pair)
    sets = [set(np.flatnonzero(first == k)) for k in range(4)], [set(np.flatnonzero(second == k)) for k in range(4)]
    wanted = [max(len(a & b) / max(len(a | b), 1) for b in sets[1]) for a in sets[0]]
    assert_allclose(jaccard(joint_counts(first, second, 4)), wanted)


def test_renamed_partition_agrees_fully():
    labels = np.array([0, 0, 1, 1, 2, 2])
    counts = joint_counts(labels, np.array([2, 2, 0, 0, 1, 1]), 3)
    assert adjusted_rand(counts) == 1
    assert_array_equal(jaccard(counts), np.ones(3))


@pytest.mark.parametrize("n_rows, n_clusters, wanted", [(100, 5, 80), (5, 5, 5), (6, 2, 4), (10, 9, 9)])
def test_subsample_size_is_at_least_number_of_clusters(n_rows, n_clusters, wanted):
    assert subsample_size(n_rows, n_clusters) == wanted


def blobs(rng, n_clusters=4, n_each=30):
    """Rows of T whose unit rows fall into groups."""
    T = np.repeat(np.eye(n_clusters, n_clusters + 3), n_each, axis=0)
    return T + 0.05 * rng.standard_normal(T.shape), np.repeat(np.arange(n_clusters), n_each)


def test_subsample_labels_rows_outside_it():
    rng = np.random.default_rng(0)
    T, truth = blobs(rng)
    part = draw_subsample(T, 60, seed=1)
    assert len(part.rows) == 60
    assert (np.diff(part.rows) > 0).all()
    labels = label_by(T, part, 4, seed=0).labels(T)
    assert adjusted_rand_score(truth, labels) == 1


def test_spectrum_of_subsample_is_that_of_its_rows():
    T, _ = blobs(np.random.default_rng(1))
    part = draw_subsample(T, 50, seed=3)
    singular = np.linalg.svd(T[part.rows], compute_uv=False)
    assert_allclose(part.basis.s, singular[: len(part.basis.s)], rtol=1e-8)


def test_subsample_depends_on_seed_only():
    T, _ = blobs(np.random.default_rng(2))
    assert_array_equal(draw_subsample(T, 50, seed=3).rows, draw_subsample(T, 50, seed=3).rows)
    assert (draw_subsample(T, 50, seed=3).rows != draw_subsample(T, 50, seed=4).rows).any()
