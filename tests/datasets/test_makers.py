import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import normalize

from manyview.datasets import make_like, make_views
from manyview.datasets.makers import SHAPES


def agreement(data, view):
    X = normalize(view) if data.name == "counts" else view
    found = KMeans(data.n_clusters, n_init=3, random_state=0).fit_predict(X)
    return adjusted_rand_score(data.labels, found)


@pytest.mark.parametrize("sparse", [False, True])
def test_every_view_shows_the_clusters_and_noise_views_do_not(sparse):
    data = make_views(200, 4, widths=(60, 90), sparse=sparse, noise_views=1, random_state=0)
    assert list(data.views) == ["view_0", "view_1", "noise_0"]
    assert agreement(data, data.views["view_0"]) > 0.9
    assert agreement(data, data.views["view_1"]) > 0.9
    assert abs(agreement(data, data.views["noise_0"])) < 0.1


@pytest.mark.parametrize("sparse", [False, True])
def test_separation_zero_hides_the_clusters(sparse):
    data = make_views(200, 4, widths=(60,), separation=0.0, sparse=sparse, random_state=0)
    assert abs(agreement(data, data.views["view_0"])) < 0.1


def test_separation_is_the_distance_of_the_nearest_centers():
    data = make_views(60_000, 3, widths=(4,), separation=5.0, random_state=1)
    X = data.views["view_0"]
    centers = np.stack([X[data.labels == k].mean(axis=0) for k in range(3)])
    distances = np.linalg.norm(centers[[0, 0, 1]] - centers[[1, 2, 2]], axis=1)
    assert distances.min() == pytest.approx(5.0, abs=0.05)
    assert X[data.labels == 0].std(axis=0) == pytest.approx(np.ones(4), abs=0.03)


@pytest.mark.parametrize("sparse", [False, True])
def test_the_seed_decides_everything(sparse):
    first, again, other = (make_views(50, 3, sparse=sparse, random_state=seed) for seed in (4, 4, 5))
    assert_array_equal(first.labels, again.labels)
    for name, view in first.views.items():
        assert abs(view - again.views[name]).max() == 0
        assert abs(view - other.views[name]).max() > 0


def test_clusters_have_equal_size_and_rows_are_shuffled():
    labels = make_views(100, 4, random_state=0).labels
    assert_array_equal(np.bincount(labels), [25] * 4)
    assert np.any(np.diff(labels) < 0)


def test_sparse_views_are_counts_of_the_wanted_density():
    data = make_views(500, 3, widths=(400,), sparse=True, density=0.03, dtype=np.float32, random_state=0)
    view = data.views["view_0"]
    assert isinstance(view, csr_matrix)
    assert view.dtype == np.float32
    assert view.nnz / np.prod(view.shape) == pytest.approx(0.03, rel=0.1)
    assert view.getnnz(axis=1).min() >= 1
    assert view.data.min() >= 1
    assert_array_equal(view.data, np.round(view.data))


@pytest.mark.parametrize("name", list(SHAPES))
def test_stand_ins_have_the_shape_they_are_named_for(name):
    data = make_like(name, n_samples=120, random_state=0)
    assert data.n_features == SHAPES[name].widths
    assert data.n_clusters == SHAPES[name].n_clusters
    assert all(view.dtype == np.float32 for view in data.views.values())


def test_full_size_reuters_is_sparse_as_the_real_one():
    data = make_like("reuters", random_state=0)
    assert data.n_samples == 18758
    for view in data.views.values():
        assert view.nnz / np.prod(view.shape) == pytest.approx(0.004, rel=0.05)


def test_one_cluster_and_as_many_clusters_as_samples():
    assert make_views(5, 1, random_state=0).n_clusters == 1
    assert make_views(5, 5, widths=(2,), sparse=True, random_state=0).n_clusters == 5


@pytest.mark.parametrize(
    "options, complaint",
    [
        ({"n_clusters": 0}, "n_clusters is 0"),
        ({"n_clusters": 11}, "between 1 and n_samples, 10"),
        ({"widths": ()}, "at least one view"),
        ({"widths": (3, 0)}, r"widths is \(3, 0\)"),
        ({"separation": -1.0}, "separation is -1.0"),
        ({"separation": np.inf}, "separation is inf"),
        ({"density": 0.0}, "density is 0.0"),
        ({"noise_views": -1}, "noise_views is -1"),
        ({"sparse": True, "density": 0.9, "separation": 1e9}, "lower separation"),
    ],
)
def test_impossible_requests_are_refused(options, complaint):
    with pytest.raises(ValueError, match=complaint):
        make_views(10, **{"n_clusters": 2, **options}, random_state=0)


def test_an_unknown_shape_is_refused():
    with pytest.raises(ValueError, match="'nus', 'awa', 'reuters'"):
        make_like("imagenet")
