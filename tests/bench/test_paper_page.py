"""docs/paper.md says what the committed journals say: the page made again, and cells recomputed from the raw lines."""

import importlib
import json
import math
import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import ttest_1samp, ttest_ind, ttest_rel

from manyview.bench import read_journal, read_plan
from manyview.bench.cell import coordinates

ROOT = Path(__file__).parents[2]
PAPER, RESULTS = ROOT / "benchmarks" / "paper", ROOT / "docs" / "results"
SEVEN = ("acc", "nmi", "purity", "precision", "recall", "f_score", "ari")


@pytest.fixture(scope="module")
def scripts():
    """The scripts beside the plans, by name."""
    sys.path.insert(0, str(PAPER))
    try:
        names = ("cells", "score_tables", "order_audit", "measure", "page", "redo")
        yield {name: importlib.import_module(name) for name in names}
    finally:
        sys.path.remove(str(PAPER))


@pytest.fixture(scope="module")
def page():
    return (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def raw():
    """Scores by (data, method, order), read with nothing but json; no grids."""
    found = {}
    for name in ("audit", "tables", "default", "default-tables", "reuters"):
        for line in (RESULTS / f"paper-{name}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row["kind"] == "result" and row["status"] == "ok" and not row["inputs"]["method"]["grid"]:
                at = (row["inputs"]["data"]["name"], row["inputs"]["method"]["name"], row["inputs"]["order"])
                found.setdefault(at, {}).setdefault(row["inputs"]["seed"], row["result"]["scores"])
    return found


def table_after(page, heading):
    """Cells of the first table below a heading, a list per line."""
    lines = page.partition(heading)[2].splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("|"))
    table = []
    for line in lines[first:]:
        if not line.startswith("|"):
            break
        table.append([cell.strip() for cell in line.strip("|").split("|")])
    return table[2:]


def numbers(cell):
    return [float(number) for number in re.findall(r"-?\d+\.\d+", cell)]


def test_the_page_is_what_the_journals_say(scripts, page):
    assert scripts["page"].page_text() == page, "run: python benchmarks/paper/page.py"
    assert "<<" not in page


def test_every_figure_and_command_of_the_page_exists(page):
    figures = re.findall(r"\]\((results/[^)]+\.png)\)", page)
    assert len(figures) >= 6
    for figure in figures:
        assert (ROOT / "docs" / figure).read_bytes().startswith(b"\x89PNG")
    for script in re.findall(r"python (benchmarks/\S+\.py)", page):
        assert (ROOT / script).exists()


@pytest.mark.parametrize(("data", "heading"), [("mnist4", "### Mnist4"), ("scene15", "### Scene-15")])
def test_score_tables_recomputed_from_raw_lines(page, raw, data, heading):
    names = {"SemiNTF, default": "SemiNTF"} | {
        f"Algorithm 1, axis {a}": f"Algorithm 1, {a}, {data}" for a in ("views", "samples")
    }
    checked = 0
    for method, order, n, *cells in table_after(page, heading):
        seeds = raw.get((data, names.get(method, method), order.replace(" ", "-")), {})
        if order == "*published*" or len(seeds) < 1 or int(n) != len(seeds):
            continue  # shuffled rows of the slow methods are in a journal of another page
        for metric, cell in zip(SEVEN, cells, strict=True):
            values = np.array([scores[metric] for scores in seeds.values()])
            expected = [values.mean()] + ([values.std(ddof=1)] if len(values) > 1 else [])
            assert_allclose(numbers(cell), expected, atol=5.1e-4)
            checked += 1
    assert checked >= 7 * 12


def test_published_values_are_printed_as_they_were_published(page):
    published = json.loads((PAPER / "published.json").read_text(encoding="utf-8"))
    table = {line[0].strip("*"): line[3:] for line in table_after(page, "### Mnist4") if line[1] == "*published*"}
    assert len(table) == 9
    for method, cells in table.items():
        for metric, cell in zip(SEVEN, cells, strict=True):
            assert cell.strip("*") == published["mnist4"][method][metric].removesuffix(" ± 0.000")


def test_audit_recomputed_from_raw_lines(page, raw):
    pairs = json.loads((RESULTS / "paper-jitter.json").read_text(encoding="utf-8"))
    noisy = {(pair["data"], f"Algorithm 1, axis {pair['axis']}"): pair for pair in pairs}
    lines = table_after(page, "## Every cell of the audit")
    assert len({line[0] for line in lines}) >= 8
    assert len({line[1] for line in lines}) == 11
    for data, method, stored, shuffled, difference, _, p, _ in lines:
        if (data, method) in noisy:
            a, b = (np.array(noisy[data, method][order]) for order in ("stored", "shuffled"))
        else:
            a, b = (
                np.array([scores["acc"] for _, scores in sorted(raw[data, method.split(",")[0], order].items())[:5]])
                for order in ("as-stored", "shuffled")
            )
        assert len(b) == 5
        assert_allclose([numbers(stored)[0], numbers(shuffled)[0]], [a.mean(), b.mean()], atol=5.1e-4)
        assert_allclose(float(difference), b.mean() - a.mean(), atol=5.1e-4)
        if p == "–":
            assert max(np.ptp(a), np.ptp(b)) < 1e-9
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # four of five values alike are few digits, and enough
            if (data, method) in noisy:
                test = ttest_rel(b, a)
            else:
                test = ttest_1samp(b, a[0]) if len(a) == 1 else ttest_ind(b, a, equal_var=False)
        assert test.pvalue < 0.001 if p == "< 0.001" else abs(float(p) - test.pvalue) < 5.1e-4


def test_reuters_recomputed_from_raw_lines(page, raw):
    names = {"SemiNTF, default": "SemiNTF"} | {
        f"Algorithm 1, axis {a}": f"SemiNTF.paper {a}" for a in ("views", "samples")
    }
    table = table_after(page, "## Table 3")
    assert len(table) == 6
    for method, _, large, small, absent, *_ in table:
        for data, cell in (("reuters1200", large), ("reuters600_full", small)):
            values = [scores["acc"] for scores in raw[data, names.get(method, method), "shuffled"].values()]
            assert_allclose(numbers(cell), [np.mean(values), np.std(values, ddof=1)], atol=5.1e-4)
        assert absent == "data not present"


def test_sign_flip_counts_all_signs(scripts):
    sign_flip = scripts["order_audit"].sign_flip
    assert sign_flip([0.1, 0.2, 0.4]) == 2 / 8  # all up, all down
    assert sign_flip([0.1, -0.1]) == 1.0
    assert sign_flip([0.3, 0.1, -0.1]) == 6 / 8  # |Σ| of the 8: .3 .5 .1 .3 twice each
    assert sign_flip([-0.2] * 9) == 2 / 2**9


def test_order_test_says_nothing_where_nothing_varies(scripts):
    order_test = scripts["order_audit"].order_test
    assert all(math.isnan(x) for x in order_test([0.5], [0.4] * 5))
    t, p = order_test([0.5], [0.4, 0.5, 0.3, 0.4, 0.4])
    assert t == pytest.approx(-0.1 / (np.std([0.4, 0.5, 0.3, 0.4, 0.4], ddof=1) / math.sqrt(5)))
    assert 0 < p < 0.05


def test_energy_shares(scripts):
    describe, rng = scripts["measure"].describe, np.random.default_rng(0)
    H = rng.random((3, 40, 2))
    apart = np.where(np.arange(3)[:, None, None] == (np.arange(40) % 3)[None, :, None], H, 0.0)
    apart[:, 0] = 0.0
    alone = describe(apart)
    assert (alone["share_median"], alone["over_99"], alone["without_energy"]) == (1.0, 1.0, 1)
    assert alone["correlation"] < 0
    agreed = describe(np.repeat(H[:1], 3, axis=0))
    assert agreed["share_median"] == pytest.approx(1 / 3)
    assert (agreed["over_99"], sum(agreed["histogram"])) == (0.0, 40)
    assert agreed["correlation"] == pytest.approx(1.0)


def test_impossible_rows_are_found(scripts):
    found = scripts["score_tables"].impossible()
    assert any(text.startswith("FMCNOF on Mnist4") for text in found)
    assert all("Semi-NTF" not in text for text in found)


def test_arrangement_counts_runs_and_compares_norms(scripts):
    arrangement = scripts["measure"].arrangement
    facts = arrangement([2, 2, 0, 0, 0, 5])
    assert (facts["rows"], facts["classes"], facts["runs"]) == (6, 3, 3)
    assert arrangement([0, 1, 0])["runs"] == 3
    assert arrangement(np.repeat([0, 1, 2, 3], 100))["norm_ratio"] > 2
    assert arrangement(np.random.default_rng(5).integers(0, 4, 400))["norm_ratio"] == pytest.approx(1, abs=0.05)


def test_plans_can_be_read_and_cover_what_they_should(scripts):
    plans = {path.stem: read_plan(path) for path in PAPER.glob("*.toml")}
    assert set(plans) == set(scripts["cells"].PLANS)
    assert [source.name for source in plans["quick"].data] == ["digits"]
    assert len({method.name for method in plans["quick"].methods}) == 11
    audited = {method.name for name in ("audit", "default") for method in plans[name].methods}
    assert audited == set(scripts["order_audit"].METHODS)
    assert {source.name for source in plans["audit"].data} == set(scripts["order_audit"].DATA)
    assert {"nus", "awa"} < {source.name for source in plans["tables"].data}


def test_absent_data_replace_no_results(scripts, tmp_path):
    def line(status, data="x"):
        inputs = {"data": {"name": data}, "method": {"name": "m", "grid": {}}, "order": "shuffled", "seed": 0}
        row = {"kind": "result", "key": data, "inputs": inputs, "status": status, "result": {"scores": {}}}
        return {**row, "limits": {"seconds": 1.0, "memory_gb": 1.0}, "measured": {}}

    def write(path, *lines):
        path.parent.mkdir(exist_ok=True)
        cells = [{"key": one["key"], **coordinates(one["inputs"])} for one in lines]
        note = {"kind": "plan", "name": "p", "metrics": [], "cells": cells}
        path.write_text("".join(json.dumps(one) + "\n" for one in (note, *lines)))

    kept = tmp_path / "kept.jsonl"
    write(tmp_path / "new" / "journal.jsonl", line("failed: data not present: x.npz"))
    write(kept, line("ok"))
    before = kept.read_bytes()
    assert "not replaced" in scripts["redo"].keep(tmp_path / "new", kept)
    assert kept.read_bytes() == before
    write(kept, line("ok", data="other"))
    assert "kept" in scripts["redo"].keep(tmp_path / "new", kept)
    assert [row["status"] for row in read_journal(kept)[1:]] == ["failed: data not present: x.npz"]
