"""AnchorGraphClustering with its defaults: what it finds, what it keeps, what it refuses."""

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

from manyview import AnchorGraphClustering, Views
from manyview.datasets import make_views
from manyview.metrics import accuracy, adjusted_rand_index
from recipes import ONE_DRAW, QUICK, SAMPLED

N, K = 240, 4


@pytest.fixture(scope="module")
def separated():
    data = make_views(n_samples=N, n_clusters=K, widths=(6, 9, 5), separation=6.0, random_state=0)
    return list(data.views.values()), data.labels


@pytest.fixture(scope="module")
def overlapping():
    data = make_views(n_samples=300, n_clusters=K, widths=(6, 9, 5), separation=2.0, random_state=1)
    return list(data.views.values()), data.labels


@pytest.fixture(scope="module")
def model(overlapping):
    return clustering().fit(overlapping[0])


def clustering(n_clusters=K, **parameters):
    return AnchorGraphClustering(n_clusters, **({"recipe": QUICK, "random_state": 0} | parameters))


# ------------------------------------------------------------------------------------------------ what comes out


def test_memberships_are_shares_and_labels_their_largest(model):
    assert model.membership_.shape == (300, K)
    assert model.membership_.min() >= 0
    assert_allclose(model.membership_.sum(axis=1), 1, atol=1e-10)
    assert_array_equal(model.labels_, model.membership_.argmax(axis=1))
    assert ((model.confidence_ >= 0) & (model.confidence_ <= 1)).all()
    assert_allclose(model.view_weights_.sum(), 1)
    assert ((model.view_agreement_ > 0) & (model.view_agreement_ <= 1)).all()


def test_embedding_has_unit_rows(model):
    assert model.embedding_.shape == (300, K)
    assert_allclose(np.linalg.norm(model.embedding_, axis=1), 1, rtol=1e-10)


def test_anchor_memberships_are_shares(model):
    used = model.fusion_.column_scale > 0
    assert_allclose(model.anchor_membership_[used].sum(axis=1) * model.fusion_.row_sum, 1, atol=1e-10)


def test_defaults_find_separated_clusters(separated):
    views, labels = separated
    model = AnchorGraphClustering(K, random_state=0).fit(views)
    assert accuracy(labels, model.labels_) == 1.0
    assert model.anchor_graph_.n_anchors == N  # 500, but not more than there are rows


def test_one_cluster(separated):
    model = clustering(1).fit(separated[0])
    assert_array_equal(model.labels_, np.zeros(N))
    assert_allclose(model.membership_, np.ones((N, 1)))
    assert model.embedding_.shape == (N, 1)


def test_one_view(separated):
    views, labels = separated
    model = clustering().fit(views[:1])
    assert accuracy(labels, model.labels_) > 0.95
    assert_allclose(model.view_weights_, [1])


def test_fewer_distinct_rows_than_clusters_warn():
    rows = np.repeat(np.array([[0.0, 1.0], [5.0, 5.0]]), 10, axis=0)
    with pytest.warns(ConvergenceWarning, match="fewer than n_clusters=4"):
        model = clustering().fit([rows, rows])
    assert len(set(model.labels_)) == 2
    assert model.membership_.shape == (20, 2)


def test_seed_decides(overlapping):
    views, _ = overlapping
    first, second, other = (clustering(random_state=seed, n_anchors=40).fit(views) for seed in (0, 0, 1))
    assert_array_equal(first.membership_, second.membership_)
    assert (first.membership_.shape != other.membership_.shape) or (first.membership_ != other.membership_).any()


# ------------------------------------------------------------------------------------------------ invariances


def test_row_order_does_not_matter_with_deterministic_anchors(separated):
    views, _ = separated
    order = np.random.default_rng(0).permutation(N)
    options = {"anchors": "das", "n_anchors": 30}
    stored = clustering(**options).fit(views)
    shuffled = clustering(**options).fit([view[order] for view in views])
    assert adjusted_rand_index(stored.labels_[order], shuffled.labels_) == 1.0
    assert_allclose(np.sort(stored.confidence_), np.sort(shuffled.confidence_), atol=1e-8)


@pytest.mark.parametrize("block_rows", [7, 64, 1000])
def test_block_size_does_not_change_clusters(separated, block_rows):
    views, labels = separated
    model = clustering(block_rows=block_rows).fit(views)
    assert accuracy(labels, model.labels_) == 1.0


def test_threads_do_not_change_a_bit(overlapping):
    views, _ = overlapping
    one, two = (clustering(block_rows=50, n_jobs=n).fit(views) for n in (1, 2))
    for name in ("labels_", "membership_", "embedding_", "confidence_", "anchor_membership_", "view_weights_"):
        assert_array_equal(getattr(one, name), getattr(two, name))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_either_precision(separated, dtype):
    views, labels = separated
    model = clustering(dtype=dtype).fit(views)
    assert model.embedding_.dtype == dtype
    assert model.membership_.dtype == np.float64
    assert accuracy(labels, model.labels_) == 1.0


@pytest.mark.parametrize("anchors", ["kmeans", "das", "variance", "random", np.arange(0, N, 4)], ids=str)
def test_anchor_rules(separated, anchors):
    views, labels = separated
    n_anchors = 60 if isinstance(anchors, str) else "auto"
    model = clustering(anchors=anchors, n_anchors=n_anchors).fit(views)
    assert model.anchor_graph_.n_anchors == 60
    assert accuracy(labels, model.labels_) == 1.0


# ------------------------------------------------------------------------------------------------ many rows


@pytest.fixture(scope="module")
def many():
    data = make_views(n_samples=800, n_clusters=3, widths=(5, 6), separation=4.0, random_state=0)
    return list(data.views.values()), data.labels


def test_rows_beyond_the_sample_are_labeled_alike(many):
    """Sampled and other rows pass through one map: neither sees the sums over the others."""
    views, labels = many
    model = clustering(3, recipe=SAMPLED, n_anchors=50).fit(views)
    assert accuracy(labels, model.labels_) > 0.95
    assert_array_equal(model.predict(views), model.labels_)
    assert_allclose(np.linalg.norm(model.embedding_, axis=1), 1, rtol=1e-5)
    assert_allclose(model.assess(views).confidence, model.confidence_, atol=1e-6)


# ------------------------------------------------------------------------------------------------ new rows


def test_new_rows_get_the_cluster_of_their_kind():
    data = make_views(n_samples=600, n_clusters=5, separation=6.0, random_state=3)
    views = Views(list(data.views.values()))
    train, test, y_train, y_test = train_test_split(views, data.labels, test_size=0.3, random_state=0)
    model = clustering(5).fit(train)
    assert accuracy(y_train, model.labels_) == 1.0
    assert accuracy(y_test, model.predict(test)) == 1.0
    assert_allclose(model.transform(test).sum(axis=1), 1)
    assert_array_equal(model.predict(test[3]), model.predict(test)[3:4])


def test_predict_on_training_rows_is_labels(overlapping, model):
    views, _ = overlapping
    assert_array_equal(model.predict(views), model.labels_)
    assert_allclose(model.transform(views), model.membership_, atol=1e-9)


def test_predict_takes_named_views_in_any_order(separated):
    views, _ = separated
    model = clustering().fit(dict(zip("abc", views, strict=True)))
    assert_array_equal(model.predict({"c": views[2], "a": views[0], "b": views[1]}), model.labels_)


@pytest.mark.parametrize("method", ["predict", "transform", "assess", "explain"])
def test_new_rows_before_fit_raise(method):
    with pytest.raises(NotFittedError):
        getattr(AnchorGraphClustering(), method)([np.ones((3, 2))])


# ------------------------------------------------------------------------------------------------ scikit-learn manners


def test_grid_search_over_views(separated):
    views, labels = separated
    search = GridSearchCV(
        clustering(),
        {"n_anchors": [40, 80]},
        scoring=lambda model, X, y: accuracy(y, model.predict(X)),
        cv=3,
    )
    search.fit(Views(views), labels)
    assert search.best_score_ == 1.0


def test_score_is_the_mean_confidence(overlapping, separated, model):
    views, _ = overlapping
    assert model.score(views) == pytest.approx(model.confidence_.mean(), abs=1e-6)
    assert clustering().fit(separated[0]).score(separated[0]) > model.score(views) > 0
    assert clustering(1).fit(views).score(views) == 0
    with pytest.raises(NotFittedError):
        clustering().score(views)


def test_score_chooses_parameters_without_labels(separated):
    """Columns of a large unit hide the clusters unless they are scaled."""
    rng = np.random.default_rng(0)
    views = [np.column_stack([view, 1_000 * rng.standard_normal((N, 2))]) for view in separated[0]]
    search = GridSearchCV(clustering(), {"scale": ["none", "standard"]}, cv=3).fit(Views(views))
    assert search.best_params_ == {"scale": "standard"}
    assert accuracy(separated[1], search.predict(Views(views))) > 0.95


def test_pipeline_and_set_output(separated):
    views, labels = separated
    pipeline = make_pipeline(StandardScaler(), clustering(views=[6, 9, 5]))
    pipeline.set_output(transform="pandas")
    frame = pipeline.fit_transform(np.hstack(views))
    assert list(frame.columns) == ["cluster0", "cluster1", "cluster2", "cluster3"]
    assert accuracy(labels, pipeline[-1].labels_) == 1.0


def test_data_frames_are_aligned_by_index(overlapping, model):
    views, _ = overlapping
    ids = [f"s{i:03d}" for i in range(300)]
    frames = [pd.DataFrame(view, index=ids) for view in views]
    shuffled = [frames[0], frames[1].sample(frac=1, random_state=1), frames[2].sample(frac=1, random_state=2)]
    assert_array_equal(clustering().fit(shuffled).labels_, model.labels_)


def test_progress_is_reported(separated):
    views, _ = separated
    seen = []
    clustering(verbose=lambda stage, done, total: seen.append(stage)).fit(views)
    assert list(dict.fromkeys(seen)) == ["geometry", "anchors", "candidates", "graph", "labels"]


def test_verbose_prints_the_stages(separated, capsys):
    views, _ = separated
    clustering(verbose=True).fit(views)
    assert "AnchorGraphClustering: candidates 0/1" in capsys.readouterr().err


# ------------------------------------------------------------------------------------------------ sparse and absent


def test_sparse_counts_and_empty_rows():
    data = make_views(n_samples=300, n_clusters=3, widths=(400, 500), sparse=True, density=0.04, random_state=0)
    views = [sp.csr_array(view) for view in data.views.values()]
    hole = sp.lil_array(views[1])
    hole[:40] = 0
    views[1] = sp.csr_array(hole)
    model = clustering(3, recipe=ONE_DRAW).fit(views)
    assert model.anchor_graph_.geometry.kinds == ("sparse counts", "sparse counts")
    assert accuracy(data.labels, model.labels_) > 0.95
    assert_array_equal(model.predict(views), model.labels_)


# ------------------------------------------------------------------------------------------------ bad parameters


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"n_clusters": 0}, "n_clusters must be"),
        ({"n_anchors": 1000}, "n_anchors=1000 is more than n_samples"),
        ({"scale": "log"}, "scale must be"),
        ({"anchors": "best"}, "anchors must be"),
        ({"dtype": "float16"}, "dtype must be"),
        ({"recipe": {"n_draws": 1}}, "recipe must be None or a Recipe"),
        ({"verbose": "loud"}, "verbose must be"),
        ({"n_clusters": 241}, "n_clusters=241 is more than n_samples=240"),
    ],
)
def test_bad_parameters_are_named(separated, parameters, message):
    views, _ = separated
    with pytest.raises(ValueError, match=message):
        AnchorGraphClustering(**({"n_clusters": K} | parameters)).fit(views)


def test_views_must_fit_the_columns():
    with pytest.raises(ValueError, match="sum to n_features=6"):
        AnchorGraphClustering(2, views=[2, 3]).fit(np.arange(60.0).reshape(10, 6))


def test_parameters_are_checked_in_fit_and_not_before():
    assert clone(AnchorGraphClustering(scale="log")).scale == "log"
