"""Processor seconds of Algorithm 1 against the number of rows.

    python benchmarks/paper/cost.py [--out docs/results]      -> paper-cost.jsonl

One thread, 10 clusters, three views, 30 anchors, 20 iterations.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from evidence import AXES
from runs import RESULTS, Point, fitted, run

from manyview import SemiNTF
from manyview.datasets import make_views

ROWS = (2_000, 8_000, 32_000)


def timed(at: Point) -> dict[str, Any]:
    """Processor seconds of a fit."""
    data = make_views(at["rows"], 10, widths=(30, 20, 40), random_state=0)
    model = SemiNTF.paper(10, axis=at["axis"], n_anchors=30, max_iter=20, n_jobs=1)
    before = time.process_time()
    fitted(model, list(data.views.values()))
    return {"cpu_seconds": round(time.process_time() - before, 2)}


def main() -> None:
    """Measure and append."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the journal")
    options = parser.parse_args()
    points: list[Point] = [{"data": "made", "rows": rows, "axis": axis} for axis in AXES for rows in ROWS]
    run(options.out / "paper-cost.jsonl", points, timed)


if __name__ == "__main__":
    main()
