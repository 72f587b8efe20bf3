import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.utils.estimator_checks import parametrize_with_checks

from awkward_views import AWKWARD, is_partition
from manyview.cluster import csmsc as module
from manyview.cluster.csmsc import CSMSC, express, walk_embedding
from manyview.datasets import make_views
from manyview.metrics import accuracy

from oracles import anchor_methods_oracle as oracle

ESTIMATORS = [CSMSC(n_clusters=3, random_state=0, views=2)]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_views_give_a_result(name):
    views, n_clusters = AWKWARD[name]
    model = CSMSC(n_clusters, random_state=0).fit(views)
    assert is_partition(model.labels_, views[0].shape[0])
    assert np.isfinite(model.embedding_).all()
    assert_allclose(model.affinity_, model.affinity_.T)
    assert model.affinity_.min() >= 0


def some_views(n, widths, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(n, d)) + 2 * rng.integers(0, 3, size=(n, 1)) * rng.normal(size=d) for d in widths]


def unit(views):
    return [view / np.linalg.norm(view, axis=1, keepdims=True) for view in views]


@pytest.mark.parametrize("widths", [(3, 5), (4, 40), (30, 50), (25,)], ids=str)
@pytest.mark.parametrize("n_iter", [1, 60, 100])
def test_the_loop_is_that_of_the_literal_matrices(widths, n_iter):
    """Narrow views, wide views, both; R below N and equal to it."""
    views = some_views(25, widths)
    C, D, residuals, passed = oracle.csmsc(views, 0.05, 0.1, n_iter)
    ours = express(unit(views), lambda_c=0.05, lambda_d=0.1, max_iter=n_iter, tol=0)
    assert not passed
    assert_allclose(ours.residuals, residuals, rtol=1e-9)
    assert_allclose(ours.C, C, atol=1e-10)
    for (left, right), expected in zip(ours.D, D, strict=True):
        assert_allclose(left @ right, expected, atol=1e-10)


@pytest.mark.parametrize(("widths", "lambda_c", "lambda_d"), [((3, 5), 20.0, 20.0), ((30, 4), 0.05, 0.1)], ids=str)
def test_the_loop_goes_on_when_errors_pass_their_threshold(widths, lambda_c, lambda_d):
    views = some_views(20, widths)
    C, D, residuals, passed = oracle.csmsc(views, lambda_c, lambda_d, 170)
    assert passed  # the errors' copy W is no longer zero: iterates leave the span of the samples
    ours = express(unit(views), lambda_c=lambda_c, lambda_d=lambda_d, max_iter=170, tol=0)
    assert_allclose(ours.residuals, residuals, rtol=1e-6, atol=1e-10)
    assert_allclose(ours.C, C, atol=1e-7)
    for (left, right), expected in zip(ours.D, D, strict=True):
        assert_allclose(left @ right, expected, atol=1e-7)


@pytest.mark.parametrize("threshold", [0.5, 3.0, 1e3])
def test_singular_values_shrink_as_by_svd(threshold):
    B = np.random.default_rng(0).normal(size=(12, 20))
    U, s, Vt = np.linalg.svd(B, full_matrices=False)
    assert_allclose(module._shrink_singular(B, threshold), (U * np.maximum(s - threshold, 0)) @ Vt, atol=1e-12)


def test_no_decomposition_below_the_threshold(monkeypatch):
    asked = []
    eigh = module.scipy.linalg.eigh

    def counting(matrix, **options):
        asked.append("subset_by_value" in options)
        return eigh(matrix, **options)

    monkeypatch.setattr(module.scipy.linalg, "eigh", counting)
    express(unit(some_views(25, (3, 5))), lambda_c=0.05, lambda_d=0.1)
    assert 0 < sum(asked) < 50  # of 100 iterations
    assert len(asked) - sum(asked) == 3  # one for each view and one for all


@pytest.mark.parametrize("dense_size", [1000, 10])
def test_the_embedding_belongs_to_the_random_walk(monkeypatch, dense_size):
    monkeypatch.setattr(module, "DENSE_SIZE", dense_size)
    rng = np.random.default_rng(0)
    A = rng.random((60, 60)) + 3 * np.kron(np.eye(3), np.ones((20, 20)))
    A = A + A.T
    walk = walk_embedding(A, 3)
    values, vectors = np.linalg.eig(A / A.sum(axis=1, keepdims=True))
    order = np.argsort(-values.real)[:4]
    assert_allclose(walk.values, values.real[order], atol=1e-10)
    rows = vectors.real[:, order[:3]]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    assert_allclose(np.abs(np.sum(walk.embedding * rows, axis=0)), np.sum(rows**2, axis=0), atol=1e-8)


def test_a_sample_without_neighbors_has_a_zero_row():
    A = np.ones((10, 10))
    A[4] = A[:, 4] = 0
    walk = walk_embedding(A, 2)
    assert_array_equal(walk.embedding[4], 0)
    assert np.isfinite(walk.embedding).all()


def test_a_view_of_one_column_keeps_its_size():
    x = np.array([[3.0], [-1.0], [0.0], [1.0]])
    assert len(np.unique(module.directions(x)[:, 0])) == 4
    assert_allclose(np.linalg.norm(module.directions(x), axis=1), 1)


def test_samples_are_grouped_by_the_subspace_they_lie_in():
    rng = np.random.default_rng(0)
    labels = np.arange(90) % 3
    views = []
    for width in (20, 30):
        bases = rng.normal(size=(3, 2, width))
        views.append(np.einsum("nr,nrd->nd", rng.normal(size=(90, 2)), bases[labels]))
    model = CSMSC(3, random_state=0).fit(views)
    assert accuracy(labels, model.labels_) > 0.95
    assert not hasattr(model, "predict")


def test_sparse_and_dense_views_give_the_same():
    data = make_views(50, 3, sparse=True, widths=(30, 90), random_state=0)
    sparse = [sp.csr_matrix(view).astype(float) for view in data.views.values()]
    one, two = (CSMSC(3, random_state=0).fit(views) for views in (sparse, [view.toarray() for view in sparse]))
    assert_allclose(one.affinity_, two.affinity_, atol=1e-10)


@pytest.mark.parametrize(
    ("changes", "message"), [({"lambda_c": 0}, "lambda_c must be a number > 0"), ({"max_iter": 0}, "max_iter")]
)
def test_bad_parameters_are_named(changes, message):
    with pytest.raises(ValueError, match=message):
        CSMSC(3, **changes).fit(AWKWARD["float32"][0])


@pytest.mark.shared
@pytest.mark.parametrize("dataset", ["tcga_breast", "3sources"])
def test_reference_embedding(shared_dir, shared_views, dataset):
    views, labels = shared_views(dataset, order="stored")
    with np.load(shared_dir / "reference" / "aux" / f"CSMSC__{dataset}__seed0.npz") as aux:
        embedding, eigenvalues, resid, mu = aux["embedding"], aux["eigenvalues"].ravel(), aux["resid"], aux["mu"]
    K = len(np.unique(labels))
    model = CSMSC(K, random_state=0).fit(views)
    assert_allclose(model.eigenvalues_, eigenvalues[: K + 1], atol=1e-8)
    signs = np.sign(np.sum(model.embedding_ * embedding, axis=0))
    assert_allclose(model.embedding_ * signs, embedding, atol=1e-8)
    assert_allclose(model.history_["residual"][-1], resid, rtol=1e-8)
    assert_allclose(model.history_["penalty"][-1], mu, rtol=1e-8)


@pytest.mark.shared
def test_all_zero_rows_do_not_stop_it(shared_views):
    """The released program divides by their length and fails."""
    views, labels = shared_views("webkb203", order="stored")
    assert sum((view == 0).all(axis=1).sum() for view in views) > 80
    model = CSMSC(4, random_state=0).fit(views)
    assert accuracy(labels, model.labels_) > 0.4
