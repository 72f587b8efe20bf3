"""From the name of a method to a fitted object: our estimators, named peers, and anything with ``fit``."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.preprocessing import StandardScaler, normalize

import manyview
from manyview.bench.imports import import_object, is_import_string
from manyview.bench.sources import View, dense


@dataclass(frozen=True)
class Preset:
    """A short name's estimator, parameters and input."""

    estimator: str
    params: Mapping[str, Any] = field(default_factory=dict)
    concatenate: str | None = None


_KMEANS = ("sklearn.cluster:KMeans", {"n_init": 10})
_SPECTRAL = ("sklearn.cluster:SpectralClustering", {"affinity": "nearest_neighbors"})
PRESETS = {
    "concat-kmeans-z": Preset(*_KMEANS, concatenate="z"),
    "concat-kmeans-l2": Preset(*_KMEANS, concatenate="l2"),
    "concat-spectral-z": Preset(*_SPECTRAL, concatenate="z"),
    "concat-spectral-l2": Preset(*_SPECTRAL, concatenate="l2"),
}


def known_estimators() -> list[str]:
    """List the names that a plan can use without a module: our estimators and the presets."""
    names = [name for name in manyview.__all__ if hasattr(getattr(manyview, name), "fit")]
    presets = [f"{name}.paper" for name in names if hasattr(getattr(manyview, name), "paper")]
    return [*names, *presets, *PRESETS]


def resolvable(estimator: str, /) -> bool:
    """Return whether a plan may name this: a known name, or ``module:Class``, which is not imported."""
    return is_import_string(estimator) or estimator in known_estimators()


def build(estimator: str, params: Mapping[str, Any], /, *, n_clusters: int | None, seed: int) -> Any:
    """Make the estimator; the number of clusters and the seed go in where it takes them and params do not say."""
    maker = import_object(estimator, default_module="manyview")
    accepted = inspect.signature(maker).parameters
    open_ended = any(parameter.kind is parameter.VAR_KEYWORD for parameter in accepted.values())
    own = {"n_clusters": n_clusters, "random_state": seed}
    given = {name: value for name, value in own.items() if value is not None and (name in accepted or open_ended)}
    return maker(**{**given, **params})


def arrange(views: list[View], concatenate: str | None, scale: str | None = None, /) -> Any:
    """Return the views as the estimator takes them: a list, or one matrix of raw, standardized or unit rows."""
    if concatenate is None:
        return scaled(views, scale)
    views = scaled(views, concatenate)
    if any(scipy.sparse.issparse(view) for view in views):
        return scipy.sparse.hstack(views, format="csr")
    return np.hstack(views)


def scaled(views: list[View], scale: str | None, /) -> list[View]:
    """Return the views with standardized columns ("z"), with unit rows ("l2"), or unchanged."""
    if scale == "z":  # centering fills the zeros, so sparse views become dense here
        return [StandardScaler().fit_transform(dense(view)) for view in views]
    return [normalize(view) for view in views] if scale == "l2" else views
