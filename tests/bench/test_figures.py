import pytest

from manyview.bench.figures import draw_figures
from manyview.bench.summary import Entry, Summary

pytest.importorskip("matplotlib")


def entry(label, mean, data="toy", order="shuffled", grid=(), sd=0.1):
    return Entry(data, label, label.split(" ")[0], grid, order, "acc", 3, mean, sd, 0, 0)


PLAIN = [entry(label, 0.5, data, order) for label in "ab" for data in ("x", "y") for order in ("as-stored", "shuffled")]
CURVE = [entry(f"curve (p={p})", p / 10, grid=(("p", p),)) for p in (1, 10, 100)]
WORDS = [entry(f"words (w={w})", 0.5, grid=(("w", w),), sd=None) for w in ("lloyd", "elkan")]
MAP = [entry(f"a/map (p={p}, q={q})", p * q, grid=(("p", p), ("q", q))) for p in (1, 2) for q in (0.1, 0.2)]
CUBE = [entry("cube (a=1, b=1, c=1)", 0.5, grid=(("a", 1), ("b", 1), ("c", 1)))]
FAILED = [entry("failed", None, sd=None)]


def summary_of(*entries):
    return Summary("small", ("acc",), entries, ())


def test_each_kind_of_entry_has_its_figure(tmp_path):
    files = draw_figures(summary_of(*PLAIN, *CURVE, *WORDS, *MAP, *CUBE, *FAILED), tmp_path)
    assert [path.name for path in files] == [
        "scores-acc.svg",
        "sweep-curve-acc.svg",
        "sweep-words-acc.svg",
        "sweep-a-map-acc.svg",
    ]
    for path in files:
        assert path.read_text().startswith("<?xml")


def test_the_same_numbers_give_the_same_bytes(tmp_path):
    contents = []
    for folder in (tmp_path / "1", tmp_path / "2"):
        folder.mkdir()
        contents.append([path.read_bytes() for path in draw_figures(summary_of(*PLAIN, *CURVE, *MAP), folder)])
    assert contents[0] == contents[1]
    assert len(contents[0]) == 3


def test_another_number_is_another_picture(tmp_path):
    (first,) = draw_figures(summary_of(*CURVE), tmp_path)
    before = first.read_bytes()
    draw_figures(summary_of(*CURVE[:2], entry("curve (p=100)", 3.0, grid=(("p", 100),))), tmp_path)
    assert first.read_bytes() != before


def test_nothing_to_draw_draws_nothing(tmp_path):
    assert draw_figures(summary_of(*FAILED, *CUBE), tmp_path) == []
