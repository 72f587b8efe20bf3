"""Does confidence mean something: accuracy of sure and of doubtful rows on the shared data sets.

    python benchmarks/quality/confidence.py [--data ../shared/data] [--out docs/results] [--seeds 1] [--only novelty]

AnchorGraphClustering with its defaults and the true K, rows shuffled. Clusters are matched to classes once, for all
rows; then the accuracy of the more confident half is compared with that of the other, and of rows where the views
contradict the label with that of the rest.

Novelty: every class in turn is left out of a fit of half of the other rows; how well are its rows told from the other
half of the known ones (area under the ROC curve), by novelty, by doubt (1 - confidence), and by both (mean of the
ranks)? Writes ``confidence.jsonl``, ``novelty.jsonl`` and the reliability figure ``confidence.png``; prints the tables.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from choose_k import ROOT, SETS, load
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from scipy.stats import rankdata
from sklearn.metrics import roc_auc_score

from manyview import AnchorGraphClustering
from manyview.datasets import load_digits_views
from manyview.metrics import match_labels

BINS = 10  # tenths of the rows of a data set, by confidence
NOVELTY_SETS = ("digits", "handwritten", "mnist70k")
NOVELTY_ROWS = 20_000  # of the larger sets
MEASURES = ("novelty", "doubt", "both")
PARTS = ("confidence", "novelty")
BLUE, GRAY, ORANGE = "#2a6f97", "#b8c4ce", "#c8553d"


def main() -> None:
    """Measure, write, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="folder of the .npz")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "results", help="folder of the results")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for part in options.only:
        runs = _confidence(options.data, options.seeds) if part == "confidence" else _novelty(options.data)
        with (options.out / f"{part}.jsonl").open("w", encoding="utf-8") as file:
            for line in runs:
                file.write(json.dumps(line) + "\n")
                file.flush()
    lines, novel = (_read(options.out / f"{part}.jsonl") for part in PARTS)
    if lines and novel:
        draw(lines, novel, options.out / "confidence.png")
    print("\n".join([*(table(lines) if lines else []), "", *(novelty_table(novel) if novel else [])]))


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def _confidence(folder: Path, seeds: int) -> Iterator[dict[str, Any]]:
    for name in SETS:
        for seed in range(seeds):
            yield {"data": name, "seed": seed, **measure(*load(folder / f"{name}.npz", seed), seed)}


def _novelty(folder: Path) -> Iterator[dict[str, Any]]:
    for name in NOVELTY_SETS:
        if name == "digits":
            digits = load_digits_views()
            views, truth = list(digits.views.values()), np.asarray(digits.labels)
        else:
            views, truth = load(folder / f"{name}.npz", 0)
        views, truth = [view[:NOVELTY_ROWS] for view in views], truth[:NOVELTY_ROWS]
        for left_out in np.unique(truth).tolist():
            yield {"data": name, "left_out": left_out, **measure_novelty(views, truth, left_out)}


def measure_novelty(views: list[Any], truth: Any, left_out: int) -> dict[str, Any]:
    """Areas under the ROC curve, and the shares of known and of new rows beyond 1."""
    known, new = np.flatnonzero(truth != left_out), np.flatnonzero(truth == left_out)
    fitted, held = known[::2], known[1::2]
    model = AnchorGraphClustering(len(np.unique(truth)) - 1, random_state=0).fit([view[fitted] for view in views])
    found = model.assess([view[np.concatenate([held, new])] for view in views])
    is_new = np.repeat([0, 1], [len(held), len(new)])
    doubt = 1 - found.confidence
    scores = {"novelty": found.novelty, "doubt": doubt, "both": rankdata(found.novelty) + rankdata(doubt)}
    beyond = found.novelty > 1
    return {
        **{name: round(float(roc_auc_score(is_new, values)), 4) for name, values in scores.items()},
        "known_beyond": round(float(beyond[is_new == 0].mean()), 4),
        "new_beyond": round(float(beyond[is_new == 1].mean()), 4),
    }


def measure(views: list[Any], truth: Any, seed: int) -> dict[str, Any]:
    """Accuracy by confidence, of contradicted rows, and by stability of the cluster."""
    model = AnchorGraphClustering(int(truth.max()) + 1, random_state=seed).fit(views)
    right = match_labels(truth, model.labels_) == truth
    order = np.argsort(-model.confidence_, kind="stable")  # rows are shuffled, so ties fall at random
    half = len(order) // 2
    tenths = np.array_split(order, BINS)
    flagged = model.views_disagree_
    purity = [float(right[model.labels_ == k].mean()) for k in range(len(model.cluster_stability_))]
    return {
        "n": len(truth),
        "acc": float(right.mean()),
        "sure_half": float(right[order[:half]].mean()),
        "other_half": float(right[order[half:]].mean()),
        "auc": float(roc_auc_score(right, model.confidence_)) if 0 < right.mean() < 1 else None,
        "confidence": [float(model.confidence_[rows].mean()) for rows in tenths],
        "accuracy": [float(right[rows].mean()) for rows in tenths],
        "flagged": float(flagged.mean()),
        "acc_flagged": float(right[flagged].mean()) if flagged.any() else None,
        "acc_rest": float(right[~flagged].mean()) if not flagged.all() else None,
        "stability": model.cluster_stability_.round(4).tolist(),
        "cluster_accuracy": purity,
    }


def draw(lines: list[dict[str, Any]], novel: list[dict[str, Any]], path: Path) -> None:
    """Accuracy over tenths of the rows, from sure to doubtful; the two halves; rows of classes that were left out."""
    figure = Figure(figsize=(14, 4.6), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    left, right, last = figure.subplots(1, 3)
    curves = np.array([line["accuracy"] for line in lines])
    tenths = np.arange(1, BINS + 1) * 100 / BINS
    left.plot(tenths, curves.T, color=GRAY, lw=0.8)
    left.plot(tenths, curves.mean(axis=0), "o-", color=BLUE, lw=2, label="mean of the data sets")
    left.set(xlabel="rows by confidence, surest first (%)", ylabel="accuracy in that tenth", ylim=(0, 1.02))
    left.legend(frameon=False, loc="lower left")
    names = sorted({line["data"] for line in lines})
    for key, color, label in (("sure_half", BLUE, "sure half"), ("other_half", ORANGE, "other half")):
        means = [fmean(line[key] for line in lines if line["data"] == name) for name in names]
        right.plot(means, range(len(names)), "o", color=color, label=label)
    right.set_yticks(range(len(names)), names, fontsize=8)
    right.set(xlabel="accuracy")
    right.grid(alpha=0.3)
    right.legend(frameon=False, loc="lower left")
    sets = list(dict.fromkeys(line["data"] for line in novel))
    for shift, (key, color) in enumerate(zip(MEASURES, (BLUE, ORANGE, GRAY), strict=True)):
        values = [[line[key] for line in novel if line["data"] == name] for name in sets]
        places = [np.full(len(own), at + (shift - 1) * 0.2) for at, own in enumerate(values)]
        last.plot(np.concatenate(places), np.concatenate(values), "o", color=color, ms=4, label=f"by {key}")
    last.set_xticks(range(len(sets)), sets)
    last.axhline(0.5, color="black", lw=0.6)
    last.set(ylabel="AUC, rows of a class left out of the fit", ylim=(0, 1.02))
    last.legend(frameon=False, loc="lower left")
    figure.savefig(path, metadata={"Software": None})


def table(lines: list[dict[str, Any]]) -> list[str]:
    """Markdown: every set, and on how many the sure half is better."""
    rows = [
        "| data | ACC | sure half | other half | AUC | views disagree | ACC there | ACC of the rest |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    keys = ("acc", "sure_half", "other_half", "auc", "flagged", "acc_flagged", "acc_rest")
    wins = flags = 0
    for name in sorted({line["data"] for line in lines}):
        own = [line for line in lines if line["data"] == name]
        known = {key: [line[key] for line in own if line[key] is not None] for key in keys}
        mean = {key: fmean(values) if values else float("nan") for key, values in known.items()}
        wins += mean["sure_half"] > mean["other_half"]
        flags += mean["acc_flagged"] < mean["acc_rest"]
        rows.append(f"| {name} | " + " | ".join(f"{mean[key]:.3f}" for key in keys) + " |")
    total = len({line["data"] for line in lines})
    stability = np.concatenate([line["stability"] for line in lines])
    accuracy = np.concatenate([line["cluster_accuracy"] for line in lines])
    r = np.corrcoef(stability, accuracy)[0, 1]
    summary = f"The sure half is better on {wins} of {total} sets; contradicted rows are worse on {flags}; "
    return [*rows, "", summary + f"correlation of a cluster's stability with its accuracy {r:.2f}."]


def novelty_table(lines: list[dict[str, Any]]) -> list[str]:
    """Markdown: mean and smallest AUC over the classes."""
    rows = [
        "| data | novelty AUC (smallest) | doubt AUC | both | known rows beyond 1 | new rows beyond 1 |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name in dict.fromkeys(line["data"] for line in lines):
        own = [line for line in lines if line["data"] == name]
        mean = {key: fmean(line[key] for line in own) for key in (*MEASURES, "known_beyond", "new_beyond")}
        least = min(line["novelty"] for line in own)
        areas = f"{mean['novelty']:.3f} ({least:.3f}) | {mean['doubt']:.3f} | {mean['both']:.3f}"
        rows.append(f"| {name} | {areas} | {mean['known_beyond']:.1%} | {mean['new_beyond']:.1%} |")
    return rows


if __name__ == "__main__":
    main()
