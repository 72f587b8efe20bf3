"""Several draws of the anchors: what they cost, which candidate wins, and the vote on its labels."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score

from manyview import AnchorGraphClustering, Recipe
from manyview.cluster.anchor_graph.candidates import all_candidates, initial_candidates
from manyview.cluster.anchor_graph.consensus import consensus_labels, embed_consensus, find_consensus, voted_labels
from manyview.cluster.anchor_graph.context import FitContext, resolve
from manyview.cluster.anchor_graph.fusion import separation
from manyview.cluster.anchor_graph.graphs import build_graphs, redraw
from manyview.datasets import make_views
from manyview.engine import MemoryEngine
from manyview.kernels.agreement import mutual_agreement
from manyview.views import check_views

K, N = 3, 240
RECIPE = Recipe(n_draws=2, min_half_explained=np.inf, embeddings=((1.0, 1), (2.0, 2), (3.0, 3)))


@pytest.fixture(scope="module")
def views():
    data = make_views(N, K, widths=(5, 8), separation=1.2, random_state=3)
    return check_views(list(data.views.values()))


def context_of(*, progress=None, recipe=RECIPE, **parameters):
    estimator = AnchorGraphClustering(K, **({"n_anchors": 40, "recipe": recipe} | parameters))
    context = FitContext(MemoryEngine(n_jobs=1, block_rows=60), resolve(estimator, N, 0))
    return context if progress is None else FitContext(context.engine, context.settings, progress)


def test_best_candidate_of_all_draws_wins(views):
    context = context_of()
    draw = build_graphs(views, context)
    found, origin = [], []
    for number in range(RECIPE.n_draws):
        own = context.with_settings(seed=context.settings.seed + number * len(RECIPE.embeddings))
        drawn = redraw(draw, own)
        of_draw = all_candidates(drawn, initial_candidates(drawn, own), own)
        found += of_draw
        origin += [drawn] * len(of_draw)
    agreement = mutual_agreement([one.labels for one in found], K).mean(axis=1)
    merit = agreement + RECIPE.separation_weight * np.array([separation(one.smoothness) for one in found])
    chosen = find_consensus(draw, context)
    assert len(found) == RECIPE.n_draws * 2 * len(RECIPE.embeddings)
    assert adjusted_rand_score(chosen.candidate.labels, found[merit.argmax()].labels) > 0.8  # but for the vote
    assert_array_equal(chosen.candidate.weights, found[merit.argmax()].weights)
    winner = origin[merit.argmax()].graph
    assert_array_equal(chosen.draw.graph.views[0][0].centers, winner.views[0][0].centers)


@pytest.mark.parametrize(
    ("parameters", "n_draws"),
    [
        ({}, 2),
        ({"anchors": "random"}, 2),
        ({"anchors": "variance"}, 1),
        ({"anchors": np.arange(40)}, 1),
        ({"n_anchors": N}, 1),
    ],
)
def test_fixed_anchors_are_embedded_several_times_instead(views, parameters, n_draws):
    steps = []
    recipe = Recipe(n_draws=2, embeddings=((1.0, 1), (2.0, 2)), n_init=1)
    context = context_of(recipe=recipe, progress=lambda *step: steps.append(step), **parameters)
    draw = build_graphs(views, context)
    steps.clear()
    find_consensus(draw, context)
    assert steps == [("candidates", number, n_draws) for number in range(n_draws)]
    found = initial_candidates(draw, context).candidates
    assert len(found) * n_draws == recipe.n_draws * len(recipe.embeddings)


@pytest.mark.parametrize("graphs", [("joint",), ("weighted",)])
def test_recipe_names_the_graphs_whose_candidates_compete(views, graphs):
    recipe = Recipe(n_draws=1, embeddings=((1.0, 1), (2.0, 2)), n_init=1, candidate_graphs=graphs)
    context = context_of(recipe=recipe)
    draw = build_graphs(views, context)
    initial = initial_candidates(draw, context)
    assert len(all_candidates(draw, initial, context)) == 2
    weights = find_consensus(draw, context).candidate.weights
    of_joint = np.array([name.view is None for name in draw.graph.slices])
    assert (weights[~of_joint] > 0).all() == (graphs == ("weighted",))


def test_candidates_vote_on_labels_of_best():
    labels = np.repeat([0, 1, 2], 20)
    best, others = labels.copy(), [2 - labels, (labels + 1) % 3, labels]
    best[0] = 1
    assert_array_equal(voted_labels([best, *others], 0, 3, 4.0), labels)


def test_vote_that_loses_a_cluster_does_not_count():
    best, other = np.array([0, 0, 0, 1, 1, 2]), np.array([0, 0, 0, 1, 1, 1])
    assert_array_equal(voted_labels([best, other, other, other], 0, 3, 0.0), best)


def test_many_rows_are_labeled_by_their_own_graph():
    """Two moons bend around each other; anchors by k-means are given, and few."""
    points, labels = make_moons(1_200, noise=0.06, random_state=0)
    rng = np.random.default_rng(0)
    rotation = np.linalg.qr(rng.standard_normal((2, 2)))[0]
    views = check_views([points, points @ rotation + 0.02 * rng.standard_normal(points.shape)])
    recipe = Recipe(max_drawn_rows=1_000, n_sampled_rows=800, min_half_explained=np.inf, min_smoother=np.inf)
    estimator = AnchorGraphClustering(2, n_anchors=200, recipe=recipe)
    context = FitContext(MemoryEngine(n_jobs=1, block_rows=500), resolve(estimator, 1_200, 0))
    chosen = find_consensus(build_graphs(views, context), context)
    of_sample = labels[chosen.draw.sample_rows]
    assert adjusted_rand_score(of_sample, chosen.candidate.labels) > 0.95
    assert len(chosen.candidate.weights) == len(chosen.draw.graph.slices)
    everywhere = consensus_labels(chosen, embed_consensus(chosen, context), context)
    assert adjusted_rand_score(labels, np.concatenate(list(everywhere))) > 0.95
