import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from manyview.cluster.smsc import SMSC, _leading_vectors, _normalized_graph
from manyview.metrics import accuracy

from oracles import graph_methods_oracle as oracle
from oracles.reference_runs import reference_run

STARTS = [(dataset, seed) for dataset in ("3sources", "ngs", "bbcsport") for seed in (0, 1)]


def touching_groups(n=60, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 3
    return [2 * np.eye(3, d)[labels] + 0.6 * rng.standard_normal((n, d)) for d in (6, 4)]


def leading_vectors(views, n_clusters):
    """(N, K, V), largest entries positive."""
    first = []
    for x in views:
        values, vectors = np.linalg.eigh(oracle.smsc_graph(x))
        F = vectors[:, np.argsort(-np.abs(values))[:n_clusters]]
        first.append(F * np.sign(F[np.abs(F).argmax(axis=0), np.arange(n_clusters)]))
    return np.stack(first, axis=2)


@pytest.mark.shared
@pytest.mark.parametrize(("dataset", "seed"), STARTS)
@pytest.mark.filterwarnings("ignore:SMSC. only:sklearn.exceptions.ConvergenceWarning")
def test_authors_partition_from_their_start(shared_dir, shared_views, dataset, seed):
    views, classes = shared_views(dataset, order="stored")
    saved, labels = reference_run(shared_dir, "SMSC", dataset, seed)
    model = SMSC(n_clusters=classes.max() + 1, init=saved["F0"]).fit(views)
    assert adjusted_rand_score(labels, model.labels_) >= 0.98
    assert_allclose(model.history_["objective"], saved["obj"].ravel(), rtol=1e-8)


@pytest.mark.shared
@pytest.mark.parametrize("dataset", ["tcga_breast", "3sources", "msrcv1_5", "ngs", "bbcsport"])
def test_our_start_is_as_accurate_as_the_mean_of_theirs(shared_dir, shared_views, dataset):
    views, classes = shared_views(dataset, order="stored")
    theirs = [accuracy(classes, reference_run(shared_dir, "SMSC", dataset, seed)[1]) for seed in range(5)]
    model = SMSC(n_clusters=classes.max() + 1, random_state=0).fit(views)
    assert accuracy(classes, model.labels_) >= np.mean(theirs) - 0.03


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_against_dense_matrices(seed):
    views = touching_groups(seed=seed)
    first = leading_vectors(views, 3)
    Y, objective = oracle.smsc(views, first)
    model = SMSC(n_clusters=3, init=first).fit(views)
    assert_allclose(model.embedding_, Y, atol=1e-9)
    assert_allclose(model.history_["objective"], objective, rtol=1e-10)


def test_the_first_start_of_the_paper_variant_is_upright():
    views = touching_groups()
    given = SMSC(n_clusters=3, init=leading_vectors(views, 3)).fit(views)
    assert_allclose(SMSC(n_clusters=3, n_init=1).fit(views).embedding_, given.embedding_, atol=1e-7)


@pytest.mark.parametrize("n_init", [1, 2, 7])
def test_the_best_of_the_starts_is_kept(n_init):
    model = SMSC(n_clusters=3, n_init=n_init, random_state=0).fit(touching_groups())
    assert len(model.history_["starts"]) == n_init
    assert model.objective_ == min(model.history_["starts"])
    assert model.n_iter_ == len(model.history_["objective"])


def test_the_released_variant_draws_its_signs_once():
    views = touching_groups()
    models = [SMSC(n_clusters=3, variant="released", random_state=seed) for seed in range(8)]
    with pytest.warns(ConvergenceWarning, match="clusters are not empty"):  # some draws lose a cluster
        objectives = [model.fit(views).objective_ for model in models]
    assert all(len(model.history_["starts"]) == 1 for model in models)
    assert len(np.unique(np.round(objectives, 6))) > 1
    best = SMSC(n_clusters=3, random_state=0).fit(views).objective_
    assert best <= min(objectives) * (1 + 1e-6)


def test_empty_cluster_leaves_no_gap():
    views = touching_groups()
    first = leading_vectors(views, 3)
    first[:, 1] = -np.abs(first[:, 1])
    with pytest.warns(ConvergenceWarning, match="only 2 of n_clusters=3"):
        model = SMSC(n_clusters=3, init=first).fit(views)
    assert_array_equal(model.embedding_[:, 1], 0)
    assert_array_equal(np.unique(model.labels_), [0, 1])


def test_what_is_left_after_a_fit():
    model = SMSC(n_clusters=3, random_state=0).fit(touching_groups())
    assert (model.embedding_ >= 0).all()
    assert_array_equal(model.labels_, model.embedding_.argmax(axis=1))
    assert model.view_weights_.sum() == pytest.approx(1)
    assert_allclose((model.affinity_ - model.affinity_.T).data, 0, atol=1e-15)


def test_eigenvalues_near_minus_one():
    """Pairs of samples: each pair has the eigenvalues 1 and -1."""
    x = np.repeat(np.array([[0.0], [100], [300], [600]]), 2, axis=0) + np.tile([0.0, 1.0], 4)[:, None]
    S = _normalized_graph(np.hstack([x, -x]), 1)
    assert_allclose(np.linalg.eigvalsh(S.adjacency.toarray()), np.repeat([-1, 1], 4), atol=1e-12)
    F = _leading_vectors(S, 6)
    assert_allclose(F.T @ F, np.eye(6), atol=1e-12)
    assert_allclose(np.sort(np.diag(F.T @ (S.adjacency @ F))), [-1, -1, 1, 1, 1, 1], atol=1e-12)


def test_a_start_of_the_wrong_shape_is_named():
    with pytest.raises(ValueError, match=r"init has shape \(60, 2, 2\); .* is \(60, 3, 2\)"):
        SMSC(n_clusters=3, init=np.zeros((60, 2, 2))).fit(touching_groups())
