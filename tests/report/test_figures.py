"""The figures are real PNG images of the numbers, and say honestly what they show."""

import io
from copy import deepcopy

import matplotlib as mpl
import matplotlib.image
import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

from manyview.report.figures import convergence_png, image_png


@pytest.fixture
def axes_of(monkeypatch):
    """The two panels of a convergence figure, caught at the moment they are saved."""

    def draw(convergence):
        caught = []
        monkeypatch.setattr(Figure, "savefig", lambda self, *args, **kwargs: caught.append(self))
        convergence_png(convergence)
        monkeypatch.undo()
        return caught[0].axes

    return draw


def curves(axes):
    return {line.get_label(): np.asarray(line.get_ydata(), dtype=float) for line in axes.lines}


def test_convergence_figure_is_a_png_and_reproducible(summary):
    first, second = (convergence_png(summary["convergence"]) for _ in range(2))
    assert first.startswith(b"\x89PNG")
    assert first == second
    pixels = matplotlib.image.imread(io.BytesIO(first))
    assert pixels.shape[0] > 400
    assert pixels.shape[1] > 600


def test_drawing_leaves_the_users_backend_alone(summary):
    before = mpl.get_backend()
    convergence_png(summary["convergence"])
    assert mpl.get_backend() == before


def test_shared_model_has_one_residual_and_says_so(summary, axes_of):
    upper, lower = axes_of(summary["convergence"])
    shown = curves(upper)
    assert_allclose(shown["max |H − Q|"], summary["convergence"]["residual_HQ"])
    assert len(shown["max |Q − J| = 0: one shared H, there is no J"]) == 0
    assert upper.get_yscale() == "log"
    assert "converged" in upper.get_title()
    assert "NOT" not in upper.get_title()
    assert_allclose(lower.lines[0].get_ydata(), summary["convergence"]["objective"])
    assert "objective at Q\n(log scale)" in lower.get_ylabel()


def test_coupled_model_has_both_residuals_and_tells_of_missing_convergence(unfinished, axes_of):
    upper, lower = axes_of(unfinished["convergence"])
    assert_allclose(curves(upper)["max |Q − J|"], unfinished["convergence"]["residual_QJ"])
    assert "NOT converged" in upper.get_title()
    assert "Q and J" in lower.get_ylabel()


def test_limit_is_drawn_where_it_is(summary, axes_of):
    upper, _ = axes_of(summary["convergence"])
    assert_allclose(curves(upper)["limit, tol · √(K/N)"], summary["convergence"]["limit"])


def test_zero_residual_is_a_gap_on_the_log_axis(unfinished, axes_of):
    convergence = deepcopy(unfinished["convergence"])
    convergence["residual_QJ"][2] = 0.0
    upper, _ = axes_of(convergence)
    assert np.isnan(curves(upper)["max |Q − J|"]).tolist() == [False, False, True, False, False]


def test_objective_that_reaches_zero_is_on_a_linear_axis_that_says_so(summary, axes_of):
    convergence = deepcopy(summary["convergence"])
    convergence["objective"][-1] = 0.0
    _, lower = axes_of(convergence)
    assert (lower.get_yscale(), "(linear scale)" in lower.get_ylabel()) == ("linear", True)


def test_image_has_one_pixel_per_entry_white_at_zero():
    pixels = matplotlib.image.imread(io.BytesIO(image_png([[0, 16, 8], [0, 0, 16]], largest=16)))
    assert pixels.shape[:2] == (2, 3)
    gray = pixels[..., :3].mean(axis=2)
    assert gray[0, 0] == 1.0
    assert gray[0, 1] < 0.1 < gray[0, 2] < 0.9
