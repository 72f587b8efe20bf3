"""Save a fitted model in one file, and load it again; no code is stored, and none is run.

The file is a NumPy archive (.npz): arrays, and a JSON text ``model`` that says what they are. Everything else is
numbers, strings, lists, and objects of the few classes below, field by field. The comment at the end of the archive is
the SHA-256 of all bytes before it, so a changed byte is found before anything is used.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import platform
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import scipy.sparse as sp
import sklearn

from manyview.anchors.graph import AnchorGraph, SliceAnchors
from manyview.cluster.anchor_graph.fusion import Fusion
from manyview.cluster.anchor_graph.membership import LinearRule, Novelty
from manyview.cluster.anchor_graph.recipe import Recipe
from manyview.cluster.anchor_graph.reliability import Reliability
from manyview.cluster.anchor_graph.selection import CurvePoint, Selection, Trial
from manyview.cluster.fmcnof import Columns
from manyview.cluster.lmvsc import SpectralMap
from manyview.geometry.fit import Geometry, GeometryOptions
from manyview.geometry.scaling import SCALINGS
from manyview.geometry.text import PrincipalScores, WordWeights

FORMAT = 1
DIGEST_BYTES = 64  # a SHA-256 in hexadecimal digits
PARTS: dict[str, Any] = {
    part.__name__: part
    for part in (
        *(AnchorGraph, SliceAnchors, Geometry, PrincipalScores, WordWeights, *SCALINGS),
        *(Fusion, Reliability, Novelty, LinearRule, SpectralMap, Columns),
        *(CurvePoint, Recipe, GeometryOptions, Selection, Trial),
    )
}


class ModelFileError(ValueError):
    """The file is no model that this version can load.

    Examples
    --------
    >>> import pathlib, tempfile, manyview
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "notes.txt"
    >>> path.write_text("no model")
    8
    >>> try:
    ...     manyview.load(path)
    ... except manyview.ModelFileError:
    ...     print("no model")
    no model
    """


def estimators() -> dict[str, Any]:
    """Return the estimators of this package by name."""
    methods = import_module("manyview.cluster")
    return {name: getattr(methods, name) for name in methods.__all__ if hasattr(getattr(methods, name), "fit")}


def save_model(model: Any, path: str | os.PathLike[str], /) -> Path:
    """Write a fitted model to one file, which is complete or absent.

    Parameters
    ----------
    model : fitted estimator of this package
    path : str or path
        The file, by convention with the ending ``.manyview``.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import pathlib, tempfile, manyview
    >>> from manyview.datasets import make_views
    >>> data = make_views(n_samples=200, n_clusters=3, random_state=0)
    >>> model = manyview.AnchorGraphClustering(n_clusters=3, random_state=0).fit(data.views)
    >>> path = model.save(pathlib.Path(tempfile.mkdtemp()) / "model.manyview")
    >>> bool((manyview.load(path).predict(data.views) == model.labels_).all())
    True
    """
    name = type(model).__name__
    if estimators().get(name) is not type(model):
        raise TypeError(f"save takes a fitted estimator of manyview; got {name}.")
    if not hasattr(model, "labels_"):
        raise ValueError(f"This {name} is not fitted: call fit before save.")
    arrays: dict[str, Any] = {}
    parameters = model.get_params(deep=False)
    results = {key: value for key, value in vars(model).items() if key not in parameters and not key.startswith("_skl")}
    content = {
        "format": FORMAT,
        "estimator": name,
        "versions": library_versions(),
        "parameters": {key: _encoded(_portable(key, value), arrays, key) for key, value in parameters.items()},
        "results": {key: _encoded(value, arrays, key) for key, value in results.items()},
    }
    buffer = io.BytesIO()
    np.savez(buffer, model=np.frombuffer(json.dumps(content, allow_nan=False).encode(), np.uint8), **arrays)
    target = Path(path)
    from manyview.io.whole import whole_file  # readers and writers are loaded when they are needed

    with whole_file(target) as part:
        part.write_bytes(_with_digest(buffer))
    return target


def load(path: str | os.PathLike[str], /) -> Any:
    """Load a model that ``save`` wrote.

    Parameters
    ----------
    path : str or path
        The file, or a folder that `Result.save` or ``manyview cluster`` wrote.

    Returns
    -------
    estimator
        Fitted, and ready to ``predict``.

    Examples
    --------
    >>> import pathlib, tempfile, manyview
    >>> from manyview.datasets import make_views
    >>> data = make_views(n_samples=200, n_clusters=3, random_state=0)
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.manyview"
    >>> saved = manyview.AnchorGraphClustering(n_clusters=3, random_state=0).fit(data.views).save(path)
    >>> manyview.load(path).n_clusters_
    3
    """
    path = Path(path)
    path = path / "model.manyview" if path.is_dir() else path
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file.")
    content, arrays = _read(path)
    if content["format"] > FORMAT:
        raise ModelFileError(
            f"{path} was saved by manyview {content['versions']['manyview']}, in a newer format than this version "
            f"knows ({content['format']} > {FORMAT}): install that version or a later one."
        )
    try:
        model = estimators()[content["estimator"]]()
        known = model.get_params(deep=False)
        model.set_params(**{k: _decoded(v, arrays) for k, v in content["parameters"].items() if k in known})
        for key, value in content["results"].items():
            setattr(model, key, _decoded(value, arrays))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise ModelFileError(f"{path} is no model that this version of manyview can load: {error!r}.") from error
    return model


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    data = path.read_bytes()
    if hashlib.sha256(data[:-DIGEST_BYTES]).hexdigest().encode() != data[-DIGEST_BYTES:]:
        raise ModelFileError(f"{path} is damaged, or was not written by manyview: its checksum does not match.")
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        content = json.loads(arrays.pop("model").tobytes())
        for key in ("format", "estimator", "versions", "parameters", "results"):
            content[key]
    except (KeyError, TypeError, ValueError, OSError, EOFError, zipfile.BadZipFile, RecursionError) as error:
        raise ModelFileError(f"{path} is not a model file: {error!r}.") from error
    return content, arrays


def _with_digest(buffer: io.BytesIO) -> bytes:
    """Return the archive with its digest as the comment, the last bytes of a zip file."""
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.comment = b"0" * DIGEST_BYTES
    data = buffer.getvalue()[:-DIGEST_BYTES]
    return data + hashlib.sha256(data).hexdigest().encode()


def library_versions() -> dict[str, str]:
    """Return the versions of this package and of what it computes with."""
    from manyview import __version__

    libraries = {"numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__}
    return {"manyview": __version__, "Python": platform.python_version(), **libraries}


def _portable(name: str, value: Any) -> Any:
    """Return a parameter without what belongs to the process that fitted."""
    if name == "verbose" and callable(value):
        return False
    if name == "random_state" and not isinstance(value, int | np.integer | None):
        return None
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def _encoded(value: Any, arrays: dict[str, Any], at: str) -> Any:
    """Return JSON for a value; arrays are put aside under a number."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else {"float": repr(float(value))}
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, np.bool_):
        return bool(value)
    if sp.issparse(value):
        csr = value.tocsr()
        kind = "sparse array" if isinstance(value, sp.sparray) else "sparse matrix"
        return {kind: [_encoded(part, arrays, at) for part in (csr.data, csr.indices, csr.indptr)], "shape": csr.shape}
    if isinstance(value, np.ndarray) or hasattr(value, "__dask_graph__"):
        return _encoded_array(np.asarray(value), arrays, at)
    if isinstance(value, Mapping):
        return {"dict": [[_encoded(k, arrays, at), _encoded(v, arrays, f"{at}[{k}]")] for k, v in value.items()]}
    name = type(value).__name__
    if PARTS.get(name) is type(value):
        names = value._fields if hasattr(value, "_fields") else [field.name for field in fields(value)]
        return {"part": name, "fields": {n: _encoded(getattr(value, n), arrays, f"{at}.{n}") for n in names}}
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return {type(value).__name__: [_encoded(item, arrays, f"{at}[{i}]") for i, item in enumerate(value)]}
    raise TypeError(f"{at} is a {name}, which cannot be saved: give a plain value or an array instead.")


def _encoded_array(array: Any, arrays: dict[str, Any], at: str) -> Any:
    if array.dtype.kind == "O":
        return {"objects": [_encoded(item, arrays, at) for item in array.ravel().tolist()], "shape": array.shape}
    number = f"array_{len(arrays)}"
    arrays[number] = array
    return {"array": number}


def _decoded(value: Any, arrays: Mapping[str, Any]) -> Any:
    if not isinstance(value, dict):
        return value
    (kind,) = value.keys() - {"shape", "fields"}
    return DECODERS[kind](value, arrays)


def _decoded_part(value: Any, arrays: Mapping[str, Any]) -> Any:
    part = PARTS[value["part"]]
    given = {name: _decoded(field, arrays) for name, field in value["fields"].items()}
    if is_dataclass(part):
        given = {name: field for name, field in given.items() if name in {f.name for f in fields(part)}}
    return part(**given)


def _decoded_objects(value: Any, arrays: Mapping[str, Any]) -> Any:
    array = np.empty(len(value["objects"]), dtype=object)
    array[:] = [_decoded(item, arrays) for item in value["objects"]]
    return array.reshape(value["shape"])


def _decoded_sparse(value: Any, kind: str, arrays: Mapping[str, Any]) -> Any:
    parts = tuple(_decoded(part, arrays) for part in value[kind])
    return (sp.csr_array if kind == "sparse array" else sp.csr_matrix)(parts, shape=tuple(value["shape"]))


DECODERS: dict[str, Callable[[Any, Mapping[str, Any]], Any]] = {
    "float": lambda value, arrays: float(value["float"]),
    "array": lambda value, arrays: arrays[value["array"]],
    "sparse array": lambda value, arrays: _decoded_sparse(value, "sparse array", arrays),
    "sparse matrix": lambda value, arrays: _decoded_sparse(value, "sparse matrix", arrays),
    "objects": _decoded_objects,
    "dict": lambda value, arrays: {_decoded(k, arrays): _decoded(v, arrays) for k, v in value["dict"]},
    "list": lambda value, arrays: [_decoded(item, arrays) for item in value["list"]],
    "tuple": lambda value, arrays: tuple(_decoded(item, arrays) for item in value["tuple"]),
    "part": _decoded_part,
}
