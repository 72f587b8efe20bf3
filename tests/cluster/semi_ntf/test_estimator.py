"""SemiNTF: factors, history, starts and couplings; what it shares with AnchorGraphClustering is tested there."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from manyview import AnchorGraphClustering, SemiNTF
from manyview.datasets import make_views
from manyview.kernels.tproduct import to_frequencies, view_transform
from manyview.metrics import accuracy, adjusted_rand_index
from manyview.views.blocks import RowBlock
from recipes import QUICK

K = 4


@pytest.fixture(scope="module")
def separated():
    data = make_views(n_samples=160, n_clusters=K, widths=(6, 9, 5), separation=6.0, random_state=0)
    return list(data.views.values()), data.labels


@pytest.fixture(scope="module")
def overlapping():
    data = make_views(n_samples=200, n_clusters=K, widths=(6, 9, 5), separation=2.0, random_state=1)
    return list(data.views.values()), data.labels


def model_of(n_clusters=K, **parameters):
    return SemiNTF(n_clusters, **({"recipe": QUICK, "n_anchors": 60, "random_state": 0} | parameters))


@pytest.mark.parametrize("coupling", ["shared", "clusters", "views"])
def test_indicator_is_nonnegative_and_orthonormal_at_convergence(overlapping, coupling):
    model = model_of(coupling=coupling, tol=1e-5, max_iter=500).fit(overlapping[0])
    n_slices = 1 if coupling == "shared" else 8
    assert model.converged_
    assert model.indicator_.shape == (n_slices, 200, K)
    assert len(model.factors_) == n_slices
    assert model.indicator_.min() >= 0
    for H in model.indicator_:
        assert_allclose(H.T @ H, np.eye(K), atol=1e-3)


@pytest.mark.parametrize("coupling", ["shared", "clusters", "views"])
def test_history_has_every_iteration(overlapping, coupling):
    model = model_of(coupling=coupling).fit(overlapping[0])
    history = model.history_
    assert {len(values) for values in history.values()} == {model.n_iter_}
    assert list(history) == ["objective", "residual_HQ", "residual_QJ", "mu", "rho"]
    assert_allclose(history["mu"], 1.15 ** np.arange(model.n_iter_))
    limit = 1e-2 * np.sqrt(K / 200)
    residual = np.maximum(history["residual_HQ"], history["residual_QJ"])
    assert residual[-1] <= limit
    assert (residual[:-1] > limit).all()
    assert np.isfinite(history["objective"]).all()


def test_objective_is_that_of_the_factors(overlapping):
    """||S||² - ||G||² with G = S'Q is the loss of the best G; at convergence Q = H."""
    views, _ = overlapping
    model = model_of(coupling="clusters", lam=0.0, tol=1e-7, max_iter=1000).fit(views)
    slices = []
    block = model.anchor_graph_(RowBlock(0, tuple(views)))
    for index, weight in enumerate(model.fusion_.weights):
        W = block.slice(index, model.anchor_graph_.n_anchors).toarray()
        degree = W.sum(axis=0)
        slices.append(np.sqrt(weight) * W / np.sqrt(np.where(degree > 1e-12, degree, np.inf)))
    loss = sum(
        np.linalg.norm(S - H @ np.linalg.lstsq(H, S, rcond=None)[0]) ** 2
        for S, H in zip(slices, model.indicator_, strict=True)
    )
    assert_allclose(model.history_["objective"][-1], loss, rtol=1e-4)


@pytest.mark.parametrize("transform", ["identity", "dct", "dft"])
def test_orthogonality_holds_in_the_domain_of_the_transform(separated, transform):
    options = {"coupling": "clusters", "view_transform": transform, "lam": 0.0, "tol": 1e-3, "max_iter": 400}
    model = model_of(**options).fit(separated[0])
    for H in to_frequencies(view_transform(transform, 8), model.indicator_):
        assert_allclose(H.conj().T @ H, np.eye(K), atol=0.02)


def test_unfinished_factorization_warns(overlapping):
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        model = model_of(max_iter=2, tol=0).fit(overlapping[0])
    assert not model.converged_


@pytest.mark.parametrize("coupling", ["shared", "clusters", "views"])
@pytest.mark.parametrize("start", ["consensus", "spectral", "labels"])
def test_couplings_and_starts_find_separated_clusters(separated, coupling, start):
    views, labels = separated
    model = model_of(coupling=coupling, start=labels if start == "labels" else start).fit(views)
    assert accuracy(labels, model.labels_) == 1.0
    assert_array_equal(model.predict(views), model.labels_)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("start", ["random", "identity", np.eye(160, K)], ids=["random", "identity", "matrix"])
def test_uninformed_starts_give_a_result(separated, start):
    for coupling in ("shared", "clusters"):
        model = model_of(coupling=coupling, start=start, max_iter=20).fit(separated[0])
        assert_allclose(model.membership_.sum(axis=1), 1)
        assert np.isfinite(model.indicator_).all()


def test_default_starts_from_the_labels_of_the_consensus(separated, overlapping):
    for views, labels in (separated, overlapping):
        options = {"recipe": QUICK, "n_anchors": 60, "random_state": 0}
        consensus = AnchorGraphClustering(K, **options).fit(views)
        model = SemiNTF(K, **options).fit(views)
        assert adjusted_rand_index(consensus.labels_, model.labels_) > 0.95
        assert accuracy(labels, model.labels_) > accuracy(labels, consensus.labels_) - 0.02
        assert_array_equal(model.embedding_, consensus.embedding_)
        assert_allclose(model.view_weights_, consensus.view_weights_, rtol=0.05)


def test_names_of_clusters_in_the_start_do_not_matter(overlapping):
    views, labels = overlapping
    renamed = np.array([2, 0, 3, 1])[labels]
    models = [model_of(coupling="clusters", start=start).fit(views) for start in (labels, renamed)]
    assert adjusted_rand_index(models[0].labels_, models[1].labels_) == 1.0
    assert_allclose(models[0].history_["objective"], models[1].history_["objective"], rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_factors_in_either_precision(separated, dtype):
    views, labels = separated
    model = model_of(dtype=dtype).fit(views)
    assert model.indicator_.dtype == dtype
    assert accuracy(labels, model.labels_) == 1.0


@pytest.mark.parametrize("coupling", ["shared", "clusters"])
def test_threads_do_not_change_a_bit(overlapping, coupling):
    one, two = (model_of(block_rows=50, n_jobs=n, coupling=coupling).fit(overlapping[0]) for n in (1, 2))
    for name in ("labels_", "membership_", "indicator_", "factors_", "anchor_membership_", "view_weights_"):
        assert_array_equal(getattr(one, name), getattr(two, name))


def test_automatic_number_of_clusters(separated):
    views, labels = separated
    model = model_of("auto").fit(views)
    assert model.n_clusters_ == model.selection_.n_clusters == K
    assert model.indicator_.shape == (1, 160, K)
    assert accuracy(labels, model.labels_) == 1.0


def test_progress_ends_with_the_factorization(separated):
    seen = []
    model_of(verbose=lambda *step: seen.append(step)).fit(separated[0])
    stages = list(dict.fromkeys(stage for stage, _, _ in seen))
    assert stages == ["geometry", "anchors", "candidates", "graph", "factorization", "labels"]
    iterations = [done for stage, done, _ in seen if stage == "factorization"]
    assert iterations == list(range(len(iterations)))


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"p": 0.0}, "p must be"),
        ({"p": 1.5}, "p must be"),
        ({"lam": -1}, "lam must be"),
        ({"lam": "strong"}, "lam must be a number >= 0 or one of 'auto'"),
        ({"eta": 0.9}, "eta must be"),
        ({"tol": np.nan}, "tol must be"),
        ({"coupling": "tight"}, "coupling must be one of 'shared'"),
        ({"view_transform": "wavelet"}, "view_transform must be"),
        ({"start": "lucky"}, "start must be"),
        ({"start": np.zeros(5, dtype=int)}, "start must be integer labels of shape"),
        ({"lam": 1.0}, "lam has no effect with coupling='shared'"),
    ],
)
def test_bad_parameters_are_named(separated, parameters, message):
    with pytest.raises(ValueError, match=message):
        model_of(**parameters).fit(separated[0])


def test_parameters_are_checked_in_fit_and_not_before():
    assert clone(SemiNTF(p=7)).p == 7


@pytest.mark.parametrize("name", ["partial_fit", "match_to"])
def test_what_belongs_to_the_other_estimator(separated, name):
    if name == "partial_fit":
        assert not hasattr(SemiNTF(), name)
    else:
        with pytest.raises(TypeError, match="match_to"):
            model_of().fit(separated[0], match_to=separated[1])


@pytest.mark.parametrize("lam, source", [(0.0, "factorization"), (1e4, "start")])
def test_model_says_whether_the_factorization_gave_the_labels(overlapping, lam, source):
    start = np.asarray(model_of().fit(overlapping[0]).labels_)
    model = model_of(coupling="clusters", start=start, lam=lam).fit(overlapping[0])
    assert model.labels_from_ == source
    assert len(model.cluster_sizes_) == K
