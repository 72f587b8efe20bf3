"""The number of clusters: the K whose clusters the walk seldom leaves, and that subsamples of the rows find again.

    Q(K) = sum_k p_k (P(walk is in k after two steps | it began in k) - p_k)       modularity; p_k: share of rows
    S(K) = mean adjusted Rand index between the labels of all rows and those that parts of the rows give
    score = Q sqrt(S)

The index counts pairs of rows; its root is near the share of rows that keep their cluster, which is on the scale of Q.
Q falls for K too small (clusters hold strangers) and for K too large (walks leave); S falls where a cut is arbitrary.
The smallest K within one standard error of the best score is chosen, unless the spectrum leaves no doubt: a gap
lambda_K - lambda_(K+1) of more than .15 that is twice as wide as any other decides. Classes are not clusters, and data
have more than one resolution, so a shortlist has the best K of the coarser and the finer ones, too. Where
the clusters are no better than those of data without structure (null.py), K is 1.

Everything is read off one spectrum of one fused graph: T = A W (n, R), a few thousand rows, wide enough for every K
that rows and anchors can show, whichever are offered. Slice weights would depend on K: here they are learned from
labelings with 2, 4, … 32 clusters together, so that no K is favored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
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
from manyview.cluster.anchor_graph.null import null_draws
from manyview.cluster.anchor_graph.recipe import DEFAULT, Recipe
from manyview.cluster.anchor_graph.reliability import (
    Subsample,
    draw_subsample,
    few_distinct_rows_allowed,
    label_by,
    subsample_size,
)
from manyview.cluster.anchor_graph.selection import CurvePoint, Selection
from manyview.cluster.checks import warn_caller
from manyview.engine import Engine
from manyview.kernels.agreement import adjusted_rand, joint_counts
from manyview.kernels.arrays import FloatArray, IntArray

NO_STRUCTURE = (
    "no clusters beyond chance: their score minus that of shuffled columns is {:.3f}, and structure begins at {}"
)


class NoStructureWarning(UserWarning):
    """The rows have no clusters beyond those that k-means finds in data without structure.

    Examples
    --------
    Make it an error where a pipeline should stop:

    >>> import warnings
    >>> from manyview import AnchorGraphClustering, NoStructureWarning
    >>> from manyview.datasets import make_views
    >>> data = make_views(n_samples=90, n_clusters=3, random_state=0)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", NoStructureWarning)
    ...     model = AnchorGraphClustering(n_clusters="auto", random_state=0).fit(data.views)
    >>> model.n_clusters_
    3
    """


class Embedded(NamedTuple):
    """The graph as the choice sees it: rows of T = A W, and the spectrum of the walk."""

    T: FloatArray  # (n, R), scaled so that T'T = diag(s²) in expectation
    s: FloatArray  # (R,)
    rows: IntArray  # (n,), which of the sampled rows these are
    whole: Subsample
    parts: list[Subsample]
    weights: FloatArray | None = None  # (L,), of the slices


def embed(draw: Draw, largest: int, context: FitContext, /, *, like: Embedded | None = None) -> Embedded:
    """Fuse the graph of the sampled rows with weights that favor no K, and find its spectrum up to ``largest``.

    A null takes the weights of the data, ``like``, and has no parts.
    """
    engine, seed = context.engine, context.settings.seed
    if like is None:
        weights = _weights(draw.graph, draw.sample, engine, seed, context.recipe)
    else:
        assert like.weights is not None
        weights = like.weights
    fusion = fuse(draw.graph, draw.sample, engine, weights)
    n_parts = context.recipe.n_stability_samples if like is None else 0
    return _embed(fusion, draw.sample, context, largest, n_parts)._replace(weights=weights)


def _embed(fusion: Fusion, sample: list[GraphBlock], context: FitContext, largest: int, n_parts: int) -> Embedded:
    engine, seed, recipe = context.engine, context.settings.seed, context.recipe
    basis = spectrum(fusion, sample, engine, n_vectors(largest))
    T = np.asarray(engine.collect(partial(fusion.walk, right=basis.W), sample), dtype=np.float64)
    rows = np.arange(len(T))
    if len(T) > recipe.n_scored_rows:
        rows = np.sort(np.random.default_rng(seed).choice(len(T), recipe.n_scored_rows, replace=False))
        T = T[rows] * np.sqrt(len(T) / recipe.n_scored_rows)
    size = subsample_size(len(T), largest, recipe.subsample_share)
    parts = engine.map(lambda number: draw_subsample(T, size, seed=seed + 1 + number), list(range(n_parts)))
    return Embedded(T, basis.s, rows, draw_subsample(T, len(T), seed=seed), list(parts))


def _weights(graph: AnchorGraph, sample: list[GraphBlock], engine: Engine, seed: int, recipe: Recipe) -> FloatArray:
    """Learn slice weights from labelings with few and with many clusters together."""
    weights = first_weights(graph)
    if len(weights) == graph.geometry.n_geometries:  # one view: nothing to weigh
        return weights
    degrees = slice_degrees(graph, sample, engine)
    n_rows = sum(block.n_rows for block in sample)
    least = recipe.min_rows_per_shown_cluster
    sizes = [K for K in recipe.weight_clusters if n_rows >= least * K] or [min(2, n_rows)]
    for _ in range(recipe.n_weight_rounds):
        fusion = fuse(graph, sample, engine, weights)
        basis = spectrum(fusion, sample, engine, n_vectors(max(sizes)))
        T = engine.map(partial(fusion.walk, right=basis.W), sample)
        every = np.concatenate(list(T))
        whole = draw_subsample(every, recipe.n_scored_rows, seed=seed)

        def of_size(K: int) -> FloatArray:
            rule = label_by(every, whole, K, seed=seed, recipe=recipe)  # noqa: B023
            labels = [rule.labels(block) for block in T]  # noqa: B023
            counts = np.bincount(np.concatenate(labels), minlength=K)
            indicators = [np.eye(K)[block] / np.sqrt(np.maximum(counts, 1)) for block in labels]
            return smoothness(sample, indicators, degrees, engine)

        with few_distinct_rows_allowed():
            weights = weights_from_smoothness(np.mean([of_size(K) for K in sizes], axis=0), recipe.smoothness_power)
    return weights


def largest_number(n_samples: int, n_anchors: int, recipe: Recipe = DEFAULT, /) -> int:
    """Return the largest K that rows and anchors can show."""
    return max(min(n_samples, n_anchors) // recipe.min_rows_per_shown_cluster, min(2, n_samples))


def choose(
    embedded: Embedded,
    engine: Engine,
    /,
    *,
    candidates: Iterable[int] | None,
    largest: int,
    seed: int,
    scored: Mapping[int, CurvePoint] = MappingProxyType({}),
    progress: Callable[[int, int], object] | None = None,
    recipe: Recipe = DEFAULT,
) -> Selection:
    """Score the candidates, or, with None, a coarse scale and then the neighborhood of its best.

    ``scored`` are points of the curve that are known.
    """
    curve: dict[int, CurvePoint] = {}

    def visit(numbers: list[int], *, stop: bool) -> None:
        hopeless = 0
        for done, K in enumerate(numbers):
            if K not in curve:
                curve[K] = scored[K] if K in scored else score(embedded, K, engine, seed=seed, recipe=recipe)
            if progress is not None:
                progress(done + 1, len(numbers))
            # S <= 1, so a modularity below the best score cannot win; with more clusters it only falls further
            lost = recipe.max_dense_clusters < K and curve[K].modularity < max(c.score for c in curve.values())
            hopeless = hopeless + 1 if lost else 0
            if stop and hopeless == recipe.patience:
                break

    if candidates is not None:
        visit(sorted(set(candidates)), stop=False)
    else:
        scale = coarse_scale(largest, recipe)
        visit(scale, stop=True)
        visit(_neighborhood(scale, max(curve.values(), key=lambda c: c.score).n_clusters), stop=False)
    return pick(tuple(curve[K] for K in sorted(curve)), decisive=decisive_gap(embedded.s, recipe), recipe=recipe)


def decisive_gap(s: FloatArray, recipe: Recipe = DEFAULT, /) -> int | None:
    """Find the K >= 2 after which the eigenvalues s² of the walk fall by far the most, if there is one."""
    gaps = -np.diff(s**2)[1:]
    if len(gaps) < 2:
        return None
    second, widest = np.sort(gaps)[-2:]
    least = max(recipe.min_decisive_gap, recipe.min_decisive_ratio * second)
    return int(gaps.argmax()) + 2 if widest > least else None


def _eigenvalue(embedded: Embedded, number: int) -> float:
    """Return an eigenvalue of the walk, counted from 1; those that are not kept are 0."""
    return float(embedded.s[number - 1] ** 2) if number <= len(embedded.s) else 0.0


def coarse_scale(largest: int, recipe: Recipe = DEFAULT, /) -> list[int]:
    """List 2, 3, … 12, and from there every step a fifth more."""
    scale = list(range(2, min(recipe.max_dense_clusters, largest) + 1))
    while scale[-1] < largest:
        scale.append(min(int(np.ceil(scale[-1] * recipe.cluster_ratio)), largest))
    return scale


def _neighborhood(scale: list[int], best: int) -> list[int]:
    """List at most ten values between the neighbors of ``best`` on the scale."""
    at = scale.index(best)
    low, high = scale[max(at - 1, 0)], scale[min(at + 1, len(scale) - 1)]
    return list(range(low, high + 1, -(-(high - low) // 10) or 1))


def score(embedded: Embedded, n_clusters: int, engine: Engine, /, *, seed: int, recipe: Recipe = DEFAULT) -> CurvePoint:
    """Score one number of clusters."""
    K, labels = n_clusters, _labels(embedded, n_clusters, seed, recipe)

    def agreement(part: Subsample) -> float:
        other = label_by(embedded.T, part, K, seed=seed, recipe=recipe).labels(embedded.T)
        return adjusted_rand(joint_counts(labels, other, K))

    with few_distinct_rows_allowed():
        agreements = np.array(list(engine.map(agreement, embedded.parts)))
    gap = _eigenvalue(embedded, K) - _eigenvalue(embedded, K + 1)
    stability, Q, total, error = rate(modularity(embedded, labels, K), agreements)
    return CurvePoint(K, stability, Q, gap, total, error)


def _labels(embedded: Embedded, n_clusters: int, seed: int, recipe: Recipe) -> IntArray:
    with few_distinct_rows_allowed():
        return label_by(embedded.T, embedded.whole, n_clusters, seed=seed, recipe=recipe).labels(embedded.T)


def rate(Q: float, agreements: FloatArray, /) -> tuple[float, float, float, float]:
    """Compute stability, modularity, the score Q sqrt(S) and its standard error, to first order."""
    S = float(agreements.mean())
    root = float(np.sqrt(max(S, 0)))
    spread = float(agreements.std(ddof=1)) / np.sqrt(len(agreements))
    return S, Q, Q * root, abs(Q) * spread / (2 * root) if root > 0 else 0.0


def modularity(embedded: Embedded, labels: IntArray, n_clusters: int, /) -> float:
    """Compute Q = sum_k p_k (stay_k - p_k), with p_k stay_k = ||diag(s) sum of the rows of T in k||² / n."""
    T, s = embedded.T, embedded.s
    n = len(labels)
    sums = np.stack([T[labels == k].sum(axis=0) for k in range(n_clusters)])  # (K, R)
    p = np.bincount(labels, minlength=n_clusters) / n
    return float(((sums * s[: T.shape[1]]) ** 2).sum() / n - (p**2).sum())


def pick(curve: tuple[CurvePoint, ...], /, *, decisive: int | None = None, recipe: Recipe = DEFAULT) -> Selection:
    """Choose K by a decisive gap, or the smallest K within one standard error of the best score, and say why.

    ``decisive`` is the K of a decisive gap, which need not be on the curve.
    """
    best = max(curve, key=lambda candidate: candidate.score)
    widest = max(curve, key=lambda candidate: candidate.gap)
    chosen = next(c for c in curve if c.score >= best.score - best.error)
    clear = [c for c in curve if c.n_clusters == decisive]
    if clear:
        chosen, lead = clear[0], "its eigengap is far wider than all others"
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
    K = chosen.n_clusters
    return Selection(K, curve, reason, {"n_clusters": K}, shortlist=shortlist(curve, K, recipe))


def shortlist(curve: tuple[CurvePoint, ...], n_clusters: int, recipe: Recipe = DEFAULT, /) -> tuple[int, ...]:
    """List the choice, the best plausible K that is clearly coarser, and the best that is clearly finer."""
    ratio, least = recipe.resolution, recipe.min_plausible * max(c.score for c in curve)
    coarser = [c for c in curve if c.score >= least and c.n_clusters * ratio <= n_clusters]
    finer = [c for c in curve if c.score >= least and c.n_clusters >= n_clusters * ratio]
    best = [max(some, key=lambda c: c.score).n_clusters for some in (coarser, finer) if some]
    return tuple(sorted([n_clusters, *best]))


def structure(points: Iterable[CurvePoint], nulls: list[Embedded], /, *, seed: int, recipe: Recipe = DEFAULT) -> float:
    """Compute max over K of (Q - Q_0) sqrt(S): how much better clusters are than in data without structure."""

    def beyond(point: CurvePoint) -> float:
        K = point.n_clusters
        Q_0 = max(modularity(null, _labels(null, K, seed, recipe), K) for null in nulls)
        return (point.modularity - Q_0) * float(np.sqrt(max(point.stability, 0)))

    return max(beyond(point) for point in points)


def choose_on(draw: Draw, context: FitContext, /, *, candidates: list[int] | None = None) -> Selection:
    """Choose K on a graph, among the candidates or among all that rows and anchors can show.

    Without structure K is 1 if it may be, and a warning is given in any case.
    """
    engine, seed, recipe, least = context.engine, context.settings.seed, context.recipe, context.recipe.min_structure
    most = largest_number(draw.n_samples, draw.graph.n_anchors, recipe)
    context.progress("n_clusters", 0, 1)
    embedded = embed(draw, max([most, *(candidates or [])]), context)
    nulls = [embed(null, most, context, like=embedded) for null in null_draws(draw, context)]
    compared = [K for K in recipe.null_clusters if most >= K] if nulls else []
    scored = {K: score(embedded, K, engine, seed=seed, recipe=recipe) for K in compared}
    beyond = structure(scored.values(), nulls, seed=seed, recipe=recipe) if nulls else None
    missing = None if beyond is None or beyond >= least else NO_STRUCTURE.format(beyond, least)
    if missing and (candidates is None or 1 in candidates):
        warn_caller(f"{missing}. K is 1; give n_clusters to cut the rows all the same.", NoStructureWarning)
        return Selection(1, tuple(scored.values()), f"K = 1: {missing}.", {"n_clusters": 1}, (), (1,), beyond)
    selection = choose(
        embedded,
        engine,
        candidates=None if candidates is None else [K for K in candidates if K > 1],
        largest=most,
        seed=seed,
        scored=scored,
        progress=lambda done, total: context.progress("n_clusters", done, total),
        recipe=recipe,
    )
    if missing:
        warn_caller(f"{missing}. K = {selection.n_clusters} is arbitrary.", NoStructureWarning)
        selection = replace(selection, reason=f"{selection.reason[:-1]}; {missing}.")
    return replace(selection, structure=beyond)
