"""The facts of the run: what was computed from what, with which parameters and versions, and how to do it again."""

from __future__ import annotations

import hashlib
import json
import platform
from importlib.metadata import version
from typing import Any, TypedDict

import numpy as np
import scipy.sparse as sp

from manyview.report.summary.inputs import Inputs

LIBRARIES = ("manyview", "numpy", "scipy", "scikit-learn")
SILENT = ("verbose", "n_jobs", "scratch")  # say nothing about the result


class Parameter(TypedDict):
    """One parameter of the estimator."""

    name: str
    value: str
    changed: bool  # differs from the default


class RunFacts(TypedDict):
    """What it takes to repeat the run."""

    method: str
    parameters: list[Parameter]
    versions: dict[str, str]
    platform: str
    seed: str
    seconds: float | None
    peak_memory: int | None  # bytes, of the whole process so far
    checksum: str | None  # SHA-256 of names, shapes and numbers of the views
    code: str


def run_facts(inputs: Inputs, /) -> RunFacts:
    """Gather the facts of the run."""
    return RunFacts(
        method=type(inputs.model).__name__,
        parameters=parameters(inputs.model),
        versions={"Python": platform.python_version(), **{library: version(library) for library in LIBRARIES}},
        platform=f"{platform.system()} {platform.machine()}",
        seed=str(getattr(inputs.model, "random_state", None)),
        seconds=inputs.seconds,
        peak_memory=peak_memory(),
        checksum=None if inputs.views is None else checksum(inputs),
        code=code(inputs.model),
    )


def parameters(model: Any, /) -> list[Parameter]:
    """Return parameters as given; what "auto" came to, where the fit keeps it."""
    graph = getattr(model, "anchor_graph_", None)
    became: dict[str, Any] = {}
    if graph is not None:
        became = {
            "n_anchors": graph.n_anchors,
            "n_neighbors": " and ".join(map(str, graph.scales)),
            "dtype": graph.dtype,
            "n_clusters": model.n_clusters_,
        }
    defaults = type(model)().get_params()
    found = []
    for name, value in model.get_params().items():
        if name in SILENT:
            continue
        text = f"array of shape {np.shape(value)}" if isinstance(value, np.ndarray) else str(value)
        if text == "auto" and name in became:
            text = f"auto: {became[name]}"
        changed = isinstance(value, np.ndarray) or value != defaults[name]
        found.append(Parameter(name=name, value=text, changed=bool(changed)))
    return found


def code(model: Any, /) -> str:
    """Return lines that repeat the fit and the report; ``views`` stands for the input."""
    defaults = type(model)().get_params()
    given = [
        f"{name}={_literal(value)}"
        for name, value in model.get_params().items()
        if name not in SILENT and (isinstance(value, np.ndarray) or value != defaults[name])
    ]
    name = type(model).__name__
    call = ", ".join(given)
    if len(call) > 72:
        call = "\n" + "".join(f"    {one},\n" for one in given)
    return "\n".join(
        [
            f"from manyview import {name}",
            "",
            f"model = {name}({call}).fit(views)",
            'model.report(views, "report.html")',
        ]
    )


def _literal(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int | float | bool | None):
        return repr(value)
    text = repr(value)
    return text if len(text) < 80 and "<" not in text and "\n" not in text else f"...  # a {type(value).__name__}"


def checksum(inputs: Inputs, /) -> str:
    """Return the SHA-256 of the views: their names, shapes, types and numbers, row block by row block."""
    digest = hashlib.sha256()
    for v, name in enumerate(inputs.view_names):
        digest.update(f"{name}\0{inputs.n_samples}\0{inputs.model.view_widths_[v]}\0".encode(errors="replace"))
        for _, block in inputs.blocks(v):
            parts: tuple[Any, ...]
            if sp.issparse(block):
                parts = (block.indptr.astype("<i8"), block.indices.astype("<i8"), block.data)
            else:
                parts = (block,)
            for part in parts:
                digest.update(part.dtype.str.encode())
                digest.update(np.ascontiguousarray(part).data)
    return digest.hexdigest()


def peak_memory() -> int | None:
    """Return the largest resident size of this process so far, in bytes; None where the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(most) * (1 if platform.system() == "Darwin" else 1024)
