import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from manyview.cluster.mvgl import MVGL
from manyview.testing.checks import separated_views

from oracles import graph_methods_oracle as oracle
from oracles.reference_runs import reference_run


def touching_groups(n=60, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 3
    return [2 * np.eye(3, d)[labels] + 0.5 * rng.standard_normal((n, d)) for d in (6, 4)]


@pytest.mark.shared
@pytest.mark.parametrize(
    ("dataset", "local"),
    [
        *[(dataset, False) for dataset in ("tcga_breast", "3sources", "msrcv1_5", "bbcsport")],
        *[(dataset, True) for dataset in ("tcga_breast", "3sources", "bbcsport")],
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_authors_partition_and_objective(shared_dir, shared_views, dataset, local):
    views, classes = shared_views(dataset, order="stored")
    saved, labels = reference_run(shared_dir, "MVGL-local1_k15" if local else "MVGL", dataset)
    model = MVGL(n_clusters=classes.max() + 1, local=local).fit(views)
    assert adjusted_rand_score(labels, model.labels_) >= 0.98
    assert model.n_iter_ == saved["iters"]
    assert model.converged_ == (not saved["capped"])
    assert_allclose(model.history_["objective"], saved["obj"].ravel(), rtol=1e-6)
    # in a column where two views are equal only their sum of weights is determined
    assert_allclose(model.view_weights_, saved["view_weights_mean"].ravel(), atol=0.01)


@pytest.mark.shared
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_partition_where_counts_tie(shared_dir, shared_views):
    views, _ = shared_views("webkb203", order="stored")
    _, labels = reference_run(shared_dir, "MVGL-local1_k15", "webkb203")
    assert adjusted_rand_score(labels, MVGL(n_clusters=4, local=True).fit(views).labels_) >= 0.98


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("variant", ["released", "paper"])
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_against_dense_matrices(local, variant, seed):
    views = touching_groups(n=45, seed=seed)
    labels, objective = oracle.mvgl(views, 3, k=6, local=local, max_iter=5, data_distances=variant == "paper")
    model = MVGL(n_clusters=3, n_neighbors=6, local=local, variant=variant, max_iter=5).fit(views)
    assert_array_equal(model.labels_, labels)
    assert_allclose(model.history_["objective"], objective, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("dropped", [(2, 5, 0), (0, 3, 6), (7, 1, 4)])
def test_separated_clusters_of_unequal_size_are_found(dropped):
    views, truth = separated_views()  # of equal size they are an exact tie, see tests/testing/test_checks.py
    kept = np.sort(np.concatenate([np.flatnonzero(truth == k)[first:] for k, first in enumerate(dropped)]))
    views = [view[kept] for view in views]
    model = MVGL(n_clusters=3).fit(views)
    assert_array_equal(model.labels_, oracle.mvgl(views, 3)[0])
    assert adjusted_rand_score(truth[kept], model.labels_) == 1


def test_blend_with_enough_components_is_kept():
    rng = np.random.default_rng(0)
    views = [9 * np.eye(3, d)[np.arange(45) % 3] + 0.5 * rng.standard_normal((45, d)) for d in (6, 4)]
    labels, objective = oracle.mvgl(views, 3, k=6, local=False, max_iter=5, data_distances=True)
    model = MVGL(n_clusters=3, n_neighbors=6, variant="paper", max_iter=5, tol=0.5).fit(views)
    assert model.history_["n_updates"][0] == 0
    assert model.history_["objective"][0] > 1e-6
    assert_allclose(model.history_["objective"][0], objective[0], rtol=1e-6)
    assert_array_equal(model.labels_, labels)


def test_the_variants_are_two_methods():
    views = touching_groups()
    released, paper = (
        MVGL(n_clusters=3, n_neighbors=8, local=True, variant=variant, max_iter=3) for variant in ("released", "paper")
    )
    with pytest.warns(ConvergenceWarning, match="still changed after max_iter=3 rounds"):
        difference = released.fit(views).affinity_ - paper.fit(views).affinity_
    assert abs(difference).max() > 1e-3
    assert not released.converged_


def test_what_is_left_after_a_fit():
    model = MVGL(n_clusters=3, n_neighbors=8).fit(touching_groups())
    assert model.converged_
    assert model.n_iter_ == len(model.history_["objective"]) == len(model.history_["n_updates"])
    assert len(model.history_["view_updates"]) == 2
    assert model.history_["n_components"][-1] == model.n_components_found_ == 3
    assert model.view_weights_.sum() == pytest.approx(1)
    assert_array_equal(model.history_["view_weights"][-1], model.view_weights_)
    assert_allclose(model.eigenvalues_[:3], 0, atol=1e-10)
    assert model.eigenvalues_[3] > 1e-6
    assert_allclose((model.affinity_ - model.affinity_.T).data, 0)
    rows, columns = model.affinity_.nonzero()
    assert_array_equal(model.labels_[rows], model.labels_[columns])  # no edge leaves a cluster


def test_a_view_of_noise_gets_less_weight():
    noise = np.random.default_rng(5).standard_normal((60, 4))
    good = touching_groups(seed=2)
    model = MVGL(n_clusters=3, n_neighbors=8, local=True, max_iter=2, variant="paper")
    with pytest.warns(ConvergenceWarning):
        model.fit([*good, noise])
    assert model.view_weights_.argmin() == 2
