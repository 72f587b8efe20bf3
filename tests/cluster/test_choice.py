"""Several draws of the anchors: what they cost, and which one wins."""

from dataclasses import replace

import numpy as np
import pytest
from manyview.cluster.semi_ntf.choice import choose_start
from manyview.cluster.semi_ntf.fusion import separation
from manyview.cluster.semi_ntf.graphs import build_graphs, of_sample, redraw
from manyview.cluster.semi_ntf.weights import SEPARATION, Candidate, look, second_look
from numpy.testing import assert_array_equal
from sklearn.metrics import adjusted_rand_score

from manyview import SemiNTF
from manyview.cluster.semi_ntf import choice, graphs
from manyview.cluster.semi_ntf.settings import DRAWN_UP_TO, DRAWS, resolve
from manyview.cluster.semi_ntf.start import READINGS
from manyview.datasets import make_views
from manyview.engine import MemoryEngine
from manyview.kernels.agreement import mutual_agreement
from manyview.kernels.spectral import Basis
from manyview.views import check_views

K, N = 3, 240


def labeled(labels):
    """A candidate of which only the labels matter."""
    return Candidate(np.ones(1), np.ones(1), labels, np.ones(1), Basis(np.ones((1, 1)), np.ones(1)))


@pytest.fixture(scope="module")
def views():
    data = make_views(N, K, widths=(5, 8), separation=1.2, random_state=3)
    return check_views(list(data.views.values()))


def quiet(stage, done, total):
    pass


def settings_of(**parameters):
    return resolve(SemiNTF(K, **({"n_anchors": 40} | parameters)), N, 0)


def test_the_best_labeling_of_all_draws_wins(views):
    settings, engine = settings_of(), MemoryEngine(n_jobs=1)
    draw = build_graphs(views, settings, engine, quiet)
    found, origin = [], []
    for number in range(DRAWS):
        own = replace(settings, seed=settings.seed + number * len(READINGS))
        drawn = redraw(draw, own, engine, seed=own.seed)
        first = look(drawn.graph, drawn.sample, engine, own)
        labelings = second_look(drawn.graph, drawn.sample, engine, own, first)
        found += labelings
        origin += [drawn] * len(labelings)
    agreement = mutual_agreement([labeling.labels for labeling in found], K).mean(axis=1)
    merit = agreement + SEPARATION * np.array([separation(labeling.shares) for labeling in found])
    chosen_draw, chosen = choose_start(draw, engine, settings, quiet, None)
    assert len(found) == DRAWS * 2 * len(READINGS)
    assert adjusted_rand_score(chosen.labels, found[merit.argmax()].labels) > 0.8  # but for the vote
    assert_array_equal(chosen.weights, found[merit.argmax()].weights)
    winner = origin[merit.argmax()].graph
    assert_array_equal(chosen_draw.graph.views[0][0].centers, winner.views[0][0].centers)


def test_draws_differ_in_their_anchors_and_in_nothing_else(views):
    settings, engine = settings_of(), MemoryEngine(n_jobs=1)
    draw = build_graphs(views, settings, engine, quiet)
    again, other = (redraw(draw, settings, engine, seed=seed) for seed in (settings.seed, settings.seed + 7))
    assert_array_equal(again.graph.views[0][0].centers, draw.graph.views[0][0].centers)
    assert not np.array_equal(other.graph.views[0][0].centers, draw.graph.views[0][0].centers)
    assert other.graph.geometry is draw.graph.geometry


@pytest.mark.parametrize(
    ("parameters", "n_draws"),
    [
        ({}, 4),
        ({"anchors": "random"}, 4),
        ({"anchors": "variance"}, 1),
        ({"anchors": np.arange(40)}, 1),
        ({"n_anchors": N}, 1),
    ],
)
def test_anchors_that_no_seed_changes_are_read_several_times_instead(views, parameters, n_draws):
    settings, engine = settings_of(**parameters), MemoryEngine(n_jobs=1)
    draw = build_graphs(views, settings, engine, quiet)
    steps = []
    choose_start(draw, engine, settings, lambda stage, done, total: steps.append((stage, done, total)), None)
    assert steps == [("weights", number, n_draws) for number in range(n_draws)]
    found = look(draw.graph, draw.sample, engine, settings).candidates
    assert len(found) * n_draws == DRAWS * len(READINGS)


def test_the_labelings_vote_on_the_labels_of_the_best():
    labels = np.repeat([0, 1, 2], 20)
    best, others = labels.copy(), [2 - labels, (labels + 1) % 3, labels]
    best[0] = 1
    found = [labeled(each) for each in [best, *others]]
    voted = choice._voted(found, 0, 3)
    assert_array_equal(voted.labels, labels)
    assert voted.shares is found[0].shares


def test_a_vote_that_loses_a_cluster_does_not_count():
    best, other = np.array([0, 0, 0, 1, 1, 2]), np.array([0, 0, 0, 1, 1, 1])
    found = [labeled(each) for each in (best, *[other] * 40)]
    assert choice._voted(found, 0, 3) is found[0]


def test_given_labels_need_one_draw(views):
    settings, engine = settings_of(init=np.arange(N) % K), MemoryEngine(n_jobs=1)
    steps = []
    draw = build_graphs(views, settings, engine, quiet)
    choose_start(draw, engine, settings, lambda stage, done, total: steps.append(total), None)
    assert steps == [1]


def test_another_draw_looks_at_the_sampled_rows_only(views, monkeypatch):
    monkeypatch.setattr(graphs, "SAMPLED_ROWS", 100)
    settings, engine = settings_of(), MemoryEngine(n_jobs=1, block_rows=60)
    draw = build_graphs(views, settings, engine, quiet)
    assert sum(block.n_rows for block in draw.sample) == len(draw.sample_rows) == 100
    source = draw.source._replace(rows=None)  # whoever asks for all rows fails
    other = redraw(draw._replace(source=source), settings, engine, seed=5)
    assert sum(block.n_rows for block in other.sample) == 100
    assert other.rows is None


def test_the_sample_has_the_rows_it_says(views, monkeypatch):
    monkeypatch.setattr(graphs, "SAMPLED_ROWS", 100)
    settings, engine = settings_of(), MemoryEngine(n_jobs=1, block_rows=60)
    draw = build_graphs(views, settings, engine, quiet)
    rows = draw.all_rows(engine)
    whole, part = (np.concatenate([block.columns for block in blocks]) for blocks in (rows, draw.sample))
    assert_array_equal(whole[draw.sample_rows], part)
    numbers = [np.arange(block.start, block.start + block.n_rows) for block in rows]
    assert_array_equal(np.concatenate(of_sample(numbers, draw, engine)), draw.sample_rows)


def test_of_many_rows_one_draw_is_enough():
    for n_samples, n_draws in ((DRAWN_UP_TO, DRAWS), (DRAWN_UP_TO + 1, 1)):
        settings = resolve(SemiNTF(K), n_samples, 0)
        assert (settings.n_draws, settings.n_repeats) == (n_draws, 1)
        settings = resolve(SemiNTF(K, anchors="variance"), n_samples, 0)
        assert (settings.n_draws, settings.n_repeats) == (1, n_draws)
