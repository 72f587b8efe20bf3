"""SemiNTF.paper against Algorithm 1 typed off the page, and what the paper does not say about it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from manyview import SemiNTF
from manyview.cluster import RowOrderWarning
from manyview.datasets import make_views
from manyview.metrics import accuracy, adjusted_rand_index

from oracles.semi_ntf_oracle import algorithm_1, das, pkn_graph

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::manyview.cluster.RowOrderWarning"),
]


def some_views(n_views, n_samples=50, seed=0, separation=3.0):
    data = make_views(
        n_samples=n_samples, n_clusters=3, widths=(4, 5, 3, 6)[:n_views], separation=separation, random_state=seed
    )
    return list(data.views.values()), data.labels


@pytest.mark.parametrize("axis", ["views", "samples"])
@pytest.mark.parametrize("n_views", [2, 3, 4])
def test_iterates_match_algorithm_1(axis, n_views):
    views, _ = some_views(n_views)
    scaled = [view / view.max() for view in views]
    anchors = das(np.hstack(scaled), 14)
    S = np.stack([pkn_graph(view, view[anchors], 10) for view in scaled], axis=2)
    for n_iter in (1, 2, 7, 15):
        model = SemiNTF.paper(3, n_anchors=14, lam=0.01, p=0.7, axis=axis, max_iter=n_iter, tol=0).fit(views)
        H, labels, residuals = algorithm_1(S, 3, lam=0.01, p=0.7, axis=axis, n_iter=n_iter)
        assert_allclose(model.indicator_, H.transpose(2, 0, 1), atol=1e-8)
        assert_allclose(model.history_["residual_HQ"], residuals[:, 0], atol=1e-8)
        assert_allclose(model.history_["residual_QJ"], residuals[:, 1], atol=1e-8)
        assert accuracy(labels, model.labels_) == 1.0


def test_preset_has_the_parameters_of_the_paper():
    model = SemiNTF.paper(n_clusters=4, n_anchors=24, lam=1e3, p=0.7)
    expected = {
        "anchors": "das", "view_transform": "dft", "coupling": "views", "start": "identity", "mu": 1e-5, "rho": 1e-5,
        "eta": 1.6, "lam": 1e3, "p": 0.7, "n_anchors": 24, "n_clusters": 4, "variant": "paper",
    }  # fmt: skip
    assert {name: model.get_params()[name] for name in expected} == expected


def test_penalties_grow_and_both_residuals_stop_the_loop():
    views, _ = some_views(3)
    model = SemiNTF.paper(3, n_anchors=14, lam=1e-3, max_iter=300, tol=0.05).fit(views)
    assert_allclose(model.history_["mu"], np.minimum(1e-5 * 1.6 ** np.arange(model.n_iter_), 1e13))
    limit = 0.05 * np.sqrt(3 / 50)
    both = np.maximum(model.history_["residual_HQ"], model.history_["residual_QJ"])
    assert model.converged_ == (both[-1] <= limit)
    assert (both[:-1] > limit).all()


def test_unfinished_run_warns():
    views, _ = some_views(2)
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        SemiNTF.paper(3, n_anchors=14, max_iter=3).fit(views)


def test_the_sample_axis_warns():
    views, _ = some_views(2)
    with pytest.warns(RowOrderWarning, match="order of the rows"):
        SemiNTF.paper(3, n_anchors=14, axis="samples", max_iter=3).fit(views)


@pytest.mark.shared
def test_row_order_matters_on_the_sample_axis_only(shared_views):
    """Finding 1. The start is carried along with the rows, so that only the order differs."""
    views, labels = shared_views("msrcv1_5", order="stored")
    start = np.eye(7)[labels.argsort(kind="stable").argsort() % 7]
    start /= np.linalg.norm(start, axis=0)
    order = np.random.default_rng(0).permutation(len(labels))
    agreement, scores = {}, {}
    for axis, lam in (("views", 1e-3), ("samples", 100.0)):
        options = {"n_anchors": 24, "lam": lam, "p": 0.5, "axis": axis, "max_iter": 60}
        stored = SemiNTF.paper(7, start=start, **options).fit(views)
        shuffled = SemiNTF.paper(7, start=start[order], **options).fit([view[order] for view in views])
        agreement[axis] = adjusted_rand_index(stored.labels_[order], shuffled.labels_)
        scores[axis] = accuracy(labels, stored.labels_), accuracy(labels[order], shuffled.labels_)
    assert agreement["views"] > 0.999
    assert agreement["samples"] < 0.9
    assert scores["samples"][0] > scores["samples"][1]  # sorted by class, the order itself tells the classes


def energy_in_one_view(indicator):
    """Per sample, the largest share of its energy that sits in one view."""
    energy = (indicator**2).sum(axis=2)  # (V, N)
    return (energy / energy.sum(axis=0)).max(axis=0)


def test_paper_forbids_views_to_agree_and_other_couplings_do_not():
    """Finding 2: H >= 0 with t-orthogonality leaves every sample in one view."""
    views, _ = some_views(3, n_samples=90, separation=6.0)
    paper = SemiNTF.paper(3, n_anchors=20, lam=1e-6, start="random", max_iter=200, random_state=0).fit(views)
    alone = energy_in_one_view(paper.indicator_)
    assert np.median(alone) > 0.999
    for model in (
        SemiNTF(3, coupling="clusters", random_state=0).fit(views),
        SemiNTF(3, coupling="views", random_state=0).fit(views),
    ):
        n_slices = len(model.indicator_)
        assert np.median(energy_in_one_view(model.indicator_)) < 1.5 / n_slices
    assert_array_equal(SemiNTF(3, random_state=0).fit(views).indicator_.shape[0], 1)  # one H for all: no say in it


@pytest.mark.parametrize("start", ["consensus", "spectral", np.arange(60) % 3, np.eye(60, 3)], ids=str)
def test_paper_runs_from_other_starts(start):
    views, _ = some_views(2, n_samples=60)
    model = SemiNTF.paper(3, n_anchors=20, lam=1.0, start=start, max_iter=5, random_state=0).fit(views)
    assert np.isfinite(model.indicator_).all()
    assert_array_equal(model.labels_, model.membership_.argmax(axis=1))


def test_identity_starts_at_the_first_rows_whatever_the_blocks():
    views, _ = some_views(2, n_samples=60)
    options = {"n_anchors": 14, "lam": 0.01, "max_iter": 3, "tol": 0.0}
    whole, parts = (SemiNTF.paper(3, block_rows=rows, **options).fit(views) for rows in (1000, 2))
    assert_allclose(parts.indicator_, whole.indicator_, atol=1e-10)


def test_confidence_of_the_paper_is_margin_of_memberships():
    views, _ = some_views(2, n_samples=60)
    model = SemiNTF.paper(3, n_anchors=20, lam=1.0, max_iter=100, tol=0.1).fit(views)
    top = np.sort(model.membership_, axis=1)
    assert_allclose(model.confidence_, top[:, -1] - top[:, -2])
    assert model.views_disagree_.shape == (60,)
    assert ((model.cluster_stability_ >= 0) & (model.cluster_stability_ <= 1)).all()
