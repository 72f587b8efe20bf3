"""How values cross the process border: a JSON tree of what was found, and one .npz with the arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Node: TypeAlias = dict[str, Any]


class Tree:
    """Collects the variables of one file."""

    def __init__(self) -> None:
        self.variables: list[tuple[str, Node]] = []  # pairs, since a table may repeat a column's name
        self._arrays: dict[str, NDArray[Any]] = {}

    def add(self, name: str, node: Node) -> None:
        self.variables.append((name, node))

    def array(self, value: NDArray[Any]) -> Node:
        """A plain array of numbers, truth values or text."""
        if value.dtype.kind not in "biufcU":
            return self.unusable(f"values of type {value.dtype}")
        return {"kind": "array", "key": self._keep(value)}

    def sparse_columns(
        self, data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any], shape: tuple[int, ...]
    ) -> Node:
        """A matrix in compressed columns, just as it was found: it is checked on the other side."""
        keys = [self._keep(np.asarray(part)) for part in (data, indices, indptr)]
        return {"kind": "sparse", "keys": keys, "shape": [int(n) for n in shape]}

    def cell(self, shape: tuple[int, ...], items: list[Node]) -> Node:
        """A MATLAB cell array, its items in MATLAB's order (first index fastest)."""
        return {"kind": "cell", "shape": [int(n) for n in shape], "items": items}

    def unusable(self, what: str) -> Node:
        """Something that can be neither a view nor labels."""
        return {"kind": "unusable", "what": what}

    def save(self, path: Path) -> None:
        """Write the arrays; uncompressed, as they are read back at once."""
        np.savez(path, **self._arrays)  # type: ignore[arg-type]

    def _keep(self, value: NDArray[Any]) -> str:
        key = f"a{len(self._arrays)}"
        self._arrays[key] = value
        return key
