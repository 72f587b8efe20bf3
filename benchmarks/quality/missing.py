"""What missing views cost: four ways to cluster samples that lack views, on four data sets.

    python benchmarks/quality/missing.py [--data ../shared/data] [--out FILE] [--draws 10] [--sets ...]

Rows are shuffled, then view-rows are removed: 10, 30 or 50 % of all at random, but never the last view of a sample; or
20 % in one class only, either of all views at random or of a single view. Compared are

* ours: one fit of all samples, missing views as rows of NaN;
* complete, then predict: a fit of the complete samples, which then labels the others;
* mean, then ours: column means in place of what is missing;
* mean, then KMeans: the same, standardized columns of all views side by side;
* clusterers of iMML for incomplete views, with standardized columns (z) and with unit rows, given the true K. They need
  the environment of `make peers-env`:

    PYTHONPATH=src build/peers/bin/python benchmarks/quality/missing.py --ways iMML

The score is the accuracy (best matching of clusters and classes). Draws that the journal has are not run again.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.preprocessing import StandardScaler

from manyview import AnchorGraphClustering
from manyview.kernels.arrays import BoolArray, FloatArray, IntArray
from manyview.metrics import accuracy

ROOT = Path(__file__).parents[2]
SETS = ("handwritten", "msrcv1_5", "tcga_breast", "bbcsport")
REMOVALS = ("10 %", "30 %", "50 %", "20 % of one class", "20 % of one class in one view")
WAYS = ("ours", "complete, then predict", "mean, then ours", "mean, then KMeans")
WHOLE = "nothing missing"
SMALL = ("msrcv1_5", "tcga_breast")  # PIMVC takes 13 s per fit on bbcsport, and at most as many clusters as columns
IMML = {  # name -> estimator, scaling, data
    f"{name}, {scaling}": (name, scaling, data)
    for name, data in (("NEMO", SETS), ("EEIMVC", SETS), ("LFIMVC", SETS[1:]), ("PIMVC", SMALL))
    for scaling in ("z", "unit rows")
}
Views = list[FloatArray]


def main() -> None:
    """Run what the journal lacks, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="folder of the .npz")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "results" / "missing.jsonl")
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS)
    parser.add_argument("--ways", nargs="+", choices=(*WAYS, *IMML, "iMML"), default=WAYS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = [json.loads(line) for line in options.out.read_text().splitlines()] if options.out.exists() else []
    done = {tuple(line[key] for key in ("data", "removal", "way", "draw")) for line in lines}
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with options.out.open("a", encoding="utf-8") as file:
        for draw in range(options.draws):
            for name in options.sets:
                views, labels = load(options.data / f"{name}.npz", draw)
                for removal in (WHOLE, *REMOVALS):
                    given = views if removal == WHOLE else lacking(views, removed(labels, len(views), removal, draw))
                    ways = [w for way in options.ways for w in (IMML if way == "iMML" else (way,))]
                    for way in ("ours",) if removal == WHOLE else ways:
                        if (name, removal, way, draw) in done or (way in IMML and name not in IMML[way][2]):
                            continue
                        start = time.process_time()
                        score = measure(given, labels, way, draw)
                        seconds = round(time.process_time() - start, 2)
                        line = {
                            "data": name,
                            "removal": removal,
                            "way": way,
                            "draw": draw,
                            "acc": score,
                            "cpu": seconds,
                        }
                        lines.append(line)
                        file.write(json.dumps(line) + "\n")
                        file.flush()
    print("\n".join(table(lines)))


def load(path: Path, seed: int) -> tuple[Views, IntArray]:
    """Views and labels, rows shuffled."""
    with np.load(path, allow_pickle=False) as data:
        n_views = sum(key.startswith("view_") and key.count("_") == 1 for key in data)
        views = [data[f"view_{v}"].astype(np.float64) for v in range(n_views)]
        labels = np.unique(data["labels"], return_inverse=True)[1]
    rows = np.random.default_rng(seed).permutation(len(labels))
    return [view[rows] for view in views], labels[rows]


def removed(labels: IntArray, n_views: int, removal: str, seed: int) -> BoolArray:
    """Which view-rows (V, N) are taken away; every row keeps a view."""
    rng = np.random.default_rng(1000 + seed)
    gone = np.zeros((n_views, len(labels)), dtype=bool)
    share = float(removal.split(" %")[0]) / 100
    rows = np.arange(len(labels))
    if "class" in removal:
        rows = np.flatnonzero(labels == rng.integers(labels.max() + 1))
    if "one view" in removal:  # 20 % of all rows, if that is no more than half of the class
        chosen = rng.permutation(rows)[: min(round(share * len(labels)), len(rows) // 2)]
        gone[rng.integers(n_views), chosen] = True
        return gone
    left = round(share * n_views * len(rows))
    for cell in rng.permutation(n_views * len(rows)):
        v, row = cell % n_views, rows[cell // n_views]
        if left and gone[:, row].sum() < n_views - 1:
            gone[v, row] = True
            left -= 1
    return gone


def lacking(views: Views, gone: BoolArray) -> Views:
    """The views with rows of NaN."""
    return [np.where(rows[:, None], np.nan, view) for view, rows in zip(views, gone, strict=True)]


def measure(views: Views, labels: IntArray, way: str, seed: int) -> float | None:
    """Accuracy of one way; None where it cannot be gone."""
    K = int(labels.max()) + 1
    run: dict[str, Callable[[Views, int, int], IntArray | None]] = {
        "ours": _ours,
        "complete, then predict": _complete_first,
        "mean, then ours": lambda views, K, seed: _ours(_filled(views), K, seed),
        "mean, then KMeans": _kmeans,
    }
    found = _imml(views, K, seed, way) if way in IMML else run[way](views, K, seed)
    return None if found is None else round(float(accuracy(labels, found)), 4)


def _ours(views: Views, K: int, seed: int) -> IntArray:
    return np.asarray(AnchorGraphClustering(K, random_state=seed).fit(views).labels_)


def _complete_first(views: Views, K: int, seed: int) -> IntArray | None:
    complete = ~np.any([np.isnan(view).all(axis=1) for view in views], axis=0)
    if complete.sum() < 2 * K:
        return None
    model = AnchorGraphClustering(K, random_state=seed).fit([view[complete] for view in views])
    return np.asarray(model.predict(views))


def _filled(views: Views) -> Views:
    return [np.where(np.isnan(view), np.nanmean(view, axis=0), view) for view in views]


def _kmeans(views: Views, K: int, seed: int) -> IntArray:
    table = StandardScaler().fit_transform(np.hstack(_filled(views)))
    return np.asarray(KMeans(K, n_init=10, random_state=seed).fit_predict(table))


def _imml(views: Views, K: int, seed: int, way: str) -> IntArray:
    name, scaling, _ = IMML[way]
    scaled = [_standardized(view) if scaling == "z" else _unit_rows(view) for view in views]
    return np.asarray(getattr(import_module("imml.cluster"), name)(K, random_state=seed).fit_predict(scaled))


def _standardized(view: FloatArray) -> FloatArray:
    deviation = np.nanstd(view, axis=0)
    return np.asarray((view - np.nanmean(view, axis=0)) / np.where(deviation > 0, deviation, 1))


def _unit_rows(view: FloatArray) -> FloatArray:
    length = np.linalg.norm(view, axis=1, keepdims=True)
    return np.asarray(view / np.where(length == 0, 1, length))


def table(lines: list[dict[str, Any]]) -> list[str]:
    """Markdown lines: mean (worst) accuracy over the draws; of iMML the best in the mean."""
    found = [
        f"| data | missing | {' | '.join(WAYS)} | best of iMML | |",
        "|---|---|" + "--:|" * len(WAYS) + "--:|---|",
    ]
    for name in SETS:
        for removal in (WHOLE, *REMOVALS):
            of_row = [line for line in lines if line["data"] == name and line["removal"] == removal]
            cells = [_cell([line["acc"] for line in of_row if line["way"] == way]) for way in WAYS]
            peers = {way: [line["acc"] for line in of_row if line["way"] == way] for way in IMML}
            best = max((fmean(scores), way) for way, scores in peers.items() if scores) if any(peers.values()) else None
            cells += ["-", ""] if best is None else [_cell(peers[best[1]]), best[1]]
            n_draws = 0 if best is None else len(peers[best[1]])
            if 0 < n_draws < sum(line["way"] == "ours" for line in of_row):
                cells[-1] += f", {n_draws} draws" if n_draws > 1 else ", 1 draw"
            if of_row:
                found.append(f"| {name} | {removal} | {' | '.join(cells)} |")
    return found


def _cell(scores: list[float | None]) -> str:
    known = [score for score in scores if score is not None]
    if not known:
        return "-"
    some = f", {len(known)} of {len(scores)}" if len(known) < len(scores) else ""
    return f"{fmean(known):.3f} ({min(known):.3f}{some})"


if __name__ == "__main__":
    main()
