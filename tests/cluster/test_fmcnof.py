import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from awkward_views import AWKWARD, is_partition
from manyview.cluster import fmcnof as module
from manyview.cluster.fmcnof import FMCNOF
from manyview.datasets import make_views
from manyview.metrics import accuracy

from oracles import anchor_methods_oracle as oracle

ESTIMATORS = [FMCNOF(n_clusters=3, random_state=0, views=2)]
VARIANTS = ("released", "corrected", "paper")
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", AWKWARD)
@pytest.mark.parametrize("variant", VARIANTS)
def test_awkward_views_give_a_result(name, variant):
    views, n_clusters = AWKWARD[name]
    model = FMCNOF(n_clusters, variant=variant, random_state=0).fit(views)
    assert is_partition(model.labels_, views[0].shape[0])
    assert np.isfinite(model.embedding_).all()
    assert_allclose(model.view_weights_.sum(), 1)
    assert set(model.predict(views)) <= set(model.labels_)


def some_views(n=60, seed=0, separation=4.0):
    data = make_views(n, 3, widths=(6, 9, 4), separation=separation, random_state=seed)
    return list(data.views.values()), data.labels


def start(n_anchors, n_clusters, seed=0):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(n_anchors, n_clusters)))[0]


def test_corrected_updates_equal_literal_loops():
    views, _ = some_views()
    anchors = [oracle.z_scored(view)[:6] for view in views]
    G = start(6, 3)
    for n_iter in (1, 2, 8):
        F, alpha, objective = oracle.fmcnof(views, anchors, G, 3, n_iter)
        model = FMCNOF(3, anchors=anchors, init=G, variant="corrected", max_iter=n_iter).fit(views)
        assert_allclose(model.embedding_, F, atol=1e-8)
        assert_allclose(model.view_weights_, alpha, atol=1e-7)
        assert_allclose(model.history_["objective"], objective, rtol=1e-8)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.sampled_from(["corrected", "paper"]))
def test_the_objective_never_rises(seed, n_clusters, variant):
    rng = np.random.default_rng(seed)
    views = [rng.normal(size=(25, d)) + 2 * rng.integers(0, 3, size=(25, 1)) * rng.normal(size=d) for d in (4, 7)]
    model = FMCNOF(n_clusters, variant=variant, sigma=2.0, random_state=seed % 1000).fit(views)
    objective = np.array(model.history_["objective"])
    assert np.diff(objective).max() <= 1e-10 * objective[0]


def test_released_objective_can_rise():
    """The defect in one number: b with its entries in two orders is not the b of the objective."""
    views, _ = some_views()
    rises = [
        np.diff(FMCNOF(3, variant="released", random_state=seed).fit(views).history_["objective"]).max()
        for seed in range(5)
    ]
    assert max(rises) > 1e-6


def test_graphs_of_released_and_paper_variants():
    d = np.array([[1.0, 5.0, 3.0, 4.0, 2.0]])
    farthest = module.farthest_weights(d, 2, 1000.0)
    assert_allclose(farthest, [[0, 0.5, 0, 0.5, 0]], atol=1e-6)
    assert (farthest > 0).all()
    nearest = module.nearest_weights(d, 2, 1.0)
    assert_allclose(nearest[0, [0, 4]], np.exp([-0.5, -2.0]) / np.exp([-0.5, -2.0]).sum())
    assert_array_equal(nearest[0, [1, 2, 3]], 0)
    assert_allclose(module.nearest_weights(1e3 * d, 2, 1.0), [[1, 0, 0, 0, 0]])  # no underflow of the nearest
    assert np.isfinite(module.farthest_weights(1e3 * d, 2, 1e-2)).all()


def test_clusters_are_found_and_new_rows_join_them():
    views, labels = some_views(n=300, separation=8.0)
    scores = []
    for seed in range(5):
        model = FMCNOF(3, variant="corrected", random_state=seed).fit([view[:200] for view in views])
        assert (model.predict([view[:200] for view in views]) == model.labels_).all()
        found, new = model.labels_, model.predict([view[200:] for view in views])
        scores.append((accuracy(labels[:200], found), accuracy(labels[200:], new)))
    scores = np.array(scores)
    assert scores[:, 0].max() > 0.9
    assert np.abs(scores[:, 0] - scores[:, 1]).max() < 0.1


@pytest.mark.parametrize("variant", VARIANTS)
def test_sparse_and_dense_views_give_the_same(variant):
    data = make_views(80, 3, sparse=True, widths=(60, 40), random_state=0)
    sparse = [sp.csr_matrix(view).astype(float) for view in data.views.values()]
    dense = [view.toarray() for view in sparse]
    one, two = (FMCNOF(3, variant=variant, max_iter=5, random_state=0).fit(views) for views in (sparse, dense))
    for a, b in zip(one.anchors_, two.anchors_, strict=True):
        assert_allclose(a, b, atol=1e-10)
    assert_allclose(one.embedding_, two.embedding_, atol=1e-6)
    assert_array_equal(one.predict(sparse), two.predict(dense))


def test_rows_are_z_scored_over_the_features():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(10, 6)) + 1e6
    x[3] = 7.0
    expected = oracle.z_scored(x)
    dense, sparse = module.standard_rows(x), module.standard_rows(sp.csr_array(x))
    assert_allclose(dense.x, expected, atol=1e-8)
    assert_array_equal(dense.x[3], 0)
    assert_allclose(sparse.x.toarray()[4] - sparse.offset[4], expected[4], atol=1e-3)  # x² in double: half the digits
    anchors = rng.normal(size=(4, 6))
    distances = np.linalg.norm(expected[:, None] - anchors, axis=2)
    assert_allclose(dense.distances(anchors), distances, atol=1e-8)
    small = sp.csr_array(np.where(x > 1e6, x - 1e6, 0))
    exact = np.linalg.norm(oracle.z_scored(small.toarray())[:, None] - anchors, axis=2)
    assert_allclose(module.standard_rows(small).distances(anchors), exact, atol=1e-9)


def test_empty_clusters_are_said():
    with pytest.warns(ConvergenceWarning, match="of n_clusters=3 clusters are not empty"):
        FMCNOF(3, random_state=0).fit([np.ones((12, 4))])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_anchors": 2}, "n_anchors=2 must lie between 3 and n_samples=30"),
        ({"sigma": 0}, "sigma must be a number > 0"),
        ({"init": np.eye(4, 3)}, r"init has shape \(4, 3\); expected \(n_anchors, n_clusters\) = \(6, 3\)"),
        ({"variant": "other"}, "variant must be one of 'released', 'corrected', 'paper'"),
    ],
)
def test_bad_parameters_are_named(changes, message):
    with pytest.raises(ValueError, match=message):
        FMCNOF(3, **changes).fit(AWKWARD["float32"][0])


@pytest.mark.shared
def test_the_released_solver_is_the_reference_solver(reference_kernel):
    case = reference_kernel("simplex_qp")
    for A, b, x in zip(case["A"], case["b"], case["x_fmcnof_alm"], strict=True):
        assert_allclose(module.released_qp(A, b), x, atol=1e-12)


@pytest.mark.shared
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("dataset", ["tcga_breast", "3sources", "webkb203", "msrcv1_5"])
def test_reference_from_saved_start(shared_dir, shared_views, dataset, seed):
    views, labels = shared_views(dataset, order="stored")
    reference = shared_dir / "reference"
    with np.load(reference / "aux" / f"FMCNOF__{dataset}__seed{seed}.npz") as aux:
        anchors, G0, weights, objective = aux["anchors"], aux["G0"], aux["view_weights"].ravel(), aux["obj"].ravel()
    theirs = np.loadtxt(reference / "labels" / f"FMCNOF__{dataset}__seed{seed}.csv", dtype=int)
    cuts = np.cumsum([view.shape[1] for view in views])[:-1]
    model = FMCNOF(len(np.unique(labels)), anchors=np.split(anchors, cuts, axis=1), init=G0, random_state=0).fit(views)
    first, second = np.sort(model.embedding_, axis=1)[:, :-3:-1].T
    clear = first - second > 1e-9 * first.max()  # on a tie rounding decides
    assert clear.mean() > 0.9
    assert_array_equal(model.embedding_.argmax(axis=1)[clear], theirs[clear])
    assert_allclose(model.history_["objective"], objective, rtol=1e-8)
    assert_allclose(model.view_weights_, weights, atol=1e-8)
