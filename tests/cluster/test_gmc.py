import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from manyview.cluster.gmc import GMC

from oracles import graph_methods_oracle as oracle
from oracles.reference_runs import reference_run


def touching_groups(n=60, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 3
    return [2 * np.eye(3, d)[labels] + 0.6 * rng.standard_normal((n, d)) for d in (6, 4)]


@pytest.mark.shared
@pytest.mark.parametrize("dataset", ["ngs"])
def test_the_partition_of_the_authors_program(shared_dir, shared_views, dataset):
    views, classes = shared_views(dataset, order="stored")
    saved, labels = reference_run(shared_dir, "GMC", dataset)
    model = GMC(n_clusters=classes.max() + 1).fit(views)
    assert adjusted_rand_score(labels, model.labels_) >= 0.98
    assert model.n_iter_ == saved["iters"]
    assert model.n_components_found_ == len(np.unique(labels))


@pytest.mark.shared
@pytest.mark.parametrize("dataset", ["tcga_breast", "msrcv1_5"])
def test_the_numbers_of_the_authors_program(shared_dir, shared_views, dataset):
    views, classes = shared_views(dataset, order="stored")
    saved, _ = reference_run(shared_dir, "GMC", dataset)
    model = GMC(n_clusters=classes.max() + 1).fit(views)
    assert_allclose(model.eigenvalues_, saved["eigenvalues"], atol=1e-10)
    assert_allclose(model.history_["connectivity"], saved["eigsum_history"].ravel(), atol=1e-8)


@pytest.mark.shared
def test_tied_counts_and_zero_rows(shared_dir, shared_views):
    """webkb203: the order of tied distances decides, so equality cannot be asked for."""
    views, _ = shared_views("webkb203", order="stored")
    _, labels = reference_run(shared_dir, "GMC", "webkb203")
    assert adjusted_rand_score(labels, GMC(n_clusters=4).fit(views).labels_) > 0.9


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_against_dense_matrices(seed):
    views = touching_groups(seed=seed)
    labels, sums = oracle.gmc(views, 3, k=8)
    model = GMC(n_clusters=3, n_neighbors=8).fit(views)
    assert model.n_iter_ > 1
    assert_array_equal(model.labels_, labels)
    assert_allclose(model.history_["connectivity"], sums, atol=1e-8)


def test_what_is_left_after_a_fit():
    model = GMC(n_clusters=3, n_neighbors=8).fit(touching_groups())
    assert len(model.history_["lam"]) == model.n_iter_
    assert model.history_["lam"][0] == 1.0
    assert len(model.history_["connectivity"]) == model.n_iter_ + 1
    assert_array_equal(model.history_["view_weights"][-1], model.view_weights_)
    assert model.eigenvalues_.shape == (4,)
    assert_allclose(model.eigenvalues_[:3], 0, atol=1e-10)
    assert model.eigenvalues_[3] > 1e-6
    assert_allclose((model.affinity_ - model.affinity_.T).data, 0)
    rows, columns = model.affinity_.nonzero()
    assert_array_equal(model.labels_[rows], model.labels_[columns])  # no edge leaves a cluster


def test_normalize_is_heeded():
    views = touching_groups()
    stretched = [view * np.linspace(0.1, 10, len(view))[:, None] for view in views]
    kept = GMC(n_clusters=3, n_neighbors=8).fit(stretched).labels_
    assert_array_equal(kept, GMC(n_clusters=3, n_neighbors=8).fit(views).labels_)
    assert adjusted_rand_score(kept, _fit_quietly(stretched, normalize=False).labels_) < 0.9


@pytest.mark.parametrize("views", [touching_groups()[:1], [touching_groups()[0]] * 2], ids=["one view", "equal views"])
def test_views_that_agree_completely_weigh_the_same(views):
    model = _fit_quietly(views)
    assert np.ptp(model.view_weights_) == 0
    assert model.n_components_found_ == 3


def _fit_quietly(views, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return GMC(n_clusters=3, n_neighbors=8, **options).fit(views)
