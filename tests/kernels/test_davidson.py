import numpy as np
import pytest
from numpy.testing import assert_allclose

from manyview.kernels import davidson as module
from manyview.kernels.davidson import davidson


def blocks_of_ones(sizes, seed=0, noise=0.2):
    """A full graph with one heavy block per size, rows of about one."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    weights = np.random.default_rng(seed).random((len(labels), len(labels)))
    A = (labels[:, None] == labels) + noise * (weights + weights.T)
    return A / A.sum(axis=1).mean()


def solve(A, wanted, **options):
    d = A.sum(axis=1)
    options = {"beside": lambda x: x, "top": 2 * d.max(), "accuracy": 1e-12} | options
    return davidson(lambda x: d[:, None] * x - A @ x, d - np.diag(A), wanted, **options), np.diag(d) - A


@pytest.mark.parametrize("wanted", [1, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_the_pairs_of_the_complete_decomposition(wanted, seed):
    A = blocks_of_ones([50, 70, 90, 40], seed)
    found, L = solve(A, wanted)
    values = np.linalg.eigvalsh(L)
    assert found.converged
    assert_allclose(found.values, values[:wanted], atol=1e-11)
    assert_allclose(found.vectors.T @ found.vectors, np.eye(wanted), atol=1e-10)
    assert_allclose(L @ found.vectors, found.vectors * found.values, atol=1e-10)
    bound = module.APART * (found.beyond - values[wanted - 1]) + module.ROUGH * 2 * A.sum(axis=1).max()
    assert abs(found.beyond - values[wanted]) <= bound


def test_a_repeated_eigenvalue_is_found_as_often_as_it_occurs():
    found, L = solve(np.kron(np.eye(5), np.ones((50, 50))) / 50, 5)
    assert_allclose(found.values, 0, atol=1e-12)
    assert_allclose(L @ found.vectors, 0, atol=1e-11)


def test_what_is_projected_out_does_not_come_back():
    A = blocks_of_ones([60, 60, 80])
    q = np.full((200, 1), 1 / np.sqrt(200))
    found, L = solve(A, 2, beside=lambda x: x - q @ (q.T @ x))
    assert_allclose(found.values, np.linalg.eigvalsh(L)[1:3], atol=1e-11)
    assert_allclose(q.T @ found.vectors, 0, atol=1e-10)


@pytest.mark.parametrize("kind", ["right", "wrong", "the same twice", "zero"])
def test_no_guess_changes_the_result(kind):
    A = blocks_of_ones([60, 60, 80])
    L = np.diag(A.sum(axis=1)) - A
    vectors = np.linalg.eigh(L)[1]
    guess = {
        "right": vectors[:, :3],
        "wrong": vectors[:, -3:],
        "the same twice": vectors[:, [0, 0, 1]],
        "zero": np.zeros((200, 3)),
    }[kind]
    found, _ = solve(A, 3, start=guess)
    assert found.converged
    assert_allclose(found.values, np.linalg.eigvalsh(L)[:3], atol=1e-11)


def test_a_guess_cannot_hide_a_smaller_eigenvalue():
    A = blocks_of_ones([60, 60, 80])
    values, vectors = np.linalg.eigh(np.diag(A.sum(axis=1)) - A)
    found, _ = solve(A, 2, start=vectors[:, 1:3])  # exact eigenvectors, without the first
    assert_allclose(found.values, values[:2], atol=1e-11)


def test_too_few_steps_are_told(monkeypatch):
    monkeypatch.setattr(module, "PRODUCTS", 2)
    assert not solve(blocks_of_ones([60, 60, 80]), 3)[0].converged
