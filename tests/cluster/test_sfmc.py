import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from awkward_views import AWKWARD, is_partition
from manyview.cluster import sfmc as module
from manyview.cluster.sfmc import SFMC
from manyview.datasets import make_views
from manyview.metrics import accuracy, adjusted_rand_index

from oracles import anchor_methods_oracle as oracle

ESTIMATORS = [SFMC(n_clusters=3, views=2)]
CELLS = [
    *((dataset, "SFMC") for dataset in ("tcga_breast", "3sources", "msrcv1_5")),
    *(
        (dataset, "SFMC-rate0.1_k10")
        for dataset in ("tcga_breast", "3sources", "msrcv1_5", "ngs", "bbcsport", "webkb203")
    ),
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
    model = SFMC(n_clusters, variant=variant, max_iter=3).fit(views)
    assert is_partition(model.labels_, views[0].shape[0])
    assert model.n_components_found_ == model.labels_.max() + 1
    assert np.isfinite(model.affinity_.data).all()
    assert_allclose(model.view_weights_.sum(), 1)
    assert set(model.predict(views)) <= set(model.labels_)


@pytest.mark.parametrize("n_neighbors", [4, 6])
def test_fusion_is_that_of_the_literal_loops(n_neighbors):
    data = make_views(30, 3, widths=(4, 5), separation=3.0, random_state=0)
    views = [view / view.max() for view in data.views.values()]
    rows = np.arange(0, 30, 2)
    P, weights = oracle.sfmc(views, rows, 3, n_neighbors, n_iter=4)
    model = SFMC(3, anchors=rows, n_neighbors=n_neighbors, max_iter=4).fit(views)
    assert_allclose(model.history_["view_weights"], weights, atol=1e-7)
    assert_allclose(model.affinity_.toarray(), P, atol=1e-6)


def test_clusters_are_found_and_new_rows_join_them():
    data = make_views(300, 4, random_state=1)
    views = list(data.views.values())
    model = SFMC(4, n_anchors=40).fit([view[:200] for view in views])
    assert model.n_components_found_ == 4
    assert accuracy(data.labels[:200], model.labels_) > 0.95
    assert np.mean(model.predict([view[:200] for view in views]) == model.labels_) > 0.97
    assert accuracy(data.labels[200:], model.predict([view[200:] for view in views])) > 0.95


def test_paper_rows_stay_on_the_simplex():
    data = make_views(60, 3, separation=3.0, random_state=0)
    paper, released = (SFMC(3, n_anchors=20, variant=variant).fit(data.views) for variant in ("paper", "released"))
    assert_allclose(paper.affinity_.sum(axis=1), 1)
    assert np.abs(released.affinity_.sum(axis=1) - 1).max() > 0.01
    one_view = [data.views["view_0"]]  # nothing to weigh: the second iteration repeats the first
    assert SFMC(3, n_anchors=20, variant="paper").fit(one_view).n_iter_ == 2
    assert SFMC(3, n_anchors=20).fit(one_view).n_iter_ == 10


def test_another_number_of_components_is_kept_and_said():
    rng = np.random.default_rng(0)
    blobs = np.repeat(np.eye(5) * 100, 12, axis=0) + rng.normal(size=(60, 5))
    with pytest.warns(ConvergenceWarning, match="5 connected components instead of n_clusters=2"):
        model = SFMC(2, n_neighbors=3).fit([blobs])
    assert model.n_components_found_ == 5
    assert_array_equal(model.labels_, np.repeat(np.arange(5), 12))


def test_sparse_and_dense_views_give_the_same():
    data = make_views(80, 3, sparse=True, widths=(60, 40), random_state=0)
    sparse = [sp.csr_matrix(view).astype(float) for view in data.views.values()]
    dense = [view.toarray() for view in sparse]
    rows = np.arange(0, 80, 4)
    one, two = (SFMC(3, anchors=rows).fit(views) for views in (sparse, dense))
    assert_allclose(one.affinity_.toarray(), two.affinity_.toarray(), atol=1e-8)
    assert_allclose(module.sampling_scores(sparse), module.sampling_scores(dense))


def test_rows_are_handled_in_stretches(monkeypatch):
    data = make_views(50, 3, random_state=0)
    whole = SFMC(3).fit(data.views)
    monkeypatch.setattr(module, "ROWS_AT_ONCE", 7)
    assert_allclose(SFMC(3).fit(data.views).affinity_.toarray(), whole.affinity_.toarray(), atol=1e-12)


def test_uninformative_view_casts_no_vote():
    rng = np.random.default_rng(0)
    views = [rng.normal(size=(20, 3)), np.ones((20, 2))]
    anchors = [view[:6] for view in views]
    speaks, silent = module.anchor_weights(views, anchors, 4)
    assert_allclose(speaks.sum(axis=1), 1)
    assert silent.nnz == 0
    both = module.anchor_weights([np.ones((20, 3)), np.ones((20, 2))], [np.ones((6, 3)), np.ones((6, 2))], 4)
    for graph in both:
        assert_allclose(graph.sum(axis=1), 1)
    # the only view that speaks of row 0 has weight zero: the row falls back on the mean of its views
    empty = sp.csr_array(np.vstack([np.zeros(6), np.full((1, 6), 1 / 6)]))
    full = sp.csr_array(np.full((2, 6), 1 / 6))
    assert_allclose(module._mixed([empty, full], np.array([1.0, 0.0])).toarray(), [[1 / 12] * 6, [1 / 6] * 6])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_anchors": 31}, "n_anchors=31 must lie between 2 and n_samples=30"),
        ({"n_anchors": 1.5}, "n_anchors must be an integer >= 2 or a number > 0 and <= 1"),
        ({"anchors": [0, 30]}, "anchors must be row numbers from 0 to 29"),
        ({"variant": "other"}, "variant must be one of"),
    ],
)
def test_bad_parameters_are_named(changes, message):
    with pytest.raises(ValueError, match=message):
        SFMC(3, **changes).fit(AWKWARD["float32"][0])


@pytest.mark.shared
@pytest.mark.parametrize(("dataset", "name"), CELLS)
def test_reference_partition_from_saved_anchors(shared_dir, shared_views, dataset, name):
    views, labels = shared_views(dataset, order="stored")
    reference = shared_dir / "reference"
    with np.load(reference / "aux" / f"{name}__{dataset}__seed0.npz") as aux:
        rows, weights = aux["anchor_idx_0based"], aux["view_weights"]
    theirs = np.loadtxt(reference / "labels" / f"{name}__{dataset}__seed0.csv", dtype=int)
    model = SFMC(len(np.unique(labels)), anchors=rows).fit(views)
    assert adjusted_rand_index(theirs, model.labels_) >= 0.98
    assert_allclose(np.transpose(model.history_["view_weights"]), weights, atol=0.01)  # their QP stops early


@pytest.mark.shared
@pytest.mark.parametrize("dataset", ["tcga_breast", "3sources", "webkb203", "msrcv1_5"])
def test_reference_anchors_up_to_rounding(shared_dir, shared_views, dataset):
    views, labels = shared_views(dataset, order="stored")
    with np.load(shared_dir / "reference" / "aux" / f"SFMC-rate0.1_k10__{dataset}__seed0.npz") as aux:
        rows, theta = aux["anchor_idx_0based"], aux["theta1"].ravel()
    model = SFMC(len(np.unique(labels)), n_anchors=0.1, max_iter=1).fit(views)
    assert_array_equal(model.anchor_indices_, rows)
    scores = module.sampling_scores([view / view.max() for view in views])
    assert_allclose(scores / scores.max(), theta, atol=1e-12)


@pytest.mark.shared
@pytest.mark.parametrize("name", ["n0_k5", "n0_k7", "n0_k9", "n1_k7", "n1_k9"])
def test_reference_on_the_tiny_case(reference_kernel, name):
    """Their QP stops up to 2 % early, which the next P inherits; so every step is compared from their weights."""
    case = reference_kernel("sfmc_tiny")
    tables = [table / (table.max() if name.startswith("n1") else 1) for table in (case["X1"], case["X2"])]
    rows = np.sort(module.alternate_sampling(module.sampling_scores(tables), 20))
    graphs = module.anchor_weights(tables, [table[rows] for table in tables], int(name[-1]))
    weights = case[f"sfmc_{name}_alpha"].T  # (11, 2)
    found = module.cocluster(module._mixed(graphs, weights[-1]), 3)
    assert_allclose(found.P.toarray(), case[f"sfmc_{name}_P"], atol=1e-10)
    assert adjusted_rand_index(case[f"sfmc_{name}_y"], found.row_labels) == 1
    assert adjusted_rand_index(case[f"sfmc_{name}_y"], module.fuse(graphs, 3).graph.row_labels) == 1
    for before, after in itertools.pairwise(weights):
        P = module.cocluster(module._mixed(graphs, before), 3).P
        ours = _closest(graphs, P)
        assert _misfit(graphs, ours, P) <= _misfit(graphs, after, P) + 1e-12
        assert_allclose(ours, after, atol=0.02)


def _closest(graphs, P):
    """The view weights of the next step, from one view weight alone: alpha = (w, 1 - w)."""
    difference = graphs[0] - graphs[1]
    w = (difference * (P - graphs[1])).sum() / (difference * difference).sum()
    return np.array([np.clip(w, 0, 1), 1 - np.clip(w, 0, 1)])


def _misfit(graphs, weights, P):
    return ((weights[0] * graphs[0] + weights[1] * graphs[1] - P) ** 2).sum()


@pytest.mark.shared
def test_graph_with_k_components_from_the_start(reference_kernel):
    """The released program leaves P undefined there and stops; with 5 neighbors the tiny case is such a graph."""
    case = reference_kernel("sfmc_tiny")
    model = SFMC(3, n_neighbors=5).fit([case["X1"], case["X2"]])
    assert model.n_components_found_ == 3
    assert 0 in model.history_["steps"]
