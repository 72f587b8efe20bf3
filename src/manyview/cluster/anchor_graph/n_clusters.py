"""How many clusters: the K at which the walk stays inside the clusters and other draws of the rows find the same ones.

    Q(K) = sum_k p_k (P(walk is in k after two steps | it began in k) - p_k)       modularity; p_k: share of rows
    S(K) = mean adjusted Rand index between the labels of all rows and those that parts of the rows give
    score = Q sqrt(S)

The index counts pairs of rows; its root is near the share of rows that keep their cluster, which is on the scale of Q.
Q falls for K too small (clusters hold strangers) and for K too large (walks leave); S falls where a cut is arbitrary.
The smallest K within one standard error of the best score is chosen, unless the spectrum leaves no doubt: a gap
lambda_K - lambda_(K+1) that is wider than all others together decides. Everything is read off one spectrum of one fused
graph: T = A W (n, R), a few thousand rows. Slice weights would depend on K: here they are learned from labelings with
2, 4, … 32 clusters together, so that no K is favored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

import numpy as np

from manyview.anchors import AnchorGraph, GraphBlock
from manyview.cluster.anchor_graph.candidates import n_vectors, spectrum
from manyview.cluster.anchor_graph.context import FitContext
from manyview.cluster.anchor_graph.fusion import (
    Fusion,
    first_weights,
    fuse,
    slice_degrees,
    smoothness,
    weights_from_smoothness,
)
from manyview.cluster.anchor_graph.graphs import Draw
from manyview.cluster.anchor_graph.selection import CurvePoint, Selection
from manyview.cluster.anchor_graph.subsampling import (
    Subsample,
    draw_subsample,
    few_distinct_rows_allowed,
    label_by,
    subsample_size,
)
from manyview.engine import Engine
from manyview.kernels.agreement import adjusted_rand, joint_counts
from manyview.kernels.arrays import FloatArray, IntArray

WEIGHT_ROUNDS = 2
WEIGHT_CLUSTERS = (2, 4, 8, 16, 32)
MAX_ROWS = 5_000  # rows of T that are clustered for every K
ROWS_PER_CLUSTER, ANCHORS_PER_CLUSTER = 4, 4  # fewer cannot show a cluster
ALL_UP_TO, RATIO = 12, 1.2  # every K up to 12, then steps of a fifth; the neighborhood of the best is filled in
N_PARTS = 6
PATIENCE = 3  # values of K in a row that cannot win, before the scale is left


class Embedded(NamedTuple):
    """The graph as the choice sees it: rows of T = A W, and the spectrum of the walk."""

    T: FloatArray  # (n, R), scaled so that T'T = diag(s²) in expectation
    s: FloatArray  # (R,)
    rows: IntArray  # (n,), which of the sampled rows these are
    whole: Subsample
    parts: list[Subsample]


def embed(draw: Draw, largest: int, context: FitContext, /) -> Embedded:
    """The fused graph of the sampled rows with weights that favor no K, and enough of its spectrum for ``largest``."""
    engine, seed = context.engine, context.settings.seed
    weights = _weights(draw.graph, draw.sample, engine, seed, context.recipe.smoothness_power)
    return _embed(fuse(draw.graph, draw.sample, engine, weights), draw.sample, engine, largest, seed)


def _embed(fusion: Fusion, sample: list[GraphBlock], engine: Engine, largest: int, seed: int) -> Embedded:
    basis = spectrum(fusion, sample, engine, n_vectors(largest))
    T = np.asarray(engine.collect(partial(fusion.walk, right=basis.W), sample), dtype=np.float64)
    rows = np.arange(len(T))
    if len(T) > MAX_ROWS:
        rows = np.sort(np.random.default_rng(seed).choice(len(T), MAX_ROWS, replace=False))
        T = T[rows] * np.sqrt(len(T) / MAX_ROWS)
    size = subsample_size(len(T), largest)
    parts = engine.map(lambda number: draw_subsample(T, size, seed=seed + 1 + number), list(range(N_PARTS)))
    return Embedded(T, basis.s, rows, draw_subsample(T, len(T), seed=seed), list(parts))


def _weights(graph: AnchorGraph, sample: list[GraphBlock], engine: Engine, seed: int, power: float) -> FloatArray:
    """Slice weights from labelings with few and with many clusters together."""
    weights = first_weights(graph)
    if len(weights) == graph.geometry.n_geometries:  # one view: nothing to weigh
        return weights
    degrees = slice_degrees(graph, sample, engine)
    n_rows = sum(block.n_rows for block in sample)
    sizes = [K for K in WEIGHT_CLUSTERS if n_rows >= ROWS_PER_CLUSTER * K] or [min(2, n_rows)]
    for _ in range(WEIGHT_ROUNDS):
        fusion = fuse(graph, sample, engine, weights)
        basis = spectrum(fusion, sample, engine, n_vectors(max(sizes)))
        T = engine.map(partial(fusion.walk, right=basis.W), sample)
        every = np.concatenate(list(T))
        whole = draw_subsample(every, MAX_ROWS, seed=seed)

        def of_size(K: int) -> FloatArray:
            rule = label_by(every, whole, K, seed=seed)  # noqa: B023
            labels = [rule.labels(block) for block in T]  # noqa: B023
            counts = np.bincount(np.concatenate(labels), minlength=K)
            indicators = [np.eye(K)[block] / np.sqrt(np.maximum(counts, 1)) for block in labels]
            return smoothness(sample, indicators, degrees, engine)

        with few_distinct_rows_allowed():
            weights = weights_from_smoothness(np.mean([of_size(K) for K in sizes], axis=0), power)
    return weights


def largest_number(n_samples: int, n_anchors: int, /) -> int:
    """The largest K that rows and anchors can show."""
    return max(min(n_samples // ROWS_PER_CLUSTER, n_anchors // ANCHORS_PER_CLUSTER), min(2, n_samples))


def choose(
    embedded: Embedded,
    engine: Engine,
    /,
    *,
    candidates: Iterable[int] | None,
    largest: int,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> Selection:
    """Score the candidates, or, with None, a coarse scale and then the neighborhood of its best."""
    curve: dict[int, CurvePoint] = {}

    def visit(numbers: list[int], *, stop: bool) -> None:
        hopeless = 0
        for done, K in enumerate(numbers):
            if K not in curve:
                curve[K] = score(embedded, K, engine, seed=seed)
            if progress is not None:
                progress(done + 1, len(numbers))
            # S <= 1, so a modularity below the best score cannot win; with more clusters it only falls further
            lost = K > ALL_UP_TO and curve[K].modularity < max(c.score for c in curve.values())
            hopeless = hopeless + 1 if lost else 0
            if stop and hopeless == PATIENCE:
                break

    if candidates is not None:
        visit(sorted(set(candidates)), stop=False)
    else:
        scale = coarse_scale(largest)
        visit(scale, stop=True)
        visit(_neighborhood(scale, max(curve.values(), key=lambda c: c.score).n_clusters), stop=False)
    first, last = min(curve), max(curve)
    return pick(
        tuple(curve[K] for K in sorted(curve)), fall=_eigenvalue(embedded, first) - _eigenvalue(embedded, last + 1)
    )


def _eigenvalue(embedded: Embedded, number: int) -> float:
    """lambda_1, lambda_2, … of the walk; those that are not kept are 0."""
    return float(embedded.s[number - 1] ** 2) if number <= len(embedded.s) else 0.0


def coarse_scale(largest: int, /) -> list[int]:
    """2, 3, … 12, then every step a fifth more."""
    scale = list(range(2, min(ALL_UP_TO, largest) + 1))
    while scale[-1] < largest:
        scale.append(min(int(np.ceil(scale[-1] * RATIO)), largest))
    return scale


def _neighborhood(scale: list[int], best: int) -> list[int]:
    """The values between its neighbors on the scale, ten of them at most."""
    at = scale.index(best)
    low, high = scale[max(at - 1, 0)], scale[min(at + 1, len(scale) - 1)]
    return list(range(low, high + 1, -(-(high - low) // 10) or 1))


def score(embedded: Embedded, n_clusters: int, engine: Engine, /, *, seed: int) -> CurvePoint:
    """The row of the curve for K."""
    K = n_clusters

    def agreement(part: Subsample) -> float:
        other = label_by(embedded.T, part, K, seed=seed).labels(embedded.T)
        return adjusted_rand(joint_counts(labels, other, K))

    with few_distinct_rows_allowed():
        labels = label_by(embedded.T, embedded.whole, K, seed=seed).labels(embedded.T)
        agreements = np.array(list(engine.map(agreement, embedded.parts)))
    gap = _eigenvalue(embedded, K) - _eigenvalue(embedded, K + 1)
    stability, Q, total, error = rate(modularity(embedded, labels, K), agreements)
    return CurvePoint(K, stability, Q, gap, total, error)


def rate(Q: float, agreements: FloatArray, /) -> tuple[float, float, float, float]:
    """Stability, modularity, score Q sqrt(S), and its standard error (to first order the root halves S's)."""
    S = float(agreements.mean())
    root = float(np.sqrt(max(S, 0)))
    spread = float(agreements.std(ddof=1)) / np.sqrt(len(agreements))
    return S, Q, Q * root, abs(Q) * spread / (2 * root) if root > 0 else 0.0


def modularity(embedded: Embedded, labels: IntArray, n_clusters: int, /) -> float:
    """Q = sum_k p_k (stay_k - p_k), with p_k stay_k = ||diag(s) sum of the rows of T in k||² / n."""
    T, s = embedded.T, embedded.s
    n = len(labels)
    sums = np.stack([T[labels == k].sum(axis=0) for k in range(n_clusters)])  # (K, R)
    p = np.bincount(labels, minlength=n_clusters) / n
    return float(((sums * s[: T.shape[1]]) ** 2).sum() / n - (p**2).sum())


def pick(curve: tuple[CurvePoint, ...], /, *, fall: float) -> Selection:
    """A decisive gap, or the smallest K whose score is within one standard error of the best; and why, in a sentence.

    ``fall`` is how far the eigenvalues fall over all candidates: a gap of more than half of it decides.
    """
    best = max(curve, key=lambda candidate: candidate.score)
    widest = max(curve, key=lambda candidate: candidate.gap)
    chosen = next(c for c in curve if c.score >= best.score - best.error)
    if len(curve) > 1 and widest.gap > fall / 2:
        chosen, lead = widest, "its eigengap is wider than all others together"
    elif chosen is best:
        lead = "it has the best score"
    else:
        where = f"({best.score:.3f} at {best.n_clusters})"
        lead = f"it is the smallest K within one standard error of the best score {where}"
    sure = "" if chosen.stability >= 0.5 else "; no K is stable here, so take it as a suggestion"
    reason = (
        f"K = {chosen.n_clusters}: {lead}; score {chosen.score:.3f} = modularity {chosen.modularity:.3f} x root of "
        f"stability {chosen.stability:.3f}; the widest eigengap is at {widest.n_clusters}{sure}."
    )
    return Selection(chosen.n_clusters, curve, reason, {"n_clusters": chosen.n_clusters})


def choose_on(draw: Draw, context: FitContext, /, *, candidates: list[int] | None = None) -> Selection:
    """Choose K on a graph, among the candidates or among all that rows and anchors can show."""
    largest = max(candidates) if candidates else largest_number(draw.n_samples, draw.graph.n_anchors)
    context.progress("n_clusters", 0, 1)
    return choose(
        embed(draw, largest, context),
        context.engine,
        candidates=candidates,
        largest=largest,
        seed=context.settings.seed,
        progress=lambda done, total: context.progress("n_clusters", done, total),
    )
