import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from manyview.kernels import laplacian as module
from manyview.kernels.laplacian import (
    components,
    degrees,
    normalized_adjacency,
    null_space,
    smallest_eigenpairs,
    symmetric,
)

from oracles import graph_methods_oracle as oracle

SEEDS = st.integers(0, 2**32 - 1)


def random_graph(n, density, seed, *, negative=False):
    """A symmetric sparse graph; few edges leave it in several pieces."""
    rng = np.random.default_rng(seed)
    A = rng.random((n, n)) * (rng.random((n, n)) < density)
    if negative:
        A *= rng.choice([-1, 1], (n, n), p=[0.2, 0.8])
    return symmetric(sp.csr_array(np.triu(A, 1)))


def grid(side):
    """The square lattice: its eigenvalues come in pairs."""
    path = sp.diags_array([np.ones(side - 1)] * 2, offsets=[-1, 1])
    return sp.csr_array(sp.kron(sp.eye_array(side), path) + sp.kron(path, sp.eye_array(side)))


def bottom(A, count, **options):
    null = null_space(components(A).labels, np.ones(A.shape[0]))
    return smallest_eigenpairs(A, count, diagonal=degrees(A), null=null, **options)


def assert_eigenpairs(pairs, L, count):
    """Eigenvalues of the complete decomposition, and orthonormal vectors that belong to them."""
    values = np.linalg.eigvalsh(L)
    assert_allclose(pairs.values, values[:count], atol=1e-9)
    assert_allclose(pairs.beyond, values[count], atol=2e-2 * np.abs(L).sum(axis=1).max())
    if values[count] < 1e-4:
        assert_allclose(pairs.beyond, values[count], atol=1e-10)
    assert_allclose(pairs.vectors.T @ pairs.vectors, np.eye(count), atol=1e-9)
    assert_allclose(L @ pairs.vectors, pairs.vectors * pairs.values, atol=1e-8)


@pytest.fixture(params=["dense", "lanczos"])
def route(request, monkeypatch):
    """Both ways to the eigenpairs, at any size that allows the second."""
    if request.param == "lanczos":
        monkeypatch.setattr(module, "DENSE_BELOW", 0)
        monkeypatch.setattr(module, "KRYLOV", 8)


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 30), st.floats(0, 0.3), SEEDS)
def test_components_are_numbered_by_their_first_row(n, density, seed):
    A = sp.csr_array(np.triu(random_graph(n, density, seed).toarray()))  # one direction is enough
    number, labels = components(A)
    assert_array_equal(labels, oracle.component_labels(A.toarray()))
    assert number == labels.max() + 1


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 40), st.floats(0, 0.2), SEEDS)
def test_components_of_graphs_with_many_edges(n, density, seed):
    A = random_graph(n, density, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MANY_EDGES", -1)  # every graph has many
        patch.setattr(module, "FEW_EDGES", 1)
        labels = components(A).labels
    assert_array_equal(labels, oracle.component_labels(A.toarray()))


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 30), st.floats(0, 0.3), SEEDS)
def test_null_space_of_components(n, density, seed):
    A = random_graph(n, density, seed)
    labels = components(A).labels
    Q = null_space(labels, np.ones(n)).toarray()
    assert Q.shape[1] == labels.max() + 1
    assert_allclose(Q.T @ Q, np.eye(Q.shape[1]), atol=1e-12)
    assert_allclose(oracle.laplacian(A.toarray()) @ Q, 0, atol=1e-12)
    sizes = np.bincount(labels)
    assert_array_equal((Q > 0).sum(axis=0), np.sort(sizes)[::-1])

    normalized = np.eye(n) - normalized_adjacency(A).toarray()
    Q = null_space(labels, np.sqrt(degrees(A))).toarray()
    assert Q.shape[1] == (sizes > 1).sum()  # a vertex without edges is not in the null space
    assert_allclose(normalized @ Q, 0, atol=1e-12)
    assert_allclose(Q.T @ Q, np.eye(Q.shape[1]), atol=1e-12)


def test_the_normalized_graph_against_the_definition():
    A = random_graph(12, 0.3, 0)
    assert_allclose(normalized_adjacency(A).toarray(), oracle.normalized(A.toarray()), atol=1e-15)


def test_a_vertex_without_edges_has_a_zero_row():
    A = sp.csr_array(np.array([[0, 1.0, 0], [1, 0, 0], [0, 0, 0]]))
    assert_array_equal(normalized_adjacency(A).toarray(), A.toarray())


def test_symmetric_drops_what_cancels():
    S = symmetric(sp.csr_array(np.array([[0, 1.0], [-1.0, 2.0]])))
    assert S.nnz == 1
    assert_array_equal(S.toarray(), [[0, 0], [0, 2]])


@pytest.mark.usefixtures("route")
@pytest.mark.parametrize("density", [0.01, 0.03, 0.2])
@pytest.mark.parametrize("count", [1, 4, 9])
def test_eigenpairs_of_graphs_in_many_pieces_and_in_one(density, count):
    A = random_graph(60, density, seed=count)
    assert_eigenpairs(bottom(A, count), oracle.laplacian(A.toarray()), count)


@pytest.mark.usefixtures("route")
def test_negative_weights_can_come_before_the_null_space():
    A = random_graph(50, 0.2, seed=0, negative=True)
    L = oracle.laplacian(A.toarray())
    assert np.linalg.eigvalsh(L)[0] < -0.1
    assert_eigenpairs(bottom(A, 5, positive=False), L, 5)


@pytest.mark.usefixtures("route")
def test_eigenpairs_without_a_known_null_space():
    S = normalized_adjacency(random_graph(60, 0.1, seed=3))
    assert_eigenpairs(smallest_eigenpairs(S, 6, diagonal=1), np.eye(60) - S.toarray(), 6)
    assert_eigenpairs(smallest_eigenpairs(-S, 6, diagonal=1), np.eye(60) + S.toarray(), 6)


@pytest.mark.usefixtures("route")
@pytest.mark.parametrize("copies", [1, 3])
def test_no_copy_of_a_repeated_eigenvalue_is_missing(copies):
    A = sp.csr_array(sp.block_diag([grid(7)] * copies))
    assert_eigenpairs(bottom(A, 3 * copies + 2), oracle.laplacian(A.toarray()), 3 * copies + 2)


@pytest.mark.usefixtures("route")
def test_copies_of_an_unknown_null_space_are_all_found():
    A = sp.csr_array(sp.block_diag([np.ones((10, 10)) - np.eye(10)] * 6))
    assert_eigenpairs(smallest_eigenpairs(A, 7, diagonal=degrees(A)), oracle.laplacian(A.toarray()), 7)


@pytest.mark.usefixtures("route")
def test_graphs_held_together_by_almost_nothing():
    A = sp.csr_array(sp.block_diag([np.ones((12, 12)) - np.eye(12)] * 5))
    A = symmetric(sp.csr_array(A + 1e-13 * random_graph(60, 0.1, 0)))
    assert components(A).number == 1
    pairs = bottom(A, 6)
    assert (pairs.values[:5] < 1e-11).all()
    assert_allclose(pairs.values[5], 12, rtol=1e-6)


@pytest.mark.usefixtures("route")
def test_a_long_path_goes_through_the_inverse(monkeypatch):
    monkeypatch.setattr(module, "RESTARTS", 1)
    n = 400
    A = sp.csr_array(sp.diags_array([np.ones(n - 1)] * 2, offsets=[-1, 1]))
    expected = 2 - 2 * np.cos(np.pi * np.arange(5) / n)
    pairs = bottom(A, 5)
    assert_allclose(pairs.values, expected, atol=1e-12)
    assert_allclose(oracle.laplacian(A.toarray()) @ pairs.vectors, pairs.vectors * pairs.values, atol=1e-9)


@pytest.mark.usefixtures("route")
@pytest.mark.parametrize("n", [1, 2, 60])
def test_graph_without_edges(n):
    empty = sp.csr_array((n, n))
    assert_array_equal(bottom(empty, n).values, 0)
    pairs = smallest_eigenpairs(empty, 3, diagonal=1)
    assert_allclose(pairs.values, np.ones(min(3, n)))
    assert_allclose(pairs.vectors.T @ pairs.vectors, np.eye(min(3, n)), atol=1e-12)
    full = sp.csr_array(np.ones((n, n)) - np.eye(n))
    pairs = bottom(full, n + 5)
    assert_allclose(pairs.values, [0] + [n] * (n - 1), atol=1e-10)
    assert pairs.beyond == np.inf


def test_of_too_many_components_the_largest_are_taken():
    A = sp.csr_array(sp.block_diag([np.ones((size, size)) for size in (1, 3, 2, 5)]))
    _, vectors, beyond = bottom(A, 2)
    assert beyond == 0
    assert_array_equal(
        vectors != 0, np.array([[False, False]] + [[False, True]] * 3 + [[False, False]] * 2 + [[True, False]] * 5)
    )
