"""One-row predictions, as in a service: median and 99th percentile, beside scikit-learn's k-means.

    python benchmarks/one_row.py [--calls 2000] [--journal docs/results/reliability.jsonl]

The digits in four views, a new row in every call, one thread; processor time, so that other programs do not count.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

import manyview
from manyview.datasets import load_digits_views


def main() -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--journal", type=Path, help="file to which the result is added")
    options = parser.parse_args()
    views = list(load_digits_views().views.values())
    joined = np.hstack(views)
    rows = np.random.default_rng(0).integers(len(joined), size=options.calls)
    single = [[view[row : row + 1] for view in views] for row in rows]
    models: dict[str, tuple[Any, Callable[[int], Any]]] = {
        "AnchorGraphClustering": (manyview.AnchorGraphClustering(10, random_state=0).fit(views), single.__getitem__),
        "SemiNTF": (manyview.SemiNTF(10, random_state=0).fit(views), single.__getitem__),
        "KMeans": (KMeans(10, n_init=1, random_state=0).fit(joined), lambda i: joined[rows[i] : rows[i] + 1]),
    }
    for name, (model, row) in models.items():
        line = {"kind": "one row", "method": name, "calls": options.calls} | measured(model, row, options.calls)
        print(json.dumps(line))
        if options.journal:
            with options.journal.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")


def measured(model: Any, row: Callable[[int], Any], n_calls: int, /) -> dict[str, float]:
    """Return the median and the 99th percentile of processor time per call, in milliseconds."""
    taken = np.empty(n_calls)
    for i in range(n_calls):
        X = row(i)
        start = time.thread_time_ns()
        model.predict(X)
        taken[i] = time.thread_time_ns() - start
    half, high = np.quantile(taken[n_calls // 10 :], [0.5, 0.99]) / 1e6  # the first calls warm up
    return {"median": round(float(half), 3), "p99": round(float(high), 3)}


if __name__ == "__main__":
    main()
