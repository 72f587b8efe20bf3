"""The features that set clusters apart.

    effect of feature f on cluster k = (mean inside - mean outside) / s_f        s_f: deviation within clusters

Works for every method, because it needs labels and tables only. Tables are read twice, in row blocks: squares about
the cluster means lose no digits, whatever the scale of a feature. Rows that lack a view do not count in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, TypedDict

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from manyview.report.summary.inputs import Inputs


class FeatureShift(TypedDict):
    """A feature of one cluster."""

    view: str
    feature: str
    effect: float  # difference of means in deviations within clusters
    inside: float
    outside: float


class Heatmap(TypedDict):
    """Clusters against the features that set them apart most."""

    views: list[str]  # of every feature
    features: list[str]
    clusters: list[Any]
    effects: list[list[float]]  # (K, F)


class Effects(NamedTuple):
    """All features of one view."""

    effect: NDArray[np.float64]  # (K, d)
    inside: NDArray[np.float64]
    outside: NDArray[np.float64]


def feature_effects(inputs: Inputs, /) -> list[Effects]:
    """Return the effects of all features on all clusters, per view."""
    assert inputs.missing is not None
    return [
        _effects(partial(_known_blocks, inputs, v), len(inputs.clusters), int(inputs.model.view_widths_[v]))
        for v in range(len(inputs.view_names))
    ]


def table_effects(table: NDArray[np.float64], codes: NDArray[np.intp], n_clusters: int, /) -> Effects:
    """Return the effects of all features of one table on clusters 0 … K - 1."""
    return _effects(lambda: iter([(table, _indicator(codes, n_clusters))]), n_clusters, table.shape[1])


def _effects(blocks: Callable[[], Iterator[tuple[Any, Any]]], K: int, d: int) -> Effects:
    total, squares, sizes = np.zeros((K, d)), np.zeros(d), np.zeros(K)
    for table, Z in blocks():
        total += _dense(Z @ table)
        sizes += np.asarray(Z.sum(axis=1)).ravel()
    means = total / np.maximum(sizes, 1)[:, None]
    for table, Z in blocks():
        if sp.issparse(table):
            own = _dense(Z @ table)
            squares += np.asarray(table.multiply(table).sum(axis=0)).ravel() - (2 * means * own).sum(axis=0)
            squares += (means**2 * np.asarray(Z.sum(axis=1)).reshape(-1, 1)).sum(axis=0)
        else:
            squares += ((table - Z.T @ means) ** 2).sum(axis=0)
    n, rest = sizes.sum(), sizes.sum() - sizes
    outside = (total.sum(axis=0) - total) / np.maximum(rest, 1)[:, None]
    within = np.maximum(squares, 0) / max(n - K, 1)
    grand = total.sum(axis=0) / max(n, 1)
    whole = within + (sizes[:, None] * (means - grand) ** 2).sum(axis=0) / max(n, 1)
    # a feature may be constant within all clusters
    deviation = np.sqrt(np.maximum(within, 1e-6**2 * whole))
    known = (sizes > 0) & (rest > 0)
    effect = (means - outside) / np.where(deviation > 0, deviation, np.inf) * known[:, None]
    return Effects(effect, means, outside)


def _known_blocks(inputs: Inputs, v: int) -> Iterator[tuple[Any, Any]]:
    """Yield the present rows of every block (n, d) with the indicator of their clusters (K, n)."""
    assert inputs.missing is not None
    for start, block in inputs.blocks(v):
        present = ~inputs.missing[v, start : start + block.shape[0]]
        table = (block if present.all() else block[present]).astype(np.float64)
        yield table, _indicator(inputs.codes[start : start + block.shape[0]][present], len(inputs.clusters))


def _indicator(codes: NDArray[np.intp], n_clusters: int) -> Any:
    return sp.csr_array((np.ones(len(codes)), (codes, np.arange(len(codes)))), shape=(n_clusters, len(codes)))


def _dense(product: Any) -> NDArray[np.float64]:
    return np.asarray(product.toarray() if sp.issparse(product) else product)


def top_features(inputs: Inputs, effects: list[Effects], k: int, /) -> list[FeatureShift]:
    """Return the strongest features of one cluster, a few per view, strongest first."""
    shifts = [
        FeatureShift(
            view=inputs.view_names[v],
            feature=inputs.feature_names(v)[f],
            effect=float(found.effect[k, f]),
            inside=float(found.inside[k, f]),
            outside=float(found.outside[k, f]),
        )
        for v, found in enumerate(effects)
        for f in np.argsort(-np.abs(found.effect[k]), kind="stable")[:3].tolist()
        if found.effect[k, f] != 0
    ]
    return sorted(shifts, key=lambda shift: -abs(shift["effect"]))


def heatmap(
    clusters: list[Any], views: list[str], names: list[list[str]], effects: list[Effects], max_features: int, /
) -> Heatmap | None:
    """Return the union of every cluster's strongest features; None where there is nothing to tell apart."""
    joint = np.concatenate([found.effect for found in effects], axis=1)  # (K, sum of d)
    view_of = np.repeat(np.arange(len(effects)), [found.effect.shape[1] for found in effects])
    column_of = np.concatenate([np.arange(found.effect.shape[1]) for found in effects])
    ranked = np.argsort(-np.abs(joint), axis=1, kind="stable")[:, :max_features]
    chosen: dict[int, int] = {}  # feature -> the cluster that brought it
    for rank in range(ranked.shape[1]):
        for k in range(len(joint)):
            f = int(ranked[k, rank])
            if len(chosen) < max_features and joint[k, f] != 0:
                chosen.setdefault(f, k)
    if not chosen:
        return None
    order = sorted(chosen, key=lambda f: (chosen[f], -abs(joint[chosen[f], f])))
    return Heatmap(
        views=[views[view_of[f]] for f in order],
        features=[names[view_of[f]][column_of[f]] for f in order],
        clusters=clusters,
        effects=joint[:, order].tolist(),
    )
