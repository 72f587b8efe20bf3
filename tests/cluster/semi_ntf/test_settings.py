"""Parameters of the factorization: what "auto" becomes, which modes exclude which parameters, given starts."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from manyview import SemiNTF
from manyview.cluster.semi_ntf.settings import check_modes, resolve_factors
from manyview.datasets import make_views
from manyview.kernels.gst import gst

N, K = 40, 3


@pytest.mark.parametrize("parameter, value", [("lam", 1.0), ("p", 0.5), ("rho", 1.0), ("view_transform", "dct")])
def test_one_shared_factor_takes_no_parameters_of_the_coupling(parameter, value):
    views = list(make_views(N, K, random_state=0).views.values())
    with pytest.raises(ValueError, match=f"SemiNTF: {parameter} has no effect with coupling='shared'"):
        SemiNTF(K, **{parameter: value}).fit(views)
    check_modes(SemiNTF(K, coupling="clusters", **{parameter: value}))
    check_modes(SemiNTF(K, **{parameter: "auto"}))


@pytest.mark.parametrize(
    "model, message",
    [
        (SemiNTF(K, variant="paper"), "variant='paper' couples one H per view"),
        (SemiNTF.paper("auto"), "n_clusters='auto' needs the fused graph"),
        (SemiNTF("auto", start=np.zeros(N, dtype=int)), "n_clusters='auto' cannot go with labels or a matrix"),
    ],
)
def test_modes_that_exclude_each_other(model, message):
    with pytest.raises(ValueError, match=message):
        check_modes(model)


def test_automatic_parameters_become_numbers():
    settings = resolve_factors(SemiNTF(K, coupling="views"), N, K)
    assert (settings.view_transform, settings.lam, settings.p, settings.rho) == ("identity", None, 0.5, 1.0)
    assert not settings.shared
    assert resolve_factors(SemiNTF(K), N, K).shared
    assert resolve_factors(SemiNTF(K), N, K).options(1).coupling is None


@pytest.mark.parametrize("n_slices", [2, 8])
def test_automatic_strength_keeps_what_a_third_of_the_views_share(n_slices):
    """The singular value of a cluster on which all views agree is sqrt(V); values below 0.3 of it vanish."""
    coupling = resolve_factors(SemiNTF(K, coupling="clusters", mu=2.0), N, K).options(n_slices).coupling
    around = 0.3 * np.sqrt(n_slices) * np.array([0.99, 1.01])
    kept = gst(around, tau=coupling.lam / 2.0, p=coupling.p)
    assert kept[0] == 0 < kept[1]


def test_paper_takes_four_steps_of_the_threshold():
    assert resolve_factors(SemiNTF.paper(K), N, K).options(2).coupling.steps == 4
    assert resolve_factors(SemiNTF(K, coupling="views"), N, K).options(2).coupling.steps is None


def test_given_strength_is_taken():
    assert resolve_factors(SemiNTF(K, coupling="views", lam=7), N, K).options(3).coupling.lam == 7.0


def test_start_may_be_labels_or_a_matrix():
    labels, matrix = np.arange(N) % K, np.ones((N, K), dtype=np.float32)
    assert_array_equal(resolve_factors(SemiNTF(K, start=labels), N, K).start, labels)
    assert resolve_factors(SemiNTF(K, start=matrix), N, K).start.dtype == np.float64
    assert_array_equal(resolve_factors(SemiNTF(K, start=labels.tolist()), N, K).start, labels)


@pytest.mark.parametrize(
    "start, message",
    [
        (np.zeros(5, dtype=int), r"integer labels of shape \(40,\)"),
        (np.zeros(N), r"got shape \(40,\), dtype float64"),
        (np.full(N, K), "labels outside 0 … 2"),
        (np.full(N, -1), "labels outside"),
        (np.full((N, K), np.nan), "finite matrix"),
        (np.zeros((N, K + 1)), r"got shape \(40, 4\)"),
    ],
)
def test_bad_starts_are_named(start, message):
    with pytest.raises(ValueError, match=message):
        resolve_factors(SemiNTF(K, start=start), N, K)
