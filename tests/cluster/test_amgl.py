import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from manyview.cluster.amgl import AMGL
from manyview.metrics import accuracy

from oracles import graph_methods_oracle as oracle
from oracles.reference_runs import reference_run


def touching_groups(n=60, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 3
    return [2 * np.eye(3, d)[labels] + 0.6 * rng.standard_normal((n, d)) for d in (6, 4)]


def assert_same_subspace(F, G, atol):
    assert_allclose(F @ (F.T @ G), G, atol=atol)


@pytest.mark.shared
@pytest.mark.parametrize("dataset", ["tcga_breast", "3sources", "msrcv1_5"])
def test_the_mean_accuracy_of_the_authors_program(shared_dir, shared_views, dataset):
    views, classes = shared_views(dataset, order="stored")
    theirs = [accuracy(classes, reference_run(shared_dir, "AMGL", dataset, seed)[1]) for seed in range(5)]
    ours = [accuracy(classes, AMGL(classes.max() + 1, random_state=seed).fit(views).labels_) for seed in range(5)]
    assert np.mean(ours) >= np.mean(theirs) - 0.03


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_against_dense_matrices(seed):
    views = touching_groups(seed=seed)
    F, alpha, objective = oracle.amgl(views, 3)
    model = AMGL(n_clusters=3, random_state=0).fit(views)
    assert_same_subspace(model.embedding_, F, atol=1e-8)
    assert_allclose(model.view_weights_, alpha, rtol=1e-8)
    assert_allclose(model.history_["objective"], objective, rtol=1e-10)


@pytest.mark.parametrize("seed", range(6))
def test_the_objective_never_rises(seed):
    rng = np.random.default_rng(seed)
    model = AMGL(n_clusters=4, tol=0.0, max_iter=30, random_state=0).fit(
        [rng.standard_normal((40, d)) for d in (2, 3, 4)]
    )
    objective = np.array(model.history_["objective"])
    assert len(objective) > 3
    assert (np.diff(objective) <= 1e-10 * objective[:-1]).all()


def test_what_is_left_after_a_fit():
    model = AMGL(n_clusters=3, random_state=0).fit(touching_groups())
    assert model.n_iter_ == len(model.history_["objective"]) == len(model.history_["view_weights"])
    assert_allclose(model.embedding_.T @ model.embedding_, np.eye(3), atol=1e-10)
    assert_allclose((model.affinity_ - model.affinity_.T).data, 0, atol=1e-15)


def test_view_with_k_components_has_a_finite_weight():
    islands = 50 * np.repeat(np.eye(3), 12, axis=0) + np.random.default_rng(0).standard_normal((36, 3))
    model = AMGL(n_clusters=3, random_state=0).fit([islands])
    assert np.isfinite(model.view_weights_).all()
    assert_array_equal(np.bincount(model.labels_), [12, 12, 12])


def test_more_starts_are_no_worse():
    views = [np.random.default_rng(0).standard_normal((80, 3))]

    def inertia(n_init):
        model = AMGL(n_clusters=8, n_init=n_init, random_state=0).fit(views)
        centers = np.array([model.embedding_[model.labels_ == k].mean(axis=0) for k in range(8)])
        return ((model.embedding_ - centers[model.labels_]) ** 2).sum()

    assert inertia(30) <= inertia(1)
