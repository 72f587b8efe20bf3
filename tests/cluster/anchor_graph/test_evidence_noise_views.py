"""Views unrelated to the clusters are named, left out, and then have no influence."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from manyview import AnchorGraphClustering, NoiseViewWarning, Recipe, SemiNTF
from manyview.cluster.anchor_graph.evidence import unrelated_views
from manyview.cluster.anchor_graph.recipe import DEFAULT
from manyview.datasets import make_views
from manyview.metrics import accuracy
from recipes import ONE_DRAW


def noise(n_rows, n_views, seed=0, width=50):
    rng = np.random.default_rng(seed)
    return {f"noise {v}": rng.standard_normal((n_rows, width)) for v in range(n_views)}


@pytest.fixture(scope="module")
def two_views():
    data = make_views(300, 4, widths=(6, 9), separation=3.0, random_state=0)
    return dict(data.views), data.labels


def fit_with_warning(views, names, method=AnchorGraphClustering, **options):
    with pytest.warns(NoiseViewWarning) as caught:
        model = method(4, recipe=ONE_DRAW, random_state=0, **options).fit(views)
    assert len(caught) == 1
    assert all(repr(name) in str(caught[0].message) for name in names)
    assert model.views_left_out_ == names
    return model


@pytest.mark.parametrize("n_noise", [1, 3])
def test_fit_equals_the_one_without_noise(two_views, n_noise):
    views, _ = two_views
    extra = noise(300, n_noise)
    model = fit_with_warning(extra | views, list(extra))
    alone = AnchorGraphClustering(4, recipe=ONE_DRAW, random_state=0).fit(views)
    assert_array_equal(model.labels_, alone.labels_)
    assert_allclose(model.membership_, alone.membership_, atol=1e-10)
    assert_allclose(model.view_weights_, [*[0] * n_noise, *alone.view_weights_], atol=1e-10)
    assert_allclose(model.view_agreement_[:n_noise], 0)
    assert alone.views_left_out_ == []


def test_noise_view_does_not_label_new_rows(two_views):
    views, _ = two_views
    model = fit_with_warning(views | noise(300, 1), ["noise 0"])
    other = views | noise(300, 1, seed=9)
    assert_array_equal(model.predict(other), model.labels_)
    assert (model.assess(other).view_labels[:, 2] == -1).all()
    effects = [cluster.views[2] for cluster in model.explain(other).clusters]
    assert [effect.view for effect in effects] == ["noise 0"] * 4
    assert_allclose([effect.effect for effect in effects], 0)


def test_view_with_shuffled_rows_is_found(two_views):
    views, labels = two_views
    shuffled = np.random.default_rng(3).permutation(300)
    model = fit_with_warning(views | {"astray": views["view_0"][shuffled]}, ["astray"])
    assert accuracy(labels, model.labels_) > 0.9


def test_words_without_meaning_are_left_out():
    data = make_views(200, 4, widths=(300, 400), sparse=True, density=0.05, random_state=0)
    meaningless = sp.random(200, 300, density=0.05, random_state=1, format="csr")
    model = fit_with_warning(dict(data.views) | {"noise": meaningless}, ["noise"])
    alone = AnchorGraphClustering(4, recipe=ONE_DRAW, random_state=0).fit(data.views)
    assert_array_equal(model.labels_, alone.labels_)


def test_factorization_and_automatic_k_leave_noise_out(two_views):
    views, labels = two_views
    extra = noise(300, 1)
    coupled = fit_with_warning(views | extra, ["noise 0"], SemiNTF, coupling="clusters")
    assert accuracy(labels, coupled.labels_) > 0.9
    with pytest.warns(NoiseViewWarning, match="'noise 0'"):
        automatic = AnchorGraphClustering("auto", recipe=ONE_DRAW, random_state=0).fit(views | extra)
    assert automatic.n_clusters_ == 4


def test_weak_view_is_kept(two_views):
    views, labels = two_views
    halves = np.eye(2)[labels // 2] * 2 + np.random.default_rng(0).standard_normal((300, 2))  # knows two groups of four
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = AnchorGraphClustering(4, recipe=ONE_DRAW, random_state=0).fit(views | {"weak": halves})
    assert model.views_left_out_ == []
    assert model.view_agreement_[2] < model.view_agreement_[0]


def test_few_rows_judge_no_view(two_views):
    views, _ = two_views
    few = {name: view[:90] for name, view in (views | noise(300, 1)).items()}
    assert AnchorGraphClustering(4, recipe=ONE_DRAW, random_state=0).fit(few).views_left_out_ == []


def test_the_paper_has_no_such_step(two_views):
    views, _ = two_views
    assert SemiNTF.paper(4, n_anchors=20, lam=1.0, max_iter=500).fit(views | noise(300, 1)).views_left_out_ == []


@pytest.mark.parametrize(
    ("links", "structured", "left_out"),
    [
        ([(0, 1)], [1, 1, 0], [0, 0, 1]),  # two views show the same, the third has no part in it
        ([(0, 1)], [1, 1, 1], [0, 0, 1]),  # such as a view whose rows are in another order
        ([], [1, 1], [0, 0]),  # two views with different structure: nobody can tell
        ([], [1, 0], [0, 1]),  # of two unrelated views the one without structure goes
        ([], [0, 0, 0], [0, 0, 0]),  # noise alone: no view is better than another
        ([(0, 1), (1, 2)], [0, 0, 0], [0, 0, 0]),  # related through a third view
    ],
)
def test_evidence_is_symmetric(links, structured, left_out):
    z = np.zeros((len(structured), len(structured)))
    np.fill_diagonal(z, np.inf)
    for u, v in links:
        z[u, v] = z[v, u] = 20
    found = unrelated_views(z, np.array(structured, dtype=bool), DEFAULT)
    assert_array_equal(found, np.array(left_out, dtype=bool))


@pytest.mark.shared
@pytest.mark.parametrize("name", ["prokaryotic", "msrcv1_5"])
def test_three_noise_views_cost_little(shared_views, name):
    views, labels = shared_views(name)
    K = labels.max() + 1
    clean = AnchorGraphClustering(K, random_state=0).fit(views)
    with pytest.warns(NoiseViewWarning, match="'view [0-9]+'"):
        noisy = AnchorGraphClustering(K, random_state=0).fit([*views, *noise(len(labels), 3).values()])
    assert accuracy(labels, noisy.labels_) > accuracy(labels, clean.labels_) - 0.03


def test_recipe_can_keep_every_view(two_views):
    views, _ = two_views
    recipe = Recipe(n_draws=1, doubt=-np.inf)
    assert AnchorGraphClustering(4, recipe=recipe, random_state=0).fit(views | noise(300, 1)).views_left_out_ == []


@pytest.mark.parametrize("n_samples", [120, 200])
def test_weakly_related_view_is_kept(n_samples):
    data = make_views(n_samples=n_samples, n_clusters=3, random_state=0)
    assert AnchorGraphClustering(3, recipe=ONE_DRAW, random_state=0).fit(data.views).views_left_out_ == []
