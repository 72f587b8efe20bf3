"""Where a cell's data come from: a file of the user, a maker, the embedded digits, or a registered name."""

from __future__ import annotations

import functools
import importlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from manyview import datasets
from manyview.bench.version import module_digest

View: TypeAlias = Any  # ndarray or CSR of shape (N, d); SciPy ships no types
Labels: TypeAlias = NDArray[np.int64]
Described: TypeAlias = dict[str, Any]  # a source as it stands in the inputs of a cell

EMBEDDED = ("digits",)


def maker_exists(maker: str, /) -> bool:
    """Whether a plan may name this maker; ``module:function`` is not imported to find out."""
    module, colon, name = maker.partition(":")
    if colon:
        return all(part.isidentifier() for part in (*module.split("."), *name.split(".")))
    return maker.startswith("make_") and hasattr(datasets, maker)


def locate(name: str, path: str | None, /, *, folders: list[Path]) -> Path | None:
    """The file behind a source: `path` in the first folder that has it, else what the name is registered as."""
    if path is None:
        known = datasets.registered().get(name)
        return Path(known) if known is not None and Path(known).exists() else None
    places = [folder / os.path.expanduser(path) for folder in folders]
    return next((place for place in places if place.exists()), None)


def data_checksum(described: Mapping[str, Any], file: str | None, /, *, folder: str) -> str | None:
    """What pins the content: a file's SHA-256; for makers and embedded data their code; None where there is nothing."""
    maker = described["maker"]
    if maker is not None:
        return "code" if ":" not in maker else module_digest(maker.partition(":")[0], folder=folder)
    if described["path"] is None and described["name"] in EMBEDDED:
        return "code"
    return None if file is None else datasets.checksum(file)


def absence(described: Mapping[str, Any], /) -> str:
    """Why a source without a checksum cannot be run; names no folder, so that it is the same on every machine."""
    name, path, maker = described["name"], described["path"], described["maker"]
    if maker is not None:
        return f"not installed: {maker.partition(':')[0]}"
    if path is not None:
        return f"data not present: {path}"
    return f"data not present: {name} is not registered, or its file is gone"


def load_source(described: Mapping[str, Any], file: str | None, /) -> tuple[list[View], Labels | None]:
    """The views in their order, and the labels where there are any."""
    if described["maker"] is not None:
        data = _maker(described["maker"])(**described["params"])
    elif described["path"] is not None:
        data = datasets.read_views(str(file), widths=described["widths"])
    else:
        data = datasets.load(described["name"])
    views, labels = (data.views, data.labels) if isinstance(data, datasets.MultiViewData) else data
    return list(views.values() if isinstance(views, Mapping) else views), labels


def _maker(maker: str) -> Callable[..., Any]:
    module, colon, name = maker.partition(":")
    place = importlib.import_module(module) if colon else datasets
    found: Callable[..., Any] = functools.reduce(getattr, (name if colon else maker).split("."), place)
    return found


def dense(view: View, /) -> NDArray[Any]:
    """The view as an ndarray."""
    return np.asarray(view.toarray() if scipy.sparse.issparse(view) else view)
