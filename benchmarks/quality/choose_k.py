"""K without labels: what `select` finds on the shared data sets, on separated synthetic ones, and on noise.

    python benchmarks/quality/choose_k.py [--data ../shared/data] [--out docs/results/choose_k.jsonl] [--draws 100]
                                          [--noise 100] [--seeds 10] [--only real separated noise seeds]

Beside it the widest eigengap of the same fused graph, and the best silhouette of KMeans on the standardized views side
by side, over the same candidates. One JSON line per data set; the table is printed. Classes are not clusters: where a
class holds several groups, or several classes cannot be told apart, no method that sees no labels can return their
number; so the table also says whether a number within 20 % of the classes is on the shortlist. Rows are shuffled.
The constants were chosen on the sets at even places in the alphabet, and errors are given for both halves. `seeds`
fits some sets with several seeds, each with its own order of the rows: how often is K the same?
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score
from sklearn.preprocessing import StandardScaler

from manyview import AnchorGraphClustering, NoStructureWarning
from manyview.datasets import make_views
from manyview.model_selection import Selection, select

ROOT = Path(__file__).parents[2]
LEFT_OUT = "reuters600_full"
SETS = (
    *(
        "100leaves",
        "3sources",
        "bbcsport",
        "cora",
        "handwritten",
        "hw2sources",
        "hw4",
        "landuse21",
        "mnist4",
        "msrcv1_5",
    ),
    *("ngs", "orl4", "prokaryotic", "proteinfold", "reuters1200", "scene15", "tcga_breast", "webkb1051", "webkb203"),
    "wikipedia",
)
SEED_SETS = ("bbcsport", "handwritten", "hw4", "mnist4", "ngs", "tcga_breast")
KINDS = ("real", "separated", "noise", "seeds")
SILHOUETTE_ROWS = 2_000
METHODS = ("select", "eigengap", "silhouette")


def main() -> None:
    """Measure, write, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="folder of the .npz")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "results" / "choose_k.jsonl")
    parser.add_argument("--draws", type=int, default=100, help="separated data sets")
    parser.add_argument("--noise", type=int, default=100, help="data sets without structure")
    parser.add_argument("--seeds", type=int, default=10, help="seeds for each of some sets")
    parser.add_argument("--only", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore", NoStructureWarning)  # the table says it
    parts = {
        "real": _real(options.data, options.seed),
        "separated": _synthetic(options.draws),
        "noise": _noise(options.noise),
        "seeds": _seeds(options.data, options.seeds),
    }
    lines: list[dict[str, Any]] = []
    with options.out.open("w", encoding="utf-8") as file:
        for line in chain.from_iterable(parts[kind] for kind in options.only):
            lines.append(line)
            file.write(json.dumps(line) + "\n")
            file.flush()
    print("\n".join(table(lines)))


def _real(folder: Path, seed: int) -> Iterator[dict[str, Any]]:
    for name in SETS:
        views, labels = load(folder / f"{name}.npz", seed)
        yield {"kind": "real", "data": name, **measure(views, labels, seed)}


def _synthetic(draws: int) -> Iterator[dict[str, Any]]:
    for draw in range(draws):
        views, labels = separated(draw)
        yield {"kind": "separated", "data": f"draw {draw}", **measure(views, labels, draw, silhouette=False)}


def _noise(draws: int) -> Iterator[dict[str, Any]]:
    for draw in range(draws):
        shape, views = noise(draw)
        labels = np.zeros(len(views[0]), dtype=np.intp)
        yield {"kind": "noise", "data": shape, **measure(views, labels, draw, silhouette=False)}


def _seeds(folder: Path, seeds: int) -> Iterator[dict[str, Any]]:
    for name in SEED_SETS:
        for seed in range(seeds):
            views, labels = load(folder / f"{name}.npz", seed)
            yield {"kind": "seeds", "data": name, **measure(views, labels, seed, silhouette=False)}


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


def noise(draw: int) -> tuple[str, list[Any]]:
    """Data without structure: 200 to 2,000 rows, 1 to 4 views of 2 to 60 independent columns, or of 200 to 600 sparse
    counts; and what they are."""
    rng = np.random.default_rng(10_000 + draw)
    kind = ("normal", "Student t, 3 degrees", "log-normal", "uniform", "sparse counts")[draw % 5]
    n = int(np.exp(rng.uniform(np.log(200), np.log(2_000))))
    low, high = (200, 600) if kind == "sparse counts" else (2, 60)
    widths = [int(width) for width in rng.integers(low, high, rng.integers(1, 5))]
    return f"{kind}, {n} x {tuple(widths)}", [_noise_of(kind, (n, width), rng) for width in widths]


def _noise_of(kind: str, shape: tuple[int, int], rng: np.random.Generator) -> Any:
    if kind == "sparse counts":
        X = rng.poisson(rng.gamma(0.3, 0.15, shape[1]), shape).astype(float)
        empty = np.flatnonzero(~X.any(axis=1))
        X[empty, rng.integers(shape[1], size=len(empty))] = 1
        return X
    if kind == "Student t, 3 degrees":
        return rng.standard_t(3, shape)
    if kind == "uniform":
        return rng.random(shape)
    X = rng.standard_normal(shape)
    return np.exp(X) if kind == "log-normal" else X


def measure(views: list[Any], labels: Any, seed: int, *, silhouette: bool = True) -> dict[str, Any]:
    """K by three rules, over the same candidates."""
    start = time.process_time()
    selection = select(views, estimator=AnchorGraphClustering(random_state=seed, n_jobs=1))
    seconds = time.process_time() - start
    found = {"select": selection.n_clusters, "eigengap": eigengap(selection)}
    if silhouette:
        found["silhouette"] = by_silhouette(views, [c.n_clusters for c in selection.curve], seed)
    return {
        "n": len(labels),
        "K": int(labels.max()) + 1,
        "found": found,
        "shortlist": list(selection.shortlist),
        "structure": selection.structure,
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
    """Markdown: every real set, the errors, and how often noise, separated data and other seeds give the right K."""
    of = {kind: [line for line in lines if line["kind"] == kind] for kind in KINDS}
    return [*_of_real(of["real"]), *_of_separated(of["separated"]), *_of_noise(of["noise"]), *_of_seeds(of["seeds"])]


def _of_real(real: list[dict[str, Any]]) -> list[str]:
    if not real:
        return []
    rows = [
        "| data | rows | K | select | shortlist | eigengap | silhouette | CPU seconds |",
        "|---|--:|--:|--:|---|--:|--:|--:|",
    ]
    for r in real:
        found, plausible = r["found"], ", ".join(map(str, r["shortlist"]))
        by_others = f"{found['eigengap']} | {found['silhouette']}"
        rows.append(
            f"| {r['data']} | {r['n']} | {r['K']} | {found['select']} | {plausible} | {by_others} | {r['seconds']} |"
        )
    halves = {"all": real, "even half": real[::2], "odd half": real[1::2]}

    def row(name: str, value: Any, listed: str = "") -> str:
        return f"| **{name}** | | | {value('select')} | {listed} | {value('eigengap')} | {value('silhouette')} | |"

    for name, half in halves.items():
        near = sum(any(_near(K, r["K"]) for K in r["shortlist"]) for r in half)

        def error(method: str, half: list[dict[str, Any]] = half) -> str:
            return f"{fmean(abs(float(np.log2(r['found'][method] / r['K']))) for r in half):.2f}"

        def hits(method: str, half: list[dict[str, Any]] = half) -> str:
            return f"{sum(_near(r['found'][method], r['K']) for r in half)} of {len(half)}"

        rows += [
            row(f"mean abs. log2(found / K), {name}", error),
            row(f"within 20 %, {name}", hits, f"{near} of {len(half)}"),
        ]
    return rows


def _near(found: int, K: int) -> bool:
    return abs(found - K) <= 0.2 * K


def _of_separated(made: list[dict[str, Any]]) -> list[str]:
    right = {m: sum(line["found"][m] == line["K"] for line in made) for m in METHODS[:2]}
    listed = ", ".join(f"{m} right in {n}" for m, n in right.items())
    return ["", f"Separated synthetic data, {len(made)} draws: {listed}."] if made else []


def _of_noise(made: list[dict[str, Any]]) -> list[str]:
    if not made:
        return []
    kinds = Counter(line["data"].split(", ")[0] for line in made)
    right = Counter(line["data"].split(", ")[0] for line in made if line["found"]["select"] == 1)
    listed = ", ".join(f"{kind} {right[kind]} of {n}" for kind, n in kinds.items())
    highest = max(line["structure"] for line in made)
    return ["", f"Noise, {len(made)} draws: K = 1 in {right.total()} ({listed}); structure at most {highest:.3f}."]


def _of_seeds(made: list[dict[str, Any]]) -> list[str]:
    if not made:
        return []
    rows = ["", "| data | K | found with each seed | the same |", "|---|--:|---|--:|"]
    for name in dict.fromkeys(line["data"] for line in made):
        found = [line["found"]["select"] for line in made if line["data"] == name]
        K = next(line["K"] for line in made if line["data"] == name)
        most = Counter(found).most_common(1)[0][1]
        rows.append(f"| {name} | {K} | {', '.join(map(str, found))} | {most} of {len(found)} |")
    return rows


if __name__ == "__main__":
    main()
