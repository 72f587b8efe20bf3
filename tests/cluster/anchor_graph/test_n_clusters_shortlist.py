"""The shortlist: the choice, and the best of coarser and finer resolutions."""

from hypothesis import given, settings
from hypothesis import strategies as st

from manyview.cluster.anchor_graph.n_clusters import PLAUSIBLE, RESOLUTION, pick, shortlist
from manyview.cluster.anchor_graph.selection import CurvePoint


def curve(scores):
    return tuple(CurvePoint(K, 1.0, score, 0.0, score, 0.0) for K, score in scores.items())


def test_the_best_of_both_sides_are_listed():
    assert shortlist(curve({2: 0.45, 3: 0.42, 6: 0.5, 8: 0.49, 9: 0.41, 12: 0.44}), 6) == (2, 6, 12)


def test_neighbors_of_the_choice_are_no_other_resolution():
    assert shortlist(curve({5: 0.49, 6: 0.5, 7: 0.49, 8: 0.49}), 6) == (6,)


def test_what_scores_far_less_is_not_plausible():
    assert shortlist(curve({2: 0.39, 6: 0.5, 12: 0.4}), 6) == (6, 12)


@given(st.dictionaries(st.integers(2, 60), st.floats(0.01, 1), min_size=1))
@settings(deadline=None, max_examples=60)
def test_it_has_the_choice_and_at_most_one_on_each_side(scores):
    points = curve(dict(sorted(scores.items())))
    chosen = pick(points)
    listed = chosen.shortlist
    assert chosen.n_clusters in listed
    assert list(listed) == sorted(set(listed))
    assert len(listed) <= 3
    for K in set(listed) - {chosen.n_clusters}:
        assert max(K / chosen.n_clusters, chosen.n_clusters / K) >= RESOLUTION
        assert scores[K] >= PLAUSIBLE * max(scores.values())


def test_the_curve_marks_it():
    lines = str(pick(curve({2: 0.45, 6: 0.5, 7: 0.49}))).splitlines()
    assert [line[0] for line in lines[2:]] == ["*", ">", " "]
