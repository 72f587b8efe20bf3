import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from manyview.anchors.selection import (
    Groups,
    alternate_sampling,
    kmeans_groups,
    leading_scores,
    single_rows,
    variance_sampling,
)

RULES = pytest.mark.parametrize("rule", [alternate_sampling, variance_sampling])
SCORES = st.integers(1, 25).flatmap(
    lambda n: arrays(np.float64, n, elements=st.one_of(st.floats(0, 1e6), st.sampled_from([0.0, 1.0, 1e-300])))
)


# groups


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_anchors_are_means_of_the_present_rows_of_their_group(make):
    groups = Groups(np.array([2, 3, 5, 8, 9]), np.array([1, 0, 1, 2, 0]), 4)
    table = np.arange(10, dtype=float).reshape(5, 2)
    present = np.array([True, True, False, False, True])
    centers, mass = groups.means(make(table), present)
    assert_allclose(centers, [(table[1] + table[4]) / 2, table[0], [0, 0], [0, 0]])
    assert_array_equal(mass, [2, 1, 0, 0])


def test_single_precision_rows_are_averaged_in_double():
    table = np.full((1000, 1), 0.1, dtype=np.float32)
    centers, _ = Groups(np.arange(1000), np.zeros(1000, dtype=int), 1).means(table, np.ones(1000))
    assert_allclose(centers, float(np.float32(0.1)), rtol=1e-12)


def test_single_rows_are_sorted_and_their_own_means():
    groups = single_rows(np.array([7, 2, 4]))
    assert_array_equal(groups.rows, [2, 4, 7])
    table = np.random.default_rng(0).random((3, 2))
    centers, mass = groups.means(table, np.ones(3))
    assert_array_equal(centers, table)
    assert_array_equal(mass, 1)


# the two sampling rules


def literal_das(theta, n_anchors):
    """Scores (n, m) before each pick, and the picks."""
    scores, picks = [], []
    theta = [value / max(theta) for value in theta]
    for _ in range(n_anchors):
        if picks:
            theta = [value * (1 - value) for value in theta]
            theta = [value / max(theta) for value in theta]
        scores.append(theta)
        picks.append(theta.index(max(theta)))
    return np.array(scores).T, picks


def literal_vda(s, n_anchors):
    scores, picks = [], []
    s = [value / max(s) for value in s]
    for _ in range(n_anchors):
        if picks:
            c = [1 / (1 + abs(s[picks[-1]] - value) ** 0.5) for value in s]
            s = [value * (1 - closeness / max(c)) for value, closeness in zip(s, c, strict=True)]
            s = [value / max(s) for value in s]
        scores.append(s)
        picks.append(s.index(max(s)))
    return np.array(scores).T, picks


@pytest.mark.parametrize("rule, literal", [(alternate_sampling, literal_das), (variance_sampling, literal_vda)])
def test_picks_are_those_of_the_literal_recursion(rule, literal):
    scores = np.random.default_rng(0).random(50)
    assert_array_equal(rule(scores, 25), literal(scores.tolist(), 25)[1])


@RULES
@settings(deadline=None, max_examples=100)
@given(scores=SCORES, data=st.data())
def test_no_row_is_picked_twice_whatever_the_scores(rule, scores, data):
    n_anchors = data.draw(st.integers(1, len(scores)))
    before = scores.copy()
    order = rule(scores, n_anchors)
    assert len(set(order.tolist())) == n_anchors
    assert 0 <= order.min() <= order.max() < len(scores)
    assert order[0] == scores.argmax()
    assert_array_equal(scores, before)


@RULES
@pytest.mark.parametrize("score", [0.0, 1.0, 3.7])
def test_equal_scores_are_picked_in_the_order_of_the_rows(rule, score):
    assert_array_equal(rule(np.full(6, score), 6), np.arange(6))


@RULES
def test_ties_of_the_best_go_to_the_first(rule):
    assert rule(np.array([0.2, 0.9, 0.5, 0.9]), 2)[0] == 1


@RULES
def test_every_row_can_be_an_anchor(rule):
    scores = np.random.default_rng(1).random(30)
    assert_array_equal(np.sort(rule(scores, 30)), np.arange(30))


@RULES
def test_the_unit_of_the_scores_does_not_matter(rule):
    scores = np.random.default_rng(2).random(40)
    expected = rule(scores, 20)
    for unit in (2.0**-300, 2.0**300):  # powers of two change no digit; the recursions would show any other change
        assert_array_equal(rule(scores * unit, 20), expected)


@pytest.mark.shared
@pytest.mark.parametrize("n_anchors", [10, 20, 30])
@pytest.mark.parametrize("prefix", ["das", "dasU", "dasN"])
def test_reference_alternate_sampling(reference_kernel, prefix, n_anchors):
    """Picks, their order, the scores before every pick and the margins; rounding doubles with every pick."""
    case = reference_kernel("anchors_das")
    x = np.hstack([case[f"{prefix}_X1"], case[f"{prefix}_X2"]])
    theta = (x - x.min(axis=0)).sum(axis=1)
    order = alternate_sampling(theta, n_anchors)
    check_reference(case, prefix, n_anchors, order, literal_das(theta.tolist(), n_anchors)[0])


@pytest.mark.shared
@pytest.mark.parametrize("n_anchors", [10, 20, 30])
@pytest.mark.parametrize("prefix", ["vda", "vdaU"])
def test_reference_variance_sampling(reference_kernel, prefix, n_anchors):
    case = reference_kernel("anchors_vda")
    x = np.hstack([case[f"{prefix}_X1"], case[f"{prefix}_X2"]])
    variances = x.var(axis=1, ddof=1)
    order = variance_sampling(variances, n_anchors)
    check_reference(case, prefix, n_anchors, order, literal_vda(variances.tolist(), n_anchors)[0])


def check_reference(case, prefix, n_anchors, order, scores):
    assert_array_equal(order, case[f"{prefix}_order_0based_m{n_anchors}"])
    assert_array_equal(np.sort(order), case[f"{prefix}_idx_sorted_0based_m{n_anchors}"])
    assert_array_equal(scores.argmax(axis=0), order)
    tolerance = 1e-13 * 2.0 ** np.arange(n_anchors)
    assert (np.abs(scores - case[f"{prefix}_score_m{n_anchors}"]) <= tolerance).all()
    first, second = -np.sort(-scores, axis=0)[:2]
    assert (np.abs(first - second - case[f"{prefix}_margin_m{n_anchors}"]) <= 2 * tolerance).all()


@pytest.mark.shared
def test_reference_anchors_of_the_anchor_graph(reference_kernel):
    case = reference_kernel("pkn_anchor_graph")
    x = np.hstack([case["X1"], case["X2"]])
    order = variance_sampling(x.var(axis=1, ddof=1), int(case["m"]))
    assert_array_equal(np.sort(order), case["anchor_idx_0based"])


# k-means


def blobs(rng, n=90, width=4, groups=5):
    y = np.arange(n) % groups
    return rng.standard_normal((n, width)) * 0.05 + 3 * rng.standard_normal((groups, width))[y], y


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_kmeans_groups_do_not_mix_what_is_far_apart(make):
    x, y = blobs(np.random.default_rng(0))
    rows = np.arange(90) * 2
    groups = kmeans_groups(make(x), rows, 25, seed=0)
    assert_array_equal(groups.rows, rows)
    assert groups.n_anchors == 25
    assert_array_equal(np.unique(groups.group), np.arange(25))
    assert all(len(set(y[groups.group == j])) == 1 for j in range(25))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("distinct", [1, 3])
def test_fewer_distinct_rows_than_anchors_give_fewer_groups(distinct):
    x = (np.arange(40) % distinct)[:, None] * np.ones((1, 3))
    groups = kmeans_groups(x, np.arange(40), 7, seed=0)
    assert groups.n_anchors == distinct
    assert_array_equal(np.unique(groups.group), np.arange(distinct))


def test_a_table_without_columns_is_one_group():
    groups = kmeans_groups(np.zeros((6, 0)), np.arange(6), 3, seed=0)
    assert_array_equal(groups.group, np.zeros(6))
    assert groups.n_anchors == 1


def test_the_same_seed_gives_the_same_groups():
    x, _ = blobs(np.random.default_rng(0), width=150)
    one, two = (kmeans_groups(x, np.arange(90), 12, seed=3) for _ in range(2))
    assert_array_equal(one.group, two.group)


def test_narrow_tables_are_their_own_scores():
    x = np.random.default_rng(0).random((20, 4))
    assert_array_equal(leading_scores(x, 4, seed=0), x)


@pytest.mark.parametrize("width", [30, 1200])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_wide_tables_keep_their_distances_in_few_scores(make, width):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((25, 3)) @ rng.standard_normal((3, width))
    scores = leading_scores(make(x), 10, seed=0)
    assert scores.shape == (25, 10)
    distances = [((t[:, None] - t) ** 2).sum(axis=-1) for t in (x, scores)]
    assert_allclose(*distances, rtol=1e-7, atol=1e-7)
