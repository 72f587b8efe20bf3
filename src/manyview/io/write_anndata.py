"""AnnData (.h5ad) and MuData (.h5mu) files, written with h5py alone in the encoding of AnnData 0.8."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, issparse

from manyview.engine.optional import optional
from manyview.io.data import MultiViewData

HEAD_BYTES = 512
HEAD = b"MuData (format-version=0.1.0;creator=manyview;creator-version=0)"  # MuData warns where it is missing
EMPTY = ("layers", "obsm", "varm", "obsp", "varp", "uns")


def write_h5ad(data: MultiViewData, path: Path, /) -> None:
    """Write a single view as X."""
    if data.n_views != 1:
        raise ValueError(f"{path.name}: .h5ad holds a single view, there are {data.n_views}; choose .h5mu")
    h5py = optional("h5py", extra="files", use="Writing .h5ad")
    with h5py.File(path, "w") as file:
        _write_modality(file, data, next(iter(data.views)), labels=True)


def write_h5mu(data: MultiViewData, path: Path, /) -> None:
    """Write a modality per view; a sample that a view lacks is left out of its modality."""
    h5py = optional("h5py", extra="files", use="Writing .h5mu")
    if odd := [name for name in data.views if not name or "/" in name or name == "."]:
        raise ValueError(f"{path.name}: {odd[0]!r} cannot be the name of a modality; rename it, or choose .npz")
    with h5py.File(path, "w", userblock_size=HEAD_BYTES) as file:
        _encode(file, "MuData", "0.1.0")
        file.attrs["axis"] = 0
        modalities = file.create_group("mod")
        modalities.attrs["mod-order"] = np.array(list(data.views), dtype=object)
        obsmap, varmap = _mapping(file, "obsmap"), _mapping(file, "varmap")
        first, names = 0, []
        for name, view in data.views.items():
            rows = _present(view)
            _write_modality(modalities.create_group(name), data, name, labels=False)
            obsmap[name] = np.where(rows, np.cumsum(rows), 0).astype(np.uint32)
            place = np.zeros(sum(data.n_features), dtype=np.uint32)
            place[first : first + view.shape[1]] = np.arange(1, view.shape[1] + 1)
            varmap[name] = place
            names += [f"{name}:{feature}" for feature in _feature_names(data, name)]
            first += view.shape[1]
        _write_frame(file, "obs", _ids(data), _labels(data))
        _write_frame(file, "var", names, {})
        for part in ("obsm", "varm", "obsp", "varp", "uns"):
            _mapping(file, part)
    with open(path, "rb+") as raw:
        raw.write(HEAD.ljust(HEAD_BYTES, b"\0"))


def _write_modality(group: Any, data: MultiViewData, name: str, *, labels: bool) -> None:
    view = data.views[name]
    rows = _present(view) if not labels else np.ones(data.n_samples, dtype=bool)
    _encode(group, "anndata", "0.1.0")
    if issparse(view):
        S = csr_matrix(view)
        X = group.create_group("X")
        _encode(X, "csr_matrix", "0.1.0")
        X.attrs["shape"] = np.array(S.shape, dtype=np.int64)
        for part in ("data", "indices", "indptr"):
            X[part] = getattr(S, part)
    else:
        group["X"] = view[rows]
        _encode(group["X"], "array", "0.2.0")
    _write_frame(
        group,
        "obs",
        [one for one, there in zip(_ids(data), rows, strict=True) if there],
        _labels(data) if labels else {},
    )
    _write_frame(group, "var", _feature_names(data, name), {})
    for part in EMPTY:
        _mapping(group, part)


def _present(view: Any) -> Any:
    """Rows (n_samples,) that the view does not lack."""
    return np.ones(view.shape[0], dtype=bool) if issparse(view) else ~np.isnan(view).all(axis=1)


def _write_frame(group: Any, name: str, index: list[str], columns: dict[str, Any]) -> None:
    frame = group.create_group(name)
    _encode(frame, "dataframe", "0.2.0")
    frame.attrs["_index"] = "_index"
    frame.attrs["column-order"] = np.array(list(columns), dtype=object if columns else np.float64)
    frame["_index"] = np.array(index, dtype=object)
    _encode(frame["_index"], "string-array", "0.2.0")
    for key, column in columns.items():
        frame[key] = column
        _encode(frame[key], "array", "0.2.0")


def _mapping(group: Any, name: str) -> Any:
    mapping = group.create_group(name)
    _encode(mapping, "dict", "0.1.0")
    return mapping


def _encode(item: Any, kind: str, version: str) -> None:
    item.attrs["encoding-type"], item.attrs["encoding-version"] = kind, version


def _ids(data: MultiViewData) -> list[str]:
    """Ids as text, the only kind that AnnData has; positions where there are none."""
    return [str(one) for one in (range(data.n_samples) if data.ids is None else data.ids.tolist())]


def _feature_names(data: MultiViewData, name: str) -> list[str]:
    return list(data.feature_names[name] or map(str, range(data.views[name].shape[1])))


def _labels(data: MultiViewData) -> dict[str, Any]:
    return {} if data.labels is None else {"labels": data.labels}
