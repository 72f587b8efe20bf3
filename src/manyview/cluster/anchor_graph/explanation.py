"""Explanation of clusters: which views hold one together, which rows are typical, which features set it apart.

    M_jk   = weighted mass of cluster k that flows through anchor j in some views    (m, K), from the fit's small sums
    stay_k = sum_j M_jk² / M_j. / M_.k          the walk row -> anchor -> row begins in k and ends there
    cohesion_k = (stay_k - p_k) / (1 - p_k)     p_k = M_.k / M_..: 0 is chance, 1 is never leaving

    effect of view v on cluster k = cohesion_k(all views) - cohesion_k(all but v)      below 0: it pulls k apart
    typicality of row i in k      = sum_j B_ij M_jk purity_jk / n_k                     B: the fused graph
    effect of feature f on k      = (mean inside - mean outside) / s_f                 s_f: deviation within clusters

No fit is repeated: views are left out of L x m x K sums, the rest are sums over row blocks. The joint tables cannot be
taken apart by views and stay out of the views' effects.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from manyview.cluster.anchor_graph.context import engine_for
from manyview.cluster.anchor_graph.fusion import Fusion
from manyview.cluster.anchor_graph.reliability import Reliability
from manyview.engine import Engine, Rows, add
from manyview.kernels.arrays import FloatArray, IntArray, Table
from manyview.views import Views, ViewsLike, check_views
from manyview.views.blocks import RowBlock, row_blocks
from manyview.views.output import html_table

if TYPE_CHECKING:
    from manyview.cluster.anchor_graph.estimator import AnchorGraphClustering


@dataclass(frozen=True)
class ViewEffect:
    """The effect of one view on one cluster."""

    view: str
    effect: float  # cohesion lost without the view; negative: the cluster would hold better without it
    alone: float  # cohesion in this view only


@dataclass(frozen=True)
class PrototypeRow:
    """A row that stands for a cluster."""

    row: int
    id: str | None  # of the row, where the tables have an index
    typicality: float


@dataclass(frozen=True)
class PrototypeAnchor:
    """An anchor that stands for a cluster."""

    geometry: int
    anchor: int
    share: float  # of the cluster's mass
    purity: float  # the cluster's part of what flows through the anchor


@dataclass(frozen=True)
class FeatureEffect:
    """A feature that sets a cluster apart."""

    feature: str
    effect: float  # difference of means in deviations within clusters
    inside: float  # mean
    outside: float


@dataclass(frozen=True)
class ClusterExplanation:
    """One cluster."""

    label: int
    size: int
    cohesion: float
    stability: float
    views: tuple[ViewEffect, ...]  # in the order of the views
    rows: tuple[PrototypeRow, ...]  # most typical first
    anchors: tuple[PrototypeAnchor, ...]
    features: dict[str, tuple[FeatureEffect, ...]]  # per view, strongest first


@dataclass(frozen=True, repr=False)
class Explanation:
    """The explanation of all clusters."""

    clusters: tuple[ClusterExplanation, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain dicts, lists, strings and numbers, ready for JSON."""
        plain: dict[str, Any] = _plain(asdict(self))
        return plain

    def __repr__(self) -> str:
        return f"Explanation({len(self.clusters)} clusters)"

    def __str__(self) -> str:
        lines = []
        for c in self.clusters:
            views, rows, features = _in_words(c)
            lines += [
                f"cluster {c.label}: {c.size} rows, cohesion {c.cohesion:.2f}, stability {c.stability:.2f}",
                f"  held together by  {views}",
                f"  typical rows      {rows}",
                *(f"  set apart in {view}: {named}" for view, named in features.items()),
            ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        views = list(self.clusters[0].features) if self.clusters else []
        head = ["cluster", "rows", "cohesion", "stability", "held together by", "typical rows"]
        lines = []
        for c in self.clusters:
            held, rows, features = _in_words(c)
            numbers = c.label, f"{c.size:,}", f"{c.cohesion:.2f}", f"{c.stability:.2f}"
            lines.append((*numbers, held, rows, *features.values()))
        return f"<div>{html_table([*head, *(f'set apart in {view}' for view in views)], lines)}</div>"


def _in_words(c: ClusterExplanation) -> tuple[str, str, dict[str, str]]:
    """Return what holds a cluster together, its typical rows, and per view the features that set it apart."""
    views = ", ".join(
        f"{v.view} {v.effect:+.3f} (alone {v.alone:.2f})" for v in sorted(c.views, key=lambda v: -v.effect)
    )
    rows = ", ".join(str(r.row) if r.id is None else r.id for r in c.rows)
    features = {
        view: ", ".join(f"{f.feature} {f.effect:+.1f}" for f in effects) for view, effects in c.features.items()
    }
    return views, rows, features


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, tuple | list) else value


def explain(model: AnchorGraphClustering, X: ViewsLike, /, *, n_prototypes: int, n_features: int) -> Explanation:
    """Explain the clusters of a fitted model; X are the rows of its fit."""
    for name, value in (("n_prototypes", n_prototypes), ("n_features", n_features)):
        if not isinstance(value, int | np.integer) or value < 1:
            raise ValueError(f"{name} must be an integer >= 1; got {value!r}.")
    check_is_fitted(model)
    views = check_views(X, ranges=model.views, estimator=model, reset=False, lazy=True, rows_may_miss=True)
    if len(views) != len(model.labels_):
        raise ValueError(
            f"X has {len(views)} rows, the fit had {len(model.labels_)}: explain takes the rows of the fit."
        )
    names = feature_names(views, model)
    ready, engine = engine_for(model, views)
    K = len(model.cluster_stability_)
    with engine.running():
        rows = engine.partition(row_blocks(ready), len(ready))
        typical = _typical_rows(model, rows, engine, K, n_prototypes)
        features = [
            _features(model, rows, engine, v, K, n_features, names[v]) for v in range(len(views.widths))
        ]  # [view][cluster]
    sizes = np.bincount(model.labels_[model.labels_ >= 0], minlength=K)
    cohesion, effects, alone = view_effects(model.reliability_, model.fusion_)
    anchors = _anchors(model, sizes, n_prototypes)
    return Explanation(
        tuple(
            ClusterExplanation(
                label=k,
                size=int(sizes[k]),
                cohesion=float(cohesion[k]),
                stability=float(model.cluster_stability_[k]),
                views=tuple(
                    ViewEffect(name, float(effects[v, k]), float(alone[v, k])) for v, name in enumerate(views.names)
                ),
                rows=tuple(
                    PrototypeRow(int(row), None if views.ids is None else str(views.ids[int(row)]), float(value))
                    for value, row in typical[k]
                ),
                anchors=anchors[k],
                features={name: features[v][k] for v, name in enumerate(views.names)},
            )
            for k in range(K)
        )
    )


def view_effects(reliability: Reliability, fusion: Fusion, /) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Compute cohesion (K,), what it loses without each view (V, K), and that of each view alone (V, K)."""
    view, V = reliability.view_of_slice, len(reliability.view_weights)
    weights = np.where(view >= 0, reliability.slice_weights, 0)
    geometry = fusion.geometry_of_slice
    everything = cohesion(reliability.slice_mass, weights, geometry)
    without = [cohesion(reliability.slice_mass, np.where(view == v, 0, weights), geometry) for v in range(V)]
    alone = [cohesion(reliability.slice_mass, np.where(view == v, weights, 0), geometry) for v in range(V)]
    return everything, everything - np.array(without), np.array(alone)


def cohesion(mass: FloatArray, weights: FloatArray, geometry: IntArray, /) -> FloatArray:
    """Compute (stay - p) / (1 - p) per cluster (K,), over the geometries; 0 where no slice counts.

    mass: (L, m, K), weights: (L,).
    """
    K = mass.shape[2]
    if K == 1 or not (weights > 0).any():
        return np.ones(K) if K == 1 else np.zeros(K)
    values = []
    for g in np.unique(geometry[weights > 0]):
        M = np.tensordot(np.where(geometry == g, weights, 0), mass, axes=(0, 0))  # (m, K)
        degree, size = M.sum(axis=1), M.sum(axis=0)
        stay = (M**2 / np.where(degree > 1e-12, degree, np.inf)[:, None]).sum(axis=0) / np.where(size > 0, size, np.inf)
        p = size / size.sum()
        values.append((stay - p) / np.maximum(1 - p, 1e-12))
    return np.asarray(np.mean(values, axis=0))


def _anchor_mass(model: AnchorGraphClustering) -> tuple[FloatArray, FloatArray]:
    """Compute the mass of every cluster through the anchors of the fused graph (G m, K), and its share there."""
    fusion, scale = model.fusion_, model.fusion_.column_scale
    degree = np.where(scale > 0, 1 / (np.where(scale > 0, scale, 1) ** 2 * fusion.row_sum), 0)
    purity = model.anchor_membership_ * fusion.row_sum
    purity[len(purity) - fusion.n_ruled :] = 0  # clusters of a rule are no anchors
    return purity * degree[:, None], purity


def _anchors(model: AnchorGraphClustering, sizes: IntArray, n: int) -> list[tuple[PrototypeAnchor, ...]]:
    mass, purity = _anchor_mass(model)
    m = model.anchor_graph_.n_anchors
    share = mass / np.maximum(sizes, 1) / model.anchor_graph_.geometry.n_geometries
    order = np.argsort(-share * purity, axis=0, kind="stable")[:n]  # (n, K)
    return [
        tuple(
            PrototypeAnchor(int(j // m), int(j % m), float(share[j, k]), float(purity[j, k]))
            for j in order[:, k]
            if share[j, k] > 0
        )
        for k in range(len(sizes))
    ]


def _typical_rows(
    model: AnchorGraphClustering, rows: Rows[RowBlock], engine: Engine, K: int, n: int
) -> list[list[tuple[float, int]]]:
    """Find the n most typical rows of every cluster; each block names its own best."""
    mass, purity = _anchor_mass(model)
    sizes = np.maximum(np.bincount(model.labels_[model.labels_ >= 0], minlength=K), 1)
    target = mass * purity / sizes
    graph, fusion, labels = model.anchor_graph_, model.fusion_, model.labels_

    def of_block(block: RowBlock) -> list[list[tuple[float, int]]]:
        known = labels[block.start : block.start + block.n_rows]
        values = np.asarray(fusion.mixed(graph(block)) @ target)[np.arange(len(known)), known]
        best = []
        for k in range(K):
            inside = np.flatnonzero(known == k)
            top = inside[np.argsort(-values[inside], kind="stable")[:n]]
            best.append([(float(values[i]), int(block.start + i)) for i in top])
        return best

    def combine(first: list[list[tuple[float, int]]], second: list[list[tuple[float, int]]]) -> Any:
        return [sorted(a + b, key=lambda pair: (-pair[0], pair[1]))[:n] for a, b in zip(first, second, strict=True)]

    return engine.reduce(of_block, rows, combine)


class FeatureSums(NamedTuple):
    """Sums over the rows that a view knows."""

    total: FloatArray  # (K, d)
    squares: FloatArray  # (K, d), of values less their cluster's center
    sizes: FloatArray  # (K,)


def _features(
    model: AnchorGraphClustering, rows: Rows[RowBlock], engine: Engine, v: int, K: int, n: int, names: list[str]
) -> list[tuple[FeatureEffect, ...]]:
    """Find the n features of a view that set each cluster apart most."""

    def known_rows(block: RowBlock) -> tuple[Table, IntArray]:
        present = model.anchor_graph_.geometry.present(block)[v]
        table, known = block.tables[v], model.labels_[block.start : block.start + block.n_rows]
        counted = present & (known >= 0)  # outliers belong to no cluster
        return (table, known) if counted.all() else (table[counted], known[counted])

    first = engine.reduce(lambda block: feature_sums(*known_rows(block), K, centers=None), rows, add)
    centers = first.total / np.maximum(first.sizes, 1)[:, None]
    # a second pass: squares about the centers lose no digits, whatever the scale of a feature
    squares = engine.reduce(lambda block: feature_sums(*known_rows(block), K, centers=centers), rows, add).squares
    effect, inside, outside = feature_effects(FeatureSums(first.total, squares, first.sizes))
    order = np.argsort(-np.abs(effect), axis=1, kind="stable")[:, :n]
    return [
        tuple(FeatureEffect(names[f], float(effect[k, f]), float(inside[k, f]), float(outside[k, f])) for f in order[k])
        for k in range(K)
    ]


def feature_sums(table: Table, labels: IntArray, n_clusters: int, /, *, centers: FloatArray | None) -> FeatureSums:
    """Sum features per cluster; with centers (K, d) also their squares about them. CSR matrices stay sparse."""
    K, d = n_clusters, table.shape[1]
    Z = sp.csr_array((np.ones(len(labels)), labels, np.arange(len(labels) + 1)), shape=(len(labels), K))
    count = np.bincount(labels, minlength=K).astype(np.float64)
    table = table.astype(np.float64, copy=False)
    total = Z.T @ table
    total = total.toarray() if sp.issparse(total) else np.asarray(total)
    if centers is None:
        return FeatureSums(total, np.zeros((K, d)), count)
    if not sp.issparse(table):
        return FeatureSums(total, np.asarray(Z.T @ (table - centers[labels]) ** 2), count)
    squares = (Z.T @ table.multiply(table)).toarray() - 2 * centers * total + centers**2 * count[:, None]
    return FeatureSums(total, np.maximum(squares, 0), count)


def feature_effects(sums: FeatureSums, /) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Compute the difference of means inside and outside (K, d) in deviations within clusters; and both means."""
    n = sums.sizes.sum()
    rest = n - sums.sizes
    inside = sums.total / np.maximum(sums.sizes, 1)[:, None]
    outside = (sums.total.sum(axis=0) - sums.total) / np.maximum(rest, 1)[:, None]
    within = sums.squares.sum(axis=0) / max(n - len(sums.sizes), 1)
    mean = sums.total.sum(axis=0) / max(n, 1)
    whole = within + (sums.sizes[:, None] * (inside - mean) ** 2).sum(axis=0) / max(n, 1)
    # a feature may be constant within all clusters
    deviation = np.sqrt(np.maximum(within, 1e-6**2 * whole))
    known = (sums.sizes > 0) & (rest > 0)
    effect = (inside - outside) / np.where(deviation > 0, deviation, np.inf) * known[:, None]
    return effect, inside, outside


def feature_names(views: Views, model: Any, /) -> list[list[str]]:
    """Return the names of the columns of every view, as given now or in the fit, else their numbers."""
    known = zip(views.columns, model.view_columns_, views.widths, strict=True)
    return [list(given or fitted or map(str, range(width))) for given, fitted, width in known]
