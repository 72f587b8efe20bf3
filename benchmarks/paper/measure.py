"""Properties of files and fits behind docs/paper.md that are no scores of a grid.

    python benchmarks/paper/measure.py [--minutes 5] [--data FOLDER] [--out docs/results]      -> paper-measures.jsonl

rows       how the classes lie along the rows, and what a norm along them makes of it
energy     from fits of Algorithm 1, rows shuffled: e_v = Σ_k H_v[i, k]², the energy of sample i in view v, and the
           largest share max_v e_v / Σ_v e_v. Under H' * H = I and H >= 0 it is 1 for every sample; if all views say
           the same, 1 / V. Beside it the same algorithm with H_v' H_v = I in every view (transform "identity")
carried    rows as stored and shuffled from one start that goes with the rows: what is left is the order alone
blocks     accuracy along the samples on shuffled rows for blocks of neighboring rows, as large as the classes
rounding   the same file read in single and in double precision
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from evidence import PAPER
from numpy.typing import NDArray
from order_audit import DATA as AUDITED
from runs import DATA, RESULTS, Point, drawn, fitted, load, present, run

from manyview import SemiNTF
from manyview.metrics import accuracy, adjusted_rand_index

FITTED = ("mnist4", "handwritten", "msrcv1_5")
LAMBDAS = (1e-3, 1e3)
AXES = ("views", "samples")
POWER = 0.7  # p of the preset
SHUFFLES = 5
TRANSFORMS = {"dft": "orthogonal under the t-product", "identity": "orthogonal in every view"}
BINS = np.linspace(0.0, 1.0, 41)
Views = list[Any]
Labels = NDArray[np.intp]


def rows(at: Point, views: Views, y: Labels) -> dict[str, Any]:
    """How the classes lie along the rows, and how many times as large the norm along samples is after a shuffle."""
    shuffled = [norm_along_samples(np.random.default_rng(100 + s).permutation(y)) for s in range(SHUFFLES)]
    return {
        "rows": len(y),
        "classes": int(y.max()) + 1,
        "runs": int(np.sum(y[1:] != y[:-1])) + 1,
        "norm_ratio": round(float(np.mean(shuffled) / norm_along_samples(y)), 3),
    }


def norm_along_samples(y: Labels) -> float:
    """Σ σ^p of an H that is the classes themselves in every view, transformed along its rows; up to a factor.

    All views are equal, so that the (K, V) slice of a frequency has rank one.
    """
    indicator = np.eye(int(y.max()) + 1)[y] / np.sqrt(np.bincount(y))  # (N, K), orthonormal columns
    return float(np.sum(np.linalg.norm(np.fft.fft(indicator, axis=0), axis=1) ** POWER))


def energy(at: Point, views: Views, y: Labels) -> dict[str, Any]:
    """Where the energy of the samples sits after a fit."""
    views, y = drawn(views, y, "shuffled", 0)
    model = SemiNTF.paper(int(y.max()) + 1, lam=at["lam"], view_transform=at["transform"], n_jobs=1)
    fitted(model, views)
    return {"acc": round(accuracy(y, model.labels_), 4), **describe(np.asarray(model.indicator_))}


def describe(H: NDArray[np.float64]) -> dict[str, Any]:
    """Largest share of a sample's energy in one view, over all samples that have any; and how the views correlate."""
    of_view = (H**2).sum(axis=2)  # (V, N)
    total = of_view.sum(axis=0)
    share = of_view[:, total > 0].max(axis=0) / total[total > 0]
    correlations = np.asarray(np.corrcoef(H.reshape(len(H), -1)))[np.triu_indices(len(H), 1)]
    return {
        "views": len(H),
        "samples": int(H.shape[1]),
        "without_energy": int(np.sum(total == 0)),
        "share_median": round(float(np.median(share)), 4),
        "over_99": round(float(np.mean(share > 0.99)), 4),
        "correlation": round(float(np.mean(correlations)), 4),
        "histogram": [int(count) for count in np.histogram(share, BINS)[0]],
    }


def carried(at: Point, views: Views, y: Labels) -> dict[str, Any]:
    """Identity on the first K stored rows, wherever they went; other frequencies get perturbed copies of it."""
    K, start = int(y.max()) + 1, np.eye(len(y), int(y.max()) + 1)
    order = np.random.default_rng(100).permutation(len(y))
    options = {"axis": at["axis"], "random_state": 0, "n_jobs": 1}
    stored = fitted(SemiNTF.paper(K, start=start, **options), views)
    shuffled = fitted(SemiNTF.paper(K, start=start[order], **options), [view[order] for view in views])
    return {
        "ari": round(float(adjusted_rand_index(stored.labels_[order], shuffled.labels_)), 4),
        "acc_stored": round(accuracy(y, stored.labels_), 4),
        "acc_shuffled": round(accuracy(y[order], shuffled.labels_), 4),
    }


def blocks(at: Point, views: Views, y: Labels) -> dict[str, Any]:
    """By chance: the same labels against blocks in 20 random orders of the rows."""
    positions, (views, y) = np.sort(y), drawn(views, y, "shuffled", at["draw"])
    model = SemiNTF.paper(int(y.max()) + 1, axis="samples", n_jobs=1, **PAPER[at["data"]])
    found, rng = fitted(model, views).labels_, np.random.default_rng(at["draw"])
    return {
        "classes": round(accuracy(y, found), 4),
        "blocks": round(accuracy(positions, found), 4),
        "chance": round(float(np.mean([accuracy(rng.permutation(positions), found) for _ in range(20)])), 4),
    }


def rounding(at: Point, views: Views, y: Labels) -> dict[str, Any]:
    """The preset on the file as stored."""
    model = SemiNTF.paper(int(y.max()) + 1, axis=at["axis"], n_jobs=1)
    return {"acc": round(accuracy(y, fitted(model, [view.astype(at["precision"]) for view in views]).labels_), 4)}


MEASURES: dict[str, Callable[[Point, Views, Labels], dict[str, Any]]] = {
    of.__name__: of for of in (rows, energy, carried, blocks, rounding)
}


def points() -> Iterator[Point]:
    """Everything that is measured, data set after data set."""
    for data in dict.fromkeys((*AUDITED, *FITTED)):
        if data in AUDITED:
            yield {"what": "rows", "data": data}
        if data in FITTED:
            for transform, lam in itertools.product(TRANSFORMS, LAMBDAS):
                yield {"what": "energy", "data": data, "transform": transform, "lam": lam}
            for axis in AXES:
                yield {"what": "carried", "data": data, "axis": axis}
                for precision in ("float32", "float64"):
                    yield {"what": "rounding", "data": data, "axis": axis, "precision": precision}
        if data in PAPER:
            for draw in range(SHUFFLES):
                yield {"what": "blocks", "data": data, "draw": draw}


def main() -> None:
    """Measure and append."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after this time")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the .npz")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the journal")
    options = parser.parse_args()
    loaded: dict[str, tuple[Views, Labels]] = {}

    def measured(at: Point) -> dict[str, Any]:
        if at["data"] not in loaded:
            loaded.clear()
            loaded[at["data"]] = load(at["data"], options.data)
        return MEASURES[at["what"]](at, *loaded[at["data"]])

    here = [at for at in points() if present(at["data"], options.data)]
    run(options.out / "paper-measures.jsonl", here, measured, time.monotonic() + 60 * options.minutes)


if __name__ == "__main__":
    main()
