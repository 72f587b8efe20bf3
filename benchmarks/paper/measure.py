"""What the journals do not hold: how the rows of the files lie, and where a sample's energy sits in H.

    python benchmarks/paper/measure.py [--data ../shared/data] [--out docs/results]

paper-rows.json      how the classes lie along the rows, and what a norm along them makes of it
paper-carried.json   whether the order of the rows matters when the start goes with them
paper-rounding.json  what single and double precision do
paper-jitter.json    what noise of a millionth does
paper-corner.json    the view axis at the corner of the paper's grid that suits it, smallest lambda and most anchors
paper-blocks.json    what the sample axis finds of blocks of neighboring rows that have nothing to do with the views
paper-energy.json    from fits of Algorithm 1: e_v = Σ_k H_v[i, k]², the energy of sample i in view v, and the largest
                     share max_v e_v / Σ_v e_v. Under H' * H = I and H >= 0 it is 1 for every sample; if all views say
                     the same, 1 / V. Beside it the same algorithm with H_v' H_v = I in every view.
"""

from __future__ import annotations

import argparse
import itertools
import json
import warnings
from pathlib import Path
from typing import Any, Literal

import numpy as np
from cells import RESULTS
from numpy.typing import NDArray
from order_audit import DATA
from sklearn.exceptions import ConvergenceWarning

from manyview import RowOrderWarning, SemiNTF
from manyview.datasets import read_views
from manyview.metrics import accuracy, adjusted_rand_index

FITTED = ("mnist4", "handwritten", "msrcv1_5")
LAMBDAS = (1e-3, 1e3)
POWER = 0.7  # p of the preset
SETTINGS: dict[str, dict[str, Any]] = {  # the paper's, as in tables.toml
    "mnist4": {"n_anchors": 24, "p": 0.7},
    "scene15": {"n_anchors": 31, "p": 0.1},
}
CORNER: dict[str, Any] = {"n_anchors": 100, "lam": 100.0}
SHUFFLES = 5
JITTERS, NOISE = 5, np.float32(1e-6)
TRANSFORMS = {"dft": "orthogonal under the t-product", "identity": "orthogonal in every view"}
BINS = np.linspace(0.0, 1.0, 41)


def main() -> None:
    """Measure and write."""
    root = Path(__file__).parents[2]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=root.parent / "shared" / "data", help="folder of the .npz")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the results")
    options = parser.parse_args()
    files = {name: options.data / f"{name}.npz" for name in (*DATA, *FITTED)}
    absent = [name for name, file in files.items() if not file.exists()]
    if absent:
        return print(f"not measured again, here is no {', '.join(absent)}")
    _write(options.out / "paper-rows.json", {name: arrangement(_load(files[name])[1]) for name in DATA})
    fitted = {name: files[name] for name in FITTED}
    _write(
        options.out / "paper-jitter.json",
        [jittered(name, files[name], axis) for axis in ("samples", "views") for name in DATA],
    )
    _write(options.out / "paper-rounding.json", [fit for name, file in fitted.items() for fit in rounding(name, file)])
    mine = {name: files[name] for name in SETTINGS}
    _write(options.out / "paper-corner.json", [corner(name, file) for name, file in mine.items()])
    _write(options.out / "paper-blocks.json", [blocks(name, file) for name, file in mine.items()])
    _write(options.out / "paper-energy.json", [fit for name, file in fitted.items() for fit in energies(name, file)])
    _write(options.out / "paper-carried.json", [fit for name, file in fitted.items() for fit in carried(name, file)])


def arrangement(labels: Any) -> dict[str, float]:
    """How the classes lie along the rows, and how many times as large the norm along samples is after a shuffle."""
    y = np.unique(labels, return_inverse=True)[1]
    shuffled = [norm_along_samples(np.random.default_rng(100 + s).permutation(y)) for s in range(5)]
    return {
        "rows": len(y),
        "classes": int(y.max()) + 1,
        "runs": int(np.sum(y[1:] != y[:-1])) + 1,
        "norm_ratio": float(np.mean(shuffled) / norm_along_samples(y)),
    }


def norm_along_samples(y: NDArray[np.intp]) -> float:
    """Σ σ^p of an H that is the classes themselves in every view, transformed along its rows; up to a factor.

    All views are equal, so that the (K, V) slice of a frequency has rank one.
    """
    indicator = np.eye(int(y.max()) + 1)[y] / np.sqrt(np.bincount(y))  # (N, K), orthonormal columns
    return float(np.sum(np.linalg.norm(np.fft.fft(indicator, axis=0), axis=1) ** POWER))


def energies(name: str, file: Path) -> list[dict[str, Any]]:
    """Fits of Algorithm 1 along views on shuffled rows, in both domains of orthogonality."""
    views, labels, K = _load(file)
    order = np.random.default_rng(100).permutation(len(labels))
    views = [view[order] for view in views]
    fits = []
    for transform, lam in itertools.product(TRANSFORMS, LAMBDAS):
        model = _fit(SemiNTF.paper(K, lam=lam, view_transform=transform, n_jobs=1), views)
        about = {"data": name, "transform": transform, "lam": lam, "acc": accuracy(labels[order], model.labels_)}
        residual = float(model.history_["residual_HQ"][-1] / np.sqrt(K / len(labels)))
        fits.append({**about, "residual_HQ": residual, **describe(np.asarray(model.indicator_))})
    return fits


def carried(name: str, file: Path) -> list[dict[str, Any]]:
    """Rows as stored and shuffled from one start that goes with the rows: what is left is the order alone."""
    views, labels, K = _load(file)
    order, start = np.random.default_rng(100).permutation(len(labels)), np.eye(len(labels), K)
    found = []
    for axis in ("views", "samples"):
        stored = _fit(SemiNTF.paper(K, axis=axis, start=start, random_state=0, n_jobs=1), views)
        shuffled = _fit(
            SemiNTF.paper(K, axis=axis, start=start[order], random_state=0, n_jobs=1), [view[order] for view in views]
        )
        found.append(
            {
                "data": name,
                "axis": axis,
                "ari": float(adjusted_rand_index(stored.labels_[order], shuffled.labels_)),
                "acc_stored": accuracy(labels, stored.labels_),
                "acc_shuffled": accuracy(labels[order], shuffled.labels_),
            }
        )
    return found


def corner(name: str, file: Path) -> dict[str, Any]:
    """Accuracy along the views at the best corner of the paper's grid, on rows as stored and shuffled."""
    views, labels, K = _load(file)
    options = SETTINGS[name] | CORNER
    scores: dict[str, list[float]] = {"stored": [], "shuffled": []}
    for seed in range(SHUFFLES + 1):
        rows = np.random.default_rng(99 + seed).permutation(len(labels)) if seed else np.arange(len(labels))
        model = _fit(SemiNTF.paper(K, axis="views", n_jobs=1, **options), [view[rows] for view in views])
        scores["shuffled" if seed else "stored"].append(accuracy(labels[rows], model.labels_))
    return {"data": name, **options, **scores}


def blocks(name: str, file: Path) -> dict[str, Any]:
    """Accuracy along the samples on shuffled rows, for blocks of neighboring rows instead of the classes.

    The blocks are as large as the classes. By chance: the same labels against blocks in 20 random orders of the rows.
    """
    views, labels, K = _load(file)
    positions = np.sort(labels)
    scores: dict[str, list[float]] = {"classes": [], "blocks": [], "chance": []}
    for seed in range(SHUFFLES):
        rows = np.random.default_rng(100 + seed).permutation(len(labels))
        model = SemiNTF.paper(K, axis="samples", n_jobs=1, **SETTINGS[name])
        found, rng = _fit(model, [view[rows] for view in views]).labels_, np.random.default_rng(seed)
        scores["classes"].append(accuracy(labels[rows], found))
        scores["blocks"].append(accuracy(positions, found))
        scores["chance"].append(float(np.mean([accuracy(rng.permutation(positions), found) for _ in range(20)])))
    return {"data": name, **scores}


def rounding(name: str, file: Path) -> list[dict[str, Any]]:
    """Rows as stored, read in single and in double precision: the same numbers, other last bits on the way."""
    views, labels, K = _load(file)
    found = []
    for axis in ("views", "samples"):
        about: dict[str, Any] = {"data": name, "axis": axis}
        for precision in (np.float32, np.float64):
            model = _fit(SemiNTF.paper(K, axis=axis, n_jobs=1), [view.astype(precision) for view in views])
            about[f"acc_{precision.__name__}"] = accuracy(labels, model.labels_)
        found.append(about)
    return found


def jittered(name: str, file: Path, axis: Literal["views", "samples"]) -> dict[str, Any]:
    """Pairs of fits on data with noise of a millionth, rows as stored and shuffled: only the order differs in a pair.

    Algorithm 1 follows such noise (its choice of anchors doubles it at every pick), so that one fit is one draw.
    """
    data = read_views(str(file))
    labels, views = np.asarray(data.labels), [np.asarray(view) for view in data.views.values()]
    scores: dict[str, list[float]] = {"stored": [], "shuffled": []}
    for seed in range(JITTERS):
        rng = np.random.default_rng(200 + seed)
        noisy = [view * (1 + NOISE * rng.standard_normal(view.shape, dtype=np.float32)) for view in views]
        shuffle = np.random.default_rng(100 + seed).permutation(len(labels))
        for order, rows in (("stored", np.arange(len(labels))), ("shuffled", shuffle)):
            model = SemiNTF.paper(len(np.unique(labels)), axis=axis, n_jobs=1, **SETTINGS.get(name, {}))
            scores[order].append(accuracy(labels[rows], _fit(model, [view[rows] for view in noisy]).labels_))
    return {"data": name, "axis": axis, **scores}


def _load(file: Path) -> tuple[list[NDArray[np.float64]], NDArray[np.intp], int]:
    data = read_views(str(file))
    labels = np.unique(np.asarray(data.labels), return_inverse=True)[1]
    return [np.asarray(view, dtype=np.float64) for view in data.views.values()], labels, int(labels.max()) + 1


def _fit(model: SemiNTF, views: list[NDArray[Any]]) -> SemiNTF:
    with warnings.catch_warnings():  # residuals that stall and the order of the rows are what this is about
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", RowOrderWarning)
        return model.fit(views)


def describe(H: NDArray[np.float64]) -> dict[str, Any]:
    """Largest share of a sample's energy in one view, over all samples that have any; and how the views correlate."""
    energy = (H**2).sum(axis=2)  # (V, N)
    total = energy.sum(axis=0)
    share = energy[:, total > 0].max(axis=0) / total[total > 0]
    correlations = np.asarray(np.corrcoef(H.reshape(len(H), -1)))[np.triu_indices(len(H), 1)]
    return {
        "views": len(H),
        "samples": int(H.shape[1]),
        "without_energy": int(np.sum(total == 0)),
        "share_median": float(np.median(share)),
        "over_99": float(np.mean(share > 0.99)),
        "correlation": float(np.mean(correlations)),
        "histogram": [int(count) for count in np.histogram(share, BINS)[0]],
    }


def _write(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
