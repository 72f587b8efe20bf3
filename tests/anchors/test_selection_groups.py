import math

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from manyview.anchors import RULES, choose_groups, selection

N = 90


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    words = np.where(rng.random((N, 40)) < 0.08, rng.poisson(2, (N, 40)) + 1.0, 0)
    return [rng.random((N, 4)), rng.standard_normal((N, 3)), words]


def sparse(tables):
    return [sp.csr_array(table) for table in tables]


def groups_of(fit, X, rule, n_anchors, *, seed=0, **options):
    geometry, rows, engine = fit(X, **options)
    return choose_groups(rule, n_anchors, geometry, rows, engine, N, seed=seed)


@pytest.mark.parametrize("scale", ["auto", "standard", "rows", "max", "none"])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("make", [list, sparse], ids=["dense", "sparse"])
def test_every_rule_gives_groups_of_real_rows(fit, data, rule, scale, make):
    all_groups = groups_of(fit, make(data), rule, 12, scale=scale)
    assert len(all_groups) == (2 if scale == "auto" else 1)
    for groups in all_groups:
        assert groups.n_anchors == 12
        assert (np.diff(groups.rows) > 0).all()
        assert 0 <= groups.rows[0] <= groups.rows[-1] < N
        assert_array_equal(np.unique(groups.group), np.arange(12))
        assert len(groups.group) == len(groups.rows) == (N if rule == "kmeans" else 12)


@pytest.mark.parametrize("rule", RULES)
def test_sparse_and_dense_tables_have_the_same_anchors(fit, data, rule):
    ours, theirs = (groups_of(fit, X, rule, 10, scale="rows")[0] for X in (sparse(data), data))
    assert_array_equal(ours.rows, theirs.rows)
    if rule != "kmeans":  # whose scores of a sparse table are not centered
        assert_array_equal(ours.group, theirs.group)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("block_rows", [1, 40, 1000])
def test_blocks_of_any_size_have_the_same_anchors(fit, data, rule, block_rows):
    ours, theirs = (groups_of(fit, data, rule, 10, block_rows=size) for size in (block_rows, 17))
    for one, other in zip(ours, theirs, strict=True):
        assert_array_equal(one.rows, other.rows)
        assert_array_equal(one.group, other.group)


@pytest.mark.parametrize("rule", RULES)
def test_as_many_anchors_as_rows_are_the_rows(fit, data, rule):
    for n_anchors in (N, N + 5):
        for groups in groups_of(fit, data, rule, n_anchors):
            assert_array_equal(groups.rows, np.arange(N))
            assert_array_equal(groups.group, np.arange(N))


def test_row_numbers_can_be_given(fit, data):
    for groups in groups_of(fit, data, [30, 2, 77], 3):
        assert_array_equal(groups.rows, [2, 30, 77])
        assert groups.n_anchors == 3


@pytest.mark.parametrize("rule", ["das", "variance"])
def test_only_random_rules_depend_on_the_seed(fit, data, rule):
    assert_array_equal(*(groups_of(fit, data, rule, 10, seed=seed)[0].rows for seed in (0, 1)))
    one, other = (groups_of(fit, data, "random", 10, seed=seed)[0].rows for seed in (0, 1))
    assert one.tolist() != other.tolist()


@pytest.mark.parametrize("rule", ["das", "variance"])
def test_deterministic_rules_follow_a_shuffle_of_the_rows(fit, data, rule):
    order = np.random.default_rng(5).permutation(N)
    chosen = groups_of(fit, data[:2], rule, 20, scale="max")[0].rows
    shuffled = groups_of(fit, [table[order] for table in data[:2]], rule, 20, scale="max")[0].rows
    assert_array_equal(np.sort(order[shuffled]), chosen)


def test_kmeans_looks_at_a_sample_of_many_rows(fit, data, monkeypatch):
    monkeypatch.setattr(selection, "SAMPLED_ROWS", 50)
    one, other = (groups_of(fit, data, "kmeans", 8, seed=seed)[0] for seed in (0, 1))
    assert len(one.rows) == len(other.rows) == 50
    assert (np.diff(one.rows) > 0).all()
    assert one.rows.tolist() != other.rows.tolist()
    assert one.n_anchors == 8


def test_equal_rows_are_no_obstacle(fit):
    for rule in RULES:
        for groups in groups_of(fit, [np.ones((N, 2)), np.zeros((N, 3))], rule, 5):
            assert groups.n_anchors == (1 if rule == "kmeans" else 5)
            assert len(np.unique(groups.rows)) == len(groups.rows)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_rows_of_one_column_have_no_variance(fit, data, make):
    (groups,) = groups_of(fit, [make(data[0][:, :1])], "variance", 4, scale="none")
    assert_array_equal(groups.rows, [0, 1, 2, 3])


def literal_das(table, n_anchors):
    if (table < 0).any():
        table = table - table.min(axis=0)
    theta, picks = [math.fsum(row) for row in table.tolist()], []
    for _ in range(n_anchors):
        theta = [score / max(theta) for score in theta]
        picks.append(theta.index(max(theta)))
        theta = [score * (1 - score) for score in theta]
    return sorted(picks)


@pytest.mark.parametrize("make", [list, sparse], ids=["dense", "sparse"])
def test_das_counts_from_the_smallest_values_if_any_is_negative(fit, data, make):
    positive, mixed = data[0] + 0.3, data[1]
    for tables in ([positive], [positive, mixed]):
        (groups,) = groups_of(fit, make(tables), "das", 20, scale="none", equalize=False)
        assert_array_equal(groups.rows, literal_das(np.hstack(tables), 20))
    low = positive.min(axis=0)
    assert literal_das(positive, 20) != literal_das(positive - low, 20)


@pytest.mark.shared
@pytest.mark.parametrize(
    "name, most", [("mnist4", 24), ("msrcv1_5", 30), ("hw4", 30), ("3sources", 30), ("tcga_breast", 30), ("ngs", 30)]
)
def test_das_equals_the_literal_loop_on_real_views(fit, shared_views, name, most):
    """As far as the best score leads by more than rounding, which doubles with every pick."""
    views, labels = shared_views(name, order="stored")
    geometry, rows, engine = fit(views, scale="max", equalize=False)
    table = np.hstack([view / view.max() for view in views])
    for n_anchors in (10, 20, most):
        (groups,) = choose_groups("das", n_anchors, geometry, rows, engine, len(labels), seed=0)
        assert_array_equal(groups.rows, literal_das(table, n_anchors))


@pytest.mark.shared
def test_rows_of_scene15_have_equal_sums(fit, shared_views):
    """Its scores are the rounding of the file."""
    views, _ = shared_views("scene15", order="stored")
    geometry, rows, engine = fit(views, scale="max", equalize=False)
    theta = selection.sampling_scores(geometry, rows, engine)
    assert 0 < np.ptp(theta) / theta.mean() < 1e-7


# the joint table


def test_the_joint_table_is_all_views_side_by_side(fit, data):
    geometry, rows, _ = fit(data[:2])
    for g in range(2):
        expected = np.hstack([geometry.table(rows[1], g, v) for v in range(2)])
        assert_array_equal(geometry.joint_table(rows[1], g), expected)


def test_an_absent_row_adds_nothing_to_the_joint_table(fit, data):
    data[0][3] = 0
    geometry, rows, _ = fit(data[:2])
    assert geometry.empty_rows_absent[0]
    table = geometry.joint_table(rows[0], 0)
    assert_array_equal(table[3, :4], 0)
    assert_array_equal(table[3, 4:], geometry.table(rows[0], 0, 1)[3])
    assert_array_equal(table[4, :4], geometry.table(rows[0], 0, 0)[4])


def test_sparse_views_are_one_document_in_the_joint_table(fit, data):
    geometry, rows, _ = fit([data[2], data[0], sp.csr_array(data[2][:, ::-1])])
    table = geometry.joint_table(rows[0], 1)
    expected = np.hstack([geometry.word_table(rows[0], 1), geometry.table(rows[0], 1, 1)])
    assert_array_equal(table, expected)


def test_sparse_tables_stay_sparse_side_by_side(fit, data):
    geometry, rows, _ = fit([sp.csr_array(data[2]), data[0]], scale="rows")
    table = geometry.joint_table(rows[0], 0)
    assert sp.issparse(table)
    expected = np.hstack([geometry.table(rows[0], 0, 0).toarray(), geometry.table(rows[0], 0, 1)])
    assert_array_equal(table.toarray(), expected)


@pytest.mark.shared
@pytest.mark.parametrize("n_anchors", [10, 20, 30])
@pytest.mark.parametrize("name, prefix", [("das", "das"), ("das", "dasN"), ("vda", "vda"), ("vda", "vdaU")])
@pytest.mark.parametrize("make", [list, sparse], ids=["dense", "sparse"])
def test_reference_anchors(fit, reference_kernel, name, prefix, n_anchors, make):
    case = reference_kernel(f"anchors_{name}")
    geometry, rows, engine = fit(make([case[f"{prefix}_X1"], case[f"{prefix}_X2"]]), scale="none", equalize=False)
    rule = {"das": "das", "vda": "variance"}[name]
    (groups,) = choose_groups(rule, n_anchors, geometry, rows, engine, 60, seed=0)
    assert_array_equal(groups.rows, case[f"{prefix}_idx_sorted_0based_m{n_anchors}"])
