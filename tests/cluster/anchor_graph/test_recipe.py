"""The recipe: frozen, complete, and every ablation of it changes a fit."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

from manyview import AnchorGraphClustering, NoiseViewWarning, Recipe
from manyview.cluster.anchor_graph.recipe import DEFAULT
from manyview.datasets import make_views
from recipes import QUICK


@pytest.fixture(scope="module")
def views():
    """Overlapping clusters, seen more or less well by four views, and one view of noise."""
    data = make_views(200, 4, widths=(6, 9, 5), separation=1.5, noise_views=1, random_state=1)
    return list(data.views.values())


@pytest.fixture(scope="module")
def reference(views):
    with pytest.warns(NoiseViewWarning):
        return fit(views, {})


def fit(views, changes):
    base = {"n_draws": 2, "embeddings": ((1.0, 1), (2.0, 2), (3.0, 4)), "n_init": 1, "n_subsamples": 3}
    return AnchorGraphClustering(4, recipe=Recipe(**(base | changes)), random_state=0).fit(views)


def differs(first, second):
    return any(
        not np.array_equal(getattr(first, name), getattr(second, name))
        for name in ("membership_", "confidence_", "cluster_stability_", "view_weights_", "view_agreement_")
    )


@pytest.mark.filterwarnings("ignore::manyview.NoiseViewWarning")
@pytest.mark.parametrize(
    "changes",
    [
        {"partial_whitening": False},
        {"min_anchors": 60, "anchors_per_cluster": 1},
        {"n_neighbors": (10,)},
        {"n_draws": 1},
        {"max_drawn_rows": 100},
        {"n_sampled_rows": 150},
        {"max_double_rows": 100},
        {"embeddings": ((1.0, 1),)},
        {"n_clustered_rows": 60, "clustered_rows_per_cluster": 10},
        {"candidate_graphs": ("joint",)},
        {"smoothness_power": 0.0},
        {"significance": 1e9},
        {"min_judged_rows": 1000},
        {"n_subsampled_rows": 60},
    ],
    ids=lambda changes: " ".join(changes),
)
def test_ablation_changes_the_fit(views, reference, changes):
    assert differs(fit(views, changes), reference)


@pytest.mark.filterwarnings("ignore::manyview.NoiseViewWarning")
def test_equal_recipe_gives_the_same_bits(views, reference):
    assert not differs(fit(views, {}), reference)


def test_none_is_the_default_recipe(views):
    pair = [view[:90] for view in views[:2]]
    given, default = (AnchorGraphClustering(4, recipe=recipe, random_state=0).fit(pair) for recipe in (DEFAULT, None))
    assert_array_equal(given.membership_, default.membership_)


def test_recipe_is_frozen():
    with pytest.raises(FrozenInstanceError):
        DEFAULT.n_draws = 1
    assert Recipe() == DEFAULT != QUICK


def test_recipe_survives_a_clone():
    assert clone(AnchorGraphClustering(recipe=QUICK)).recipe == QUICK


def test_number_of_subsamples_changes_the_stability_of_unclear_clusters():
    data = make_views(200, 4, widths=(6, 9), separation=0.6, random_state=2)
    few, many = (fit(list(data.views.values()), {"n_subsamples": n}) for n in (2, 9))
    assert_array_equal(few.labels_, many.labels_)  # they only judge
    assert not np.array_equal(few.cluster_stability_, many.cluster_stability_)
