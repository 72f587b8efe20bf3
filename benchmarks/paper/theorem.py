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
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from ceiling import anchor_graphs
from evidence import AXES, PAPER
from runs import DATA, RESULTS, Point, load, present, run

from manyview.cluster.semi_ntf.admm import FactorBlock, Loop, Options, factorize, first_block
from manyview.cluster.semi_ntf.coupling import Coupling
from manyview.cluster.semi_ntf.settings import PAPER as PRESET
from manyview.engine import Engine, MemoryEngine, Rows
from manyview.kernels.tproduct import to_views, view_transform

ITERATIONS = 100
STEPS = 4  # of the scalar threshold, as in the group's program


class Follower:
    """Notes after every iteration how far H moved, and its largest entry."""

    def __init__(self) -> None:
        self.before: Any = 0.0
        self.moved: list[float] = []
        self.largest: list[float] = []

    def resume(self, rows: Rows[Any], engine: Engine, loop: Loop, /) -> tuple[Rows[Any], Loop]:
        """Start from the given start."""
        return rows, loop

    def keep(self, rows: Rows[Any], engine: Engine, loop: Loop, /) -> None:
        """Compare H with the one before."""
        H = np.concatenate([block.H for block in rows], axis=1)
        self.moved.append(float(np.abs(H - self.before).max()))
        self.largest.append(float(np.abs(H).max()))
        self.before = H.copy()


def followed(views: list[Any], K: int, at: Point, n_iter: int = ITERATIONS) -> dict[str, list[float]]:
    """Penalty, residuals and movement of every iteration of Algorithm 1."""
    V, N, m = len(views), len(views[0]), at["n_anchors"]
    S = tuple(sp.csr_array(part) for part in np.hsplit(anchor_graphs(views, m), V))
    transform, coupling = view_transform("dft", V), Coupling(at["axis"], at["lam"], at["p"], STEPS)
    identity = np.broadcast_to(np.eye(N, K), (len(transform.energy), N, K)).astype(complex)
    rows: list[FactorBlock] = [
        first_block(0, S, to_views(transform, identity), H=np.zeros((V, N, K)), coupled=True),
    ]
    options = Options(transform, coupling, PRESET["mu"], PRESET["rho"], PRESET["eta"], n_iter, 0.0)
    follower, engine = Follower(), MemoryEngine(n_jobs=1)
    with engine.running():
        history = factorize(rows, engine, options, keeper=follower).history
    of = {"mu": history["mu"], "HQ": history["residual_HQ"], "QJ": history["residual_QJ"]}
    of |= {"moved": follower.moved, "largest": follower.largest}
    return {name: [float(f"{x:.4g}") for x in values] for name, values in of.items()}


def measured(at: Point, folder: Path) -> dict[str, list[float]]:
    """Follow a fit on rows as stored."""
    views, labels = load(at["data"], folder)
    return followed(views, int(labels.max()) + 1, at)


def main() -> None:
    """Measure and append."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the .npz")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the journal")
    options = parser.parse_args()
    points = [{"data": data, "axis": axis, **PAPER[data]} for data, axis in itertools.product(PAPER, AXES)]
    here = [at for at in points if present(at["data"], options.data)]
    run(options.out / "paper-theorem.jsonl", here, lambda at: measured(at, options.data))


if __name__ == "__main__":
    main()
