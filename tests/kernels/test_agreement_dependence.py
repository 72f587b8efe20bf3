"""Dependence between tables: literal correlations, chance for independent columns, and nothing left in clusters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from manyview.kernels.agreement import SharedDependence, between, standardized, within


def tables_of(seed, n=60, widths=(3, 4, 2)):
    rng = np.random.default_rng(seed)
    common = rng.standard_normal((n, 1))
    return [rng.standard_normal((n, width)) + common for width in widths]


def literal_excess(tables, n_free):
    """Sum over pairs of columns in different tables of r² - 1 / n_free, one pair at a time."""
    total = 0.0
    for i, x in enumerate(tables):
        for y in tables[:i]:
            for a in x.T:
                for b in y.T:
                    total += np.corrcoef(a, b)[0, 1] ** 2 - 1 / n_free
    return total


@given(st.integers(0, 10_000), st.integers(1, 4))
@settings(max_examples=25)
def test_share_is_ratio_of_literal_sums(seed, K):
    tables, n = tables_of(seed), 60
    labels = np.random.default_rng(seed).integers(0, K, n)
    residuals = []
    for x in tables:
        left = x.copy()
        for k in np.unique(labels):
            left[labels == k] -= x[labels == k].mean(axis=0)
        residuals.append(left)
    expected = 1 - literal_excess(residuals, n - len(np.unique(labels))) / literal_excess(tables, n - 1)
    assert_allclose(SharedDependence(tables).explained(labels), expected, atol=1e-9)


@given(st.integers(0, 10_000), st.permutations(range(4)))
@settings(max_examples=25)
def test_names_of_clusters_and_scales_of_columns_do_not_matter(seed, names):
    tables = tables_of(seed)
    labels = np.arange(60) % 4
    scaled = [3 * x * np.arange(1, x.shape[1] + 1) - 5 for x in tables]
    expected = SharedDependence(tables).explained(labels)
    assert_allclose(SharedDependence(scaled).explained(np.array(names)[labels]), expected, atol=1e-9)


def test_true_clusters_explain_everything_and_others_nothing():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 5, 4_000)
    tables = [rng.standard_normal((5, width))[labels] + rng.standard_normal((4_000, width)) for width in (8, 6)]
    shared = SharedDependence(tables)
    assert_allclose(shared.explained(labels), 1, atol=0.02)
    assert_allclose(shared.explained(rng.permutation(labels)), 0, atol=0.02)
    assert shared.explained(np.where(labels > 2, 2, labels)) < 0.8


def test_noise_is_the_spread_of_the_share():
    shares = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        labels = np.arange(500) % 3
        tables = [rng.standard_normal((3, width))[labels] + rng.standard_normal((500, width)) for width in (6, 8)]
        shared = SharedDependence(tables)
        shares.append((shared.explained(labels) - 1) / shared.noise)
    assert 0.5 < np.std(shares) < 2
    assert abs(np.mean(shares)) < 1


def test_independent_columns_are_at_chance():
    rng = np.random.default_rng(1)
    z = [
        between(standardized(rng.standard_normal((300, 12))), standardized(rng.standard_normal((300, 9)))).significance
        for _ in range(60)
    ]
    own = [within(standardized(rng.standard_normal((300, 12)))).significance for _ in range(60)]
    assert abs(np.mean(z)) < 0.5
    assert abs(np.mean(own)) < 0.5
    assert max(map(abs, z + own)) < 5


def test_common_part_is_significant_between_and_within():
    first, second, _ = (standardized(x) for x in tables_of(2, n=400))
    assert between(first, second).significance > 20
    assert within(first).significance > 20


@pytest.mark.parametrize("width", [0, 1])
def test_single_column_has_no_pairs(width):
    assert within(standardized(np.random.default_rng(0).standard_normal((20, width)))).significance == 0


def test_constant_columns_are_left_out():
    x = np.c_[np.ones(20), np.arange(20.0)]
    assert standardized(x).shape == (20, 1)
    assert_allclose(np.linalg.norm(standardized(x), axis=0), 1)
