import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from manyview.kernels.nearest import nearest, squared_distances
from manyview.kernels.simplex import pkn_weights, project_simplex

from oracles import pkn_oracle, simplex_oracle

NUMBERS = st.floats(-5, 5, allow_subnormal=False)
ROWS = st.tuples(st.integers(1, 4), st.integers(1, 9)).flatmap(lambda s: arrays(np.float64, s, elements=NUMBERS))
DISTANCES = st.tuples(st.integers(1, 4), st.integers(2, 12)).flatmap(
    lambda s: arrays(np.float64, s, elements=st.floats(0, 10, allow_subnormal=False))
)


def graph(d, k, *, skip=0):
    """Dense graph (n, m) out of the two kernels, the ``skip`` nearest of every row left out."""
    columns, values = nearest(d, k + 1 + skip)
    W = np.zeros(d.shape)
    np.put_along_axis(W, columns[:, skip : skip + k], pkn_weights(values[:, skip:], k), axis=1)
    return W


# projection


@settings(deadline=None, max_examples=80)
@given(ROWS)
def test_projection_satisfies_the_conditions_of_optimality(z):
    w = project_simplex(z)
    assert (w >= 0).all()
    assert_allclose(w.sum(axis=1), 1, atol=1e-12)
    t = np.where(w > 0, z - w, -np.inf).max(axis=1, keepdims=True)  # one multiplier per row
    assert_allclose(np.where(w > 0, z - w, t), np.broadcast_to(t, z.shape), atol=1e-12)
    assert (z[w == 0] <= np.broadcast_to(t, z.shape)[w == 0] + 1e-12).all()


@settings(deadline=None, max_examples=60)
@given(arrays(np.float64, st.integers(1, 7), elements=NUMBERS))
def test_projection_is_the_best_of_all_supports(z):
    assert_allclose(project_simplex(z[None])[0], simplex_oracle.project_by_enumeration(z), atol=1e-10)


@settings(deadline=None, max_examples=40)
@given(ROWS, NUMBERS)
def test_projection_ignores_a_shift_and_stays_where_it_is(z, shift):
    w = project_simplex(z)
    assert_allclose(project_simplex(z + shift), w, atol=1e-12)
    assert_allclose(project_simplex(w), w, atol=1e-12)


def test_projection_of_entries_at_minus_infinity():
    z = np.array([[0.2, -np.inf, 0.4], [-np.inf, -7.0, -np.inf]])
    assert_allclose(project_simplex(z), [[0.4, 0, 0.6], [0, 1, 0]], atol=1e-15)


@pytest.mark.parametrize("scale", [1e-100, 1e20, 1e100])
def test_projection_at_any_scale(scale):
    z = np.array([[3.0, 1.0, 3.0], [-1.0, -1.0, -2.0]]) * scale
    equal_share = [[0.5, 0, 0.5], [0.5, 0.5, 0]] if scale > 1 else np.full((2, 3), 1 / 3)
    assert_allclose(project_simplex(z), equal_share, atol=1e-15)


@pytest.mark.shared
def test_reference_projections(reference_kernel):
    """Every projection of the reference; its Newton step counts are its own, ours sorts instead."""
    case = reference_kernel("simplex_proj")
    for row, n in enumerate(case["n"]):
        z = case["v"][row, :n][None]
        assert_allclose(project_simplex(z)[0], case["x"][row, :n], atol=1e-12)
        assert_allclose(2 * project_simplex(z / 2)[0], case["x_sum2"][row, :n], atol=1e-12)
        assert_allclose(project_simplex(z)[0], case["x_fmcnof_tol1e5"][row, :n], atol=1e-5)
        mean = case["gmc_p19_q"][row, :, :n].mean(axis=0, keepdims=True)
        assert_allclose(project_simplex(mean)[0], case["gmc_p19_x"][row, :n], atol=1e-12)
        assert_allclose(simplex_oracle.project_by_bisection(z[0]), case["x"][row, :n], atol=1e-12)


# weights


@settings(deadline=None, max_examples=80)
@given(DISTANCES, st.data())
def test_weights_solve_the_quadratic_program(d, data):
    k = data.draw(st.integers(1, d.shape[1] - 1))
    ascending = np.sort(d, axis=1)
    assume((ascending[:, k] - ascending[:, 0] > 1e-3).all())  # the flat case has its own test
    W = graph(d, k)
    assert_allclose(W, pkn_oracle.anchor_graph(d, k), atol=1e-9)
    assert_allclose(W, [pkn_oracle.weights_by_program(row, k) for row in d], atol=1e-9)


@settings(deadline=None, max_examples=80)
@given(DISTANCES, st.data())
def test_weights_sum_to_one_and_fall_with_the_distance(d, data):
    k = data.draw(st.integers(1, d.shape[1] - 1))
    w = pkn_weights(np.sort(d, axis=1), k)
    assert (w >= 0).all()
    assert_allclose(w.sum(axis=1), 1, atol=1e-12)
    assert (np.diff(w, axis=1) <= 0).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("distance", [0.0, 1e-30, 0.1, 1e30])
def test_equidistant_neighbors_share_equally(distance, dtype):
    w = pkn_weights(np.full((2, 6), distance, dtype=dtype), 5)
    assert_allclose(w, 0.2, rtol=1e-6)


def test_a_duplicate_of_an_anchor_takes_most_but_not_all():
    assert_allclose(pkn_weights(np.array([[0.0, 1.0, 2.0]]), 2), [[2 / 3, 1 / 3]])
    assert_allclose(pkn_weights(np.array([[0.0, 3.0]]), 1), [[1.0]])


@pytest.mark.parametrize("scale", [1e-200, 1e-100, 1e100, 1e200])
def test_weights_do_not_depend_on_the_unit(scale):
    d = np.sort(np.random.default_rng(0).random((10, 8)), axis=1)
    assert_allclose(pkn_weights(d * scale, 5), pkn_weights(d, 5), rtol=1e-9)


@pytest.mark.shared
@pytest.mark.parametrize("k", [3, 5, 10])
def test_reference_graphs_of_samples(reference_kernel, k):
    case = reference_kernel("pkn_sample_graph")
    d = squared_distances(case["X"], case["X"])
    W = graph(d, k, skip=1)
    assert_allclose(W, case[f"W_k{k}"], atol=1e-12)
    assert_allclose((W + W.T) / 2, case[f"Wsym_k{k}"], atol=1e-12)
    assert_allclose(W, case[f"W_gmc_k{k}"], atol=1e-12)
    assert_allclose(pkn_oracle.sample_graph(d, k), case[f"W_k{k}"], atol=1e-12)


@pytest.mark.shared
@pytest.mark.parametrize("k", [3, 5, 10])
@pytest.mark.parametrize("view", [1, 2])
def test_reference_graphs_of_anchors(reference_kernel, view, k):
    case = reference_kernel("pkn_anchor_graph")
    x, anchors = case[f"X{view}"], case[f"anchors{view}"]
    assert_array_equal(anchors, x[case["anchor_idx_0based"]])
    d = squared_distances(x, anchors)
    assert_allclose(graph(d, k), case[f"B{view}_k{k}"], atol=1e-12)
    assert_allclose(pkn_oracle.anchor_graph(d, k), case[f"B{view}_k{k}"], atol=1e-12)
