import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.utils.estimator_checks import parametrize_with_checks

from awkward_views import AWKWARD, is_partition
from manyview.cluster.lmvsc import LMVSC
from manyview.datasets import make_views
from manyview.metrics import accuracy, adjusted_rand_index

from oracles.anchor_methods_oracle import lmvsc_embedding

ESTIMATORS = [LMVSC(n_clusters=3, random_state=0, views=2)]
# dataset, setting of the reference, anchors, alpha; hw4 and its kind are run outside the suite
CELLS = [
    ("tcga_breast", "LMVSC", 0.01),
    ("tcga_breast", "LMVSC-m_50_alpha_100", 100.0),
    ("3sources", "LMVSC", 0.01),
    ("webkb203", "LMVSC-m_50_alpha_1", 1.0),
    ("msrcv1_5", "LMVSC", 0.01),
    ("msrcv1_5", "LMVSC-m_50_alpha_0.01", 0.01),
    ("ngs", "LMVSC", 0.01),
    ("bbcsport", "LMVSC", 0.01),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", AWKWARD)
@pytest.mark.parametrize("variant", ["released", "paper"])
def test_awkward_views_give_a_result(name, variant):
    views, n_clusters = AWKWARD[name]
    model = LMVSC(n_clusters, variant=variant, random_state=0).fit(views)
    assert is_partition(model.labels_, views[0].shape[0])
    assert np.isfinite(model.embedding_).all()
    assert_allclose(model.affinity_.sum(axis=1), np.sqrt(len(views)))
    assert (model.predict(views) == model.labels_).all()


def split(table, views):
    return np.split(table, np.cumsum([view.shape[1] for view in views])[:-1], axis=1)


def same_subspace(U, V):
    return np.linalg.norm(U - V @ (V.T @ U), 2)


def test_the_embedding_is_that_of_one_qp_per_row():
    data = make_views(40, 3, widths=(3, 6), random_state=0)
    views = list(data.views.values())
    rng = np.random.default_rng(0)
    anchors = [view[rng.choice(40, 5, replace=False)] for view in views]
    for alpha in (0.01, 5.0):
        model = LMVSC(3, alpha=alpha, anchors=anchors, random_state=0).fit(views)
        U, s = lmvsc_embedding(views, anchors, alpha, 3)
        assert_allclose(model.singular_values_, s, atol=1e-9)
        assert same_subspace(U, model.embedding_) < 1e-8


def test_paper_affinity_is_doubly_stochastic():
    data = make_views(60, 3, random_state=0)
    model = LMVSC(3, variant="paper", random_state=0).fit(data.views)
    Z = model.affinity_ / np.sqrt(model.affinity_.sum(axis=0))
    S = (Z @ Z.T).toarray() / np.sqrt(3)  # the root of the number of views
    assert_allclose(S.sum(axis=1), 1)
    assert_allclose(model.singular_values_[0] ** 2, np.sqrt(3))
    assert same_subspace(np.full((60, 1), 60**-0.5), model.embedding_) < 1e-8
    released = LMVSC(3, random_state=0).fit(data.views)
    assert same_subspace(released.embedding_, model.embedding_) > 1e-3


def test_clusters_are_found_and_new_rows_join_them():
    data = make_views(300, 4, random_state=1)
    views = list(data.views.values())
    model = LMVSC(4, random_state=0).fit([view[:200] for view in views])
    assert accuracy(data.labels[:200], model.labels_) > 0.95
    assert_array_equal(model.predict([view[:200] for view in views]), model.labels_)
    assert accuracy(data.labels[200:], model.predict([view[200:] for view in views])) > 0.95


def test_sparse_and_dense_views_give_the_same():
    data = make_views(80, 3, sparse=True, widths=(60, 40), random_state=0)
    sparse = [sp.csr_matrix(view) for view in data.views.values()]
    one = LMVSC(3, n_anchors=6, random_state=0).fit(sparse)
    two = LMVSC(3, n_anchors=6, random_state=0).fit([view.toarray() for view in sparse])
    assert_array_equal(one.labels_, two.labels_)
    assert_allclose(one.singular_values_, two.singular_values_, atol=1e-9)
    assert_array_equal(one.predict(sparse), two.predict([view.toarray() for view in sparse]))


def test_a_far_origin_changes_nothing():
    """On the simplex x - A'z is the same from any origin; the uncentered Hessian would lose all digits here."""
    data = make_views(60, 3, random_state=0)
    near = LMVSC(3, random_state=0).fit(data.views)
    far = LMVSC(3, random_state=0).fit([view + 1e6 for view in data.views.values()])
    assert_allclose(far.singular_values_, near.singular_values_, atol=1e-4)
    assert_array_equal(far.labels_, near.labels_)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"alpha": 0}, "alpha must be a number > 0"),
        ({"n_anchors": 31}, "n_anchors=31 must lie between 1 and n_samples=30"),
        ({"variant": "other"}, "variant must be one of 'released', 'paper'"),
        ({"anchors": [np.ones((3, 5))]}, "anchors has 1 tables for 2 views"),
        ({"anchors": [np.ones((3, 5)), np.ones((3, 7))]}, r"anchors of view 'view 1' have shape \(3, 7\)"),
    ],
)
def test_bad_parameters_are_named(changes, message):
    with pytest.raises(ValueError, match=message):
        LMVSC(3, **changes).fit(AWKWARD["float32"][0])


@pytest.mark.shared
@pytest.mark.parametrize(("dataset", "name", "alpha"), CELLS)
def test_reference_embedding_from_saved_anchors(shared_dir, shared_views, dataset, name, alpha):
    views, labels = shared_views(dataset, order="stored")
    with np.load(shared_dir / "reference" / "aux" / f"{name}__{dataset}__seed0.npz") as aux:
        anchors, U, s = aux["anchors"], aux["U"], aux["singular_values"].ravel()
    K = len(np.unique(labels))
    model = LMVSC(K, alpha=alpha, anchors=split(anchors, views), random_state=0).fit(views)
    assert_allclose(model.singular_values_, s[:K], atol=1e-8)
    assert same_subspace(U, model.embedding_) < 1e-8


@pytest.mark.shared
@pytest.mark.parametrize("dataset", ["bbcsport", "webkb203", "tcga_breast"])
def test_reference_labels_from_saved_anchors(shared_dir, shared_views, dataset):
    """k-means is random in both; the start whose distances have the smallest sum is the same in most draws."""
    views, labels = shared_views(dataset, order="stored")
    reference = shared_dir / "reference"
    with np.load(reference / "aux" / f"LMVSC__{dataset}__seed0.npz") as aux:
        anchors = split(aux["anchors"], views)
    theirs = np.loadtxt(reference / "labels" / f"LMVSC__{dataset}__seed0.csv", dtype=int)
    ours = LMVSC(len(np.unique(labels)), anchors=anchors, n_init=30, random_state=0).fit(views)
    assert adjusted_rand_index(theirs, ours.labels_) >= 0.98
