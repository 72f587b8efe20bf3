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


def test_the_means_of_the_peers_are_those_of_the_raw_lines(page):
    ours, theirs = {}, {}
    for journal in ("defaults", "packages"):
        for text in (RESULTS / f"{journal}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(text)
            if row["kind"] == "result" and row["status"] == "ok":
                at = row["inputs"]
                found = {"AnchorGraphClustering": ours, "UMAP + KMeans, unit rows": theirs}.get(at["method"]["name"])
                if found is not None:
                    found.setdefault(at["data"]["name"], {})[at["seed"]] = row["result"]["scores"]["acc"]
    both = [fmean(fmean(found[name].values()) for name in theirs) for found in (theirs, ours)]
    (line,) = (line for line in page.splitlines() if line.startswith("| **mean ACC**"))
    assert f"| {both[0]:.3f} ({both[1]:.3f}; {len(theirs)} sets) |" in line


def test_every_scenario_says_what_is_right(script):
    makers, table = script(QUALITY.parent / "scenarios_data.py"), script(QUALITY / "scenario_table.py")
    assert list(table.RIGHT) == list(makers.SCENARIOS)


def test_scenarios_below_the_best_simple_rule_are_named(script):
    table = script(QUALITY / "scenario_table.py").table
    line = {"scenario": "moons", "rows": 300, "seed": 0, "K": 2, "ari": 0.5, "found": 2, "warnings": [], "left out": []}
    lines = [line | {"method": "ours", "acc": 0.8}, line | {"method": "KMeans, z", "acc": 0.84}]
    assert "More than 0.03 below the best simple rule: moons at 300 rows (-0.040)." in table(lines)
    lines[1]["acc"] = 0.82
    assert "More than 0.03 below the best simple rule: none." in table(lines)


def test_of_a_cell_that_was_run_again_the_last_counts(script):
    scores_of = script(QUALITY / "package_tables.py").scores_of
    at = {"data": {"name": "texas"}, "method": {"name": "SNF, z"}, "seed": 0}
    rows = [
        {"kind": "result", "status": status, "inputs": at, "measured": {"cpu_seconds": 1.0}}
        | {"result": {"scores": {"acc": acc, "nmi_arithmetic": 0.1}}}
        for status, acc in (("ok", 0.4), ("ok", 0.5), ("failed: time limit", 0.6))
    ]
    assert scores_of(rows) == {("texas", "SNF, z"): [(0.5, 0.1, 1.0)]}
