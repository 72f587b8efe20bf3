"""The table of the scenarios, from ``scenarios.jsonl`` (`benchmarks/scenarios.py` writes it)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean
from typing import Any

Line = dict[str, Any]
SIMPLE = ("KMeans, z", "KMeans, unit rows", "spectral, z", "spectral, unit rows")
UMAP = ("UMAP, z", "UMAP, unit rows")
BEHIND = 0.03  # of ACC; a scenario with more than that below the best simple rule is to be explained on the page

RIGHT = {
    "separated": "every row in its cluster",
    "overlapping": "what KMeans finds, within .01",
    "unequal": "the small clusters are found, too",
    "tiny classes": "a hundred clusters of 15 rows",
    "moons": "shapes followed, as far as either view shows them",
    "heavy tails": "outliers do not become clusters",
    "weak view": "the weak view costs nothing",
    "noise view": "the noise is left out, or costs nothing",
    "three noise views": "the one good view decides",
    "different clusterings": "one of the two, with a warning that the views disagree",
    "complementary": "all six clusters, which no view shows alone",
    "duplicated": "four copies count no more than one good view",
    "few noisy columns": "the many good columns decide",
    "narrow and wide": "both views are used, whatever their width",
    "sparse and dense": "both views are used, whatever their kind",
    "missing views": "rows without a view are placed by the others",
    "missing in one class": "the gap does not become a cluster, and no class is lost",
    "pure noise": "K = 1 with a warning, if K is not given",
}


def table(lines: Sequence[Line], /) -> list[str]:
    """Every scenario and number of rows; ACC in the mean over the seeds."""
    groups: dict[tuple[str, int], dict[str, list[Line]]] = defaultdict(lambda: defaultdict(list))
    for line in lines:
        groups[line["scenario"], line["rows"]][line["method"]].append(line)
    drawn = {at: by_method for at, by_method in groups.items() if len(by_method) > 1}
    rows = [
        "| scenario | rows | right is | ours, ACC | ARI | best simple rule | | UMAP + KMeans | best view | K | found "
        "| left out | warnings |",
        "|---|--:|---|--:|--:|--:|---|--:|--:|--:|--:|---|---|",
    ]
    rows += [row(*at, drawn[at]) for at in sorted(drawn, key=lambda at: (list(RIGHT).index(at[0]), at[1]))]
    behind = [(_lead(by_method), at) for at, by_method in drawn.items() if _lead(by_method) < -BEHIND]
    named = ", ".join(f"{name} at {n_rows:,} rows ({lead:+.3f})" for lead, (name, n_rows) in sorted(behind))
    return [*rows, "", f"More than {BEHIND} below the best simple rule: {named or 'none'}.", *draws(lines)]


def row(name: str, n_rows: int, by_method: dict[str, list[Line]]) -> str:
    """Return one line of the table."""
    ours, auto = by_method["ours"], by_method.get("ours, auto", [])
    best, whose = best_of(by_method, SIMPLE)
    view = mean(by_method["best view"]) if "best view" in by_method else None
    umap = best_of(by_method, UMAP)[0] if any(method in by_method for method in UMAP) else None
    left_out = sorted({f"{view}" for line in ours for view in line["left out"]})
    warned = sorted({text for line in (*ours, *auto) for text in line["warnings"]})
    cells = [name, f"{n_rows:,}", RIGHT[name], shown(mean(ours)), shown(mean(ours, "ari")), shown(best), whose]
    cells += [shown(umap), shown(view), str(ours[0]["K"]), ", ".join(str(line["found"]) for line in auto) or "-"]
    return "| " + " | ".join([*cells, ", ".join(left_out), ", ".join(warned)]) + " |"


def draws(lines: Sequence[Line], /) -> list[str]:
    """Return a sentence on the draws of separated clusters from 10,000 rows on."""
    found: dict[int, list[float]] = defaultdict(list)
    for line in lines:
        if line["scenario"] == "separated" and line["method"] == "ours" and line["rows"] >= 10_000:
            found[line["rows"]].append(line["ari"])
    if not found:
        return []
    every = [ari for values in found.values() for ari in values]
    by_rows = ", ".join(f"{len(found[n_rows])} of {n_rows:,} rows" for n_rows in sorted(found))
    return [
        "",
        f"Ten separated round clusters, {len(every)} draws ({by_rows}): ARI at least .999 in "
        f"{sum(ari >= 0.999 for ari in every)}, smallest {min(every):.4f}.",
    ]


def best_of(by_method: dict[str, list[Line]], methods: Sequence[str], /) -> tuple[float, str]:
    """Return the largest mean ACC among some methods, and whose it is."""
    return max((mean(by_method[method]), method) for method in methods if method in by_method)


def mean(lines: Sequence[Line], key: str = "acc", /) -> float:
    """Return the mean over the seeds."""
    return fmean(line[key] for line in lines)


def shown(value: float | None, /) -> str:
    """Return a number or a dash."""
    return "-" if value is None else f"{value:.3f}"


def _lead(by_method: dict[str, list[Line]]) -> float:
    return mean(by_method["ours"]) - best_of(by_method, SIMPLE)[0]
