"""Synthetic views with one difficulty each; every generator takes the number of rows and a seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.random import Generator

Views = dict[str, Any]
Labels = Any
Scenario = Callable[[int, Generator], tuple[Views, Labels]]
WIDTHS = (20, 50, 30)


def gaussian(labels: Any, width: int, separation: float, rng: Generator, /, *, groups: Any = None) -> Any:
    """Round clusters around centers with this distance from the origin per column, in units of the noise."""
    groups = labels if groups is None else groups
    centers = separation * rng.standard_normal((int(groups.max()) + 1, width))
    return centers[groups] + rng.standard_normal((len(labels), width))


def _round(n: int, rng: Generator, *, K: int = 10, separation: float = 2.0, p: Any = None) -> tuple[Views, Labels]:
    labels = rng.choice(K, n, p=p)
    return {f"view {v}": gaussian(labels, width, separation, rng) for v, width in enumerate(WIDTHS)}, labels


def separated(n: int, rng: Generator) -> tuple[Views, Labels]:
    """Ten separated round clusters."""
    return _round(n, rng)


def overlapping(n: int, rng: Generator) -> tuple[Views, Labels]:
    """Ten overlapping round clusters, those of the scale benchmark."""
    return _round(n, rng, separation=0.35)


def unequal(n: int, rng: Generator) -> tuple[Views, Labels]:
    """Six clusters, the smallest a hundredth of the largest."""
    sizes = np.geomspace(1, 100, 6)
    return _round(n, rng, K=6, separation=1.0, p=sizes / sizes.sum())


def tiny_classes(n: int, rng: Generator) -> tuple[Views, Labels]:
    """A hundred classes."""
    return _round(n, rng, K=100, separation=0.8)


def moons(n: int, rng: Generator) -> tuple[Views, Labels]:
    """Two moons in one view, two rings in the other."""
    labels = rng.integers(0, 2, n)
    angle = np.pi * rng.random(n)
    moon = np.c_[np.cos(angle), np.sin(angle)] * np.where(labels, -1, 1)[:, None] + np.c_[labels, 0.5 * labels]
    turn = 2 * np.pi * rng.random(n)
    ring = np.c_[np.cos(turn), np.sin(turn)] * np.where(labels, 2.0, 1.0)[:, None]
    return {
        "moons": moon + 0.1 * rng.standard_normal((n, 2)),
        "rings": ring + 0.1 * rng.standard_normal((n, 2)),
    }, labels


def heavy_tails(n: int, rng: Generator) -> tuple[Views, Labels]:
    """Student noise with three degrees of freedom, and 5 % outliers in each view."""
    labels = rng.integers(0, 5, n)
    views = {}
    for v, width in enumerate(WIDTHS):
        x = 1.5 * rng.standard_normal((5, width))[labels] + rng.standard_t(3, (n, width))
        out = rng.random(n) < 0.05
        x[out] = 20 * rng.standard_normal((int(out.sum()), width))
        views[f"view {v}"] = x
    return views, labels


def weak_view(n: int, rng: Generator) -> tuple[Views, Labels]:
    """Two good views and one that hardly knows the clusters."""
    labels = rng.integers(0, 5, n)
    return {f"view {v}": gaussian(labels, 20, s, rng) for v, s in enumerate((0.8, 0.8, 0.15))}, labels


def noise_view(n: int, rng: Generator) -> tuple[Views, Labels]:
    """Two good views and one of noise."""
    labels = rng.integers(0, 5, n)
    return {f"view {v}": gaussian(labels, 20, s, rng) for v, s in enumerate((0.8, 0.8, 0.0))}, labels


def three_noise_views(n: int, rng: Generator) -> tuple[Views, Labels]:
    """One good view and three of noise."""
    labels = rng.integers(0, 5, n)
    return {f"view {v}": gaussian(labels, 20, s, rng) for v, s in enumerate((1.0, 0.0, 0.0, 0.0))}, labels


def different_clusterings(n: int, rng: Generator) -> tuple[Views, Labels]:
    """Two views with independent clusterings; the labels are those of the first, clearer one."""
    labels, others = rng.integers(0, 4, n), rng.integers(0, 4, n)
    return {"view 0": gaussian(labels, 20, 1.5, rng), "view 1": gaussian(others, 20, 1.0, rng)}, labels


def complementary(n: int, rng: Generator) -> tuple[Views, Labels]:
    """Six clusters of which each view separates one half and mixes the other."""
    labels = rng.integers(0, 6, n)
    first, second = np.where(labels < 3, labels, 3), np.where(labels >= 3, labels - 3, 3)
    views = [gaussian(labels, 20, 1.0, rng, groups=groups) for groups in (first, second)]
    return {f"view {v}": view for v, view in enumerate(views)}, labels


def duplicated(n: int, rng: Generator) -> tuple[Views, Labels]:
    """A middling view four times, and a good one."""
    labels = rng.integers(0, 5, n)
    weak = gaussian(labels, 20, 0.3, rng)
    return {"good": gaussian(labels, 20, 0.8, rng)} | {f"copy {v}": weak for v in range(4)}, labels


def few_noisy_columns(n: int, rng: Generator) -> tuple[Views, Labels]:
    """Eight noisy columns against forty good ones."""
    labels = rng.integers(0, 6, n)
    return {"few": gaussian(labels, 8, 0.3, rng), "many": gaussian(labels, 40, 0.4, rng)}, labels


def narrow_and_wide(n: int, rng: Generator) -> tuple[Views, Labels]:
    """Two columns against five thousand."""
    labels = rng.integers(0, 4, n)
    return {"two": gaussian(labels, 2, 2.0, rng), "wide": gaussian(labels, 5_000, 0.1, rng)}, labels


def sparse_and_dense(n: int, rng: Generator) -> tuple[Views, Labels]:
    """Counts of words and dense measurements."""
    labels = rng.integers(0, 5, n)
    topics = rng.dirichlet(np.full(800, 0.05), 5)
    words = np.stack([rng.multinomial(40, topics[k]) for k in labels])
    return {"words": sp.csr_array(words), "measured": gaussian(labels, 20, 0.6, rng)}, labels


def missing_views(n: int, rng: Generator) -> tuple[Views, Labels]:
    """Thirty percent of the rows of every view are missing."""
    views, labels = _round(n, rng, K=5, separation=0.8)
    absent = rng.random((len(views), n)) < 0.3
    absent[rng.integers(len(views), size=n), np.arange(n)] = False
    return {
        name: np.where(gone[:, None], np.nan, x) for (name, x), gone in zip(views.items(), absent, strict=True)
    }, labels


def missing_in_one_class(n: int, rng: Generator) -> tuple[Views, Labels]:
    """One view is missing in one class only."""
    views, labels = _round(n, rng, K=5, separation=0.8)
    views["view 0"] = np.where((labels == 0)[:, None], np.nan, views["view 0"])
    return views, labels


def pure_noise(n: int, rng: Generator) -> tuple[Views, Labels]:
    """Nothing to be found; any labels are at chance."""
    return {"view 0": rng.standard_normal((n, 20)), "view 1": rng.standard_normal((n, 30))}, rng.integers(0, 4, n)


SCENARIOS: dict[str, Scenario] = {
    make.__name__.replace("_", " "): make
    for make in (
        *(separated, overlapping, unequal, tiny_classes, moons, heavy_tails, weak_view, noise_view),
        *(three_noise_views, different_clusterings, complementary, duplicated, few_noisy_columns),
        *(narrow_and_wide, sparse_and_dense, missing_views, missing_in_one_class, pure_noise),
    )
}
