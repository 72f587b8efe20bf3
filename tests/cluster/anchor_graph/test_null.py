"""Data without structure: what a shuffle keeps and what it breaks, and what is then found."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from manyview import AnchorGraphClustering, NoStructureWarning, Recipe, SemiNTF
from manyview.cluster.anchor_graph.null import shuffled, shuffled_rows
from manyview.datasets import make_views
from manyview.model_selection import select
from manyview.views.blocks import RowBlock

QUICK = Recipe(n_draws=1, embeddings=((1.0, 1), (2.0, 2)), n_init=1, n_subsamples=3)


def clusterer(n_clusters=2, **parameters):
    return AnchorGraphClustering(n_clusters, recipe=QUICK, random_state=0, **parameters)


def noise(n_samples, widths, *, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal((n_samples, width)) for width in widths]


@given(st.integers(2, 40), st.integers(1, 6), st.integers(0, 1000))
@settings(deadline=None, max_examples=30)
def test_a_shuffle_keeps_the_values_of_every_column(n, d, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    X[rng.random(n) < 0.2] = np.nan
    found = shuffled(X, np.random.default_rng(seed + 1))
    assert_array_equal(np.sort(found, axis=0), np.sort(X, axis=0))
    assert_array_equal(np.isnan(found), np.isnan(X))  # rows that lack the view lack it still


@given(st.integers(2, 40), st.integers(1, 6), st.integers(0, 1000))
@settings(deadline=None, max_examples=30)
def test_a_sparse_shuffle_keeps_the_entries_of_every_column(n, d, seed):
    X = sp.random_array((n, d), density=0.3, random_state=seed, format="csr")
    found = shuffled(X, np.random.default_rng(seed + 1))
    assert found.format == "csr"
    assert found.nnz == X.nnz
    assert_array_equal(np.sort(found.toarray(), axis=0), np.sort(X.toarray(), axis=0))


def test_columns_are_shuffled_each_on_its_own():
    X = np.tile(np.arange(200.0)[:, None], (1, 3))
    first, second = shuffled_rows(RowBlock(0, (X, X)), seed=0).tables
    related = np.corrcoef(np.hstack([first, second]), rowvar=False)
    assert np.abs(related - np.eye(6)).max() < 0.3


def test_the_data_stay_as_they_are():
    X = np.arange(12.0).reshape(6, 2)
    before = X.copy()
    shuffled_rows(RowBlock(0, (X,)), seed=0)
    assert_array_equal(X, before)


@pytest.mark.parametrize("n_samples, widths", [(200, (5,)), (300, (20, 30)), (400, (2, 40, 10))])
def test_noise_has_one_cluster(n_samples, widths):
    with pytest.warns(NoStructureWarning, match="no clusters beyond chance"):
        selection = select(noise(n_samples, widths), estimator=clusterer())
    assert (selection.n_clusters, selection.shortlist, selection.params) == (1, (1,), {"n_clusters": 1})
    assert selection.structure < 0.05
    assert "K = 1: no clusters beyond chance" in selection.reason
    assert [point.n_clusters for point in selection.curve][:3] == [2, 3, 4]


def test_sparse_counts_without_structure_have_one_cluster():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.05, (300, 400)).astype(float)
    X[np.arange(300), rng.integers(400, size=300)] += 1
    with pytest.warns(NoStructureWarning):
        assert select([sp.csr_array(X)], estimator=clusterer()).n_clusters == 1


def test_heavy_tails_have_one_cluster():
    rng = np.random.default_rng(1)
    with pytest.warns(NoStructureWarning):
        assert (
            select([rng.standard_t(3, (300, 15)), rng.standard_t(3, (300, 9))], estimator=clusterer()).n_clusters == 1
        )


@pytest.mark.parametrize("K, widths", [(2, (6,)), (2, (10, 10)), (5, (8, 20))])
def test_separated_clusters_are_structure(K, widths):
    data = make_views(60 * K, K, widths=widths, separation=6.0, random_state=0)
    selection = select(data.views, estimator=clusterer())
    assert selection.n_clusters == K
    assert selection.structure > 0.1
    assert K in selection.shortlist


def test_numbers_that_are_offered_without_one_are_taken_with_a_warning():
    views = noise(200, (10, 10))
    with pytest.warns(NoStructureWarning, match="is arbitrary"):
        selection = select(views, n_clusters=[2, 3], estimator=clusterer())
    assert selection.n_clusters in (2, 3)
    assert "no clusters beyond chance" in selection.reason
    with pytest.warns(NoStructureWarning):
        assert select(views, n_clusters=[1, 2, 3], estimator=clusterer()).n_clusters == 1


def test_parameters_are_not_compared_without_structure():
    with pytest.warns(NoStructureWarning):
        selection = select(noise(150, (8, 8)), estimator=clusterer(), param_grid={"n_anchors": [20, 40]})
    assert (selection.n_clusters, selection.trials) == (1, ())


@pytest.mark.parametrize("estimator", [clusterer("auto"), SemiNTF("auto", recipe=QUICK, random_state=0)])
def test_one_cluster_is_a_valid_fit(estimator):
    views = noise(200, (8, 12))
    with pytest.warns(NoStructureWarning) as caught:
        model = estimator.fit(views)
    assert caught[0].filename == __file__
    assert model.n_clusters_ == model.selection_.n_clusters == 1
    assert_array_equal(model.labels_, np.zeros(200))
    assert_allclose(model.membership_, np.ones((200, 1)))
    assert_allclose(model.confidence_, 1)
    assert_allclose(model.cluster_stability_, [1])
    new = noise(7, (8, 12), seed=1)
    assert_array_equal(model.predict(new), np.zeros(7))
    assert_allclose(model.transform(new), np.ones((7, 1)))
    found = model.assess(new)
    assert_allclose(found.confidence, 1)
    assert not found.views_disagree.any()
    assert [cluster.size for cluster in model.explain(views).clusters] == [200]


def test_the_verdict_is_the_same_from_disk():
    views = noise(180, (6, 9))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoStructureWarning)
        here, there = (select(views, estimator=clusterer(engine=e, block_rows=50)) for e in ("memory", "disk"))
    assert here == there


def test_the_answer_does_not_depend_on_what_else_is_offered():
    data = make_views(240, 4, widths=(6, 9), separation=3.5, random_state=2)
    few, many, auto = (
        select(data.views, n_clusters=c, estimator=clusterer()) for c in (range(2, 8), range(2, 13), "auto")
    )
    assert few.n_clusters == many.n_clusters == auto.n_clusters == 4
    assert few.structure == many.structure == auto.structure
    assert few.curve == many.curve[:6] == auto.curve[:6]
