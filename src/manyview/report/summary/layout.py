"""Samples in two dimensions: t-SNE of some rows, and the others placed among them.

t-SNE runs on at most a few thousand rows, on one thread, from principal components, so that the same seed gives the
same picture. Every other row goes to the weighted mean of its nearest neighbors among those rows, moved by a seeded
step as long as those neighbors lie apart, so that rows do not pile up on few points.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.manifold import TSNE
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

LANDMARKS = 2_000
SEED = 0


def layout(features: NDArray[np.float64], /) -> NDArray[np.float64]:
    """Place rows (n, d) in the plane (n, 2), the same for the same rows."""
    n = len(features)
    if n < 4:
        return np.column_stack([np.arange(n, dtype=np.float64), np.zeros(n)])
    rng = np.random.default_rng(SEED)
    if n <= LANDMARKS:
        return _tsne(features)
    chosen = np.sort(rng.choice(n, LANDMARKS, replace=False))
    landmarks, placed = features[chosen], _tsne(features[chosen])
    out = _between(features, landmarks, placed, rng)
    out[chosen] = placed
    return out


def _tsne(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    n = len(rows)
    # rows that coincide have no direction to part in
    rows = rows + 1e-6 * np.random.default_rng(SEED).standard_normal(rows.shape)
    centered = rows - rows.mean(axis=0)
    U, s, _ = np.linalg.svd(centered, full_matrices=False)
    start = np.zeros((n, 2))
    width = min(2, len(s))
    start[:, :width] = U[:, :width] * s[:width] / s[0] * np.sqrt(n) * 1e-4
    start *= np.where(start[np.abs(start).argmax(axis=0), range(2)] < 0, -1, 1)  # the sign of a component is arbitrary
    with threadpool_limits(1):  # sums over threads would depend on their number
        return np.asarray(
            TSNE(
                init=start.astype(np.float32),
                perplexity=min(30.0, (n - 1) / 3),
                max_iter=500,
                random_state=SEED,
                learning_rate="auto",
            ).fit_transform(rows.astype(np.float32)),
            dtype=np.float64,
        )


def _between(
    features: NDArray[np.float64], landmarks: NDArray[np.float64], placed: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.float64]:
    nearest = NearestNeighbors(n_neighbors=10).fit(landmarks)
    spacing = np.median(NearestNeighbors(n_neighbors=2).fit(placed).kneighbors()[0][:, 0])
    out = np.empty((len(features), 2))
    for start in range(0, len(features), 50_000):
        rows = slice(start, start + 50_000)
        distance, number = nearest.kneighbors(features[rows])
        weight = np.exp(-((distance / np.maximum(distance.mean(axis=1, keepdims=True), 1e-12)) ** 2))
        weight /= weight.sum(axis=1, keepdims=True)
        points = placed[number]  # (n, neighbors, 2)
        center = np.median(points, axis=1, keepdims=True)
        # neighbors in the space may lie on different islands of the plane: stay on the one where most are
        weight *= np.linalg.norm(points - center, axis=2) <= 12 * spacing
        total = weight.sum(axis=1, keepdims=True)
        weight = np.where(total > 0, weight / np.where(total > 0, total, 1), np.eye(weight.shape[1])[0])
        place = np.einsum("nk,nkd->nd", weight, points)
        spread = np.sqrt(np.einsum("nk,nkd->n", weight, (points - place[:, None]) ** 2))
        step = 0.4 * spread + 0.3 * spacing
        out[rows] = place + step[:, None] * rng.standard_normal(place.shape)
    return out
