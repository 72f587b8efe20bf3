"""The tables of docs/quality.md and README.md, from the committed journals alone.

    python benchmarks/quality/tables.py

Journals: ``defaults.jsonl`` (our methods, 5 seeds), ``peers.jsonl`` and ``paper-audit.jsonl`` (the eight methods and
four simple rules on shuffled rows; as many seeds as were run), ``ablation.jsonl``, ``choose_k.jsonl``,
``confidence.jsonl``, ``novelty.jsonl``, ``missing.jsonl``, ``predict.jsonl``,
``packages.jsonl`` and ``large.jsonl`` (other packages),
``large-ours.jsonl``, ``scenarios.jsonl``. Puts each table between its two marks.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from statistics import fmean, stdev

from ablation import read as read_lines
from ablation import tables as ablation_tables
from choose_k import ROOT
from choose_k import table as choose_k_table
from confidence import novelty_table
from confidence import table as confidence_table
from missing import table as missing_table
from package_tables import large_table, package_table
from predict import table as predict_table
from scenario_table import table as scenario_table

from manyview.bench import read_journal
from manyview.bench.pages import filled

RESULTS = ROOT / "docs" / "results"
PAGES = {
    ROOT / "docs" / "quality.md": (
        *("sets", "methods", "packages", "large", "scenarios"),
        *("ablation", "choose_k", "confidence", "novelty", "missing", "predict"),
    ),
    ROOT / "README.md": ("methods",),
}
OURS = "AnchorGraphClustering"
FACTORIZED = ("SemiNTF", "SemiNTF.paper")
SIMPLE = ("concat-kmeans-z", "concat-kmeans-l2", "concat-spectral-z", "concat-spectral-l2")
BASELINES = ("AMGL", "MVGL", "CSMSC", "GMC", "LMVSC", "SMSC", "SFMC", "FMCNOF")
NAMES = {
    "concat-kmeans-z": "KMeans, standardized",
    "concat-kmeans-l2": "KMeans, unit rows",
    "concat-spectral-z": "Spectral, standardized",
    "concat-spectral-l2": "Spectral, unit rows",
}
EMBEDDED = "digits"
Scores = dict[tuple[str, str], list[tuple[float, float]]]  # (method, data) -> ACC and NMI of every seed


def main() -> None:
    """Read the journals, write the pages."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    tables = made()
    for page, names in PAGES.items():
        text = filled(page.read_text(encoding="utf-8"), {name: tables[name] for name in names})
        page.write_text(text, encoding="utf-8")


def made() -> dict[str, list[str]]:
    """All tables by the name of their mark."""
    scores = shuffled_scores()
    return {
        "sets": table_of_sets(scores),
        "methods": table_of_methods(scores),
        "ablation": ablation_tables(read_lines(RESULTS / "ablation.jsonl")),
        "choose_k": choose_k_table(read_lines(RESULTS / "choose_k.jsonl")),
        "confidence": confidence_table(read_lines(RESULTS / "confidence.jsonl")),
        "novelty": novelty_table(read_lines(RESULTS / "novelty.jsonl")),
        "packages": package_table(
            [row for name in ("defaults", "packages") for row in read_journal(RESULTS / f"{name}.jsonl")]
        ),
        "large": large_table(read_journal(RESULTS / "large.jsonl"), read_lines(RESULTS / "large-ours.jsonl")),
        "scenarios": scenario_table(read_lines(RESULTS / "scenarios.jsonl")),
        "missing": missing_table(read_lines(RESULTS / "missing.jsonl")),
        "predict": predict_table(read_lines(RESULTS / "predict.jsonl")),
    }


def shuffled_scores() -> Scores:
    """Every cell on shuffled rows; of a cell that several journals hold, the first."""
    cells: dict[tuple[str, str, int], tuple[float, float]] = {}
    for name in ("defaults", "peers", "paper-audit"):
        for row in read_journal(RESULTS / f"{name}.jsonl"):
            if row["kind"] == "result" and row["status"] == "ok" and row["inputs"]["order"] == "shuffled":
                inputs, own = row["inputs"], row["result"]["scores"]
                key = (inputs["method"]["name"], inputs["data"]["name"], inputs["seed"])
                if not inputs["method"]["grid"]:
                    cells.setdefault(key, (own["acc"], own["nmi_arithmetic"]))
    scores: Scores = defaultdict(list)
    for (method, data, _), value in sorted(cells.items()):
        scores[method, data].append(value)
    return scores


def data_names(scores: Scores) -> list[str]:
    """The data sets that our default has been run on, the embedded one first."""
    names = sorted({data for method, data in scores if method == OURS})
    return sorted(names, key=lambda name: name != EMBEDDED)


def mean(scores: Scores, method: str, data: str, which: int = 0) -> float | None:
    """Mean over the seeds; None where the method gave nothing."""
    values = scores.get((method, data))
    return fmean(value[which] for value in values) if values else None


def best(scores: Scores, methods: tuple[str, ...], data: str) -> tuple[float, str]:
    """The largest mean ACC among some methods, and whose it is."""
    return max((value, name) for name in methods if (value := mean(scores, name, data)) is not None)


def table_of_sets(scores: Scores) -> list[str]:
    """Every data set: ours, the best simple rule, the best of the eight methods."""
    rows = [
        "| data | AnchorGraphClustering ACC | NMI | SemiNTF ACC | best simple rule, ACC | | best of the eight, ACC | |",
        "|---|--:|--:|--:|--:|---|--:|---|",
    ]
    names = data_names(scores)
    for data in names:
        cells = [spread([value[i] for value in scores[OURS, data]]) for i in (0, 1)]
        cells.append(spread([value[0] for value in scores["SemiNTF", data]]))
        for methods in (SIMPLE, BASELINES):
            value, whose = best(scores, methods, data)
            cells += [f"{value:.3f}", NAMES.get(whose, whose)]
        rows.append(f"| {data} | " + " | ".join(cells) + " |")
    shared = [name for name in names if name != EMBEDDED]
    ours = [fmean(mean(scores, OURS, name, i) or 0 for name in shared) for i in (0, 1)]
    factorized = fmean(mean(scores, "SemiNTF", name) or 0 for name in shared)
    others = [fmean(best(scores, methods, name)[0] for name in shared) for methods in (SIMPLE, BASELINES)]
    rows.append(
        f"| **mean of the {len(shared)}, without digits** | **{ours[0]:.3f}** | **{ours[1]:.3f}** "
        f"| {factorized:.3f} | {others[0]:.3f} "
        f"| an oracle | {others[1]:.3f} | an oracle |"
    )
    calm = sum(stdev([value[0] for value in scores[OURS, name]]) < 0.03 for name in shared)
    behind = max((best(scores, SIMPLE, name)[0] - (mean(scores, OURS, name) or 0), name) for name in shared)
    return [
        *rows,
        "",
        f"The standard deviation over the seeds is below .03 on {calm} of the {len(shared)}. Farthest below the best "
        f"simple rule, which is chosen with the labels: {behind[1]}, by {behind[0]:.3f}.",
    ]


def table_of_methods(scores: Scores) -> list[str]:
    """Mean over the data sets of every method, and of our default on the sets on which that method gave a result."""
    shared = [name for name in data_names(scores) if name != EMBEDDED]
    rows = [
        "| method | data sets | fits | ACC | NMI | AnchorGraphClustering on the same sets |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    lines = []
    for method in (OURS, *FACTORIZED, *BASELINES, *SIMPLE):
        own = [name for name in shared if (method, name) in scores]
        acc, nmi = (fmean(mean(scores, method, name, i) or 0 for name in own) for i in (0, 1))
        ours = fmean(mean(scores, OURS, name) or 0 for name in own)
        fits = sum(len(scores[method, name]) for name in own)
        shown = "" if method == OURS else f"{ours:.3f} ({ours - acc:+.3f})"
        name = f"**{OURS}**" if method == OURS else NAMES.get(method, method)
        lines.append((-acc, f"| {name} | {len(own)} | {fits} | {acc:.3f} | {nmi:.3f} | {shown} |"))
    return [*rows, *(line for _, line in sorted(lines))]


def spread(values: list[float]) -> str:
    """Mean and standard deviation."""
    return f"{fmean(values):.3f}" + (f" ± {stdev(values):.3f}" if len(values) > 1 else "")


if __name__ == "__main__":
    main()
