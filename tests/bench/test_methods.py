import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose
from sklearn.cluster import DBSCAN, KMeans

import manyview
from manyview.bench.methods import PRESETS, arrange, build, known_estimators, resolvable

VIEWS = [np.array([[1.0, 5.0], [3.0, 5.0]]), np.array([[0.0, 4.0, 3.0], [0.0, 0.0, 0.0]])]


def test_standardized_views_by_hand():
    expected = [[-1, 0, 0, 1, 1], [1, 0, 0, -1, -1]]  # constant columns stay 0
    assert_allclose(arrange(VIEWS, "z"), expected)
    sparse = [scipy.sparse.csr_matrix(view) for view in VIEWS]
    assert_allclose(arrange(sparse, "z"), expected)


def test_unit_rows_by_hand_and_sparse_stays_sparse():
    expected = [[1 / 26**0.5, 5 / 26**0.5, 0, 0.8, 0.6], [3 / 34**0.5, 5 / 34**0.5, 0, 0, 0]]
    assert_allclose(arrange(VIEWS, "l2"), expected)
    mixed = arrange([VIEWS[0], scipy.sparse.csr_matrix(VIEWS[1])], "l2")
    assert mixed.format == "csr"
    assert_allclose(mixed.toarray(), expected)


def test_raw_views_side_by_side_or_as_they_are():
    assert_allclose(arrange(VIEWS, "raw"), np.hstack(VIEWS))
    assert arrange(VIEWS, None) is VIEWS


def test_clusters_and_seed_go_where_they_are_taken():
    kmeans = build("sklearn.cluster:KMeans", {"n_init": 3}, n_clusters=4, seed=7)
    assert isinstance(kmeans, KMeans)
    assert (kmeans.n_clusters, kmeans.random_state, kmeans.n_init) == (4, 7, 3)
    assert isinstance(build("sklearn.cluster:DBSCAN", {}, n_clusters=4, seed=7), DBSCAN)


def test_parameters_of_the_plan_win():
    kmeans = build("sklearn.cluster:KMeans", {"n_clusters": 2, "random_state": 1}, n_clusters=4, seed=7)
    assert (kmeans.n_clusters, kmeans.random_state) == (2, 1)


def test_without_a_number_of_clusters_none_is_passed():
    assert build("sklearn.cluster:KMeans", {}, n_clusters=None, seed=0).n_clusters == KMeans().n_clusters


def test_wrong_parameters_are_an_error():
    with pytest.raises(TypeError, match="n_starts"):
        build("sklearn.cluster:KMeans", {"n_starts": 3}, n_clusters=4, seed=7)


def test_every_named_peer_is_as_defined():
    for name in ("concat-kmeans-z", "concat-kmeans-l2", "concat-spectral-z", "concat-spectral-l2"):
        preset = PRESETS[name]
        estimator = build(preset.estimator, preset.params, n_clusters=3, seed=0)
        assert preset.concatenate == name.rsplit("-", 1)[1]
        if "kmeans" in name:
            assert estimator.n_init == 10
        else:
            assert estimator.affinity == "nearest_neighbors"


def test_our_public_estimators_are_known_by_name():
    ours = [name for name in manyview.__all__ if hasattr(getattr(manyview, name), "fit")]
    assert "SemiNTF" in ours
    assert set(ours) | {"SemiNTF.paper"} <= set(known_estimators())
    assert all(resolvable(name) for name in ours)
    assert not resolvable("Semi")


def test_our_estimators_are_built_by_name():
    assert build("SemiNTF", {}, n_clusters=3, seed=5).random_state == 5
    assert build("SemiNTF.paper", {}, n_clusters=3, seed=5).n_clusters == 3
