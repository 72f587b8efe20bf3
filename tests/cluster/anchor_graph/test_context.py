"""Settings of a fit: what "auto" becomes, what the data do not allow, and what is reported."""

import numpy as np
import pytest
from joblib import parallel_config
from numpy.testing import assert_array_equal

from manyview import AnchorGraphClustering, Recipe
from manyview.cluster.anchor_graph.context import FitContext, check_graph_modes, resolve
from manyview.engine import MemoryEngine

DEFAULT = Recipe()


def settings_of(n_samples, K=3, raw=False, **parameters):
    return resolve(AnchorGraphClustering(K, **parameters), n_samples, 0, raw=raw)


@pytest.mark.parametrize(
    "n_samples, n_draws",
    [
        (DEFAULT.max_drawn_rows, 4),
        (DEFAULT.max_drawn_rows + 1, 1),
    ],
)
def test_many_rows_need_one_draw(n_samples, n_draws):
    drawn = settings_of(n_samples)
    assert (drawn.n_draws, drawn.n_repeats) == (n_draws, 1)
    fixed = settings_of(n_samples, anchors="variance")
    assert (fixed.n_draws, fixed.n_repeats) == (1, n_draws)


@pytest.mark.parametrize(
    "n_samples, K, raw, n_anchors",
    [
        (5_000, 3, False, 500),
        (5_000, 80, False, 800),
        (5_200, 3, False, 1_300),
        (10_000, 3, False, 1_500),
        (10_000, 80, False, 2_400),
        (100_000, 300, False, 4_000),
        (100_000, 3_000, False, 6_000),
        (90, 3, False, 90),
        (90, 3, True, 23),
    ],
)
def test_automatic_number_of_anchors(n_samples, K, raw, n_anchors):
    assert settings_of(n_samples, K, raw).n_anchors == n_anchors


@pytest.mark.parametrize(
    "parameters, neighbors",
    [({}, (10, 5)), ({"n_anchors": 7}, (6, 3)), ({"n_anchors": 2}, (1, 1)), ({"n_neighbors": 4}, (4,))],
)
def test_neighbors_shrink_with_the_number_of_anchors(parameters, neighbors):
    assert settings_of(300, **parameters).neighbors == neighbors


def test_raw_graphs_are_double_with_one_number_of_neighbors():
    settings = settings_of(10_000, raw=True)
    assert (settings.dtype, settings.neighbors) == ("float64", (10,))
    assert [settings_of(n).dtype for n in (5_000, 5_001)] == ["float64", "float32"]


def test_number_of_clusters_can_stand_in():
    assert resolve(AnchorGraphClustering("auto"), 300, 0, n_clusters=6).n_clusters == 6


def test_given_rows_are_the_anchors():
    settings = settings_of(30, anchors=[4, 0, 29])
    assert_array_equal(settings.anchors, [4, 0, 29])
    assert settings.n_anchors == 3


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"n_anchors": 31}, "n_anchors=31 is more than n_samples=30"),
        ({"n_anchors": 20, "n_neighbors": 20}, "n_neighbors=20 needs at least 21 anchors"),
        ({"anchors": [0, 1, 30]}, "row 30"),
        ({"anchors": [0, 1, -1]}, "negative one"),
        ({"anchors": [0, 1, 1]}, "more than once"),
        ({"anchors": [0.5, 1.0]}, "1-D array of at least two row numbers"),
        ({"anchors": [3]}, "1-D array of at least two row numbers"),
    ],
)
def test_parameters_that_the_data_do_not_allow(parameters, message):
    with pytest.raises(ValueError, match=message):
        settings_of(30, **parameters)


def test_context_with_other_settings_leaves_the_first_alone():
    context = FitContext(MemoryEngine(n_jobs=1), settings_of(30))
    assert context.with_settings(seed=9).settings.seed == 9
    assert context.settings.seed == 0
    assert context.recipe == DEFAULT


def test_numbers_of_rows_may_be_an_array():
    assert_array_equal(settings_of(30, anchors=np.arange(5)).anchors, np.arange(5))


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"anchors": np.arange(9), "n_anchors": 9}, "n_anchors=9 has no effect where anchors is an array"),
        ({"engine": "memory", "scratch": "."}, "scratch has no effect with engine='memory'"),
        ({"engine": "dask", "scratch": "."}, "scratch has no effect with engine='dask'"),
    ],
)
def test_graph_parameters_without_effect_are_refused(parameters, message):
    with pytest.raises(ValueError, match=f"AnchorGraphClustering: {message}"):
        check_graph_modes(AnchorGraphClustering(3, **parameters))


def test_graph_parameters_with_an_effect_are_accepted():
    check_graph_modes(AnchorGraphClustering(3, anchors=np.arange(9), engine="disk", scratch="."))


@pytest.mark.parametrize("n_jobs", [0, 1.5, True])
def test_number_of_threads_follows_joblib(n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be an integer other than 0 or None"):
        AnchorGraphClustering(3, n_jobs=n_jobs).fit([np.eye(9)])


def test_n_jobs_none_is_one_thread_or_what_joblib_says():
    assert MemoryEngine(n_jobs=None).threads == 1
    with parallel_config(n_jobs=3):
        assert MemoryEngine(n_jobs=None).threads == 3
