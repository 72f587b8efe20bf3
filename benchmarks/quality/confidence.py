"""Does confidence mean something: accuracy of sure and of doubtful rows on the shared data sets.

    python benchmarks/quality/confidence.py [--data ../shared/data] [--out docs/results] [--seeds 1]

AnchorGraphClustering with its defaults and the true K, rows shuffled. Clusters are matched to classes once, for all
rows; then the accuracy of the more confident half is compared with that of the other, and of rows where the views
contradict the label with that of the rest. Writes ``confidence.jsonl`` and the reliability figure ``confidence.png``;
prints the table.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from choose_k import LEFT_OUT, ROOT, load
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from sklearn.metrics import roc_auc_score

from manyview import AnchorGraphClustering
from manyview.metrics import match_labels

BINS = 10  # tenths of the rows of a data set, by confidence
BLUE, GRAY, ORANGE = "#2a6f97", "#b8c4ce", "#c8553d"


def main() -> None:
    """Measure, write, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="folder of the .npz")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "results", help="folder of the results")
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    lines: list[dict[str, Any]] = []
    with (options.out / "confidence.jsonl").open("w", encoding="utf-8") as file:
        for path in sorted(options.data.glob("*.npz")):
            for seed in range(0 if path.stem == LEFT_OUT else options.seeds):
                lines.append({"data": path.stem, "seed": seed, **measure(*load(path, seed), seed)})
                file.write(json.dumps(lines[-1]) + "\n")
                file.flush()
    draw(lines, options.out / "confidence.png")
    print("\n".join(table(lines)))


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


def draw(lines: list[dict[str, Any]], path: Path) -> None:
    """Left: accuracy over tenths of the rows, from sure to doubtful, every set and the mean. Right: the two halves."""
    figure = Figure(figsize=(10.5, 4.6), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
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


if __name__ == "__main__":
    main()
