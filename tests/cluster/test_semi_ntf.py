"""SemiNTF with its defaults: what it finds, what it keeps, what it refuses."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from manyview import SemiNTF, Views
from manyview.datasets import make_views
from manyview.kernels.tproduct import to_frequencies, view_transform
from manyview.metrics import accuracy, adjusted_rand_index
from manyview.views.blocks import RowBlock

pytestmark = pytest.mark.usefixtures("one_draw")


@pytest.fixture(scope="module")
def separated():
    data = make_views(n_samples=240, n_clusters=4, widths=(6, 9, 5), separation=6.0, random_state=0)
    return list(data.views.values()), data.labels


@pytest.fixture(scope="module")
def overlapping():
    data = make_views(n_samples=300, n_clusters=4, widths=(6, 9, 5), separation=2.0, random_state=1)
    return list(data.views.values()), data.labels


# ------------------------------------------------------------------------------------------------ what comes out


def test_memberships_are_shares_and_labels_their_largest(overlapping):
    views, _ = overlapping
    model = SemiNTF(4, random_state=0).fit(views)
    assert model.membership_.shape == (300, 4)
    assert model.membership_.min() >= 0
    assert_allclose(model.membership_.sum(axis=1), 1, atol=1e-10)
    assert_array_equal(model.labels_, model.membership_.argmax(axis=1))
    assert ((model.confidence_ >= 0) & (model.confidence_ <= 1)).all()
    assert_allclose(model.view_weights_.sum(), 1)
    assert ((model.view_agreement_ > 0) & (model.view_agreement_ <= 1)).all()


def test_every_anchor_shares_itself_among_the_clusters(overlapping):
    views, _ = overlapping
    model = SemiNTF(4, n_anchors=40, random_state=0).fit(views)
    used = model.fusion_.column_scale > 0
    n_geometries = model.anchor_graph_.geometry.n_geometries
    assert_allclose(model.anchor_membership_[used].sum(axis=1) * n_geometries, 1, atol=1e-10)


@pytest.mark.parametrize("coupling", ["shared", "clusters", "views"])
def test_the_indicator_is_non_negative_and_orthonormal_at_convergence(overlapping, coupling):
    views, _ = overlapping
    model = SemiNTF(4, coupling=coupling, tol=1e-5, max_iter=500, random_state=0).fit(views)
    assert model.converged_
    assert model.indicator_.min() >= 0
    for H in model.indicator_:
        assert_allclose(H.T @ H, np.eye(4), atol=1e-3)


@pytest.mark.parametrize("coupling", ["shared", "clusters", "views"])
def test_history_tells_how_it_went(overlapping, coupling):
    views, _ = overlapping
    model = SemiNTF(4, coupling=coupling, random_state=0).fit(views)
    history = model.history_
    assert {len(values) for values in history.values()} == {model.n_iter_}
    assert list(history) == ["objective", "residual_HQ", "residual_QJ", "mu", "rho"]
    assert_allclose(history["mu"], 1.15 ** np.arange(model.n_iter_))
    limit = 1e-2 * np.sqrt(4 / 300)
    residual = np.maximum(history["residual_HQ"], history["residual_QJ"])
    assert residual[-1] <= limit
    assert (residual[:-1] > limit).all()
    assert np.isfinite(history["objective"]).all()


def test_the_objective_is_that_of_the_factors(overlapping):
    """||S||² - ||G||² with G = S'Q is the loss of the best G; at convergence Q = H."""
    views, _ = overlapping
    model = SemiNTF(4, coupling="clusters", lam=0.0, tol=1e-7, max_iter=1000, random_state=0).fit(views)
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


def test_an_unfinished_factorization_warns():
    views = [np.random.default_rng(v).standard_normal((100, 5)) for v in range(2)]
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        model = SemiNTF(4, max_iter=2, tol=0, random_state=0).fit(views)
    assert not model.converged_


def test_fewer_distinct_rows_than_clusters_is_said():
    rows = np.repeat(np.array([[0.0, 1.0], [5.0, 5.0]]), 10, axis=0)
    with pytest.warns(ConvergenceWarning, match="fewer than n_clusters=4"):
        model = SemiNTF(4, random_state=0).fit([rows, rows])
    assert len(set(model.labels_)) == 2


# ------------------------------------------------------------------------------------------------ invariances


def test_rows_in_another_order_give_the_same_labels_exactly_with_deterministic_anchors(overlapping):
    views, _ = overlapping
    order = np.random.default_rng(0).permutation(300)
    options = {"anchors": "das", "n_anchors": 30, "init": "qr"}
    stored = SemiNTF(4, **options).fit(views)
    shuffled = SemiNTF(4, **options).fit([view[order] for view in views])
    assert adjusted_rand_index(stored.labels_[order], shuffled.labels_) == 1.0
    assert_allclose(np.sort(stored.confidence_[order]), np.sort(shuffled.confidence_), atol=1e-8)


def test_names_of_the_clusters_in_the_start_do_not_matter(overlapping):
    views, labels = overlapping
    renamed = np.array([2, 0, 3, 1])[labels]
    models = [SemiNTF(4, coupling="clusters", init=start, random_state=0).fit(views) for start in (labels, renamed)]
    assert adjusted_rand_index(models[0].labels_, models[1].labels_) == 1.0
    assert_allclose(models[0].history_["objective"], models[1].history_["objective"], rtol=1e-6)


@pytest.mark.parametrize("block_rows", [7, 64, 1000])
def test_block_size_does_not_change_the_clusters(separated, block_rows):
    views, labels = separated
    model = SemiNTF(4, block_rows=block_rows, random_state=0).fit(views)
    assert accuracy(labels, model.labels_) == 1.0


def test_threads_do_not_change_a_bit(overlapping):
    views, _ = overlapping
    one, two = (SemiNTF(4, block_rows=50, n_jobs=n, random_state=0).fit(views) for n in (1, 2))
    for name in ("labels_", "membership_", "indicator_", "factors_", "anchor_membership_", "view_weights_"):
        assert_array_equal(getattr(one, name), getattr(two, name))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_state_in_either_precision(separated, dtype):
    views, labels = separated
    model = SemiNTF(4, dtype=dtype, random_state=0).fit(views)
    assert model.indicator_.dtype == dtype
    assert accuracy(labels, model.labels_) == 1.0


@pytest.mark.parametrize("init", ["spectral", "qr", "random"])
@pytest.mark.parametrize("anchors", ["kmeans", "das", "variance", "random"])
def test_anchor_rules_and_starts(separated, anchors, init):
    views, labels = separated
    model = SemiNTF(4, anchors=anchors, init=init, n_anchors=60, random_state=0).fit(views)
    assert model.anchor_graph_.n_anchors == 60
    if init != "random":
        assert accuracy(labels, model.labels_) == 1.0


def test_anchors_and_start_can_be_given(separated):
    views, labels = separated
    model = SemiNTF(4, anchors=np.arange(0, 240, 3), init=labels, random_state=0).fit(views)
    assert model.anchor_graph_.n_anchors == 80
    assert accuracy(labels, model.labels_) == 1.0


@pytest.mark.parametrize("transform", ["identity", "dct", "dft"])
def test_orthogonality_holds_in_the_domain_of_the_transform(separated, transform):
    views, _ = separated
    options = {"coupling": "clusters", "view_transform": transform, "lam": 0.0, "tol": 1e-4, "max_iter": 400}
    model = SemiNTF(4, random_state=0, **options).fit(views)
    Hbar = to_frequencies(view_transform(transform, 8), model.indicator_)
    for H in Hbar:
        assert_allclose(H.conj().T @ H, np.eye(4), atol=0.02)


# ------------------------------------------------------------------------------------------------ new rows


def test_new_rows_get_the_cluster_of_their_kind():
    data = make_views(n_samples=600, n_clusters=5, separation=6.0, random_state=3)
    views = Views(list(data.views.values()))
    train, test, y_train, y_test = train_test_split(views, data.labels, test_size=0.3, random_state=0)
    model = SemiNTF(5, random_state=0).fit(train)
    assert accuracy(y_train, model.labels_) == 1.0
    assert accuracy(y_test, model.predict(test)) == 1.0
    assert_allclose(model.transform(test).sum(axis=1), 1)
    assert_array_equal(model.predict(test[3]), model.predict(test)[3:4])


def test_predict_on_the_training_rows_is_labels(overlapping):
    views, _ = overlapping
    model = SemiNTF(4, random_state=0).fit(views)
    assert_array_equal(model.predict(views), model.labels_)
    assert_allclose(model.transform(views), model.membership_, atol=1e-9)


def test_predict_takes_named_views_in_any_order(separated):
    views, _ = separated
    named = dict(zip("abc", views, strict=True))
    model = SemiNTF(4, random_state=0).fit(named)
    assert_array_equal(model.predict({"c": views[2], "a": views[0], "b": views[1]}), model.labels_)


def test_predict_before_fit():
    with pytest.raises(NotFittedError):
        SemiNTF().predict([np.ones((3, 2))])


# ------------------------------------------------------------------------------------------------ scikit-learn manners


def test_grid_search_over_views(separated):
    views, labels = separated
    search = GridSearchCV(
        SemiNTF(4, random_state=0),
        {"n_anchors": [40, 80]},
        scoring=lambda model, X, y: accuracy(y, model.predict(X)),
        cv=3,
    )
    search.fit(Views(views), labels)
    assert search.best_score_ == 1.0


def test_pipeline_and_set_output(separated):
    views, labels = separated
    pipeline = make_pipeline(StandardScaler(), SemiNTF(4, views=[6, 9, 5], random_state=0))
    pipeline.set_output(transform="pandas")
    frame = pipeline.fit_transform(np.hstack(views))
    assert list(frame.columns) == ["cluster0", "cluster1", "cluster2", "cluster3"]
    assert accuracy(labels, pipeline[-1].labels_) == 1.0


def test_data_frames_are_aligned_by_index(overlapping):
    views, _ = overlapping
    ids = [f"s{i:03d}" for i in range(300)]
    frames = [pd.DataFrame(view, index=ids) for view in views]
    shuffled = [frames[0], frames[1].sample(frac=1, random_state=1), frames[2].sample(frac=1, random_state=2)]
    assert_array_equal(SemiNTF(4, random_state=0).fit(shuffled).labels_, SemiNTF(4, random_state=0).fit(views).labels_)


def test_progress_is_reported(separated):
    views, _ = separated
    seen = []
    SemiNTF(4, random_state=0, verbose=lambda stage, done, total: seen.append(stage)).fit(views)
    assert list(dict.fromkeys(seen)) == [
        "geometry", "anchors", "weights", "graph", "start", "factorization", "labels",
    ]  # fmt: skip


def test_verbose_prints_the_stages(separated, capsys):
    views, _ = separated
    SemiNTF(4, random_state=0, verbose=True).fit(views)
    assert "factorization" in capsys.readouterr().err


# ------------------------------------------------------------------------------------------------ sparse and absent


def test_sparse_counts_and_empty_rows():
    data = make_views(n_samples=300, n_clusters=3, widths=(400, 500), sparse=True, density=0.04, random_state=0)
    views = [sp.csr_array(view) for view in data.views.values()]
    hole = sp.lil_array(views[1])
    hole[:40] = 0
    views[1] = sp.csr_array(hole)
    model = SemiNTF(3, random_state=0).fit(views)
    assert model.anchor_graph_.geometry.kinds == ("sparse counts", "sparse counts")
    assert accuracy(data.labels, model.labels_) > 0.95
    assert_array_equal(model.predict(views), model.labels_)


# ------------------------------------------------------------------------------------------------ bad parameters


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"p": 0.0}, "p must be"),
        ({"p": 1.5}, "p must be"),
        ({"lam": -1}, "lam must be"),
        ({"eta": 0.9}, "eta must be"),
        ({"tol": np.nan}, "tol must be"),
        ({"n_anchors": 1000}, "n_anchors=1000 is more than n_samples"),
        ({"n_anchors": 20, "n_neighbors": 20}, "n_neighbors=20 needs at least 21 anchors"),
        ({"coupling": "tight"}, "coupling must be one of 'shared'"),
        ({"view_transform": "wavelet"}, "view_transform must be"),
        ({"scale": "log"}, "scale must be"),
        ({"anchors": "best"}, "anchors must be"),
        ({"anchors": [0, 1, 999]}, "row 999"),
        ({"anchors": [0, 1, 1]}, "more than once"),
        ({"init": "lucky"}, "init must be"),
        ({"init": np.zeros(5, dtype=int)}, "init must be integer labels of shape"),
        ({"init": np.full(240, 9)}, "labels outside"),
        ({"dtype": "float16"}, "dtype must be"),
        ({"n_clusters": 241}, "n_clusters=241 is more than n_samples=240"),
    ],
)
def test_bad_parameters_are_named(separated, parameters, message):
    views, _ = separated
    with pytest.raises(ValueError, match=message):
        SemiNTF(**({"n_clusters": 4} | parameters)).fit(views)


def test_views_must_fit_the_columns():
    with pytest.raises(ValueError, match="sum to n_features=6"):
        SemiNTF(2, views=[2, 3]).fit(np.arange(60.0).reshape(10, 6))


def test_a_parameter_is_checked_in_fit_and_not_before():
    model = SemiNTF(p=7)
    assert clone(model).p == 7
