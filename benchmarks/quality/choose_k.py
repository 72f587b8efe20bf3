"""K without labels: what `select` finds on the shared data sets and on separated synthetic ones.

    python benchmarks/quality/choose_k.py [--data ../shared/data] [--out docs/results/choose_k.jsonl] [--draws 40]

Beside it the widest eigengap of the same fused graph, and the best silhouette of KMeans on the standardized views side
by side, over the same candidates. One JSON line per data set; the table is printed. Classes are not clusters: where a
class holds several groups, or several classes cannot be told apart, no method that sees no labels can return their
number. Rows are shuffled.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score
from sklearn.preprocessing import StandardScaler

from manyview import AnchorGraphClustering
from manyview.datasets import make_views
from manyview.model_selection import Selection, select

ROOT = Path(__file__).parents[2]
LEFT_OUT = "reuters600_full"
SILHOUETTE_ROWS = 2_000
METHODS = ("select", "eigengap", "silhouette")


def main() -> None:
    """Measure, write, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="folder of the .npz")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "results" / "choose_k.jsonl")
    parser.add_argument("--draws", type=int, default=40, help="synthetic data sets")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    lines: list[dict[str, Any]] = []
    with options.out.open("w", encoding="utf-8") as file:
        for line in chain(_real(options.data, options.seed), _synthetic(options.draws)):
            lines.append(line)
            file.write(json.dumps(line) + "\n")
            file.flush()
    print("\n".join(table(lines)))


def _real(folder: Path, seed: int) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob("*.npz")):
        if path.stem != LEFT_OUT:
            views, labels = load(path, seed)
            yield {"kind": "real", "data": path.stem, **measure(views, labels, seed)}


def _synthetic(draws: int) -> Iterator[dict[str, Any]]:
    for draw in range(draws):
        views, labels = separated(draw)
        yield {"kind": "synthetic", "data": f"draw {draw}", **measure(views, labels, draw, silhouette=False)}


def load(path: Path, seed: int) -> tuple[list[Any], Any]:
    """Views and classes of a file, rows shuffled."""
    with np.load(path, allow_pickle=False) as data:
        n_views = sum(key.startswith("view_") and key.count("_") == 1 for key in data)
        labels = np.unique(data["labels"], return_inverse=True)[1]
        rows = np.random.default_rng(100 + seed).permutation(len(labels))
        return [data[f"view_{v}"].astype(np.float64)[rows] for v in range(n_views)], labels[rows]


def separated(draw: int) -> tuple[list[Any], Any]:
    """Gaussian clusters 6 or 8 deviations apart: 2 to 12 of them, 20 to 80 rows each, 1 to 4 views; every second
    draw with sizes from 40 % to 100 %, every fourth with a view of pure noise beside them."""
    rng = np.random.default_rng(draw)
    K = 2 + draw % 11
    widths = [int(width) for width in rng.integers(8, 60, rng.integers(1, 5))]
    data = make_views(
        int(rng.integers(20, 80)) * K,
        K,
        widths=widths,
        separation=float(rng.choice([6.0, 8.0])),
        noise_views=int(draw % 4 == 3 and len(widths) > 1),
        random_state=draw,
    )
    views, labels = list(data.views.values()), np.asarray(data.labels)
    if draw % 2:
        kept = rng.random(len(labels)) < np.linspace(0.4, 1, K)[labels]
        views, labels = [view[kept] for view in views], labels[kept]
    return views, labels


def measure(views: list[Any], labels: Any, seed: int, *, silhouette: bool = True) -> dict[str, Any]:
    """K by three rules, over the same candidates."""
    start = time.perf_counter()
    selection = select(views, estimator=AnchorGraphClustering(random_state=seed))
    seconds = time.perf_counter() - start
    found = {"select": selection.n_clusters, "eigengap": eigengap(selection)}
    if silhouette:
        found["silhouette"] = by_silhouette(views, [c.n_clusters for c in selection.curve], seed)
    return {
        "n": len(labels),
        "K": int(labels.max()) + 1,
        "found": found,
        "seconds": round(seconds, 2),
        "reason": selection.reason,
        "curve": [dict(zip(c._fields, np.round(c, 4).tolist(), strict=True)) for c in selection.curve],
    }


def eigengap(selection: Selection) -> int:
    """The K after which the eigenvalues of the walk fall most."""
    return max(selection.curve, key=lambda candidate: candidate.gap).n_clusters


def by_silhouette(views: list[Any], candidates: list[int], seed: int) -> int:
    """The K with the best silhouette of KMeans on the standardized views side by side."""
    X = np.hstack([StandardScaler().fit_transform(view) for view in views]).astype(np.float32)

    def silhouette(K: int) -> float:
        labels = KMeans(K, n_init=1, random_state=seed).fit_predict(X)
        return float(silhouette_score(X, labels, sample_size=min(SILHOUETTE_ROWS, len(X)), random_state=seed))

    return max((K for K in candidates if len(X) > K), key=silhouette)


def table(lines: list[dict[str, Any]]) -> list[str]:
    """Markdown: every real set, the errors, and the share of synthetic draws that are right."""
    real = [line for line in lines if line["kind"] == "real"]
    made = [line for line in lines if line["kind"] == "synthetic"]
    rows = ["| data | rows | K | select | eigengap | silhouette | seconds |", "|---|--:|--:|--:|--:|--:|--:|"]
    rows += [
        f"| {r['data']} | {r['n']} | {r['K']} | "
        + " | ".join(str(r["found"][m]) for m in METHODS)
        + f" | {r['seconds']} |"
        for r in real
    ]

    def row(name: str, value: Any) -> str:
        return f"| **{name}** | | | " + " | ".join(value(m) for m in METHODS) + " | |"

    def errors(method: str) -> list[float]:
        return [abs(float(np.log2(r["found"][method] / r["K"]))) for r in real]

    def near(method: str) -> int:
        return sum(abs(r["found"][method] - r["K"]) <= max(1, 0.2 * r["K"]) for r in real)

    if real:
        rows += [
            row("mean abs. log2(found / K)", lambda m: f"{fmean(errors(m)):.2f}"),
            row("median", lambda m: f"{median(errors(m)):.2f}"),
            row("exact", lambda m: str(sum(e == 0 for e in errors(m)))),
            row("within 1 or 20 %", lambda m: str(near(m))),
            row("median abs. error", lambda m: f"{median(abs(r['found'][m] - r['K']) for r in real):g}"),
        ]
    if made:
        right = {m: sum(line["found"][m] == line["K"] for line in made) for m in METHODS[:2]}
        rows += [
            "",
            f"Separated synthetic data, {len(made)} draws: " + ", ".join(f"{m} right in {n}" for m, n in right.items()),
        ]
    return rows


if __name__ == "__main__":
    main()
