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
from scipy.stats import t, ttest_1samp, ttest_ind, ttest_rel

from manyview import SemiNTF
from manyview.bench import read_journal, read_plan
from manyview.bench.cell import coordinates
from manyview.datasets import make_views

ROOT = Path(__file__).parents[2]
PAPER, RESULTS = ROOT / "benchmarks" / "paper", ROOT / "docs" / "results"
SEVEN = ("acc", "nmi", "purity", "precision", "recall", "f_score", "ari")
TITLES = {"Mnist4": "mnist4", "Scene-15": "scene15"}


@pytest.fixture(scope="module")
def scripts():
    """The scripts beside the plans, by name."""
    sys.path.insert(0, str(PAPER))
    try:
        names = (
            "cells", "evidence", "findings", "measure", "order_audit", "page", "record", "redo", "runs", "score_tables",
            "theorem",
        )  # fmt: skip
        yield {name: importlib.import_module(name) for name in names}
    finally:
        sys.path.remove(str(PAPER))


@pytest.fixture(scope="module")
def page():
    return (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def raw():
    """Scores of the baselines by (data, method, order), read with nothing but json."""
    found = {}
    for name in ("audit", "tables", "tables-slow", "reuters"):
        for line in (RESULTS / f"paper-{name}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row["kind"] == "result" and row["status"] == "ok":
                at = (row["inputs"]["data"]["name"], row["inputs"]["method"]["name"], row["inputs"]["order"])
                found.setdefault(at, {}).setdefault(row["inputs"]["seed"], row["result"]["scores"])
    return found


def fits(journal, **where):
    """Lines of a journal of Algorithm 1, read with nothing but json."""
    text = (RESULTS / f"paper-{journal}.jsonl").read_text(encoding="utf-8")
    lines = [line for line in map(json.loads, text.splitlines()) if "at" in line]
    return [line for line in lines if all(line["at"].get(name) == value for name, value in where.items())]


def of_algorithm_1(journal, score="acc", **where):
    return np.array([line["scores"][score] for line in fits(journal, **where)])


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


def mean_and_spread(values):
    return [np.mean(values)] + ([np.std(values, ddof=1)] if len(values) > 1 else [])


def test_the_page_is_what_the_journals_say(scripts, page):
    assert scripts["page"].page_text() == page, "run: python benchmarks/paper/page.py"
    assert "<<" not in page


def test_every_figure_link_and_command_of_the_page_exists(page):
    figures = set(re.findall(r"\]\((results/[^)]+\.png)\)", page))
    assert len(figures) == 9
    for figure in figures:
        assert (ROOT / "docs" / figure).read_bytes().startswith(b"\x89PNG")
    for script in re.findall(r"python (benchmarks/\S+\.py)", page) + re.findall(r"bench (benchmarks/\S+\.toml)", page):
        assert (ROOT / script).exists()
    commands = set(re.findall(r"`(\w+\.py)[^`]*`", page))
    assert len(commands) >= 6
    for script in commands:
        assert (PAPER / script).exists()
    anchors = {re.sub(r"[^\w -]", "", line.lstrip("# ").lower()).replace(" ", "-") for line in headings(page)}
    assert set(re.findall(r"\]\(#([^)]+)\)", page)) <= anchors


def headings(page):
    return [line for line in page.splitlines() if line.startswith("#")]


def test_the_article_is_short(page):
    prose = [line for line in page.partition("## Appendix")[0].splitlines() if not line.startswith("|")]
    assert len(re.findall(r"[A-Za-z][A-Za-z'-]+", "\n".join(prose))) < 2500


def test_no_measured_number_is_typed_by_hand(scripts):
    """Decimals in the text are published, settings, or said to be of an earlier version."""
    text = (PAPER / "article.md").read_text(encoding="utf-8")
    text = re.sub(r"<<[^>]*>>|```.*?```|`[^`]*`", "", text, flags=re.DOTALL)
    published = {
        row[score] for of in scripts["score_tables"].published().values() for row in of.values() for score in row
    }
    settings = {".1", ".4", ".7", "1.6", ".05"}
    known = {value.split()[0].lstrip("0") for value in published} | settings | {".560", ".128"}  # the last: history
    assert set(re.findall(r"(?<![\w.])\d*\.\d+", text)) <= known


@pytest.mark.parametrize("title", TITLES)
def test_score_tables_recomputed_from_raw_lines(page, raw, title):
    checked = 0
    for method, order, n, *cells in table_after(page, f"**{title}**"):
        if order == "*published*":
            continue
        for metric, cell in zip(SEVEN, cells, strict=True):
            if method.startswith("Algorithm 1"):
                axis = method.rpartition(" ")[2]
                values = of_algorithm_1("fixed", metric, data=TITLES[title], axis=axis, order=order.rpartition(" ")[2])
            else:
                seeds = raw.get((TITLES[title], method, order.replace(" ", "-")), {})
                values = [scores[metric] for scores in seeds.values()]
            if len(values) != int(n):
                continue  # shuffled rows of the slow methods are in a journal of another page
            assert_allclose(numbers(cell), mean_and_spread(values), atol=5.1e-4)
            checked += 1
    assert checked >= 7 * 14


def test_published_values_are_printed_as_they_were_published(page):
    published = json.loads((PAPER / "published.json").read_text(encoding="utf-8"))
    table = {line[0].strip("*"): line[3:] for line in table_after(page, "**Mnist4**") if line[1] == "*published*"}
    assert len(table) == 9
    for method, cells in table.items():
        for metric, cell in zip(SEVEN, cells, strict=True):
            assert cell.strip("*") == published["mnist4"][method][metric].removesuffix(" ± 0.000")


def test_verdicts_name_the_baselines_that_differ(scripts):
    """ "Five of eight": a largest difference of at most .03 in seven scores; the rows name the others."""
    cells, worst = scripts["cells"].read_cells(), scripts["score_tables"].worst
    far = {
        data: {name for name in scripts["order_audit"].BASELINES if float(worst(cells, data, name)) > 0.03}
        for data in TITLES.values()
    }
    assert far == {"mnist4": {"MVGL", "LMVSC", "FMCNOF"}, "scene15": {"MVGL", "SFMC", "FMCNOF"}}


def test_audit_recomputed_from_raw_lines(page, raw):
    lines = table_after(page, "### Every cell of the audit")
    assert len({line[0] for line in lines}) >= 8
    assert len({line[1] for line in lines}) == 10
    for data, method, stored, shuffled, difference, _, p, _ in lines:
        ours = method.startswith("Algorithm 1")
        if ours:
            at = {"data": data, "axis": method.rpartition(" ")[2]}
            a, b = (of_algorithm_1("fixed", order=order, **at) for order in ("stored", "shuffled"))
        else:
            a, b = (
                np.array([scores["acc"] for _, scores in sorted(raw[data, method, order].items())[:5]])
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
            if ours:
                test = ttest_rel(b, a)
            else:
                test = ttest_1samp(b, a[0]) if len(a) == 1 else ttest_ind(b, a, equal_var=False)
        assert test.pvalue < 0.001 if p == "< 0.001" else abs(float(p) - test.pvalue) < 5.1e-4


def test_margins_recomputed_from_the_cells_of_the_audit(page):
    differences = {}
    for _, method, _, _, difference, *_ in table_after(page, "### Every cell of the audit"):
        differences.setdefault(method, []).append(float(difference))
    table = table_after(page, "### The order of the rows")
    assert len(table) == 10
    for method, *_, bounds, margin, _ in table:
        d = np.array(differences[method])
        half = t.ppf(0.95, len(d) - 1) * d.std(ddof=1) / math.sqrt(len(d))
        assert_allclose(numbers(bounds), [d.mean() - half, d.mean() + half], atol=2e-3)  # cells have three decimals
        assert numbers(margin)[0] == pytest.approx(max(map(abs, numbers(bounds))))


def test_joint_grid_recomputed_from_raw_lines(page):
    table = table_after(page, "### Anchors, λ and p together")
    assert len(table) >= 6
    for title, axis, order, draws, acc, nmi, purity, point, _, fixed, median in table:
        at = {"data": TITLES[title], "axis": axis, "order": order}
        lines = fits("joint", **at)
        by_draw = [[line for line in lines if line["at"]["draw"] == draw] for draw in range(int(draws))]
        assert {len(of) for of in by_draw} == {30 if title == "Mnist4" else 6}
        best = [max(of, key=lambda line: line["scores"]["acc"])["scores"] for of in by_draw]
        for score, cell in zip(("acc", "nmi", "purity"), (acc, nmi, purity), strict=True):
            assert_allclose(numbers(cell), mean_and_spread([scores[score] for scores in best]), atol=5.1e-4)
        first = max(by_draw[0], key=lambda line: line["scores"]["acc"])["at"]
        assert point == f"m = {first['n_anchors']}, λ = {first['lam']:g}, p = {first['p']:g}"
        assert_allclose(numbers(fixed), mean_and_spread(of_algorithm_1("fixed", lam=1e3, **at)), atol=5.1e-4)
        of_grid = [line["scores"]["acc"] for of in by_draw for line in of]
        assert_allclose(float(median), np.median(of_grid), atol=5.1e-4)


def test_view_axis_stays_below_the_published_numbers():
    for data, published in (("mnist4", 0.990), ("scene15", 0.758)):
        tried = np.concatenate([of_algorithm_1(journal, data=data, axis="views") for journal in ("joint", "earlier")])
        assert len(tried) > 70
        assert tried.max() < published - 0.05


def test_published_clustering_is_above_the_classifiers():
    classifiers = {data: [line["scores"] for line in fits("ceiling", data=data)] for data in TITLES.values()}
    assert min(len(of) for of in classifiers.values()) >= 4
    assert max(scores["acc"] for scores in classifiers["mnist4"]) < 0.990
    assert max(scores["nmi"] for scores in classifiers["scene15"]) < 0.804


def test_assumption_of_the_theorem_grows_in_every_run(scripts):
    lines = fits("theorem")
    assert len(lines) == 4
    for line in lines:
        assumed = np.array(scripts["findings"].assumption(line))
        rounding = np.array(line["mu"][:-1]) * np.finfo(float).eps * np.array(line["largest"][:-1])
        assert assumed[79] > 1e6 * assumed[19]
        assert assumed[79] > 1e6 * rounding[79]


def test_reuters_recomputed_from_raw_lines(page, raw):
    table = table_after(page, "### Reuters")
    assert len(table) == 5
    means = {}
    for method, _, large, small, *_ in table:
        for data, cell in (("reuters1200", large), ("reuters600_full", small)):
            if method.startswith("Algorithm 1"):
                values = of_algorithm_1("subsets", data=data, axis=method.rpartition(" ")[2])
            else:
                values = [scores["acc"] for scores in raw[data, method, "shuffled"].values()]
            assert_allclose(numbers(cell), mean_and_spread(values), atol=5.1e-4)
            means[method, data] = np.mean(values)
    for data in ("reuters1200", "reuters600_full"):
        ours = max(means[f"Algorithm 1, axis {axis}", data] for axis in ("views", "samples"))
        assert sum(means[method, data] > ours for method in ("LMVSC", "SFMC", "FMCNOF")) == 2


def test_blocks_recomputed_and_no_better_than_chance(page):
    table = table_after(page, "### Blocks of neighboring rows")
    assert [line[0] for line in table] == ["mnist4", "scene15"]
    for data, *cells in table:
        measured = fits("measures", what="blocks", data=data)
        means = {key: np.mean([fit[key] for fit in measured]) for key in ("blocks", "chance", "classes")}
        assert_allclose([numbers(cell)[0] for cell in cells], list(means.values()), atol=5.1e-4)
        assert abs(means["blocks"] - means["chance"]) < 0.01 < means["classes"] - means["blocks"]


def test_shuffle_multiplies_the_norm_by_up_to_six():
    ratios = [fit["norm_ratio"] for fit in fits("measures", what="rows")]
    assert len(ratios) == 11
    assert round(max(ratios)) == 6


def test_journals_of_different_sources_are_refused(scripts, tmp_path):
    def write(name, sources):
        line = {"at": {"data": "x"}, "scores": {"acc": 0.5}}
        code = {"code": {"commit": "0" * 40, "sources": sources}}
        (tmp_path / f"paper-{name}.jsonl").write_text(f"{json.dumps(code)}\n{json.dumps(line)}\n")

    write("fixed", "a")
    write("joint", "a")
    write("gaps", "b")  # of the baselines: other files count
    record = scripts["record"].Record(tmp_path)
    assert record.sample("fixed", data="x").values == (0.5,)
    assert record.commit("joint") == "`0000000000`"
    write("joint", "c")
    with pytest.raises(scripts["record"].MixedSources, match=r"fixed: a; .*joint: c"):
        scripts["record"].Record(tmp_path)


def test_journal_does_not_go_on_with_other_sources(scripts, tmp_path):
    run, path = scripts["runs"].run, tmp_path / "paper-x.jsonl"
    run(path, [{"i": 1}, {"i": 2}], lambda at: {"scores": {"acc": at["i"]}})
    before = path.read_text()
    run(path, [{"i": 2}], lambda at: pytest.fail("measured again"))
    assert path.read_text() == before
    path.write_text(before.replace('"sources": "', '"sources": "other'))
    with pytest.raises(SystemExit, match="other sources"):
        run(path, [{"i": 3}], lambda at: {"scores": {}})


def test_every_journal_of_the_page_names_commit_and_sources(scripts):
    codes = [code for of in scripts["record"].Record().codes.values() for code in of]
    assert len(codes) >= 8
    assert all(re.fullmatch(r"[0-9a-f]{40}", code["commit"]) for code in codes)
    assert all(re.fullmatch(r"[0-9a-f]{64}", code["sources"]) for code in codes)


def test_source_digest_counts_what_a_line_does(scripts, tmp_path):
    digest, one = scripts["runs"].source_digest, tmp_path / "one.py"

    def after(text):
        one.write_text(text)
        return digest(("one.py",), tmp_path)

    plain = after('"""Head."""\nimport os\n\ndef f(x):\n    """Doc."""\n    return x + 1\n')
    assert plain == after("# said otherwise\nfrom math import pi\n\ndef f( x ):\n    return (x + 1)\n")
    assert plain != after("def f(x):\n    return x + 2\n")
    package = Path(scripts["runs"].manyview.__file__).parent
    counted = (*scripts["runs"].COUNTED, *scripts["runs"].BASELINES)
    assert all(name.endswith(".py") and (package / name).exists() for name in counted)


def test_draws_differ_in_noise_and_order_alone(scripts):
    drawn, x, y = scripts["runs"].drawn, np.arange(1.0, 13).reshape(6, 2), np.arange(6)
    assert_allclose(drawn([x], y, "stored", 0)[0][0], x)
    (noisy,), _ = drawn([x], y, "stored", 3)
    assert 0 < np.abs(noisy / x - 1).max() < 1e-5
    (shuffled,), labels = drawn([x], y, "shuffled", 3)
    assert_allclose(shuffled, noisy[labels], rtol=0)
    assert sorted(labels) == list(y)
    assert_allclose(drawn([x], y, "shuffled", 3, noise=False)[0][0], x[labels], rtol=0)


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
    assert agreed["share_median"] == pytest.approx(1 / 3, abs=1e-4)
    assert (agreed["over_99"], sum(agreed["histogram"])) == (0.0, 40)
    assert agreed["correlation"] == pytest.approx(1.0)


def test_impossible_rows_are_found(scripts):
    found = scripts["score_tables"].impossible()
    assert any(text.startswith("FMCNOF on Mnist4") for text in found)
    assert all("Semi-NTF" not in text for text in found)


def test_rows_count_runs_and_compare_norms(scripts):
    def rows(labels):
        return scripts["measure"].rows({}, [], np.asarray(labels))

    facts = rows([2, 2, 0, 0, 0, 1])
    assert (facts["rows"], facts["classes"], facts["runs"]) == (6, 3, 3)
    assert rows([0, 1, 0])["runs"] == 3
    assert rows(np.repeat([0, 1, 2, 3], 100))["norm_ratio"] > 2
    assert rows(np.random.default_rng(5).integers(0, 4, 400))["norm_ratio"] == pytest.approx(1, abs=0.05)


def test_plans_can_be_read_and_cover_what_they_should(scripts):
    plans = {path.stem: read_plan(path) for path in PAPER.glob("*.toml")}
    assert set(plans) == set(scripts["cells"].PLANS)
    assert [source.name for source in plans["quick"].data] == ["digits"]
    assert len({method.name for method in plans["quick"].methods}) == 11
    assert {method.name for method in plans["audit"].methods} == set(scripts["order_audit"].BASELINES)
    fixed = list(scripts["evidence"].fixed(scripts["evidence"].EVERYTHING))
    assert {at["data"] for at in fixed} == {*scripts["order_audit"].DATA, "nus", "awa"}
    assert {source.name for source in plans["audit"].data} < set(scripts["order_audit"].DATA)
    assert {"nus", "awa"} < {source.name for source in plans["tables"].data}
    assert [source.name for source in plans["one-hour"].data] == ["mnist4", "scene15"]


@pytest.mark.parametrize("axis", ["views", "samples"])
def test_followed_fit_is_that_of_the_estimator(scripts, axis):
    views = list(make_views(80, 3, widths=(4, 5, 3), random_state=0).views.values())
    at = {"axis": axis, "n_anchors": 14, "lam": 1e-3, "p": 0.7}
    found = scripts["theorem"].followed(views, 3, at, n_iter=12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # stops early, minds the order
        models = [SemiNTF.paper(3, max_iter=n, tol=0.0, **at).fit(views) for n in (11, 12)]
    H = [model.indicator_ for model in models]
    assert_allclose(found["HQ"], models[1].history_["residual_HQ"], rtol=1e-3)  # kept with four digits
    assert_allclose(found["QJ"], models[1].history_["residual_QJ"], rtol=1e-3)
    assert_allclose([found["moved"][-1], found["largest"][-1]], [np.abs(H[1] - H[0]).max(), H[1].max()], rtol=1e-3)


def test_points_of_a_set_differ(scripts):
    for name, points in scripts["evidence"].SETS.items():
        told = [json.dumps(at, sort_keys=True) for at in points(scripts["evidence"].EVERYTHING)]
        assert len(told) > 10, name
        if name != "sweeps":  # where two sweeps cross
            assert len(set(told)) == len(told), name


def test_das_is_written_in_four_ways_that_mostly_agree(scripts):
    das_rows, views = scripts["evidence"].das_rows, [np.random.default_rng(0).random((60, 4)) + 1]
    text, minima, reciprocal = (das_rows(views, 12, rule) for rule in ("text", "minima", "reciprocal"))
    assert list(text) == list(reciprocal)  # few anchors: rounding does not matter yet
    assert list(text) != list(minima)
    assert list(das_rows([views[0] - 1.5], 12, "text")) == list(das_rows([views[0] - 1.5], 12, "minima"))


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
