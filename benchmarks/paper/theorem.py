"""What Theorem 2 assumes and concludes, iteration by iteration, in fits of Algorithm 1.

    python benchmarks/paper/theorem.py [--data ../shared/data] [--out docs/results]      -> paper-theorem.jsonl

Assumption (taken with k to infinity, the text prints k to 0):   max(mu_k, rho_k) (H_(k+1) - H_k) -> 0
Conclusion:                                                        Y1, Y2 bounded, H - Q -> 0, Q - J -> 0

``moved`` is the largest entry of H_(k+1) - H_k, ``largest`` that of H. Y1 changes by mu (H - Q) in an iteration, so
that mu times the largest entry of H - Q tells whether it stays bounded.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from evidence import AXES, PAPER
from runs import DATA, RESULTS, Point, fitted, load, present, run

from manyview import SemiNTF

ITERATIONS = 100


def followed(at: Point, folder: Path) -> dict[str, list[float]]:
    """Penalty, residuals and movement of every iteration: a fit that is continued one iteration at a time."""
    views, labels = load(at["data"], folder)
    options = {name: at[name] for name in ("axis", "n_anchors", "lam", "p")}
    model = SemiNTF.paper(int(labels.max()) + 1, tol=0.0, random_state=0, n_jobs=1, **options)
    before: Any = 0.0
    moved, largest = [], []
    with tempfile.TemporaryDirectory() as state:
        for n_iter in range(1, ITERATIONS + 1):
            fitted(model.set_params(max_iter=n_iter), views, checkpoint=state, checkpoint_every=1)
            H = np.asarray(model.indicator_)
            moved.append(float(np.abs(H - before).max()))
            largest.append(float(np.abs(H).max()))
            before = H
    of = {"mu": "mu", "HQ": "residual_HQ", "QJ": "residual_QJ"}
    return {
        **{name: [float(f"{x:.4g}") for x in model.history_[theirs]] for name, theirs in of.items()},
        "moved": [float(f"{x:.4g}") for x in moved],
        "largest": [float(f"{x:.4g}") for x in largest],
    }


def main() -> None:
    """Measure and append."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the .npz")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the journal")
    options = parser.parse_args()
    points = [{"data": data, "axis": axis, **PAPER[data]} for data, axis in itertools.product(PAPER, AXES)]
    here = [at for at in points if present(at["data"], options.data)]
    run(options.out / "paper-theorem.jsonl", here, lambda at: followed(at, options.data))


if __name__ == "__main__":
    main()
