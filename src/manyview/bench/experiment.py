"""What a cell computes: load, order the rows, fit, score. No processes, no limits, no files of ours.

rows    =  0 .. N-1  as stored,  or  default_rng(100 + seed).permutation(N)
labels  =  estimator(n_clusters=K, random_state=seed, ...).fit([view[rows] for view in views]).labels_
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manyview.bench.methods import arrange, build
from manyview.bench.sources import load_source
from manyview.metrics import clustering_scores

SHUFFLE_SEED = 100  # the permutation that everything measured in this project uses


def run(inputs: Mapping[str, Any], file: str | None, measured: dict[str, Any], /) -> dict[str, Any]:
    """Compute the result of a cell; what differs from run to run, the times, goes to `measured`."""
    views, y_true = load_source(inputs["data"], file)
    n_samples = views[0].shape[0]
    rows = row_order(n_samples, inputs["order"], inputs["seed"])  # (N,)
    views = [view[rows] for view in views]
    method = inputs["method"]
    estimator = build(
        method["estimator"],
        {**method["params"], **method["grid"]},
        n_clusters=_n_clusters(inputs["data"], y_true),
        seed=inputs["seed"],
    )
    y_pred = _fit(estimator, views, method, measured)
    if y_pred.shape != (n_samples,):
        raise ValueError(f"labels of shape {y_pred.shape} for {n_samples} samples")
    return {
        "n_samples": n_samples,
        "n_clusters": len(np.unique(y_pred)),
        "scores": {} if y_true is None else clustering_scores(y_true[rows], y_pred),
        "partition": partition_digest(y_pred[np.argsort(rows)]),
        "recorded": {name: plain(getattr(estimator, name)) for name in method["record"]},
    }


def row_order(n_samples: int, order: str, seed: int, /) -> NDArray[np.intp]:
    """Return which stored row comes first, second, ..."""
    if order == "as-stored":
        return np.arange(n_samples)
    return np.random.default_rng(SHUFFLE_SEED + seed).permutation(n_samples)


def partition_digest(labels: NDArray[Any], /) -> str:
    """Compute the SHA-256 of a partition, which does not depend on the names of its clusters."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    by_appearance = np.argsort(np.argsort(first))[codes.ravel()]
    return hashlib.sha256(by_appearance.astype("<i8").tobytes()).hexdigest()


def _n_clusters(data: Mapping[str, Any], y_true: NDArray[Any] | None) -> int | None:
    if data["n_clusters"] is not None:
        return int(data["n_clusters"])
    return None if y_true is None else len(np.unique(y_true))


def _fit(estimator: Any, views: list[Any], method: Mapping[str, Any], measured: dict[str, Any]) -> NDArray[Any]:
    wall, cpu = time.perf_counter(), time.process_time()
    X = arrange(views, method["concatenate"], method.get("scale"))  # scaling is work of the method, so it counts
    estimator.fit(X)
    measured["seconds"] = time.perf_counter() - wall
    measured["cpu_seconds"] = time.process_time() - cpu
    labels = estimator.labels_ if hasattr(estimator, "labels_") else estimator.predict(X)
    return np.asarray(labels)


def plain(value: Any, /) -> Any:
    """Convert a fitted attribute to JSON: arrays become lists, named fields tables, infinite numbers and NaN null."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: plain(getattr(value, item.name)) for item in dataclasses.fields(value)}
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (str, bool, int)):
        return value
    raise TypeError(f"cannot record a {type(value).__name__}; record numbers, strings, arrays, lists or tables")
