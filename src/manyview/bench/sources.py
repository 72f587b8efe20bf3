"""Where a cell's data come from: a file of the user, a maker, the embedded digits, or a registered name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from manyview import datasets
from manyview.bench.imports import import_object, is_import_string, module_of
from manyview.bench.version import module_digest

View: TypeAlias = Any  # ndarray or CSR of shape (N, d); SciPy ships no types
Labels: TypeAlias = NDArray[np.int64]

EMBEDDED = ("digits",)
BY_CODE = "code"  # the checksum of data that our own code makes: the version of the code stands for them


def maker_exists(maker: str, /) -> bool:
    """Return whether a plan may name this maker; ``module:function`` is not imported."""
    return is_import_string(maker) or (maker.startswith("make_") and hasattr(datasets, maker))


def locate(path: str, folders: list[Path], /) -> str | None:
    """Find the file in the first folder that has it; an absolute path stays."""
    places = (folder / Path(path).expanduser() for folder in folders)
    return next((str(place) for place in places if place.exists()), None)


def data_checksum(data: Mapping[str, Any], file: str | None, /, *, folder: str) -> str | None:
    """Compute what identifies the content of a source; None if there is nothing.

    A file has its SHA-256, a user's maker the digest of its module, our makers and embedded data `BY_CODE`.
    """
    if data["maker"] is not None:
        module = module_of(data["maker"])
        return BY_CODE if module is None else module_digest(module, folder=folder)
    if data["kind"] == "name":
        if data["name"] in EMBEDDED:
            return BY_CODE
        file = datasets.registered().get(data["name"])
    return datasets.checksum(file) if file is not None and Path(file).exists() else None


def load_source(data: Mapping[str, Any], file: str | None, /) -> tuple[list[View], Labels | None]:
    """Load the views in their order, and the labels if there are any.

    A user's maker may return a ``MultiViewData`` or a pair of views and labels.
    """
    if data["maker"] is not None:
        found = import_object(data["maker"], default_module="manyview.datasets")(**data["params"])
    elif data["kind"] == "file":
        found = datasets.read_views(str(file), widths=data["widths"])
    else:
        found = datasets.load(data["name"])
    views, labels = (found.views, found.labels) if isinstance(found, datasets.MultiViewData) else found
    return list(views.values() if isinstance(views, Mapping) else views), labels


def dense(view: View, /) -> NDArray[np.float64]:
    """Convert the view to an ndarray of doubles."""
    return np.asarray(view.toarray() if scipy.sparse.issparse(view) else view, dtype=np.float64)
