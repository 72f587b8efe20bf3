"""What predict is worth: a fit on half of the rows labels the other half, beside a fit on all rows.

    python benchmarks/quality/predict.py [--data ../shared/data] [--out FILE] [--draws 5] [--sets ...]

Rows are shuffled and halved. Every score is the accuracy on the second half, each with a matching of its own:

* all: one fit on all rows;
* half: a fit on the first half, which then labels the second;
* all, one view withheld: one fit on all rows, in which the second half lacks a view (another view in every draw);
* half, one view withheld: the fit on the first half labels the second without that view.

Draws that the journal has are not run again.
"""

from __future__ import annotations

import argparse
import json
import warnings
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from missing import Views, load

from manyview import AnchorGraphClustering
from manyview.metrics import accuracy

ROOT = Path(__file__).parents[2]
SETS = ("handwritten", "mnist4", "scene15", "bbcsport", "ngs", "cub_c10", "msrcv1_5", "tcga_breast")
WAYS = ("all", "half", "all, one view withheld", "half, one view withheld")


def main() -> None:
    """Run what the journal lacks, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="folder of the .npz")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "results" / "predict.jsonl")
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = [json.loads(line) for line in options.out.read_text().splitlines()] if options.out.exists() else []
    done = {(line["data"], line["draw"]) for line in lines}
    with options.out.open("a", encoding="utf-8") as file:
        for draw in range(options.draws):
            for name in options.sets:
                if (name, draw) in done:
                    continue
                views, labels = load(options.data / f"{name}.npz", draw)
                line = {"data": name, "draw": draw} | measure(views, labels, draw)
                lines.append(line)
                file.write(json.dumps(line) + "\n")
                file.flush()
    print("\n".join(table(lines)))


def measure(views: Views, labels: Any, draw: int) -> dict[str, float]:
    """Accuracy of the four ways on the second half."""
    K, first = int(labels.max()) + 1, len(labels) // 2
    halves = [view[:first] for view in views], [view[first:] for view in views]
    withheld = [view.copy() for view in views]
    withheld[draw % len(views)][first:] = np.nan
    model = AnchorGraphClustering(K, random_state=draw).fit(halves[0])
    found = {
        "all": AnchorGraphClustering(K, random_state=draw).fit(views).labels_[first:],
        "half": model.predict(halves[1]),
        "all, one view withheld": AnchorGraphClustering(K, random_state=draw).fit(withheld).labels_[first:],
        "half, one view withheld": model.predict([view[first:] for view in withheld]),
    }
    return {way: round(float(accuracy(labels[first:], np.asarray(found[way]))), 4) for way in WAYS}


def table(lines: list[dict[str, Any]]) -> list[str]:
    """Markdown lines: mean accuracy over the draws, and what predict loses to the fit on all."""
    found = ["| data | draws | all | half | loss | all, one view withheld | half, one view withheld | loss |"]
    found.append("|---|" + "--:|" * 7)
    for name in SETS:
        of_set = [line for line in lines if line["data"] == name]
        if of_set:
            all_, half, less, half_less = (fmean(line[way] for line in of_set) for way in WAYS)
            cells = (
                f"{all_:.3f} | {half:.3f} | {all_ - half:+.3f} | {less:.3f} | {half_less:.3f} | {less - half_less:+.3f}"
            )
            found.append(f"| {name} | {len(of_set)} | {cells} |")
    return found


if __name__ == "__main__":
    main()
