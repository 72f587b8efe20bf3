"""One cell of a benchmark: everything that decides its result, and the key that stands for it.

    key  =  SHA-256 of the canonical JSON of (data + checksum, method + parameters, row order, seed, threads, code)
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from manyview.bench.journal import canonical_json
from manyview.bench.plan import DataSource, Method, Plan
from manyview.bench.sources import absence, data_checksum, locate
from manyview.bench.version import code_version, module_digest

Inputs = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """One run of one method on one data set."""

    inputs: Inputs  # JSON values only
    file: str | None  # where the data lie on this machine; not an input

    @property
    def key(self) -> str:
        """The same for equal inputs, on every machine and in every process."""
        return cell_key(self.inputs)

    @property
    def absent(self) -> str | None:
        """Why the cell cannot run here, or None."""
        data = self.inputs["data"]
        return absence(data) if data["checksum"] is None else None

    @property
    def title(self) -> str:
        """What a person calls this cell."""
        inputs = self.inputs
        return f"{inputs['data']['name']}, {method_label(inputs)}, {inputs['order']}, seed {inputs['seed']}"


def cell_key(inputs: Mapping[str, Any], /) -> str:
    """SHA-256 of the canonical JSON of a cell's inputs.

    Examples
    --------
    >>> from manyview.bench.cell import cell_key
    >>> cell_key({"seed": 0, "order": "shuffled"}) == cell_key({"order": "shuffled", "seed": 0})
    True
    """
    return hashlib.sha256(canonical_json(inputs).encode()).hexdigest()


def method_label(inputs: Mapping[str, Any], /) -> str:
    """A method's name, with its grid point where it has one.

    Examples
    --------
    >>> from manyview.bench.cell import method_label
    >>> method_label({"method": {"name": "SemiNTF", "grid": {"p": 0.5, "lam": 10.0}}})
    'SemiNTF (p=0.5, lam=10.0)'
    """
    method = inputs["method"]
    point = ", ".join(f"{name}={value}" for name, value in method["grid"].items())
    return f"{method['name']} ({point})" if point else str(method["name"])


def cells_of(plan: Plan, /, *, data_dir: Path | None = None) -> list[Cell]:
    """All cells of a plan, in the order they are run: data, methods, grid points, row orders, seeds."""
    folder = str(plan.folder)
    folders = [plan.folder] if data_dir is None else [data_dir, plan.folder]
    return [
        Cell(inputs, file)
        for source in plan.data
        for data, file in [_described(source, folders, folder)]
        for method in plan.methods
        if method.data is None or source.name in method.data
        for inputs in _inputs(plan, data, method)
    ]


def _described(source: DataSource, folders: list[Path], folder: str) -> tuple[Inputs, str | None]:
    path = None if source.maker is not None else locate(source.name, source.path, folders=folders)
    file = None if path is None else str(path)
    data: Inputs = {
        "name": source.name,
        "path": source.path,
        "maker": source.maker,
        "params": dict(source.params),
        "widths": None if source.widths is None else list(source.widths),
        "n_clusters": source.n_clusters,
    }
    return {**data, "checksum": data_checksum(data, file, folder=folder)}, file


def _inputs(plan: Plan, data: Inputs, method: Method) -> Iterator[Inputs]:
    module, colon, _ = method.estimator.partition(":")
    fixed: Inputs = {
        "name": method.name,
        "estimator": method.estimator,
        "params": dict(method.params),
        "concatenate": method.concatenate,
        "record": list(method.record),
        "source": module_digest(module, folder=str(plan.folder)) if colon else None,
    }
    for point in method.points():
        for order in method.orders or plan.orders:
            for seed in method.seeds or plan.seeds:
                yield {
                    "data": data,
                    "method": {**fixed, "grid": point},
                    "order": order,
                    "seed": seed,
                    "threads": plan.threads,
                    "code": code_version(),
                }
