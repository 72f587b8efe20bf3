"""Settings of the baselines whose published scores we do not reach: do any explain the gap?

    python benchmarks/paper/gaps.py [METHOD ...] [--minutes 5] [--data FOLDER] [--out FOLDER]      -> paper-gaps.jsonl

The Semi-NTF paper does not say how it set them. The grids are those of the methods' own papers and programs: LMVSC m in
{K, 50, 100} and alpha in {.01, 1, 100}; FMCNOF m of K + 3 to K + 9 in three readings; SFMC its share of anchors; MVGL
its number of neighbors, with local graphs. Rows as stored.
"""

from __future__ import annotations

import argparse
import itertools
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from runs import BASELINES, DATA, RESULTS, Point, load, present, run, scores
from sklearn.exceptions import ConvergenceWarning

from manyview.cluster.fmcnof import FMCNOF
from manyview.cluster.lmvsc import LMVSC
from manyview.cluster.mvgl import MVGL
from manyview.cluster.sfmc import SFMC

CLASSES = {"mnist4": 4, "scene15": 15}
METHODS: dict[str, Any] = {"LMVSC": LMVSC, "FMCNOF": FMCNOF, "SFMC": SFMC, "MVGL": MVGL}
SCALES = ("none", "max", "z")


def settings(method: str, K: int) -> Iterator[dict[str, Any]]:
    """Scaling of the views, parameters, seed."""
    if method == "LMVSC":
        for scale, m, alpha in itertools.product(("none", "z"), (K, 50, 100), (0.01, 1.0, 100.0)):
            yield {"scale": scale, "n_anchors": m, "alpha": alpha, "random_state": 0}
    if method == "FMCNOF":
        for variant, m, seed in itertools.product(("released", "corrected", "paper"), (3, 5, 7, 9), range(5)):
            yield {"scale": "none", "variant": variant, "n_anchors": K + m, "random_state": seed}
    if method == "SFMC":
        for scale, share in itertools.product(SCALES, (0.02, 0.05, 0.1, 0.2)):
            yield {"scale": scale, "n_anchors": share}
    if method == "MVGL":
        for k in (3, 15, 40, 50):
            yield {"scale": "none", "local": True, "n_neighbors": k}


def measured(at: Point, folder: Path) -> dict[str, Any]:
    """Scores of one fit, and its processor seconds."""
    views, labels = load(at["data"], folder)
    if at["scale"] == "max":
        views = [view / view.max() for view in views]
    elif at["scale"] == "z":
        views = [(view - view.mean(axis=0)) / view.std(axis=0) for view in views]
    options = {name: value for name, value in at.items() if name not in ("data", "method", "scale")}
    before = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = METHODS[at["method"]](CLASSES[at["data"]], **options).fit(views).labels_
    return {"scores": scores(labels, found), "cpu_seconds": round(time.process_time() - before, 1)}


def main() -> None:
    """Measure and append."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("methods", nargs="*", help="which methods; all unless named", metavar="METHOD")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after this time")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the .npz")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the journal")
    options = parser.parse_args()
    points = [
        {"data": data, "method": method, **of}
        for method in options.methods or METHODS
        for data, K in CLASSES.items()
        if present(data, options.data)
        for of in settings(method, K)
    ]
    end = time.monotonic() + 60 * options.minutes
    run(options.out / "paper-gaps.jsonl", points, lambda at: measured(at, options.data), end, BASELINES)


if __name__ == "__main__":
    main()
