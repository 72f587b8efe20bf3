"""One cell of a benchmark: everything that decides its result, and the key that stands for it.

key  =  SHA-256 of the canonical JSON of (data + checksum, method + parameters, row order, seed, threads, code)
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from manyview.bench.environments import HERE, inspect
from manyview.bench.imports import module_of
from manyview.bench.plan import DataSource, Method, Plan
from manyview.bench.sources import data_checksum, locate
from manyview.bench.version import method_digest

Inputs = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """One run of one method on one data set."""

    inputs: Inputs  # JSON values only
    file: str | None = None  # where the data lie on this machine; not an input
    absent: str | None = None  # why the cell cannot run here
    python: str | None = None  # the interpreter on this machine, if it is not this one

    @property
    def key(self) -> str:
        """Return the key, the same for equal inputs on every machine and in every process."""
        return cell_key(self.inputs)


def cell_key(inputs: Mapping[str, Any], /) -> str:
    """Compute the SHA-256 of the canonical JSON of a cell's inputs: sorted keys, no spaces.

    Examples
    --------
    >>> from manyview.bench.cell import cell_key
    >>> cell_key({"seed": 0, "order": "shuffled"}) == cell_key({"order": "shuffled", "seed": 0})
    True
    """
    text = json.dumps(inputs, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def coordinates(inputs: Mapping[str, Any], /) -> dict[str, Any]:
    """Return a cell's place in the tables."""
    return {
        "data": inputs["data"]["name"],
        "method": inputs["method"]["name"],
        "grid": inputs["method"]["grid"],
        "order": inputs["order"],
        "seed": inputs["seed"],
    }


def method_label(method: str, grid: Mapping[str, Any], /) -> str:
    """Return a method's name, with its grid point if it has one.

    Examples
    --------
    >>> from manyview.bench.cell import method_label
    >>> method_label("SemiNTF", {"p": 0.5, "lam": 10.0})
    'SemiNTF (p=0.5, lam=10.0)'
    """
    point = ", ".join(f"{name}={value}" for name, value in grid.items())
    return f"{method} ({point})" if point else method


def cell_title(inputs: Mapping[str, Any], /) -> str:
    """Return a readable name of a cell."""
    at = coordinates(inputs)
    return f"{at['data']}, {method_label(at['method'], at['grid'])}, {at['order']}, seed {at['seed']}"


def cells_of(plan: Plan, /, *, code: Mapping[str, str], data_dir: Path | None = None) -> list[Cell]:
    """List all cells of a plan in the order of the run: data, methods, grid points, row orders, seeds."""
    folders = [plan.folder] if data_dir is None else [data_dir, plan.folder]
    named = {method.environment for method in plan.methods if method.environment is not None}
    installed = {environment: inspect(environment, folder=plan.folder) for environment in named}
    cells = []
    for source in plan.data:
        file = None if source.path is None else locate(source.path, folders)
        data = _described(source, file, plan.folder)
        absent = _absence(source) if data["checksum"] is None else None
        for method in plan.methods:
            if method.data is None or source.name in method.data:
                own = HERE if method.environment is None else installed[method.environment]
                inputs = _inputs(plan, data, method, {**code, **own.code}, own.inputs)
                cells += [Cell(each, file, absent or own.absent, own.interpreter) for each in inputs]
    return cells


def _described(source: DataSource, file: str | None, folder: Path) -> Inputs:
    data: Inputs = {
        "name": source.name,
        "kind": "maker" if source.maker is not None else "file" if source.path is not None else "name",
        "maker": source.maker,
        "params": dict(source.params),
        "widths": None if source.widths is None else list(source.widths),
        "n_clusters": source.n_clusters,
    }
    return {**data, "checksum": data_checksum(data, file, folder=str(folder))}


def _absence(source: DataSource) -> str:
    """Say what is absent without naming a folder, so that it reads the same on every machine."""
    if source.maker is not None:
        return f"not installed: {module_of(source.maker)}"
    if source.path is not None:
        return f"data not present: {source.path}"
    return f"data not present: {source.name} is not registered, or its file is gone"


def _inputs(plan: Plan, data: Inputs, method: Method, code: Mapping[str, str], environment: Inputs) -> Iterator[Inputs]:
    fixed: Inputs = {
        "name": method.name,
        "estimator": method.estimator,
        "params": dict(method.params),
        "concatenate": method.concatenate,
        "record": list(method.record),
        "source": method_digest(method.estimator, folder=str(plan.folder), elsewhere=method.environment is not None),
    }
    if method.scale is not None:
        fixed["scale"] = method.scale
    if environment:
        fixed["environment"] = environment
    for point in method.points():
        for order in method.orders or plan.orders:
            for seed in method.seeds or plan.seeds:
                yield {
                    "data": data,
                    "method": {**fixed, "grid": point},
                    "order": order,
                    "seed": seed,
                    "threads": plan.threads,
                    "code": dict(code),
                }
