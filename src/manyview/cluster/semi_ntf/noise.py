"""Views that know nothing of the clusters that the others see: found, named, and left out of the fit.

    left out:  mean of beta over the view's geometries < threshold x that of the best view            (weights.py)

Small weights are not enough for such a view. Its distances have moved the anchors of the joint table by then, and a
handful of them drowns the views that can tell. Without it anchors and graph are made again.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from manyview.cluster.semi_ntf.graphs import Draw, Progress, leave_out
from manyview.cluster.semi_ntf.settings import Settings
from manyview.cluster.semi_ntf.weights import beyond_chance, look, mean_over_geometries
from manyview.engine import Engine
from manyview.kernels.arrays import BoolArray, FloatArray
from manyview.views import Views

LEAST = 0.25  # of the best view's agreement; noise mostly has less than 0.15
MANY_ROWS, MIN_OF_MANY = 5_000, 0.18  # by so many rows also a weak view says something that can be used
MIN_OF_BEST = 0.2  # labels that no view supports prove nothing against any
MIN_ROWS = 100  # by fewer no view is judged
MIN_OF_WORDS = 0.1  # a view of few words says little about most rows, but what it says is true


class NoiseViewWarning(UserWarning):
    """A view says nothing about the clusters and was left out."""


class Scrutiny(NamedTuple):
    """What the first labels say of the views."""

    agreement: FloatArray  # (V,), beyond chance
    left_out: BoolArray  # (V,)


def without_noise(views: Views, built: Draw, settings: Settings, engine: Engine, progress: Progress, /) -> Draw:
    """The graph of the views that know something of the clusters; the same graph if all do."""
    if not built.joint or built.n_samples < MIN_ROWS:
        return built
    first = look(built.graph, built.sample, engine, settings)
    scrutiny = scrutinize(
        mean_over_geometries(beyond_chance(first.shares, first.chance), built.graph),
        built.graph.geometry.kinds,
        built.n_samples,
    )
    if not scrutiny.left_out.any():
        return built._replace(first=first)
    _warn(scrutiny, views.names)
    left_out = tuple(map(int, np.flatnonzero(scrutiny.left_out)))
    built = leave_out(built, left_out, views, settings, engine, progress)
    return built._replace(first=look(built.graph, built.sample, engine, settings))


def scrutinize(agreement: FloatArray, kinds: tuple[str, ...], n_samples: int, /) -> Scrutiny:
    """Which views agree with the labels so much less than the best view that they cannot be about the same thing."""
    if agreement.max() < MIN_OF_BEST:
        return Scrutiny(agreement, np.zeros(len(kinds), dtype=bool))
    of_numbers = LEAST if n_samples <= MANY_ROWS else MIN_OF_MANY
    least = np.array([MIN_OF_WORDS if kind == "sparse counts" else of_numbers for kind in kinds])
    return Scrutiny(agreement, agreement < least * agreement.max())


def _warn(scrutiny: Scrutiny, names: tuple[str, ...]) -> None:
    agreement = scrutiny.agreement
    best = int(agreement.argmax())
    lost = ", ".join(f"view {names[v]!r} with {agreement[v]:.2f}" for v in np.flatnonzero(scrutiny.left_out))
    warnings.warn(
        f"Left out, because it says next to nothing about the clusters that the other views see: {lost} (agreement "
        f"beyond chance; the best view, {names[best]!r}, has {agreement[best]:.2f}). If it should say something, look "
        "whether its rows are in the order of the others.",
        NoiseViewWarning,
        stacklevel=4,
    )
