import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.metrics import normalized_mutual_info_score

from manyview.datasets import load_digits_views
from manyview.datasets.digits import fourier_moduli, orientation_histograms, profiles


@pytest.fixture(scope="module")
def images():
    return load_digits().images[:50]


def test_four_finite_views_of_all_digits():
    data = load_digits_views()
    assert data.n_features == (64, 72, 40, 32)
    assert all(np.isfinite(view).all() for view in data.views.values())
    assert_array_equal(np.bincount(data.labels), np.bincount(load_digits().target))


def test_two_loads_are_equal_and_independent():
    first, second = load_digits_views(), load_digits_views()
    for name, view in first.views.items():
        assert_array_equal(view, second.views[name])
        assert not np.shares_memory(view, second.views[name])


@pytest.mark.parametrize("name, least", [("pixels", 0.6), ("gradients", 0.6), ("fourier", 0.35), ("profiles", 0.5)])
def test_every_view_alone_says_something_about_the_digit(name, least):
    data = load_digits_views()
    labels = KMeans(10, n_init=2, random_state=0).fit_predict(data.views[name] / data.views[name].std())
    assert normalized_mutual_info_score(data.labels, labels) > least


def test_fourier_moduli_do_not_see_a_cyclic_shift(images):
    assert_allclose(fourier_moduli(np.roll(images, (2, 3), axis=(1, 2))), fourier_moduli(images), atol=1e-9)


def test_gradient_votes_are_split_but_not_lost(images):
    cell = orientation_histograms(images, cell=8)  # a single cell that covers the image
    dy, dx = np.gradient(images, axis=(1, 2))
    assert cell.shape == (50, 8)
    assert_allclose(cell.sum(axis=1), np.hypot(dx, dy).sum(axis=(1, 2)))


def test_a_ramp_votes_for_its_direction_only():
    ramp = np.broadcast_to(np.arange(8.0), (1, 8, 8))
    right, down = orientation_histograms(ramp, cell=8), orientation_histograms(ramp.swapaxes(1, 2), cell=8)
    assert_allclose(right, [[64, 0, 0, 0, 0, 0, 0, 0]], atol=1e-12)
    assert_allclose(down, [[0, 0, 64, 0, 0, 0, 0, 0]], atol=1e-12)


def test_profiles_are_ink_and_center_of_each_line():
    image = np.zeros((1, 8, 8))
    image[0, 2, 1], image[0, 2, 3] = 4.0, 12.0
    ink, center, column_ink, column_center = profiles(image)[0].reshape(4, 8)
    assert_array_equal(ink, [0, 0, 16, 0, 0, 0, 0, 0])
    assert_allclose(center, [0, 0, (1 * 4 + 3 * 12) / 16 - 3.5, 0, 0, 0, 0, 0])
    assert_array_equal(column_ink, [0, 4, 0, 12, 0, 0, 0, 0])
    assert_allclose(column_center, [0, -1.5, 0, -1.5, 0, 0, 0, 0])


def test_an_empty_image_gives_zeros():
    blank = np.zeros((1, 8, 8))
    for view in (orientation_histograms, fourier_moduli, profiles):
        assert_array_equal(view(blank), 0.0)
