"""docs/quality.md says what the committed journals say."""

import json
from pathlib import Path
from statistics import fmean

import pytest

ROOT = Path(__file__).parents[2]
QUALITY, RESULTS = ROOT / "benchmarks" / "quality", ROOT / "docs" / "results"


@pytest.fixture(scope="module")
def tables(script):
    return script(QUALITY / "tables.py")


@pytest.fixture(scope="module")
def page():
    return (ROOT / "docs" / "quality.md").read_text(encoding="utf-8")


def test_the_pages_are_what_the_command_writes(tables):
    made = tables.made()
    for path, names in tables.PAGES.items():
        text = path.read_text(encoding="utf-8")
        assert tables.filled(text, {name: made[name] for name in names}) == text


def test_the_mean_of_the_defaults_is_that_of_the_raw_lines(page):
    lines = [json.loads(line) for line in (RESULTS / "defaults.jsonl").read_text(encoding="utf-8").splitlines()]
    rows = [line for line in lines if line["kind"] == "result"]
    assert {row["inputs"]["order"] for row in rows} == {"shuffled"}
    by_set: dict[str, list[dict[str, float]]] = {}
    for row in (row for row in rows if row["inputs"]["method"]["name"] == "AnchorGraphClustering"):
        by_set.setdefault(row["inputs"]["data"]["name"], []).append(row["result"]["scores"])
    shared = [scores for name, scores in by_set.items() if name != "digits"]
    assert len(shared) == 20
    assert {len(scores) for scores in shared} == {5}
    acc, nmi = (fmean(fmean(s[key] for s in scores) for scores in shared) for key in ("acc", "nmi_arithmetic"))
    assert f"| **mean of the 20, without digits** | **{acc:.3f}** | **{nmi:.3f}** |" in page
